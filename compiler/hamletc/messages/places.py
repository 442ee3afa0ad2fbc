"""Places and displacements: whether they are in the space, and where affordances stand at random."""

from __future__ import annotations

from hamlet.universe import Grid, Space, Span
from hamlet.universe.space import axes_of
from hamletc.diagnostics import Edit, Finding, Label, Told, finding
from hamletc.intervals import spell
from hamletc.language.spelling import counted
from hamletc.messages.space import one_per_axis


def _there(space: Space) -> tuple[Label, ...]:
    return (Label(space.span, "the grid" if isinstance(space, Grid) else "the space"),)


@finding("H055")
class NoSpaceFor(Finding):
    thing: str
    space: Span

    def told(self) -> Told:
        hint = "Leave it out, or declare a space, as in `space grid 8 x 8`."
        secondary = (Label(self.space, "no space"),)
        return Told(f"{self.thing} needs a space", hint, "this universe has none", secondary)


@finding("H146")
class PlaceIsWall(Finding):
    x: float
    y: float
    map: Span

    def told(self) -> Told:
        hint = "Choose a cell that can be entered."
        return Told(f"({spell(self.x)}, {spell(self.y)}) is a wall", hint, "", (Label(self.map, "the map"),))


@finding("H141")
class LetterWithoutMap(Finding):
    space: Span

    def told(self) -> Told:
        hint = "Draw a map with this letter, or write coordinates, as in `(2, 3)`."
        return Told("a letter needs a map", hint, "", (Label(self.space, "the space"),))


@finding("H145")
class SeveralLetters(Finding):
    def told(self) -> Told:
        return Told("a place is one letter of the map", 'Write one, as in `"B"`.')


@finding("H145")
class LetterOfSeveralCells(Finding):
    letter: str
    cells: int
    map: Span

    def told(self) -> Told:
        hint = "Draw it once, or write coordinates, as in `(2, 3)`."
        message = f"{self.cells} cells of the map have the letter `{self.letter}`"
        return Told(message, hint, "", (Label(self.map, "the map"),))


@finding("H145")
class LetterOfNoCell(Finding):
    letter: str
    map: Span

    def told(self) -> Told:
        secondary = (Label(self.map, "the map"),)
        return Told(f"no cell of the map has the letter `{self.letter}`", "Draw it on the map.", "", secondary)


@finding("H043")
class OutsideSpace(Finding):
    space: Space
    coordinate: float
    low: float
    high: float

    def told(self) -> Told:
        allowed = f"{spell(self.low)} .. {spell(self.high)}"
        label, secondary = f"not in {allowed}", _there(self.space)
        edits = (Edit(self.span, spell(self.low if self.coordinate < self.low else self.high), sure=False),)
        if isinstance(self.space, Grid):
            return Told("this place is off the grid", f"Cells count from 0: write {allowed}.", label, secondary, edits)
        return Told("this place is outside the space", f"Write {allowed}.", label, secondary, edits)


@finding("H033")
class DisplacementTooLong(Finding):
    space: Space
    most: float

    def told(self) -> Told:
        grid, most = isinstance(self.space, Grid), spell(self.most)
        hint = f"Write {spell(-self.most)} .. {most}." if self.most > 0 else "Write 0."
        message = f"a displacement {'must be shorter than the grid' if grid else 'is far too long for the space'}"
        return Told(message, hint, f"at most {most} along this axis", _there(self.space))


@finding("H042")
class OtherDimensions(Finding):
    thing: str
    space: Space
    count: int

    def told(self) -> Told:
        axes, where = axes_of(self.space), "on this grid" if isinstance(self.space, Grid) else "in this space"
        message = f"{self.thing} {where} has {counted(len(axes), 'coordinate')}, not {self.count}"
        return Told(message, one_per_axis(axes), "", _there(self.space))


