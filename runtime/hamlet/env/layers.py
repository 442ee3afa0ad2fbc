"""Layers of a board: meters and states of the cells of a world, and things that lie there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hamlet.universe import CellMeter, Grid, Universe
from hamlet.universe.drawings import LIES
from hamlet.universe.space import cells

if TYPE_CHECKING:
    from torch import Tensor

FAINTEST = 1 / 16
"""The share of its bounds up to which a number of a cell that is not whole is not shown."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A number that each cell has.

    Attributes:
        name: of the meter or the state; of things that lie, of their kind.
        things: whether it counts things.
        options: of a state that has some.
        rows: the numbers of the cells of each row. Of more axes than two the greatest of those behind each other.
        mean: over all cells.
        colour: red, green, blue; `None`: the painter chooses.
        letter: of the cells that are not empty; without one none is written.
        option: of the state, where it is the layer of one; empty of all others.
        faintest: the share up to which a cell is empty: 0 of whole numbers.
    """

    name: str
    things: bool
    options: tuple[str, ...]
    low: float
    high: float
    rows: tuple[tuple[float, ...], ...]
    mean: float
    colour: tuple[int, int, int] | None = None
    letter: str = ""
    option: str = ""
    faintest: float = FAINTEST

    def share(self, column: int, row: int) -> float:
        """How full a cell is, 0 .. 1; a cell with a thing is full."""
        value = self.rows[row][column]
        if self.things:
            return 1.0 if value > 0 else 0.0
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0) if self.high > self.low else 0.0

    def of_option(self, option: str) -> Layer:
        """The layer of one option of a state: 1 in cells that have it, 0 in others."""
        number = float(self.options.index(option))
        rows = tuple(tuple(float(value == number) for value in row) for row in self.rows)
        mean = sum(map(sum, rows)) / (len(rows) * len(rows[0]))
        name = f"{self.name} {option}"
        return replace(self, name=name, options=(), low=0.0, high=1.0, rows=rows, mean=mean, option=option)

    @property
    def initial(self) -> str:
        """The text whose first letter says what it is where its own letter cannot be shown."""
        return self.option or self.name

    @property
    def said(self) -> str:
        """A summary of all cells, in words."""
        number = len(self.rows) * len(self.rows[0])
        if self.things:
            return f"{round(self.mean * number)} lying"
        if self.options:
            return " ".join(self.options)
        return f"{self.low:g}..{self.high:g}  average {self.mean:.3g}"


def empty_layers(universe: Universe) -> Iterator[Layer]:
    """The layers of a world whose cells have nothing: numbers are at their lower bound, and nothing lies there."""
    if universe.cells is None or not isinstance(universe.space, Grid):
        return
    width, height = (*universe.space.sizes, 1)[:2]
    for meter in universe.cells.meters:
        if meter.type is None or meter.type.past is None:
            least = 0.0 if meter.name.startswith(LIES) else meter.low
            yield _layer(meter, ((least,) * width,) * height, least)


def layers_of(universe: Universe, cell_meters: Tensor | None) -> Iterator[Layer]:
    """The layers of a world's cells, of their meters in file order, f32 [meters times cells]. Meters that the compiler
    made for itself are not among them.
    """
    if universe.cells is None or cell_meters is None or not isinstance(universe.space, Grid):
        return
    width, height = (*universe.space.sizes, 1)[:2]
    count = cells(universe.space)
    for number, meter in enumerate(universe.cells.meters):
        if meter.type is not None and meter.type.past is not None:
            continue
        values = cell_meters[number * count : (number + 1) * count].reshape(-1, height, width).numpy()
        rows = tuple(tuple(row) for row in values.max(axis=0).tolist())
        yield _layer(meter, rows, float(values.mean(dtype="float64")))


def _layer(meter: CellMeter, rows: tuple[tuple[float, ...], ...], mean: float) -> Layer:
    lies = meter.name.startswith(LIES)
    options = () if meter.type is None else meter.type.options
    whole = meter.type is not None and meter.type.whole
    faintest = 0.0 if whole else FAINTEST
    return Layer(meter.name.removeprefix(LIES), lies, options, meter.low, meter.high, rows, mean, faintest=faintest)
