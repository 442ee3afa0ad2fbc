"""Maps: letters, regions, terrains, walls, ways."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.diagnostics.edit import behind
from hamletc.language.spelling import counted


@finding("H142")
class NoCells(Finding):
    def told(self) -> Told:
        return Told("this map has no cells", 'Write a row of letters, as in `"#..#"`, for each y.')


@finding("H142")
class RowOfOtherLength(Finding):
    row: int
    length: int
    width: int
    first: Span

    def told(self) -> Told:
        message = f"row {self.row} of the map has {counted(self.length, 'letter')}, not {self.width}"
        hint = "All rows have the same length; `.` and spaces are open ground."
        return Told(message, hint, "", (Label(self.first, counted(self.width, "letter")),))


@finding("H033")
class MapTooLarge(Finding):
    cells: int
    most: int

    def told(self) -> Told:
        return Told(f"a map has at most {self.most} cells, this one {self.cells}", "Draw a smaller map.")


@finding("H146")
class StartOnWall(Finding):
    letter: str

    def told(self) -> Told:
        hint = "Choose a letter of its own for where agents start."
        return Told(f"agents cannot start on `{self.letter}`, which is a wall", hint)


@finding("H293")
class NoSuchPair(Finding):
    sizes: tuple[int, int]

    def told(self) -> Told:
        across, down = self.sizes
        hint = f"Write coordinates of two cells; those of this map are (0, 0) to ({across - 1}, {down - 1})."
        return Told("a wall cannot stand between these two: they are no cells of the map", hint)


@finding("H293")
class NoOddNumber(Finding):
    axis: str
    count: int

    def told(self) -> Told:
        drawn = f"Every second one stands between two {self.axis} of cells, so their number is odd."
        return Told(f"a map with walls between {self.axis} cannot have {counted(self.count, self.axis[:-1])}", drawn)


@finding("H293")
class CellsDoNotTouch(Finding):
    def told(self) -> Told:
        hint = "Write two cells that lie side by side, as in `wall between (1, 0) (2, 0)`."
        return Told("a wall cannot stand between two cells that do not touch", hint)


@finding("H293")
class ThinWallAtWall(Finding):
    def told(self) -> Told:
        hint = "One of the two cells is a wall itself. Leave this one out."
        return Told("a wall between a cell and a wall stops nobody", hint)


@finding("H145")
class NoLetters(Finding):
    def told(self) -> Told:
        return Told("there is no letter between these quotes", 'Write some, as in `"#"`.')


@finding("H145")
class LetterNotDrawn(Finding):
    letter: str

    def told(self) -> Told:
        return Told(f"no cell of the map has the letter `{self.letter}`", "Draw it on the map, or leave it out.")


@finding("H144")
class LetterWithoutMeaning(Finding):
    """`rim` is the last row of a map without walls whose first one has this letter alone."""

    letter: str
    rim: Span | None = None

    def told(self) -> Told:
        if not self.letter.isprintable():
            message = f"the letter `U+{ord(self.letter):04X}` of the map means nothing"
            return Told(message, "Draw `.` there, or another letter.")
        message, quoted = f"the letter `{self.letter}` of the map means nothing", f'"{self.letter}"'
        if self.rim is None:
            hint = f"Say what it is, as in `region forest {quoted}` or `affordance Bed at {quoted}`, or draw `.` there."
            return Told(message, hint)
        hint = f"Write `wall {quoted}` behind the rows where nobody enters these cells, or say what they are."
        return Told(message, hint, edits=(behind(self.rim, f"\n    wall {quoted}", sure=self.letter == "#"),))


@finding("H148")
class LetterShared(Finding):
    """A letter of two regions of a terrain, which gives each another number."""

    letter: str
    region: str
    other: str
    there: Span

    def told(self) -> Told:
        hint = "Leave one of them out, or give the letter to one region only."
        secondary = (Label(self.there, "the cells of this letter have this one"),)
        message = f"`{self.region}` and `{self.other}` share the letter `{self.letter}`"
        return Told(message, hint, "a cell has one number", secondary)


@finding("H143")
class MapWithoutGrid(Finding):
    space: Span

    def told(self) -> Told:
        hint = "Write `space grid map`, whose size is that of the map."
        return Told("a map needs a grid of two dimensions", hint, "", (Label(self.space, "the space"),))


@finding("H147")
class OutOfReach(Finding):
    affordance: str

    def told(self) -> Told:
        return Told(f"no agent can reach `{self.affordance}`", "Open a way in the walls, or put it elsewhere.")


@finding("H149")
class MapFallsApart(Finding):
    """No way leads to or from a cell where agents start, or where `affordance` can stand."""

    cell: tuple[int, int]
    affordance: str | None

    def told(self) -> Told:
        hint = "Open a way, fill the part with walls, or say by a letter where agents start."
        stands = "agents start" if self.affordance is None else f"`{self.affordance}` can stand"
        x, y = self.cell
        label = f"{stands} on ({x}, {y}), from where and to where no way leads"
        return Told("walls cut off a part of the map", hint, label)


@finding("H190")
class WalkOnTooManyCells(Finding):
    cells: int
    most: int

    def told(self) -> Told:
        message = f"a walking distance needs a grid of at most {self.most} cells, this one has {self.cells}"
        return Told(message, "Write `distance to`, or use a smaller grid.")


@finding("H190")
class TooManyWays(Finding):
    affordance: str
    cells: int
    most: int

    def told(self) -> Told:
        hint = f"Put `{self.affordance}` at a fixed place that is not stored, or use a smaller grid."
        message = f"there are ways between {self.cells} cells; {self.most} is the most"
        return Told(message, hint, f"`{self.affordance}` can stand on any of them")
