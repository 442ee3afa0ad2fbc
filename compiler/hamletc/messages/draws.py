"""Draws: where nothing is drawn, and arguments."""

from __future__ import annotations

from hamletc.diagnostics import Finding, Told, finding
from hamletc.intervals import Interval
from hamletc.messages.standpoint import NEEDS

PLACES = {
    "needs": NEEDS,
    "mask": "masks are made between ticks",
    "acts": "who acts in a tick is known before it",
    "observe": "agents observe between ticks",
    "opening": "doors open between ticks",
    "previous": "inside `previous`, where nothing is drawn",
    "history": "inside what looks back, where nothing is drawn",
}
"""Why there are no draws in a scope."""


@finding("H068")
class NoDrawInScope(Finding):
    function: str
    scope: str

    def told(self) -> Told:
        hint = "Draw in a statement or a guard, into a meter if it is needed here."
        return Told(f"`{self.function}` cannot be drawn here", hint, PLACES[self.scope])


@finding("H068")
class NoDrawOfPlaces(Finding):
    function: str

    def told(self) -> Told:
        hint = "Let a rule of the world draw into a meter, and write that."
        return Told(f"`{self.function}` cannot be drawn here", hint, "places are counted when the tick begins")


@finding("H184")
class NoDrawOfNeighbours(Finding):
    function: str

    def told(self) -> Told:
        hint = "Let a rule of cells draw into a meter, and sum that."
        return Told(f"`{self.function}` cannot be asked of other cells", hint, "they are read as they are")


@finding("H033")
class WeightOfZero(Finding):
    def told(self) -> Told:
        return Told("a weight must be above 0", "Leave the option out.", "this would never be chosen")


@finding("H035")
class WeightTooSmall(Finding):
    def told(self) -> Told:
        hint = "Leave the option out, or give it at least a part in 2^32 of all weights."
        return Told("this weight is too small", hint, "this would never be chosen")


@finding("H031")
class BoundChanges(Finding):
    def told(self) -> Told:
        hint = "Write a whole number; `uniform` takes bounds that change."
        return Told("a bound of `integer` must be a constant", hint, "this is not")


@finding("H032")
class BoundNotWhole(Finding):
    def told(self) -> Told:
        return Told("a bound of `integer` must be a whole number", "Write one, as in 6.")


@finding("H033")
class BoundTooLarge(Finding):
    def told(self) -> Told:
        hint = "Beyond, binary32 does not have every whole number."
        return Told("a bound of `integer` must be -16777216 .. 16777216", hint)


@finding("H040")
class NothingRandom(Finding):
    """Bounds that are the wrong way round, or the same."""

    def told(self) -> Told:
        hint = "Write the lower bound first; where both are the same, nothing is random."
        return Told("the lower bound must be less than the upper one", hint)


@finding("H033")
class NoDeviation(Finding):
    def told(self) -> Told:
        hint = "Write how far from the mean numbers usually are, as in `normal(0, 0.1)`."
        return Told("a standard deviation must be above 0", hint)


@finding("H313")
class NoMean(Finding):
    """A mean of `poisson` that may lie beyond 0 .. `most`."""

    where: Interval
    most: float

    def told(self) -> Told:
        hint = f"Keep it inside: `clamp(m, 0, {self.most:.0f})`; with larger means take `round(normal(m, sqrt(m)))`."
        label = f"this is {self.where}" if self.where.is_single else f"anywhere in {self.where}"
        return Told(f"the mean of `poisson` is 0 .. {self.most:.0f}", hint, label)


@finding("H314")
class NoProbability(Finding):
    """A probability of `geometric` that may not be between 0 and 1."""

    where: Interval

    def told(self) -> Told:
        hint = "Keep it between them, as in `clamp(p, 0.01, 0.99)`."
        label = f"this is {self.where}" if self.where.is_single else f"anywhere in {self.where}"
        return Told("the probability of `geometric` is above 0 and below 1", hint, label)
