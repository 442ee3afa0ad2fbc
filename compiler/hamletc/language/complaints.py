"""What to say about a token that cannot stand where it does, in an author's words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, Edit, Label, diagnose
from hamletc.diagnostics.edit import before, behind, guessed
from hamletc.foreign import ALMOST_THE_SAME, OWN_WORDS, instead
from hamletc.language.braces import DECLARATIONS, begins_line
from hamletc.language.conditionals import ternary
from hamletc.language.cures import cure, shape
from hamletc.language.misplaced import (
    brought_in,
    drawn,
    every_tick,
    guarded,
    kept_by_world,
    lain,
    moved_out,
    needed,
    now_and_then,
    of_agents,
    seen,
)
from hamletc.language.situation import COMPARISONS, Cure, Situation
from hamletc.language.tokens import Token
from hamletc.language.unfinished import UNITS
from hamletc.language.words import RESERVED
from hamletc.suggest import closest

_UNITS = ("%", "tick", "ticks", "hour", "hours", "day", "days")
_BEGIN_EXPRESSIONS = {
    *("(", "-", "not", "if", "at", "on", "every", "after"),
    *("distance", "straight", "walking", "position", "velocity", "ahead", "streak"),
}
_OPERATORS = ("+", "-", "*", "/", *COMPARISONS, "and", "or", "when")
_GOES_ON = frozenset((*_OPERATORS, *_UNITS, "(", "{", ":", "->", "in", "of", "unclamped", "x"))
"""What goes on with an item that could have ended before."""
_PHRASES = (
    *(("on", "on completion", "each"), ("each", "each tick", "on completion")),
    *(("per", "per agent", "rule"), ("up", "up to", "up")),
)
"""Words that begin something of two words, with these, where another one can stand too."""
_STATEMENTS = {
    *("if", "together", "repeat", "begin", "end", "wear", "velocity", "position", "move", "teleport", "spawn", "let"),
}
"""Words that begin statements."""
_TYPED = ("var", "local", "const", "auto", "float", "double", "int", "real", "bool", "number", "meter", "state")
"""Words with which other languages declare what statements read, and ours what lasts."""
_WRITTEN = ("meter", "state", "item")
"""Words before what statements write."""
_PROPERTIES = ("decay", "edges", "interact", "move", "places", "reach", "starts", "step")
"""Words of properties in the braces of meters and of spaces."""
_CHANCES = ("sometimes", "maybe", "occasionally", "randomly")
_MANY = 20
"""Declarations that are not named one by one any more."""
_FEW = 9
"""Items between braces that are named one by one where something else is amiss."""


def complain(situation: Situation) -> tuple[Diagnostic, Cure | None]:
    """The diagnostic for a token that cannot stand where it does, and how to go on, where that is known."""
    token, texts, expected = situation.token, situation.texts, situation.expected
    if token.problem is not None:
        edits = ternary(situation) if token.text == "?" else ()
        return replace(token.problem, edits=edits) if edits else token.problem, None
    span = token.span
    if token.text in COMPARISONS and "and" in texts and "<" not in texts:
        hint = "Write `a < b and b < c` for `a < b < c`."
        label, edits = "a second comparison", _both(situation)
        return diagnose("H013", "comparisons cannot be chained", span, label, hint=hint, edits=edits), None
    found = cure(situation)
    if found is None and token.text in RESERVED and "NAME" in expected and "NUMBER" not in expected:
        words = _listed((f"`{word}`" for word in sorted(RESERVED)), "and")
        hint = f"The reserved words are {words}. In backticks they are names."
        message = f"`{token.text}` is a reserved word and cannot be a name"
        return diagnose("H012", message, span, hint=hint, edits=(Edit(span, f"`{token.text}`", sure=False),)), None
    label = "unexpected"
    if situation.ends_early:
        last = situation.before.span
        span, label = Span(last.end_line, last.end_column, last.end_line, last.end_column), "expected here"
    secondary = _around(situation, span)
    if found is not None:
        message = found.message or _expected(situation)
        label = found.label if found.message or label == "unexpected" else label
        span = found.span or span
        cured = diagnose(found.code, message, span, label, secondary=secondary, hint=found.hint, edits=found.edits)
        return cured, found
    hint, edits = _hint(situation)
    return diagnose("H009", _expected(situation), span, label, secondary=secondary, hint=hint, edits=edits), None


def _both(situation: Situation) -> tuple[Edit, ...]:
    """The edits of `0.1 < energy < 0.9`, where a name or a number is compared twice."""
    tokens, index = situation.tokens, situation.index
    middle = tokens[index - 1]
    if tokens[index - 2].text not in COMPARISONS or middle.kind not in ("word", "quoted", "number"):
        return ()
    return (behind(middle.span, f" and {middle.text}"),)


def _expected(situation: Situation) -> str:
    """What may stand there, and what does."""
    token = situation.token
    found = {"end": "the end of the file", "quoted": token.text}.get(token.kind) or f"`{token.text}`"
    expected, texts = situation.expected, situation.texts
    if _begins_item(situation):
        expected, texts = frozenset[str](), texts - _GOES_ON
    items = _many_items(situation)
    block = _block(situation) if items else None
    words = _in_words(expected, texts if block is None else texts - items, situation.shifted)
    if block is not None:
        words.insert(len(words) - (words[-1:] == ["`}`"]), f"an item of `{situation.tokens[block].text}`")
    return f"expected {_listed(words, 'or')}, found {found}"


def _many_items(situation: Situation) -> frozenset[str]:
    """The words of items that may begin here, where they are too many to name beside something else."""
    items = situation.begins & situation.texts
    return items if len(items) > _FEW and "together" not in items else frozenset()


def _begins_item(situation: Situation) -> bool:
    """Whether the token begins a line, or a declaration, where something may be declared: it belongs to nothing before
    it."""
    declares = situation.token.kind == "word" and situation.token.text in DECLARATIONS
    begins = declares or begins_line(situation.tokens, situation.index)
    return begins and {"meter", "rule"} <= situation.texts


def _block(situation: Situation) -> int | None:
    """Where the declaration begins in whose braces the token is."""
    if situation.opener is None:
        return None
    before = range(situation.opener - 1, -1, -1)
    return next((index for index in before if situation.tokens[index].text in DECLARATIONS), None)


def _around(situation: Situation, span: Span) -> list[Label]:
    """The parenthesis that is open, and the declaration, where it began in another line."""
    labels = []
    tokens, start = situation.tokens, situation.start
    if ")" in situation.texts and (opening := _open_parenthesis(tokens, situation.index)) is not None:
        labels.append(Label(opening.span, "this parenthesis is open"))
    if _begins_item(situation):
        start = _block(situation) or 0
    if start > 0 and tokens[start].line < span.line:
        labels.append(Label(tokens[start].span, f"in this {tokens[start].text}"))
    return labels


IN_QUOTES = {
    **dict.fromkeys(("INCLUDE", "EXTENDS", "MAP"), "the name of a file in quotes"),
    **dict.fromkeys(("AT", "TELEPORT"), "a letter in quotes"),
}
"""What stands in quotes behind terminals; elsewhere rows of a map, and letters."""


def _in_words(expected: frozenset[str], texts: frozenset[str], shifted: str | None) -> list[str]:
    """What is expected behind a terminal, from the most general to the most special."""
    words: list[str] = []
    rest = set(texts) - {"["}  # any name could be that of a table
    named = "NAME" in expected
    if "STRING" in expected:
        file = "the name of a file in quotes" if "LBRACE" in expected else "letters in quotes"
        words.append(IN_QUOTES.get(shifted or "", file))
    if "NUMBER" in expected and "(" in texts:
        words.append("an expression")
        rest -= _BEGIN_EXPRESSIONS
        named = False
    elif "NUMBER" in expected:
        words.append("a number")
        rest -= {"-"}
        named = False
    if {"+", "-"} <= rest:
        words.append("an operator")
        rest -= {"(", ":", "of", "at", *_OPERATORS, *_UNITS}
    elif {"<", "*"} <= rest:
        words.append("a comparison")
        rest -= {"(", "of", "at", *_OPERATORS, *_UNITS}
    elif "days" in rest:
        rest -= {"day", "hour", "tick"}
    elif "+=" in rest:
        rest -= {"of"}  # few names that are written are those of an affordance
    if "together" in rest:
        words.append("a statement")
        rest -= _STATEMENTS
        named = False
    if named:
        words.append("a name")
    for first, phrase, beside in _PHRASES:
        if rest >= {first, beside}:
            rest = rest - {first} | {phrase}
    if len(rest & DECLARATIONS) >= _MANY:
        words.append("a declaration")
        rest -= DECLARATIONS | {"extends"}
    if "LABEL" in expected:
        rest |= {"NAME:"}
    words.extend(f"`{text}`" for text in sorted(rest, key=lambda text: (not text[0].isalpha(), text)))
    return words


def _hint(situation: Situation) -> tuple[str, tuple[Edit, ...]]:
    """What the author may have meant, with edits that write it; otherwise how the declaration is written."""
    token, texts = situation.token, situation.texts
    if token.text in ("if", "not") and "NUMBER" in situation.expected and "(" in texts:
        return f"Put the `{token.text}` expression in parentheses.", ()
    if token.text == "number" and {"highest", "lowest"} <= texts:
        return "Write `to lowest number`: agents come in their order.", (before(token.span, "lowest "),)
    if token.text in ("+", "-") and "<" in texts and "+" not in texts:
        return "A condition after `when` that adds or subtracts goes in parentheses.", ()
    if "+=" in texts and "==" not in texts:
        return _statement(situation)
    if ")" in texts and begins_line(situation.tokens, situation.index):
        return "Close the parenthesis with `)`.", (behind(situation.before.span, ")", sure=False),)
    if token.text == "universe":
        return "A file declares one universe, in its first line.", ()
    if token.kind == "word" and not situation.ends_early:
        if (told := guarded(situation) or seen(situation) or lain(situation) or drawn(situation)) is not None:
            return told
        words = [text for text in texts if text.isalpha()]
        meant = closest(token.text, words, ALMOST_THE_SAME)
        if meant is None or meant == token.text:
            meaning = OWN_WORDS.get(token.text) or (None if token.text in UNITS else instead(token.text))
            if meaning is not None:
                return meaning, _braced(situation) or _declared(situation) or _elsewhere(situation)
            meant = closest(token.text, words)
        if meant is not None and meant != token.text:
            sure = (Edit(token.span, meant),) if len(texts) == 1 else ()
            return f"Did you mean `{meant}`?", sure or guessed(token.span, token.text, meant)
    if token.text == ")" and _open_parenthesis(situation.tokens, situation.index) is None:
        return "Leave it out: no parenthesis is open here.", (situation.without(situation.index),)
    block = _block(situation)
    if situation.declaration == "" or (texts >= DECLARATIONS and _begins_item(situation)):
        words = [f"`{word}`" for word in sorted(DECLARATIONS)]
        return f"A declaration begins with {_listed(words, 'or')}.", ()
    if block is not None and "}" in texts and token.text in DECLARATIONS and token.kind == "word":
        if edits := every_tick(situation, block):
            return "An effect has no rules: write `each tick { ... }` for what it does.", edits
        hint = f"`{token.text}` stands outside of the braces of `{situation.tokens[block].text}`."
        return hint, moved_out(situation, block)
    begun = block if block is not None and _begins_item(situation) else situation.start
    hint = shape(situation.tokens, begun)
    many = _many_items(situation)
    if block is not None and many and begins_line(situation.tokens, situation.index):
        items = _listed((f"`{word}`" for word in sorted(many)), "or")
        hint += f" Items of `{situation.tokens[block].text}` begin with {items}."
    return hint, kept_by_world(situation)


def _elsewhere(situation: Situation) -> tuple[Edit, ...]:
    """The edits of words that have a meaning in other braces, or in another language."""
    if situation.token.text in _CHANCES:
        return now_and_then(situation)
    return of_agents(situation) or kept_by_world(situation) or brought_in(situation) or needed(situation)


def _declared(situation: Situation) -> tuple[Edit, ...]:
    """The edits of `stock = 20` where meters are declared."""
    if "meter" not in situation.texts or situation.after().text != "=" or situation.opener is None:
        return ()
    return (before(situation.token.span, "meter ", sure=False),)


def _braced(situation: Situation) -> tuple[Edit, ...]:
    """The edits of a property that stands behind its declaration, and not in braces."""
    rest = situation.whole_rest(1)
    if situation.token.text not in _PROPERTIES or "{" not in situation.texts or not rest:
        return ()
    return before(situation.token.span, "{ "), behind(rest[-1].span, " }")


def _statement(situation: Situation) -> tuple[str, tuple[Edit, ...]]:
    """How a statement is written, behind a word that may begin one or not: a meter does, and hardly what stands before
    a number, a word or a parenthesis."""
    word, tokens = situation.before.text, situation.tokens
    meters = [name.text for kind, name in pairwise(tokens) if kind.text in _WRITTEN and name.kind == "word"]
    follows = situation.token.kind in ("word", "number", "quoted") or situation.token.text in ("(", "{")
    if word in meters or not follows:
        return f"A statement is written `{word} += 0.1`.", _assigned(situation) or _added(situation)
    if word in ("move", "teleport"):
        hint = 'Agents are moved by `move (1, 0)`, `teleport (0, 0)`, `teleport "B"` or, to a node, `teleport home`.'
        number = word == "move" and situation.token.kind == "number"
        return hint, (situation.instead(1, f"({situation.token.text}, 0)", sure=False),) if number else ()
    if word == "spawn":
        return "Agents have children by `spawn sheep`, or `spawn sheep { energy = energy / 2 }`.", ()
    if word == "let":
        return _local(situation)
    if situation.token.kind == "word" and situation.after().text == "=" and word in _TYPED:
        hint = f"What statements behind it read is a local: `let {situation.token.text} = ...`"
        lasts = word in _WRITTEN
        hint += "; what is there in the next tick is declared outside of these braces." if lasts else "."
        return hint, (Edit(situation.before.span, "let", sure=not lasts),)
    begun = tokens[max(situation.index - 5, 0) : situation.index]
    drawn = next((one for sign, one in pairwise(begun) if (sign.text, one.text) == ("=", "once")), None)
    if drawn is not None and "let" in [token.text for token in begun]:
        hint = "A `let` among statements is worked out once, where it stands: leave out `once`."
        return hint, (Edit(drawn.span, ""),)
    meant = closest(word, meters)
    if meant is not None:
        added = _added(situation)
        edits = (Edit(situation.before.span, meant, sure=False), *added) if added else ()
        return f"A statement is written `{meant} += 0.1`.", edits
    if word in ("loop", "for", "times") and situation.token.kind == "number" and situation.after().text == "{":
        return instead(word) or "", (Edit(situation.before.span, "repeat"),)
    meter = meters[0] if meters else "energy"
    other = f"There is no statement `{word}`: a statement writes a meter, as in `{meter} += 0.1`."
    return instead(word) or other, ()


def _local(situation: Situation) -> tuple[str, tuple[Edit, ...]]:
    """How a local is written, behind its `let`."""
    name, then = situation.token.text, situation.after().text
    if then == "(":
        return "A function is declared outside of braces; among statements a `let` is one value.", ()
    hint = f"A local is written `let {name} = 0.5 * energy`: it is a number or a condition, as its value is."
    instead = {"+=": "=", "-=": "=", ":=": "="}.get(then)
    return hint, () if instead is None else (Edit(situation.after().span, instead, sure=False),)


def _added(situation: Situation) -> tuple[Edit, ...]:
    """The edits of `energy 0.1`."""
    return (before(situation.token.span, "+= ", sure=False),) if situation.token.kind == "number" else ()


def _assigned(situation: Situation) -> tuple[Edit, ...]:
    """The edits of `energy - 0.1`, and of a sign apart from its `=`."""
    if situation.token.text not in ("+", "-"):
        return ()
    apart = situation.after().text == "="
    return (situation.instead(1 + apart, f"{situation.token.text}="),)


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
