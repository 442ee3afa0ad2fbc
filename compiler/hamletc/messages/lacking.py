"""Parts that a universe must have: for something else in it, or in any case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Told, finding
from hamletc.diagnostics.edit import behind


@finding("H055")
class SpaceNeeded(Finding):
    """`thing` needs a space."""

    thing: str
    universe: Span

    def told(self) -> Told:
        hint = "Declare a space, as in `space grid 8 x 8`."
        return Told(f"{self.thing} needs a space", hint, "this universe has none")


@finding("H036")
class ClockNeeded(Finding):
    thing: str
    universe: Span

    def told(self) -> Told:
        edits = (behind(self.universe, "\nclock 24 hours", sure=False),)
        return Told(f"{self.thing} needs a clock", "Add `clock 24 hours`.", "this universe has none", edits=edits)


@finding("H037")
class LifespanNeeded(Finding):
    thing: str
    universe: Span

    def told(self) -> Told:
        edits = (behind(self.universe, "\nlifespan 500 ticks", sure=False),)
        message = f"{self.thing} needs a lifespan"
        return Told(message, "Add `lifespan 500 ticks`.", "this universe has none", edits=edits)


@finding("H056")
class TrackingNeeded(Finding):
    thing: str
    universe: Span

    def told(self) -> Told:
        message = f"{self.thing} needs uses that are tracked"
        edits = (behind(self.universe, "\ntrack uses"),)
        return Told(message, "Add `track uses`.", "this universe does not track them", edits=edits)


@finding("H057")
class LastingNeeded(Finding):
    thing: str
    universe: Span

    def told(self) -> Told:
        hint = "Let an affordance last, as in `affordance Bed at random lasts 4 ticks { ... }`."
        return Told(f"{self.thing} needs an affordance that lasts", hint, "this universe has none")


NEEDED: dict[str, Callable[[Span, str, Span], Finding]] = {
    "space": SpaceNeeded,
    "clock": ClockNeeded,
    "lifespan": LifespanNeeded,
    "tracking": TrackingNeeded,
    "lasting affordance": LastingNeeded,
}
"""What a universe may lack."""


Part: TypeAlias = Literal["space", "meter", "reward"]


PARTS: dict[Part, str] = {
    "space": "Add `space grid 8 x 8`, or `space none`.",
    "meter": "Add `meter energy = 1.0 { decay 0.005 }`.",
    "reward": "Add what is paid, as in `reward energy`, or `reward nothing`.",
}
"""What every universe has, and how that is added."""


FIRST: dict[Part, str] = {
    "space": "space none",
    "meter": "meter energy = 1.0 { decay 0.005 }",
    "reward": "reward nothing",
}
"""The shortest way to add it."""


@finding("H025")
class PartMissing(Finding):
    """`drawn`: the universe has a map, and no space."""

    universe: str
    part: Part
    drawn: bool = False

    def told(self) -> Told:
        if self.drawn:
            edits = (behind(self.span, "\nspace grid map"),)
            message = f"the universe `{self.universe}` has a map and no space"
            return Told(message, "Add `space grid map`.", edits=edits)
        edits = (behind(self.span, f"\n{FIRST[self.part]}", sure=False),)
        return Told(f"the universe `{self.universe}` has no {self.part}", PARTS[self.part], edits=edits)


@finding("H141")
class MapMissing(Finding):
    def told(self) -> Told:
        hint = 'Draw it, as in `map { "####" "#..#" "####"  wall "#" }`, or write a size, as in `space grid 8 x 8`.'
        return Told("the universe has no map", hint)
