"""Tables of observations that have a row per element: numbers, and affordances that may be here."""

from __future__ import annotations

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import (
    Observation,
    ObserveConstant,
    ObserveHere,
    ObserveMeters,
    ObserveParams,
    ObservePosition,
    ObserveTime,
    ObserveVelocity,
    Universe,
)
from hamletc.ir.function import Table
from hamletc.ir.ops import F32, I32


def segments_of(universe: Universe) -> list[tuple[Observation, tuple[schema.Segment, ...]]]:
    """Every item of `observe` with its segments, in order."""
    left = list(schema.observation_segments(universe))
    result = []
    for item in universe.observations:
        count = _count(universe, item)
        result.append((item, tuple(left[:count])))
        del left[:count]
    return result


def row_tables(universe: Universe, numbers: dict[str, int]) -> dict[str, Table]:
    """By segment. What is here in the usual order needs no table."""
    tables: dict[str, Table] = {}
    for item, segments in segments_of(universe):
        name = segments[0].name if segments else ""
        match item:
            case ObserveConstant(values=values):
                tables[name] = _table(name, tuple(round32(value) for value in values))
            case ObserveHere(affordances=affordances) if affordances != (*numbers, None):
                tables[name] = _table(name, tuple(schema.NOWHERE if a is None else numbers[a] for a in affordances))
            case _:
                pass
    return tables


def _table(segment: str, values: tuple[float, ...] | tuple[int, ...]) -> Table:
    return Table(f"row.{segment}", F32 if isinstance(values[0], float) else I32, values)


def _count(universe: Universe, item: Observation) -> int:
    """How many segments an item has."""
    match item:
        case ObservePosition(encoding=encoding):
            return len(schema.axes(universe)) * (2 if encoding == "scaled" else 1)
        case ObserveMeters(meters=names) | ObserveParams(params=names) | ObserveVelocity(axes=names):
            return len(names)
        case ObserveTime(functions=functions):
            return len(functions)
        case _:
            return 1
