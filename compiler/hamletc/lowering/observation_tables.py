"""Tables of observations with a row per element, and of windows and regions, by segment or radius."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import (
    Observation,
    ObserveCells,
    ObserveConstant,
    ObserveHere,
    ObserveRegion,
    ObserveWindow,
    Universe,
)
from hamlet.universe.observations import rows_of
from hamlet.universe.space import around, is_hexagonal
from hamlet.universe.walk import nodes
from hamletc.ir.function import Table
from hamletc.ir.ops import F32, I32
from hamletc.lowering.terrain import seen_words, sight_words


def role_key(role: int, segment: str) -> str:
    """The name in a plan of a segment that only agents of a role observe."""
    return f"role{role}.{segment}"


def _repeated(universe: Universe) -> Iterator[tuple[Observation, str]]:
    """Observations with a row per element, of all agents and then of each role, each with the name of its segment in a
    plan."""
    common = schema.common_segments(universe)
    yield from _repeated_among(universe, universe.observations, common, None)
    for number, role in enumerate(universe.roles or ()):
        own = schema.role_segments(universe, role)[len(common) :]
        yield from _repeated_among(universe, role.observations, own, number)


def _repeated_among(
    universe: Universe, items: tuple[Observation, ...], of_items: tuple[schema.Segment, ...], role: int | None
) -> Iterator[tuple[Observation, str]]:
    segments = iter(of_items)
    for item in items:
        # Rows come first: what is exhausted first must not have taken a segment of the next item.
        for _, segment in zip(rows_of(item, universe), segments, strict=False):
            if segment.repeated:
                yield item, segment.name if role is None else role_key(role, segment.name)


def seen_tables(universe: Universe) -> dict[str, tuple[Table, ...]]:
    """The tables of observed regions, and of windows in sight, by segment."""
    tables: dict[str, tuple[Table, ...]] = {}
    for item, name in _repeated(universe):
        if isinstance(item, ObserveRegion):
            tables[name] = seen_words(universe, item, len(tables))
        elif isinstance(item, ObserveWindow) and item.within is not None:
            tables[name] = sight_words(universe, item.radius, len(tables))
    return tables


def around_tables(universe: Universe) -> dict[int, tuple[Table, ...]]:
    """By radius, how far the cell of each row of a window of hexagons is from its middle, per axis."""
    if not is_hexagonal(universe.space):
        return {}
    windows = (item for item in nodes(universe) if isinstance(item, ObserveWindow | ObserveRegion | ObserveCells))
    return {
        radius: tuple(
            Table(f"window{radius}.{axis}", I32, offsets)
            for axis, offsets in zip("xy", zip(*around(universe.space, radius), strict=True), strict=True)
        )
        for radius in sorted({item.radius for item in windows if item.radius is not None})
    }


def row_tables(universe: Universe, numbers: dict[str, int]) -> dict[str, Table]:
    """The tables of `constant` and `here`, by segment; all affordances in file order, then `nothing`, need none."""
    tables: dict[str, Table] = {}
    for item, name in _repeated(universe):
        if isinstance(item, ObserveConstant):
            tables[name] = Table(f"row.{name}", F32, tuple(round32(value) for value in item.values))
        elif isinstance(item, ObserveHere) and item.affordances != (*numbers, None):
            if not all(each is None or each in numbers for each in item.affordances):
                continue  # a row of copies has no one number
            here = (schema.NOWHERE if each is None else numbers[each] for each in item.affordances)
            tables[name] = Table(f"row.{name}", I32, tuple(here))
    return tables
