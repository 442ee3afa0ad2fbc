"""Which brace closes which, found before parsing, so that an error in a block ends at its brace.

Where braces do not balance, indentation tells which one was forgotten: a declaration that begins a line no further
right than the line that opened a brace is not meant to be inside it. The forgotten brace is inserted.
"""

from __future__ import annotations

from collections.abc import Sequence

from hamlet.frozen import dataclass
from hamletc.diagnostics import Diagnostic, Edit, Label, diagnose
from hamletc.diagnostics.edit import behind
from hamletc.language.tokens import Token
from hamletc.language.words import SHAPES

DEEPEST_NESTING = 100
"""The most braces and parentheses that may be open at once."""

DECLARATIONS = frozenset(shape.split()[0] for shape in SHAPES)
"""The words that begin a declaration."""

_ASSIGNMENTS = ("+=", "-=", "=")


@dataclass(frozen=True, slots=True)
class Braced:
    """Tokens whose braces match, apart from the `strays`: closing braces (by index) that nothing opened.

    `closer` gives an opening brace's closing one; `opener` gives for every token the innermost brace open before it.
    """

    tokens: tuple[Token, ...]
    closer: dict[int, int]
    opener: tuple[int | None, ...]
    strays: frozenset[int]
    diagnostics: tuple[Diagnostic, ...]


def too_deep(tokens: tuple[Token, ...]) -> Diagnostic | None:
    """The diagnostic for braces and parentheses that nest too deeply."""
    depth = 0
    for token in tokens:
        if token.kind == "symbol":
            depth += token.text in "({"
            depth = max(0, depth - (token.text in ")}"))
            if depth > DEEPEST_NESTING:
                message = f"more than {DEEPEST_NESTING} braces and parentheses are open"
                return diagnose(
                    "H015", message, token.span, hint="Close some first: a rule can compute a meter in steps."
                )
    return None


def assigns(tokens: Sequence[Token], index: int) -> bool:
    """Whether the word at this index is assigned to."""
    return index + 1 < len(tokens) and tokens[index + 1].text in _ASSIGNMENTS


def begins_line(tokens: tuple[Token, ...], index: int) -> bool:
    """Whether a token is the first of its line."""
    return index == 0 or tokens[index - 1].line < tokens[index].line


def begins_declaration(tokens: tuple[Token, ...], index: int) -> bool:
    """Whether a declaration seems to begin here: at the beginning of a line, with a word that can begin one. Also
    `clock = 24` seems to be one; what is added to is a meter."""
    if tokens[index].text not in DECLARATIONS or not begins_line(tokens, index):
        return False
    return not assigns(tokens, index) or tokens[index + 1].text == "="


def match_braces(tokens: tuple[Token, ...]) -> Braced:
    """Match braces; insert those that were forgotten, with a diagnostic for each."""
    if not _balanced(tokens):
        tokens, diagnostics = _insert_forgotten(tokens)
    else:
        diagnostics = ()
    closer: dict[int, int] = {}
    opener: list[int | None] = []
    strays: set[int] = set()
    stack: list[int] = []
    for index, token in enumerate(tokens):
        opener.append(stack[-1] if stack else None)
        if token.text == "{":
            stack.append(index)
        elif token.text == "}" and stack:
            closer[stack.pop()] = index
        elif token.text == "}":
            strays.add(index)
    return Braced(tokens, closer, tuple(opener), frozenset(strays), diagnostics)


def _balanced(tokens: tuple[Token, ...]) -> bool:
    depth = 0
    for token in tokens:
        depth += (token.text == "{") - (token.text == "}")
        if depth < 0:
            return False
    return depth == 0


def _insert_forgotten(tokens: tuple[Token, ...]) -> tuple[tuple[Token, ...], tuple[Diagnostic, ...]]:
    """Insert a closing brace wherever indentation, or the end of the file, shows that one is missing."""
    result: list[Token] = []
    diagnostics: list[Diagnostic] = []
    stack: list[tuple[Token, int]] = []  # an opening brace and the column at which its line begins
    indent = 1
    for index, token in enumerate(tokens):
        if begins_line(tokens, index):
            indent = token.column
        forgotten: list[Label] = []
        while stack and _ends_blocks(tokens, index, stack):
            opening, _ = stack.pop()
            before = result[-1].span
            result.append(Token("symbol", "}", before.end_line, before.end_column, inserted=True))
            forgotten.append(Label(opening.span, "opened here"))
        if forgotten:
            diagnostics.append(_not_closed(token, forgotten, behind(before, " }" * len(forgotten))))
        result.append(token)
        if token.text == "{":
            stack.append((token, indent))
        elif token.text == "}" and stack:
            stack.pop()
    return tuple(result), tuple(diagnostics)


def _not_closed(token: Token, forgotten: list[Label], closing: Edit) -> Diagnostic:
    """The diagnostic for braces that should have been closed before a token."""
    braces = "a brace is" if len(forgotten) == 1 else f"{len(forgotten)} braces are"
    found = "the end of the file" if token.kind == "end" else f"`{token.text}`"
    expected = f"expected `{' '.join('}' for _ in forgotten)}`"
    message = f"{braces} not closed before {found}"
    hint = f"Write `}}` where the block that begins in line {forgotten[0].span.line} is to end."
    return diagnose("H010", message, token.span, expected, secondary=forgotten, hint=hint, edits=(closing,))


def _ends_blocks(tokens: tuple[Token, ...], index: int, stack: list[tuple[Token, int]]) -> bool:
    """Whether the innermost open brace must have been meant to be closed before this token."""
    token, indent = tokens[index], stack[-1][1]
    if token.kind == "end":
        return True
    if token.text == "}":
        return len(stack) > 1 and begins_line(tokens, index) and token.column < indent
    return begins_declaration(tokens, index) and token.column <= indent
