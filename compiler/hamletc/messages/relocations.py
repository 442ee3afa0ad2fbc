"""Relocations: `move` and `teleport`, wherever agents are moved."""

from __future__ import annotations

from typing import Literal

from hamlet.universe import Expression, Grid, Space, Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.intervals import Interval, spell
from hamletc.messages.ranges import no_whole


@finding("H265")
class RelocationNotWhole(Finding):
    """A coordinate of a displacement or of a place on a grid; `part` is the part of it that may be no whole number."""

    word: Literal["move", "teleport"]
    value: Expression
    part: Expression
    grid: Span

    def told(self) -> Told:
        hint = "Make it one: `floor(x)`, `ceil(x)` or `round(x)`; a state `int in LOW .. HIGH` is always whole."
        label = no_whole(self.part, self.value)
        message = f"on a grid `{self.word}` takes whole numbers, and this may be none"
        return Told(message, hint, label, (Label(self.grid, "a grid of cells"),))


@finding("H266")
class MayLeaveSpace(Finding):
    """A coordinate to which agents are teleported, which lies in `lies`, and has to lie from `low` to `high`."""

    lies: Interval
    low: float
    high: float
    space: Space

    def told(self) -> Told:
        hint = f"Bring it there, as in `clamp(x, {spell(self.low)}, {spell(self.high)})`."
        where = f"the {'grid' if isinstance(self.space, Grid) else 'space'} has {spell(self.low)} .. {spell(self.high)}"
        return Told(
            "this place may be outside the space", hint, f"it reaches {self.lies}", (Label(self.space.span, where),)
        )


@finding("H266")
class DisplacementMayBeTooLong(Finding):
    """A part of a displacement, which lies in `lies`, on an axis on which it is at most `most` on either side."""

    lies: Interval
    most: float
    space: Space

    def told(self) -> Told:
        most = spell(self.most)
        hint = f"Bring it there, as in `clamp(x, -{most}, {most})`; what leads across an edge ends as `edges` say."
        message = "this displacement may be longer than the space"
        return Told(message, hint, f"it reaches {self.lies}", (Label(self.space.span, f"at most {most} here"),))


@finding("H267")
class NobodyToMove(Finding):
    """`move` or `teleport` in a rule of the world or of cells, which are nobody's."""

    word: Literal["move", "teleport"]
    owner: Literal["the world", "cells"]

    def told(self) -> Told:
        hint = f"Let a rule of the agents do it, which can read meters of {self.owner}; an affordance goes where its "
        hint += "rule writes `position x`."
        return Told(f"a rule of {self.owner} cannot move agents", hint, f"`{self.word}` moves the agent that runs it")
