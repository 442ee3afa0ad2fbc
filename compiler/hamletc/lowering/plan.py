"""What is decided about a universe before it is lowered: what is unrolled, and what becomes tables and loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import (
    Grid,
    Observation,
    ObserveCells,
    ObserveConstant,
    ObserveHere,
    ObserveRegion,
    ObserveWindow,
    Universe,
)
from hamlet.universe.observations import rows_of
from hamlet.universe.space import around, graph_of, is_hexagonal
from hamlet.universe.walk import nodes
from hamletc.ir.function import Table
from hamletc.ir.ops import F32, I32
from hamletc.lowering.cascade_table import CascadeTable, cascade_tables
from hamletc.lowering.moves import MoveTables, lead_table, move_tables
from hamletc.lowering.places import DrawTable, Places, arranged, draw_table, places
from hamletc.lowering.tables import ActionTable, AffordanceTable, action_table, affordance_table, duration_table
from hamletc.lowering.terrain import Ground, ground, seen_words, sight_words
from hamletc.lowering.walks import Walks, walks


@dataclass(frozen=True, slots=True)
class Limits:
    """The most affordances of a universe, steps of cascades in a row, moves, drawn coordinates of places, and actions
    of its own that are unrolled. More are tables: the size of a kernel does not depend on them. A lookup is as fast
    as 64 affordances; a step of a loop takes many times longer than an unrolled one, which knows its meters, so that
    only many become a loop.

    `cached_cells`: the most cells of a grid on which the kernel has a cache of the cells of unrolled affordances at
    random.
    `window_rows`: the most rows of an observed window whose bits are found at once; registers hold them.
    """

    affordances: int = 64
    cascades: int = 256
    moves: int = 16
    draws: int = 256
    cached_cells: int = 0
    actions: int = 64
    window_rows: int = 1024


FEWEST_DURATIONS = 4
"""Fewer affordances that last are compared with the one that an agent is engaged with."""
LIMITS = Limits()
CPU = Limits(cached_cells=256)


@dataclass(frozen=True, slots=True)
class Plan:
    """A universe and how it is lowered.

    Attributes:
        numbers: of the affordances by name, in file order.
        computed: places are computed from the layout: an agent is at one affordance at most.
        place_rows: what a stored place consists of.
        affordances: `None` where they are unrolled.
        cascades: those that are not unrolled.
        moves: `None` where they are unrolled.
        draws: what a loop needs to draw the places of affordances; `None` where that is unrolled.
        durations: those of the affordances that last, which may be few only where affordances are a table.
        rows: the tables of observations with a row per element, by segment.
        actions: `None` where the universe's own actions are unrolled.
        found: the kernel gives the affordance at random on the agent's cell.
        cell_cache: it also gives the cells of those affordances.
        ground: what is on the cells of a map; `None` without one.
        around: of windows of hexagons the tables of where the cell of each row is, by radius.
        seen: the tables of observed regions, by segment; none where rows ask for their cells. Of windows in sight a bit
            per row, whether the agent's cell has sight of it.
        walks: how far it is to walk; `None` where nobody asks.
        arranged: the arrangements of affordances at random, one after the other; `None` where none says where it may
            stand.
        leads: on a graph what an action adds to the number of a node, with a row per action of each node.
    """

    universe: Universe
    limits: Limits
    numbers: dict[str, int]
    computed: bool
    place_rows: tuple[str, ...]
    places: Places
    affordances: AffordanceTable | None
    cascades: tuple[CascadeTable, ...]
    moves: MoveTables | None
    draws: DrawTable | None
    durations: Table | None
    rows: dict[str, Table]
    actions: ActionTable | None
    found: bool
    cell_cache: bool
    ground: Ground | None
    seen: dict[str, tuple[Table, ...]]
    around: dict[int, tuple[Table, ...]]
    walks: Walks | None
    leads: Table | None
    arranged: Table | None

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, in the order in which programs have them."""
        parts = (self.places, self.affordances, self.cascades, self.moves, self.draws, self.ground)
        durations = self.durations if self.affordances is None else None
        observed = (*self.rows.values(), *self.seen.values(), *self.around.values())
        return tables_of((*parts, *observed, self.actions, durations, self.walks, self.leads, self.arranged))

    def with_cell_cache(self, limits: Limits) -> Plan:
        """The same plan, but for whether the kernel has a cell cache, as the limits say."""
        space = self.universe.space
        few = isinstance(space, Grid) and schema.cells(space) <= limits.cached_cells
        cached = few and self.with_found().found
        limits = replace(self.limits, cached_cells=limits.cached_cells)
        return replace(self, limits=limits, found=cached, cell_cache=cached)

    def with_found(self) -> Plan:
        """The same plan, but that the kernel gives what is on the agent's cell, if that takes a search."""
        unrolled = self.computed and self.affordances is None
        return replace(self, found=unrolled and bool(self.places.random), cell_cache=False)


def plan(universe: Universe, limits: Limits) -> Plan:
    """The plan of a universe."""
    computed = isinstance(universe.space, Grid) and universe.space.places == "computed"
    numbers = {affordance.name: number for number, affordance in enumerate(universe.affordances)}
    where = places(universe, limits.affordances if computed else len(universe.affordances))
    many = computed and len(universe.affordances) > limits.affordances
    durations, lasting = duration_table(universe), sum(each.duration is not None for each in universe.affordances)
    planned = Plan(
        universe,
        limits,
        numbers,
        computed,
        schema.place_rows(universe),
        where,
        affordance_table(universe) if many else None,
        cascade_tables(universe, limits.cascades),
        move_tables(universe) if len(universe.moves) > limits.moves and graph_of(universe.space) is None else None,
        draw_table(universe, where, limits.draws),
        durations if many or lasting >= FEWEST_DURATIONS else None,
        _row_tables(universe, numbers),
        action_table(universe) if len(universe.actions) > limits.actions else None,
        False,
        False,
        ground(universe),
        _seen_tables(universe),
        _around_tables(universe),
        walks(universe),
        lead_table(universe),
        arranged(universe),
    )
    return planned.with_cell_cache(limits)


def role_key(role: int, segment: str) -> str:
    """What a segment that only agents of a role observe is called in a plan."""
    return f"role{role}.{segment}"


def _repeated(universe: Universe) -> Iterator[tuple[Observation, str]]:
    """What is observed with a row per element, by all agents and then by each role, each with the name of its segment
    in a plan."""
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


def _seen_tables(universe: Universe) -> dict[str, tuple[Table, ...]]:
    """The tables of observed regions, and of windows in sight, by segment."""
    tables: dict[str, tuple[Table, ...]] = {}
    for item, name in _repeated(universe):
        if isinstance(item, ObserveRegion):
            tables[name] = seen_words(universe, item, len(tables))
        elif isinstance(item, ObserveWindow) and item.within is not None:
            tables[name] = sight_words(universe, item.radius, len(tables))
    return tables


def _around_tables(universe: Universe) -> dict[int, tuple[Table, ...]]:
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


def tables_of(part: object) -> tuple[Table, ...]:
    """The tables that a part of a plan has as fields, in order."""
    return tuple(node for node in nodes(part) if isinstance(node, Table))


def _row_tables(universe: Universe, numbers: dict[str, int]) -> dict[str, Table]:
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