@finding("H044")
class SamePlace(Finding):
    affordance: str
    other: str
    there: Span

    def told(self) -> Told:
        hint = "Put one of them elsewhere, or `at random`, or give the space `places stored`."
        secondary = (Label(self.there, f"`{self.other}` is here"),)
        message = f"`{self.affordance}` and `{self.other}` are at the same place"
        return Told(message, hint, "", secondary, (Edit(self.span, "random", sure=False),))


@finding("H067")
class TooManyStored(Finding):
    count: int
    most: int

    def told(self) -> Told:
        message = f"a space with stored places holds at most {self.most} affordances, not {self.count}"
        return Told(message, "Use a grid that computes its places, or fewer affordances.", "one too many")


@finding("H045")
class TooFewCells(Finding):
    """Fewer cells, or nodes of a graph, than agents and affordances; `needed` is how many would do."""

    cells: int
    affordances: int
    agents: int
    needed: int
    graph: bool

    def told(self) -> Told:
        things = [counted(self.affordances, "affordance")] if self.affordances else []
        room = counted(self.cells, "node" if self.graph else "cell")
        message = f"{room} cannot hold {' and '.join(things + _some(self.agents))}"
        if self.graph:
            return Told(
                message, f"Add nodes, at least {self.needed} in all, or let agents begin together: `starts home`."
            )
        return Told(message, f"Make the grid larger: at least {self.needed} cells.")


@finding("H045")
class TooFewStarts(Finding):
    """Fewer cells or nodes on which agents start than agents."""

    starts: int
    agents: int
    graph: bool

    def told(self) -> Told:
        cell = "node" if self.graph else "cell"
        hint = f"Let agents start on more {cell}s, or let a world have fewer of them."
        message = f"{counted(self.starts, cell)} where agents start cannot hold {counted(self.agents, 'agent')}"
        return Told(message, hint)


@finding("H045")
class TooFewFreeCells(Finding):
    """Fewer cells of a map, or nodes of a graph, that nothing takes than agents and affordances at random."""

    free: int
    at_random: int
    agents: int
    graph: bool

    def told(self) -> Told:
        things = [f"{counted(self.at_random, 'affordance')} at random"] if self.at_random else []
        things += _some(self.agents) or ([] if things else ["an agent"])
        room = counted(self.free, "free node" if self.graph else "free cell") + ("" if self.graph else " of the map")
        on_map = "Draw more open ground, or a larger map."
        hint = "Add nodes, or start in a smaller region." if self.graph else on_map
        return Told(f"{room} cannot hold {' and '.join(things)}", hint)


def _some(agents: int) -> list[str]:
    return [counted(agents, "agent") if agents > 1 else "an agent"] if agents else []


@finding("H195")
class SpreadWithoutGrid(Finding):
    space: Span

    def told(self) -> Told:
        message = "where an affordance at random may stand is said on grids only"
        return Told(message, "Write `at random`.", "", (Label(self.space, "the space"),))


@finding("H195")
class SpreadOnTooManyCells(Finding):
    cells: int
    most: int

    def told(self) -> Told:
        message = f"affordances say where they may stand on at most {self.most} cells, not {self.cells}"
        return Told(message, "Write `at random`, or use a smaller grid.")


@finding("H196")
class NearLaterOne(Finding):
    affordance: str
    near: str

    def told(self) -> Told:
        hint = f"Declare `{self.near}` before `{self.affordance}`, or say it the other way round."
        return Told(f"where `{self.near}` stands is not known yet", hint)


@finding("H064")
class ApartAlone(Finding):
    def told(self) -> Told:
        hint = "Write `apart` behind others, too, or leave it out."
        return Told("nothing else is `apart`, so this has no effect", hint)


@finding("H197")
class RegionFull(Finding):
    region: str

    def told(self) -> Told:
        return Told(f"no free cell is in `{self.region}`", "Draw more of it, or leave walls and other things out.")


@finding("H197")
class NoArrangement(Finding):
    def told(self) -> Told:
        hint = "Ask for less: a shorter `apart`, a longer `within`, a larger region or a larger grid."
        return Told("affordances found no cells on which all of this holds", hint)
