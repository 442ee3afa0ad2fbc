"""Walls and solid cells of which a condition of cells decides."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.universe import Expression, Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.messages.ranges import called

Blocks: TypeAlias = Literal["wall", "solid"]
"""The word that says under which condition nobody enters a cell."""


@finding("H305")
class UnknownToWalls(Finding):
    """A part of the condition that no cell has for longer than a moment."""

    part: Expression
    said: Blocks = "wall"

    def told(self) -> Told:
        hint = "Write states and meters of cells, terrains, regions, params, and states of the world."
        decides = "decides of no wall" if self.said == "wall" else "makes no cell solid"
        where = "where a wall is" if self.said == "wall" else "which cells are solid"
        return Told(f"{called(self.part, 'this')} {decides}", hint, f"{where} follows from the state of a cell")


@finding("H305")
class WallsNeverChange(Finding):
    said: Blocks = "wall"

    def told(self) -> Told:
        asked = "nothing that can change is asked for here"
        if self.said == "solid":
            hint = "Ask for a state of cells, as in `solid when boulder`."
            return Told("the same cells are always solid", hint, asked)
        hint = 'Draw them on a map, as in `wall "#"`, or ask for a state of cells, as in `wall when stone`.'
        return Told("these walls are always the same", hint, asked)


@finding("H305")
class WallsOnGraph(Finding):
    graph: Span
    said: Blocks = "wall"

    def told(self) -> Told:
        hint = "Leave it out; an edge says where agents can go, and `allow` when."
        message = f"the nodes of a graph are {'no walls' if self.said == 'wall' else 'not solid'}"
        return Told(message, hint, "", (Label(self.graph, "the graph"),))


@finding("H306")
class WalkAroundChanging(Finding):
    wall: Span
    said: Blocks = "wall"

    def told(self) -> Told:
        hint = "Use `distance to`, or a state of cells that counts the steps, as in `neighbours( )`."
        label = Label(self.wall, "these walls come and go" if self.said == "wall" else "what is solid comes and goes")
        return Told("how far it is to walk is known around walls of a map only", hint, "", (label,))


@finding("H306")
class SightTooFar(Finding):
    farthest: int

    def told(self) -> Told:
        hint = f"Look at most {self.farthest} cells far, or draw the walls on a map."
        return Told("walls of which cells decide hide too much of this window", hint)


@finding("H307")
class WallsCutOff(Finding):
    """Walls of which each cell draws its own; `share` of all episodes have a cell with walls on all sides."""

    share: float

    def told(self) -> Told:
        hint = "Draw fewer, or connected ones: `maze`, `rooms(2, 2)`, or levels of a map."
        label = f"about {round(100 * self.share)} % of all episodes have a cell with walls on all sides"
        return Told("these walls may cut off cells", hint, label)


@finding("H308")
class LayoutWithoutGrid(Finding):
    def told(self) -> Told:
        hint = "Declare one, as in `space grid 9 x 9`."
        return Told("mazes and rooms need a grid of two dimensions", hint)


@finding("H308")
class MazeOfOtherSize(Finding):
    width: int
    height: int
    longest: int

    def told(self) -> Told:
        hint = f"Both sides are odd, from 5 to {self.longest}: ways have odd coordinates, and walls stand between them."
        return Told(f"a grid of {self.width} x {self.height} cells holds no maze", hint)


@finding("H308")
class NoNumberOfRooms(Finding):
    def told(self) -> Told:
        return Told("how many rooms there are is two whole numbers", "Write `rooms(2, 2)`: across, then down.")


@finding("H308")
class RoomsOfOtherSize(Finding):
    across: int
    down: int
    width: int
    height: int
    most: int

    def told(self) -> Told:
        if self.across == self.down == 1:
            return Told("one room has no doorway", "Write `rooms(2, 2)`, or draw the walls around on a map.")
        hint = (
            f"Rooms are of one size, with walls around: the width less 1 is a multiple of {self.across}, the height "
            f"less 1 of {self.down}; at most {self.most} doorways."
        )
        message = f"{self.width} x {self.height} cells hold no {self.across} x {self.down} rooms"
        return Told(message, hint)
