"""What to say about a token that cannot stand where it does, in an author's words."""

from __future__ import annotations

from collections.abc import Iterable

from hamletc.diagnostics import Diagnostic, Label, diagnose
from hamletc.language.braces import DECLARATIONS, begins_line
from hamletc.language.tables import terminals
from hamletc.language.tokens import Token
from hamletc.language.words import RESERVED
from hamletc.suggest import closest

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_OPERATORS = ("+", "-", "*", "/", *_COMPARISONS, "and", "or", "when")


def complain(expected: frozenset[str], tokens: tuple[Token, ...], index: int, start: int) -> Diagnostic:
    """The diagnostic for the token at `index`, where only `expected` terminals may stand.

    `start` is the index at which the last declaration began, 0 before the first.
    """
    token = tokens[index]
    if token.problem is not None:
        return token.problem
    texts = frozenset(text for text, terminal in terminals().items() if terminal in expected)
    span = token.span
    if token.text in _COMPARISONS and "and" in texts and "<" not in texts:
        hint = "Write `a < b and b < c` for `a < b < c`."
        return diagnose("H013", "comparisons cannot be chained", span, "a second comparison", hint=hint)
    if token.text in RESERVED and "NAME" in expected and "NUMBER" not in expected:
        words = _listed((f"`{word}`" for word in sorted(RESERVED)), "and")
        hint = f"The reserved words are {words}. In backticks they are names."
        return diagnose("H012", f"`{token.text}` is a reserved word and cannot be a name", span, hint=hint)
    found = {"end": "the end of the file", "quoted": token.text}.get(token.kind) or f"`{token.text}`"
    message = f"expected {_listed(_in_words(expected, texts), 'or')}, found {found}"
    secondary = []
    if ")" in texts and (opening := _open_parenthesis(tokens, index)) is not None:
        secondary.append(Label(opening.span, "this parenthesis is open"))
    begins_anew = texts >= DECLARATIONS and begins_line(tokens, index)
    if start > 0 and tokens[start].line < token.line and not begins_anew:
        secondary.append(Label(tokens[start].span, f"in this {tokens[start].text}"))
    meant = _hint(token, texts, expected)
    if meant is None and token.kind == "word" and tokens[index - 1].text in ("position", "velocity"):
        meant = "Axes are called `x`, `y` and `z`; where there are more than three, `x0`, `x1`, ..."
    return diagnose("H009", message, span, "unexpected", secondary=secondary, hint=meant)


def _in_words(expected: frozenset[str], texts: frozenset[str]) -> list[str]:
    """What is expected, from the most general to the most special."""
    words: list[str] = []
    rest = set(texts)
    named = "NAME" in expected
    if "NUMBER" in expected and "(" in texts:
        words.append("an expression")
        rest -= {"(", "-", "not", "if", "distance", "straight", "position", "velocity", "streak"}
        named = False
    elif "NUMBER" in expected:
        words.append("a number")
        rest -= {"-"}
    if {"+", "-"} <= rest:
        words.append("an operator")
        rest -= {"(", ":", *_OPERATORS}
    elif {"<", "*"} <= rest:
        words.append("a comparison")
        rest -= {"(", *_OPERATORS}
    if "together" in rest:
        words.append("a statement")
        rest -= {"together"}
        named = False
    if named:
        words.append("a name")
    if {"meter", "rule"} <= rest:
        words.append("a declaration")
        rest -= DECLARATIONS
    if rest >= {"each", "on"}:
        rest = rest - {"each", "on"} | {"each tick", "on completion"}
    words.extend(f"`{text}`" for text in sorted(rest, key=lambda text: (not text[0].isalpha(), text)))
    return words


def _hint(token: Token, texts: frozenset[str], expected: frozenset[str]) -> str | None:
    """What the author may have meant."""
    operand = "NUMBER" in expected and "(" in texts
    if token.text == "=" and "==" in texts:
        return "Compare with `==`."
    if token.text in ("if", "not") and operand:
        return f"Put the `{token.text}` expression in parentheses."
    if token.text in ("+", "-") and "<" in texts and "+" not in texts:
        return "A condition after `when` that adds or subtracts goes in parentheses."
    if token.text == ",":
        return "Items stand side by side, without commas."
    if token.text == "universe":
        return "A file declares one universe, in its first line."
    if token.kind == "word":
        meant = closest(token.text, (text for text in texts if text.isalpha()))
        if meant is not None and meant != token.text:
            return f"Did you mean `{meant}`?"
    return None


def _open_parenthesis(tokens: tuple[Token, ...], index: int) -> Token | None:
    """The innermost parenthesis that is open before a token."""
    depth = 0
    for token in reversed(tokens[:index]):
        depth += (token.text == "(") - (token.text == ")")
        if depth > 0:
            return token
    return None


def _listed(words: Iterable[str], conjunction: str) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *most, last = words
    return f"{', '.join(most)} {conjunction} {last}" if most else last
