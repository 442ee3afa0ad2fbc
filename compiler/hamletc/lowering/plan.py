"""The plan of a lowering: which parts of a universe are unrolled, and which become tables and loops."""

from __future__ import annotations

from dataclasses import replace

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.universe import Displace, Grid, Teleport, Universe
from hamlet.universe.walk import nodes
from hamletc.ir.function import Table
from hamletc.lowering.cascade_table import CascadeTable, cascade_tables
from hamletc.lowering.moves import MoveTables, lead_table, move_tables
from hamletc.lowering.observation_tables import around_tables, row_tables, seen_tables
from hamletc.lowering.places import DrawTable, Places, arranged, draw_table, places
from hamletc.lowering.tables import (
    ActionTable,
    AffordanceTable,
    action_table,
    affordance_table,
    duration_table,
    number_tables,
)
from hamletc.lowering.terrain import Ground, ground
from hamletc.lowering.view_tables import Shape, ViewTables, view_tables
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
        place_rows: the rows of a stored place.
        affordances: `None` where they are unrolled.
        cascades: those that are not unrolled.
        moves: `None` where they are unrolled.
        draws: the table of a loop that draws the places of affordances; `None` where that is unrolled.
        durations: those of the affordances that last, which may be few only where affordances are a table.
        rows: the tables of observations with a row per element, by segment.
        actions: `None` where the universe's own actions are unrolled.
        searched: the kernel gives the affordance at random on the agent's cell.
        cell_cache: it also gives the cells of those affordances.
        ground: the ground of a map; `None` without one.
        around: of windows of hexagons the tables of where the cell of each row is, by radius.
        seen: the tables of observed regions, by segment; none where rows ask for their cells. Of windows in sight a bit
            per row, whether the agent's cell has sight of it.
        views: the tables of windows of expressions, by shape.
        walks: how far it is to walk; `None` where nobody asks.
        arranged: the arrangements of affordances at random, one after the other; `None` where none says where it may
            stand.
        numbered: the tables of the universe, in file order.
        leads: on a graph the number that an action adds to that of a node, with a row per action of each node.
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
    searched: bool
    cell_cache: bool
    ground: Ground | None
    seen: dict[str, tuple[Table, ...]]
    around: dict[int, tuple[Table, ...]]
    views: dict[Shape, ViewTables]
    walks: Walks | None
    leads: Table | None
    arranged: Table | None
    numbered: tuple[Table, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, in the order in which programs have them."""
        parts = (self.places, self.affordances, self.cascades, self.moves, self.draws, self.ground)
        durations = self.durations if self.affordances is None else None
        observed = (*self.rows.values(), *self.seen.values(), *self.around.values(), *self.views.values())
        others = (self.actions, durations, self.walks, self.leads, self.arranged, self.numbered)
        return tables_of((*parts, *observed, *others))

    def with_cell_cache(self, limits: Limits) -> Plan:
        """The same plan, but for whether the kernel has a cell cache, as the limits say."""
        space = self.universe.space
        few = isinstance(space, Grid) and schema.cells(space) <= limits.cached_cells
        cached = few and self.with_search().searched
        limits = replace(self.limits, cached_cells=limits.cached_cells)
        return replace(self, limits=limits, searched=cached, cell_cache=cached)

    def with_search(self) -> Plan:
        """The same plan, but that the kernel gives what is on the agent's cell, if that takes a search, and if the
        agent stays there when it has acted."""
        unrolled = self.computed and self.affordances is None
        later = nodes((self.universe.affordances, self.universe.dynamics))
        stays = not any(isinstance(node, Displace | Teleport) for node in later)
        return replace(self, searched=unrolled and stays and bool(self.places.random), cell_cache=False)


def plan(universe: Universe, limits: Limits) -> Plan:
    """The plan of a universe."""
    computed = isinstance(universe.space, Grid) and universe.space.places == "computed"
    numbers = {affordance.name: number for number, affordance in enumerate(universe.affordances)}
    where = places(universe, limits.affordances if computed else len(universe.affordances))
    affordances = affordance_table(universe, limits.affordances)
    durations, lasting = duration_table(universe), sum(each.duration is not None for each in universe.affordances)
    planned = Plan(
        universe,
        limits,
        numbers,
        computed,
        schema.place_rows(universe),
        where,
        affordances,
        cascade_tables(universe, limits.cascades),
        move_tables(universe, limits.moves),
        draw_table(universe, where, limits.draws),
        durations if affordances is not None or lasting >= FEWEST_DURATIONS else None,
        row_tables(universe, numbers),
        action_table(universe, limits.actions),
        False,
        False,
        ground(universe),
        seen_tables(universe),
        around_tables(universe),
        view_tables(universe),
        walks(universe),
        lead_table(universe),
        arranged(universe),
        number_tables(universe),
    )
    return planned.with_cell_cache(limits)


def tables_of(part: object) -> tuple[Table, ...]:
    """The tables that a part of a plan has as fields, in order."""
    return tuple(node for node in nodes(part) if isinstance(node, Table))
