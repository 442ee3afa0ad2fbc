"""What the agents on each cell come to, which windows show: `window 2 of wolf`, `window 2 of hunger: total(energy)`.

Each total, and each extreme, is written out: a hidden meter of cells has it, which is found anew when agents have been
born in a tick and when an episode begins. What shows it reads that meter (docs/semantics.md, "Agents in windows").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from hamlet import universe
from hamlet.numbers.binary32 import canonical32, round32
from hamlet.universe import CellCount, CellMeter, Expression, Number, Span, StateType, nodes
from hamletc.checking.history import short
from hamletc.checking.overall import ROUNDED
from hamletc.expansion.places import rewritten
from hamletc.intervals import ZERO, Interval, hull, multiply

OPERATIONS = ("average", "count", "highest", "lowest", "total")
"""What can be asked of the agents on a cell."""
UNCOUNTED = (
    *(universe.Here, universe.Distance, universe.StraightDistance, universe.WalkingDistance),
    *(universe.CellValue, universe.At),
)
"""What is not counted on cells: it takes more than the agent itself to know it."""


class Crowds:
    """The hidden meters, and what is found for them. `taken` are the names that an author uses; `bounds` says where a
    number of an agent lies."""

    def __init__(self, taken: Iterable[str], bounds: Callable[[Expression], Interval | None]) -> None:
        self._taken = set(taken)
        self._bounds = bounds
        self._names: dict[str, str] = {}
        self.meters: list[CellMeter] = []
        self.counts: list[CellCount] = []

    def ask(self, op: str, value: Expression, text: str, most: int, span: Span) -> Expression | None:
        """The value of `op(text)` of the agents on a cell, `most` of them at most; `None` where something else is
        wrong.

        Raises:
            OverflowError: a total can be beyond binary32.
        """
        one, none = Number(1.0, span), Number(0.0, span)
        match op:
            case "count":
                return self._total(universe.If(value, one, none, span), f"count({text})", most, span)
            case "total":
                return self._total(value, f"total({text})", most, span)
            case "lowest" | "highest":
                extreme = self._extreme(op, value, f"{op}({text})", span)
                agents = self._total(one, "count(true)", most, span)
                if extreme is None or agents is None:
                    return None
                return universe.If(universe.Binary(">", agents, none, span), extreme, none, span)
            case _:
                total = self._total(value, f"total({text})", most, span)
                agents = self._total(one, "count(true)", most, span)
                if total is None or agents is None:
                    return None
                return universe.Binary("/", total, universe.Binary("max", agents, one, span), span)

    def _total(self, value: Expression, text: str, most: int, span: Span) -> Expression | None:
        key = self._key("total", value)
        if key not in self._names:
            each = self._bounds(value)
            if each is None:
                return None
            lies = multiply(hull(each, ZERO), Interval(float(most), float(most)))
            whole = text.startswith("count(")
            lies = lies if whole else multiply(lies, ROUNDED)
            name = self._declare(key, text, lies, "int" if whole else "real", span)
            self.counts.append(CellCount(name, value, span))
        return universe.CellValue(self._names[key], span)

    def _extreme(self, op: Literal["lowest", "highest"], value: Expression, text: str, span: Span) -> Expression | None:
        key = self._key(op, value)
        if key not in self._names:
            each = self._bounds(value)
            if each is None:
                return None
            name = self._declare(key, text, each, "real", span)
            self.counts.append(CellCount(name, value, span, op))
        return universe.CellValue(self._names[key], span)

    def _key(self, op: str, value: Expression) -> str:
        return f"{op} {rewritten(value, lambda _: Span(0, 0, 0, 0))!r}"

    def _declare(self, key: str, text: str, lies: Interval, kind: Literal["int", "real"], span: Span) -> str:
        """The name of a new meter of cells that lies there."""
        name = f"{short(text)} on cells"
        while name in self._taken:
            name += "'"
        self._taken.add(name)
        self._names[key] = name
        low, high = canonical32(lies.low), canonical32(max(lies.high, lies.low + 1.0))
        self.meters.append(CellMeter(name, 0.0, low, high, span, StateType(kind, (), f"{text} on cells")))
        return name

    @property
    def bounds(self) -> dict[str, Interval]:
        """Where each hidden meter lies."""
        return {meter.name: Interval(round32(meter.low), round32(meter.high)) for meter in self.meters}

    @property
    def names(self) -> frozenset[str]:
        """The names of the hidden meters."""
        return frozenset(meter.name for meter in self.meters)


def uncounted(value: Expression) -> Expression | None:
    """The first part of a value of agents that is not counted on cells; `None` where all is."""
    return next((node for node in nodes(value) if isinstance(node, UNCOUNTED)), None)
