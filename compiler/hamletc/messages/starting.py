"""Cells on which agents start by a condition: `starts when position x < 4`."""

from __future__ import annotations

from hamlet.universe import Expression, Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.messages.ranges import called


@finding("H309")
class UnknownToStarts(Finding):
    """A part of the condition that no cell has when an episode begins."""

    part: Expression

    def told(self) -> Told:
        hint = "Write what cells have, `position x`, tables, terrains, regions, params, and states of the world."
        return Told(f"{called(self.part, 'this')} decides nowhere where agents start", hint)


@finding("H309")
class StartsAlike(Finding):
    def told(self) -> Told:
        hint = "Ask for what cells have, as in `starts when not stone`, or leave it out."
        return Told("this holds for all cells or for none", hint, "no cell is asked for what it has")


@finding("H309")
class StartsBeside(Finding):
    """Another part of the universe that says where agents start, too."""

    other: Span

    def told(self) -> Told:
        hint = "Keep one of the two."
        label = Label(self.other, "agents start here")
        return Told("where agents start is said twice", hint, "", (label,))


@finding("H309")
class StartsOnTooManyCells(Finding):
    cells: int
    most: int

    def told(self) -> Told:
        hint = "Use a smaller grid, or draw where agents start on a map."
        message = f"agents look for a cell to start on among at most {self.most}, and this grid has {self.cells}"
        return Told(message, hint)
