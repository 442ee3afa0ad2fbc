"""A token that cannot stand where it does, what is around it, and the cure of it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.diagnostics import Edit
from hamletc.diagnostics.edit import before, behind
from hamletc.language.braces import DECLARATIONS, assigns, begins_declaration
from hamletc.language.tokens import Token

ASSIGNMENTS = ("+=", "-=", "=")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
LONGEST_REST = 8
"""The most tokens that a cure looks ahead."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A token that cannot stand where it does. `texts` are the words and symbols among the `expected` terminals,
    `start` is where the declaration began, `shifted` the last terminal before the token, `opener` the brace around it,
    `closer` has each brace's second one, `begins` the words that begin an item between them, and `accepts` says
    whether the token some places further on could stand here."""

    tokens: tuple[Token, ...]
    index: int
    start: int
    expected: frozenset[str]
    texts: frozenset[str]
    shifted: str | None
    opener: int | None
    closer: dict[int, int]
    begins: frozenset[str]
    accepts: Callable[[int], bool]

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    @property
    def before(self) -> Token:
        return self.tokens[self.index - 1]

    def after(self, count: int = 1) -> Token:
        """The token `count` places further on; behind the last one the end."""
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    @property
    def declaration(self) -> str:
        """The word that began the declaration, empty before the first."""
        return self.tokens[self.start].text if self.start else ""

    @property
    def ends_early(self) -> bool:
        """Whether the file ends here, or the next declaration begins, before the one that is read is complete."""
        if self.texts >= DECLARATIONS:
            return False
        return self.token.kind == "end" or (self.opener is None and begins_declaration(self.tokens, self.index))

    def rest(self, count: int) -> tuple[Token, ...]:
        """The tokens from `count` places further on to the end of what seems to be an item in one line."""
        rest: list[Token] = []
        first = self.index + count
        for index, token in enumerate(self.tokens[first : first + LONGEST_REST], first):
            ends = token.line != self.token.line or token.kind in ("end", "bad")
            ends = ends or token.text in ("{", "}", "lasts", "open")
            if ends or (rest and (is_apart(rest[-1], token) or assigns(self.tokens, index))):
                break
            rest.append(token)
        return tuple(rest)

    def whole_rest(self, count: int) -> tuple[Token, ...]:
        """As `rest`; nothing where that might be only the beginning of an item."""
        rest = self.rest(count)
        return rest if len(rest) < LONGEST_REST else ()

    def number(self, count: int) -> tuple[str, int]:
        """A number, maybe with a sign, so many places further on, and the places behind it; "" where there is none."""
        signed = self.tokens[self.index + count].text == "-"
        token = self.tokens[self.index + count + signed]
        number = token.kind == "number" and token.line == self.token.line
        return (f"{'-' * signed}{token.text}", count + signed + 1) if number else ("", count)

    def called_for(self, meter: str) -> str:
        """A name for a rule that changes a meter, which no other rule has: each earlier statement may become one."""
        count, begins = 1, self.tokens[0]
        for token, following in pairwise(self.tokens[: self.index]):
            begins = token if token.line > begins.line else begins
            alone = begins.column == 1 and (token is begins or begins.text == "if")
            count += alone and token.text == meter and following.text in ASSIGNMENTS
        names, base = {token.text for token in self.tokens}, f"{meter.strip('`')}_changes"
        numbered = (base if number == 1 else f"{base}_{number}" for number in range(count, len(names) + count + 1))
        return next(name for name in numbered if name not in names)

    # --- edits of the text ---

    def instead(self, count: int, text: str, *, first: int = 0, sure: bool = True) -> Edit:
        """A text in the place of so many tokens, of which the first is some places away."""
        begin, end = self.tokens[self.index + first].span, self.tokens[self.index + first + count - 1].span
        return Edit(Span(begin.line, begin.column, end.end_line, end.end_column), text, sure)

    def insert(self, text: str, *, sure: bool = True) -> Edit:
        """A text between the token before and this one, in the line of the former where this is another."""
        if self.token.line != self.before.line or self.ends_early:
            return behind(self.before.span, f" {text}", sure=sure)
        return before(self.token.span, f"{text} ", sure=sure)

    def without(self, index: int, *, sure: bool = True) -> Edit:
        """A token left out, with the space before it where there is some on both sides, or a line of its own."""
        return self.cut(index, index, sure=sure)

    def cut(self, first: int, last: int, *, sure: bool = True) -> Edit:
        """Tokens of a line left out, with the space before them as of one."""
        begin, end = self.tokens[first].span, self.tokens[last].span
        previous, following = self.tokens[max(first - 1, 0)], self.tokens[min(last + 1, len(self.tokens) - 1)]
        apart = first == 0 or previous.line != begin.line
        adjoins = not apart and following.line == end.end_line and following.column == end.end_column
        column = begin.column if apart else previous.span.end_column
        return Edit(Span(begin.line, column, end.end_line, end.end_column), " " * adjoins, sure)


@dataclass(frozen=True, slots=True)
class Cure:
    """What to write, and how to go on: without the next `skip` tokens, as if those in `feed` were there, or as if the
    token were the one that it `reads`. Where none of these is said, the rest of the item is dropped. Without a
    `message` what is expected and found is said. `edits` write it where the hint says precisely what."""

    hint: str
    skip: int = 0
    feed: tuple[str, ...] = ()
    code: str = "H009"
    message: str | None = None
    span: Span | None = None
    label: str = "unexpected"
    edits: tuple[Edit, ...] = ()
    reads: str = ""


def is_apart(first: Token, second: Token) -> bool:
    """Whether there is more than a space between two tokens of a line."""
    return second.column - first.span.end_column > 1


def source(tokens: tuple[Token, ...]) -> str:
    """Tokens side by side as in the source, but for longer gaps, which are one space."""
    text = tokens[0].text
    for first, second in pairwise(tokens):
        text += ("" if first.span.end_column == second.column else " ") + second.text
    return text
