"""Agents with a heading, and what they see by it."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding


@finding("H268")
class NoHeading(Finding):
    """What is ahead, where agents have none of these headings."""

    headings: tuple[str, ...]

    def told(self) -> Told:
        hint = "Let agents turn, as in `space grid 8 x 8 { moves turning }`, or say which way they face: "
        hint += f"`state heading: {' '.join(self.headings)} = {self.headings[0]}`."
        return Told("agents have no heading here, so nothing is ahead of them", hint)


@finding("H268")
class OtherHeading(Finding):
    """A declaration of the name `heading` that is no state of agents with these options; `user` is what needs one."""

    headings: tuple[str, ...]
    user: Span

    def told(self) -> Told:
        hint = f"Write `state heading: {' '.join(self.headings)} = {self.headings[0]}`, in any order; or call this "
        hint += "another name."
        message = f"a heading is a state of all agents with the options {', '.join(self.headings)}"
        return Told(message, hint, "", (Label(self.user, "this goes by the heading"),))


@finding("H269")
class NoPlane(Finding):
    """A heading, or moves that turn, in a space in which there are no such directions."""

    space: Span

    def told(self) -> Told:
        hint = "Take `space grid 8 x 8` or `space hexagons 8 x 8`."
        label = Label(self.space, "the space")
        return Told("agents face a way on grids of two dimensions and on hexagons alone", hint, secondary=(label,))


@finding("H269")
class TooNarrow(Finding):
    """Moves that turn on a grid that is one cell wide."""

    grid: Span

    def told(self) -> Told:
        hint = "Make both sides 2 cells or longer; on a line agents need no heading: `space grid 8`."
        return Told("agents that turn need room for a step each way", hint, secondary=(Label(self.grid, "the grid"),))


@finding("H269")
class WalkOfTurning(Finding):
    """A walking distance of agents that turn, which is no number of moves."""

    moves: Span

    def told(self) -> Told:
        hint = "Write `distance to`; or list moves for agents that go all ways, as in `moves { EAST (1, 0) }`."
        label = Label(self.moves, "there are turns here, and steps forward")
        return Told("a walking distance counts moves, and agents that turn have none", hint, secondary=(label,))
