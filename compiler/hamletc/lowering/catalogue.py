"""The affordances of a universe as a table with a row for each, where they are too many to be unrolled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hamlet.universe import Affordance, Expression, Span, Statement, Universe
from hamletc.ir.function import Table
from hamletc.ir.ops import F32, I32
from hamletc.lowering.shapes import shape


@dataclass(frozen=True, slots=True)
class Kind:
    """What affordances of one shape have in common; numbers are columns.

    Attributes:
        name: of the first of them, and how many there are.
        span: of the first.
    """

    name: str
    span: Span
    lasts: bool
    together: bool
    needs: Expression | None
    instantly: tuple[Statement, ...]
    each_tick: tuple[Statement, ...]
    on_completion: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Tables with one row per affordance, in file order.

    Attributes:
        kinds: the shapes, in the order of their first affordance.
        kind: the number of the kind.
        opens, closes: the hours; 0 and the length of the day where it is always open. `None` without hours.
        duration: in ticks, 1 for an instantaneous affordance, 0 for one that is never completed. `None` where no
            affordance lasts.
        columns: the numbers of a shape; 0.0 where an affordance has fewer.
    """

    kinds: tuple[Kind, ...]
    kind: Table
    opens: Table | None
    closes: Table | None
    duration: Table | None
    columns: tuple[Table, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """All of them."""
        single = (self.kind, self.opens, self.closes, self.duration)
        return (*(table for table in single if table is not None), *self.columns)


def catalogue(universe: Universe) -> Catalogue:
    """The affordances as a table."""
    kinds: dict[Any, list[Affordance]] = {}
    order: dict[Any, int] = {}
    rows: list[tuple[float, ...]] = []
    numbers: list[int] = []
    for affordance in universe.affordances:
        parts = (affordance.needs, affordance.instantly, affordance.each_tick, affordance.on_completion)
        key, row = shape((affordance.duration is not None, affordance.together, *parts))
        numbers.append(order.setdefault(key, len(order)))
        kinds.setdefault(key, []).append(affordance)
        rows.append(row)
    width = max(len(row) for row in rows)
    hours = [affordance.hours for affordance in universe.affordances]
    day = universe.clock.hours if universe.clock is not None else 0
    timed = any(each is not None for each in hours)
    durations = tuple(1 if each.duration is None else each.duration for each in universe.affordances)
    lasting = any(affordance.duration is not None for affordance in universe.affordances)
    return Catalogue(
        tuple(_kind(key, alike) for key, alike in kinds.items()),
        Table("affordance.kind", I32, tuple(numbers)),
        Table("affordance.opens", I32, tuple(0 if each is None else each.opens for each in hours)) if timed else None,
        Table("affordance.closes", I32, tuple(day if e is None else e.closes for e in hours)) if timed else None,
        Table("affordance.duration", I32, durations) if lasting else None,
        tuple(
            Table(f"affordance.number{column}", F32, tuple(row[column] if column < len(row) else 0.0 for row in rows))
            for column in range(width)
        ),
    )


def _kind(key: Any, alike: list[Affordance]) -> Kind:
    lasts, together, needs, instantly, each_tick, on_completion = key
    name = alike[0].name if len(alike) == 1 else f"{alike[0].name} and {len(alike) - 1} like it"
    return Kind(name, alike[0].span, lasts, together, needs, instantly, each_tick, on_completion)
