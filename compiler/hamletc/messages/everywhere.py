"""What many declarations can have wrong: things given twice, unknown words, numbers outside their limits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.diagnostics.edit import guessed
from hamletc.foreign import EDGES, instead
from hamletc.suggest import closest

Join: TypeAlias = Literal["choose", "and", "or", "and or", "block", "quotes"]
"""How two of a thing become one."""

JOINING: dict[Join, str] = {
    "choose": "Keep one of them.",
    "and": "Join the conditions by `and`.",
    "or": "Join the conditions by `or`.",
    "and or": "Join the conditions by `and` or `or`.",
    "block": "Write all of it in one block.",
    "quotes": "Write all letters in one pair of quotes.",
}


LONGEST_EXAMPLE = 30
"""The most characters of an expression that a hint repeats."""


def quoted(words: Iterable[str]) -> str:
    """Words in backticks, with commas."""
    return ", ".join(f"`{word}`" for word in words)


@finding("H024")
class GivenTwice(Finding):
    thing: str
    first: Span
    join: Join = "choose"

    def told(self) -> Told:
        first = Label(self.first, "first given here")
        return Told(f"{self.thing} is given twice", JOINING[self.join], "given again", (first,))


@finding("H026")
class UnknownWord(Finding):
    """`problem` is what the word is not, as in "no rule for edges"."""

    word: str
    choices: tuple[str, ...]
    problem: str

    def told(self) -> Told:
        hint, edges = instead(self.word, self.choices), EDGES.get(self.word.lower())
        edits: tuple[Edit, ...] = (Edit(self.span, edges),) if edges is not None and edges in self.choices else ()
        if edges == "clamp" and edges in self.choices:
            hint = "Write `edges clamp`: who moves across an edge stays at it, as where nothing is said of edges."
        if hint is None:
            guess = closest(self.word, self.choices)
            hint = f"Did you mean `{guess}`?" if guess is not None else f"Known here: {quoted(self.choices)}."
            edits = guessed(self.span, self.word, guess)
        return Told(f"`{self.word}` is {self.problem}", hint, edits=edits)


@finding("H032")
class NotWhole(Finding):
    """`example` is what digits look like."""

    number: str
    example: int = 24

    def told(self) -> Told:
        return Told(f"{self.number} must be a whole number", f"Write digits only, as in {self.example}.")


@finding("H033")
class OutsideLimits(Finding):
    number: str
    low: int
    high: int

    def told(self) -> Told:
        if self.high > self.low:
            hint = f"Write a whole number from {self.low} to {self.high}."
            return Told(f"{self.number} must be {self.low} .. {self.high}", hint)
        edits = (Edit(self.span, str(self.low)),)
        return Told(f"{self.number} must be {self.low}", f"Write {self.low}.", edits=edits)


@finding("H033")
class TooManyDigits(Finding):
    number: str

    def told(self) -> Told:
        return Told(f"{self.number} is far too large", "Write a smaller whole number.")


@finding("H033")
class TooFarFromZero(Finding):
    number: str
    largest: float

    def told(self) -> Told:
        low, high = f"{-self.largest:g}", f"{self.largest:g}"
        return Told(f"{self.number} must be {low} .. {high}", f"Write a number from {low} to {high}.")


@finding("H035")
class TooNearToZero(Finding):
    number: str

    def told(self) -> Told:
        return Told(f"{self.number} is too small: it would become 0", "Write 0, or a larger number.")


@finding("H040")
class BoundsTheWrongWayRound(Finding):
    """`low` and `high` are spelled as the lower bound and the upper one are written."""

    low: str
    high: str
    equal: bool

    def told(self) -> Told:
        message = "the lower bound must be less than the upper one"
        if self.equal:
            return Told(message, "Leave some room between them.", "these are equal")
        hint, edits = f"Write `{self.high} .. {self.low}`.", (Edit(self.span, f"{self.high} .. {self.low}"),)
        return Told(message, hint, "these are the wrong way round", edits=edits)
