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


@finding("H300")
class WindowOffPlane(Finding):
    """A window that turns, or of an expression, on a grid that is no plane."""

    space: Span

    def told(self) -> Told:
        hint = "Take a grid of two dimensions, hexagons, or a window without these words, as in `window 2 of moss`."
        label = Label(self.space, "the grid")
        return Told("such a window lies on grids of two dimensions alone", hint, secondary=(label,))


@finding("H300")
class WindowSides(Finding):
    """A window ahead without a depth, or one with a depth that is not ahead."""

    ahead: bool

    def told(self) -> Told:
        if self.ahead:
            hint = (
                "Write how wide and how deep it is, as in `window 7 x 7 ahead`, or a radius, as in `window 3 turned`."
            )
            return Told("a window ahead has a width and a depth", hint)
        hint = "Add `ahead`, as in `window 7 x 7 ahead`; other windows have a radius, as in `window 3`."
        return Told("a window with a depth lies ahead of agents", hint)


@finding("H300")
class DepthOfHexagons(Finding):
    """A window of hexagons with a width and a depth."""

    def told(self) -> Told:
        hint = "Write a radius alone, as in `window 3 ahead` or `window 3 turned`."
        return Told("a window of hexagons has no depth", hint)


@finding("H300")
class WindowReach(Finding):
    """A window that says how far it reaches ahead, and is not ahead."""

    def told(self) -> Told:
        hint = "Write `window 11 x 11 ahead up to 9`, which has 9 of its 11 lines ahead of the agent; or leave it out."
        return Told("a window that is not ahead reaches as far on each side", hint)


@finding("H301")
class WindowTooLarge(Finding):
    """A window of so many cells, or so wide, that what walls hide in it is not looked for."""

    most: int
    widest: int

    def told(self) -> Told:
        hint = f"Show at most {self.most} cells, in lines of at most {self.widest}; or leave out what hides some."
        return Told("what walls hide in so large a window is not looked for", hint)


@finding("H302")
class SameOfAllCells(Finding):
    """An expression in a window that says nothing of the cells."""

    def told(self) -> Told:
        hint = "Ask for what a cell has: a meter, a state, a terrain, `on woods`, `position x`; or observe it once."
        return Told("a window shows what differs from cell to cell", hint)
