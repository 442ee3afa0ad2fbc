"""What all cells of a world come to: `total(moss) over cells`.

Each is written out: a hidden meter of the world has it, which is found anew when the rules of cells have run and when
an episode begins. What asks for it reads that meter, so only the step of the cells knows of it (docs/semantics.md,
"Over cells").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias, cast

from hamlet.numbers.binary32 import canonical32, round32
from hamlet.universe import (
    Binary,
    CellSum,
    Expression,
    Grid,
    If,
    Number,
    Space,
    Span,
    StateType,
    WorldMeter,
    WorldValue,
)
from hamlet.universe.space import cells, letters_of
from hamletc import intervals
from hamletc.checking.history import short
from hamletc.expansion.places import rewritten
from hamletc.intervals import Interval

Joins: TypeAlias = Literal["total", "lowest", "highest"]
OPERATIONS = ("average", "count", "highest", "lowest", "total")
"""What can be asked of all cells."""
ROUNDED = Interval(1 - intervals.SLACK, 1 + intervals.SLACK)
"""By how much of itself a total is off: each of at most 16 levels by half a last place."""


class Overall:
    """The hidden meters, and what is found for them. `taken` are the names that an author uses; `bounds` says where a
    number of a cell lies."""

    def __init__(self, taken: Iterable[str], bounds: Callable[[Expression], Interval | None]) -> None:
        self._taken = set(taken)
        self._bounds = bounds
        self._names: dict[tuple[str, str], str] = {}
        self.meters: list[WorldMeter] = []
        self.sums: list[CellSum] = []

    def ask(self, op: str, value: Expression, text: str, space: Space, span: Span) -> Expression | None:
        """The value of `op(text) over cells`; `None` where something else is wrong.

        Raises:
            OverflowError: a total can be beyond binary32.
        """
        match op:
            case "count":
                ones = If(value, Number(1.0, span), Number(0.0, span), span)
                return self._sum("total", ones, text, space, span)
            case "average":
                total = self._sum("total", value, text, space, span)
                many = Number(float(open_cells(space)), span)
                return None if total is None else Binary("/", total, many, span)
            case _:
                return self._sum(cast(Joins, op), value, text, space, span)

    def _sum(self, op: Joins, value: Expression, text: str, space: Space, span: Span) -> Expression | None:
        key = op, repr(_placeless(value))
        if key not in self._names:
            where = self._bounds(value)
            if where is None:
                return None
            where = _widened(where, open_cells(space)) if op == "total" else where
            name = f"{op}({short(text)}) over cells"
            while name in self._taken:
                name += "'"
            self._taken.add(name)
            self._names[key] = name
            low, high = canonical32(where.low), canonical32(where.high)
            held = StateType("real", (), f"{op}({text}) over cells")
            self.meters.append(WorldMeter(name, low, low, high, span, held))
            self.sums.append(CellSum(name, op, value, span))
        return WorldValue(self._names[key], span)

    @property
    def bounds(self) -> dict[str, Interval]:
        """Where each hidden meter lies."""
        return {meter.name: Interval(round32(meter.low), round32(meter.high)) for meter in self.meters}

    @property
    def names(self) -> frozenset[str]:
        """The names of the hidden meters."""
        return frozenset(meter.name for meter in self.meters)


def open_cells(space: Space) -> int:
    """How many cells of a grid are no walls."""
    ground = letters_of(space)
    if ground is None:
        return cells(space) if isinstance(space, Grid) else 0
    return sum(letter not in ground.walls for row in ground.rows for letter in row)


def _widened(each: Interval, many: int) -> Interval:
    """Where the sum of so many numbers lies, each sum rounded; with a little room, so that no two ends are equal."""
    found = intervals.multiply(intervals.hull(each, intervals.ZERO), Interval(float(many), float(many)))
    found = intervals.multiply(found, ROUNDED)
    return found if found.low < found.high else Interval(found.low, found.low + 1.0)


def _placeless(value: Expression) -> object:
    """The expression without its places: equal ones are found once."""
    return rewritten(value, lambda _: Span(0, 0, 0, 0))
