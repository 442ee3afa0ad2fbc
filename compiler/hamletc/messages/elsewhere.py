"""Cells that expressions name by their coordinates."""

from __future__ import annotations

from hamlet.universe import Expression, Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.intervals import Interval
from hamletc.language import syntax
from hamletc.language.spelling import counted, spell_expression
from hamletc.messages.ranges import called, no_whole


@finding("H260")
class OtherAxes(Finding):
    """As many coordinates as the grid has no axes."""

    coordinates: int
    axes: int
    space: Span

    def told(self) -> Told:
        hint = f"Write {counted(self.axes, 'coordinate')} in the parentheses, that of x first."
        label = Label(self.space, f"it has {counted(self.axes, 'axis') if self.axes == 1 else f'{self.axes} axes'}")
        return Told(f"no cell has {counted(self.coordinates, 'coordinate')}", hint, secondary=(label,))


@finding("H260")
class NeverThere(Finding):
    """A coordinate that lies beyond the edges, whatever happens."""

    coordinate: Expression
    where: Interval
    last: int

    def told(self) -> Told:
        hint = f"Name a cell: its coordinate is 0 .. {self.last}. Beyond the edges all is 0 or a wall."
        return Told(f"{called(self.coordinate, 'this')} is beyond the edges", hint, "no cell is there")


@finding("H261")
class MaybeBetweenCells(Finding):
    """A coordinate of a cell; `part` is the part of it that may be no whole number."""

    coordinate: Expression
    part: Expression

    def told(self) -> Told:
        hint = "Make it one: `floor(x)` or `round(x)`; a state `int in LOW .. HIGH` holds whole numbers alone."
        label = no_whole(self.part, self.coordinate)
        return Told("coordinates of cells are whole numbers, and this may be none", hint, label)


@finding("H262")
class NotOfCell(Finding):
    """An expression before `at` that is no quantity of a cell."""

    value: syntax.Expr

    def told(self) -> Told:
        hint = (
            "Before `at (x, y)` stands a meter or a state of cells, a terrain, `on REGION`, `wall`, `solid`, "
            "or `count(c)`."
        )
        return Told(f"`{spell_expression(self.value)}` is nothing that a cell has", hint)


@finding("H329")
class NothingSolid(Finding):
    """Solid cells that are asked for where no condition makes any."""

    def told(self) -> Told:
        hint = "Say which cells are solid, as in `cells { state boulder = chance(0.1)  solid when boulder }`."
        return Told("no cell is ever solid", hint)


@finding("H262")
class NoCells(Finding):
    """A cell in a space that is no grid."""

    space: Span

    def told(self) -> Told:
        hint = "Write `space grid 8 x 8`, or draw a map."
        return Told("there are no cells", hint, secondary=(Label(self.space, "the space is no grid"),))


@finding("H312")
class NotCountedAtCell(Finding):
    """What is asked of the agents on a cell, which only counts and totals are; `asked` is the function."""

    asked: str

    def told(self) -> Told:
        hint = "Write `count(c) at (x, y)` or `total(e) at (x, y)`; the average is one divided by the other."
        return Told(f"`{self.asked}` cannot be asked of the agents on one cell", hint)


@finding("H312")
class CountedByCells(Finding):
    """Agents on another cell, asked for by a cell."""

    def told(self) -> Told:
        hint = (
            "Say how far away it is, as in `count(c) at (position x + 1, position y)`, or sum `neighbours(count(c))`."
        )
        return Told("a cell counts agents on itself, and on cells that are always as far from it", hint)


@finding("H312")
class DrawnForEach(Finding):
    """A draw in the coordinates of a cell whose agents the world counts."""

    def told(self) -> Told:
        hint = "Let a rule of the world keep what is drawn in a meter of the world, and take that as the coordinate."
        return Told("this would be drawn anew for each agent", hint)


@finding("H263")
class NotNamedHere(Finding):
    """A cell in what opens an affordance, or in how many places it has."""

    def told(self) -> Told:
        hint = "Let a rule of the world keep it in a meter of the world, and read that."
        return Told("what another cell has cannot be read here", hint)


@finding("H263")
class BetweenAgents(Finding):
    """A cell whose coordinates depend on an agent that asks, and on another one."""

    def told(self) -> Told:
        hint = "Take coordinates of one of them: all inside `own( )`, or none; a rule can keep a value in a meter."
        return Told("this cell is another for each pair of agents", hint)


@finding("H264")
class TooManyAround(Finding):
    """A sum over more cells than are written out."""

    cells: int
    most: int

    def told(self) -> Told:
        hint = "Take a smaller radius, or let a rule of cells keep a sum that another rule sums again."
        return Told(f"these are {self.cells} cells, and at most {self.most} are summed", hint)


@finding("H264")
class NoDiagonals(Finding):
    """Diagonals on hexagons, all six of whose neighbours are beside them."""

    def told(self) -> Told:
        hint = "Leave it out: `neighbours( )` sums all six; `within 2` sums those two moves away too."
        return Told("hexagons have no diagonals", hint)
