"""The world, and its cells: what they have."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression, spell_name


@finding("H099")
class PropertyOfWorldMeter(Finding):
    meter: syntax.Name
    item: syntax.MeterProperty

    def told(self) -> Told:
        name, hint = spell_name(self.meter), "Leave it out."
        if not isinstance(self.item, syntax.OnlyProperty):
            change = f"`rule {name}_falls: {name} -= {spell_expression(self.item.value)}`"
            hint = f"Leave it out; a rule of the world can change it: {change}."
        return Told(f"a meter of the world has no `{self.item.keyword()}`", hint, "what agents' meters have")


@finding("H187")
class PropertyOfCellMeter(Finding):
    key: str

    def told(self) -> Told:
        hint = "Leave it out; a rule of cells can change the meter."
        return Told(f"a meter of cells has no `{self.key}`", hint, "what agents' meters have")


@finding("H180")
class CellsWithoutGrid(Finding):
    space: Span

    def told(self) -> Told:
        hint = "Declare one, as in `space grid 16 x 16`, or give the meters to `world { }` or to agents."
        return Told("`cells` needs a grid", hint, "this universe has none", (Label(self.space, "the space"),))


@finding("H181")
class TooManyCellNumbers(Finding):
    meters: int
    cells: int
    most: int
    grid: Span

    def told(self) -> Told:
        cells = f"{self.cells:,}" if self.cells < 10**30 else "far too many"
        hint = f"Make the grid smaller: a world holds at most {self.most:,} numbers of cells."
        message = f"{self.meters} meter{'s' if self.meters > 1 else ''} of {cells} cells would not fit in a world"
        return Told(message, hint, "", (Label(self.grid, "the grid"),))
