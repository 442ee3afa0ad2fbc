"""Affordances that move, and meters of affordances."""

from __future__ import annotations

from typing import Literal

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding


@finding("H223")
class PositionWritten(Finding):
    """A position that something else than a rule of an affordance would write."""

    axis: str

    def told(self) -> Told:
        hint = "Agents are moved by `move` and `teleport`, and by `velocity` where there is momentum."
        return Told(f"`position {self.axis}` cannot be written here", hint)


@finding("H223")
class MovesWithoutSpace(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Give the universe a space, as in `space grid 8 x 8`."
        return Told(f"`{self.affordance}` moves, and there is no space", hint)


@finding("H223")
class MovesOnTooManyCells(Finding):
    cells: int
    most: int

    def told(self) -> Told:
        message = f"affordances move on grids of at most {self.most:,} cells, this one has {self.cells:,}"
        return Told(message, "Use a smaller grid.")


@finding("H223")
class MovesOnOneCell(Finding):
    affordance: str
    axis: str

    def told(self) -> Told:
        hint = "Make the axis longer, or leave it out, as in `space grid 8`."
        return Told(f"`{self.affordance}` moves, and the axis `{self.axis}` has one cell", hint)


@finding("H224")
class TwoWays(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Write one of them; a rule can do both: `rule NAME: position x += 1`."
        return Told(f"`{self.affordance}` is said to move in two ways", hint)


@finding("H223")
class PositionOnGraph(Finding):
    def told(self) -> Told:
        hint = "Write `follows home, road, office` or `wanders` in its braces."
        return Told("a position on a graph is a node, no number", hint)


@finding("H033")
class PeriodOutsideLimits(Finding):
    affordance: str
    most: int

    def told(self) -> Told:
        hint = f"Write a whole number of ticks, 1 .. {self.most}."
        return Told(f"`{self.affordance}` cannot move so often", hint)


@finding("H223")
class CannotWander(Finding):
    affordance: str
    where: Literal["between walls", "in a continuous space"]

    def told(self) -> Told:
        hint = "Move it by a rule, as in `rule NAME: position x += integer(-1, 1)`, or let it follow a route."
        return Told(f"`{self.affordance}` cannot wander {self.where}", hint)


@finding("H224")
class PlaceBesideRoute(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Leave `at` out: it begins at the first stop."
        return Told(f"the route of `{self.affordance}` says where it is", hint)


@finding("H223")
class OneStop(Finding):
    affordance: str

    def told(self) -> Told:
        hint = "Write two stops or more, as in `follows (0, 3), (4, 3)`, or put it `at` this place."
        return Told(f"the route of `{self.affordance}` has one stop", hint)


@finding("H223")
class StopOutsideSpace(Finding):
    affordance: str
    number: int

    def told(self) -> Told:
        hint = "Write coordinates in the space, a letter that the map has once, or on a graph a node."
        return Told(f"stop {self.number} of `{self.affordance}` is no place of the space", hint)


@finding("H007")
class OwnNameTooLong(Finding):
    name: str
    most: int

    def told(self) -> Told:
        hint = f"Names have at most {self.most} characters: choose a shorter one."
        return Told(f"the name `{self.name}` is too long", hint)


@finding("H023")
class OwnNameOfWord(Finding):
    name: str

    def told(self) -> Told:
        return Told(f"a meter cannot be called `{self.name}`", "Choose another name.")


@finding("H022")
class OwnNameTaken(Finding):
    """A meter of an affordance that has the name of something else."""

    name: str
    affordance: str
    other: Span

    def told(self) -> Told:
        hint = "Rename one of them, so that readers know which is meant."
        message = f"the meter `{self.name}` of `{self.affordance}` has the name of something else"
        return Told(message, hint, "", (Label(self.other, "declared here"),))
