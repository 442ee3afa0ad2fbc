"""What is decided about a universe before it is lowered: what is unrolled, and what becomes tables and loops."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hamlet import schema
from hamlet.universe import Grid, Universe
from hamletc.ir.function import Table
from hamletc.lowering.action_table import ActionTable, action_table
from hamletc.lowering.cascade_table import CascadeTable, cascade_tables
from hamletc.lowering.catalogue import Catalogue, catalogue
from hamletc.lowering.draw_table import DrawTable, draw_table
from hamletc.lowering.moves import MoveTables, move_tables
from hamletc.lowering.places import Places, places
from hamletc.lowering.rows import row_tables
from hamletc.lowering.step_tables import StepTables, step_tables


@dataclass(frozen=True, slots=True)
class Limits:
    """Up to so many affordances of a universe, steps of cascades in a row, moves, drawn coordinates of places, and
    actions of its own are unrolled. More are tables: the size of a kernel does not depend on them. A lookup is as fast
    as 64 affordances; a step of a loop takes many times longer than an unrolled one, which knows its meters, so that
    only many become a loop.

    `kept`: on a grid of so many cells the kernel keeps where unrolled affordances at random stand, for an episode.
    """

    affordances: int = 64
    cascades: int = 256
    moves: int = 16
    draws: int = 256
    kept: int = 0
    actions: int = 64


LIMITS = Limits()
CPU = Limits(kept=256)


@dataclass(frozen=True, slots=True)
class Plan:
    """A universe and how it is lowered.

    Attributes:
        numbers: of the affordances by name, in file order.
        computed: places are computed from the layout: an agent is at one affordance at most.
        place_rows: what a stored place consists of.
        catalogue: `None` where affordances are unrolled.
        cascades: those that are not unrolled.
        moves: `None` where moves are unrolled.
        steps: what masks need of many moves of a grid; `None` where each move is tried.
        draws: what a loop needs to draw the places of affordances; `None` where that is unrolled.
        rows: the tables of observations with a row per element, by segment.
        actions: `None` where the universe's own actions are unrolled.
        kept: the kernel keeps the cells of affordances at random: it gives them, and the one on the agent's cell.
    """

    universe: Universe
    limits: Limits
    numbers: dict[str, int]
    computed: bool
    place_rows: tuple[str, ...]
    places: Places
    catalogue: Catalogue | None
    cascades: tuple[CascadeTable, ...]
    moves: MoveTables | None
    steps: StepTables | None
    draws: DrawTable | None
    rows: dict[str, Table]
    actions: ActionTable | None
    kept: bool

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables of affordances, cascades, moves, observations and actions."""
        searched = () if self.places.searched is None else self.places.searched.tables
        rows = () if self.catalogue is None else self.catalogue.tables
        moves = () if self.moves is None else self.moves.tables
        cascades = (table for cascades in self.cascades for table in cascades.tables)
        steps = () if self.steps is None else self.steps.words
        draws = () if self.draws is None else self.draws.tables
        actions = () if self.actions is None else self.actions.tables
        return (*searched, *rows, *cascades, *moves, *steps, *draws, *self.rows.values(), *actions)

    def keeping(self, limits: Limits) -> Plan:
        """The same plan, but for which cells the kernel keeps."""
        space = self.universe.space
        few = isinstance(space, Grid) and schema.cells(space) <= limits.kept
        unrolled = self.computed and self.catalogue is None
        return replace(self, limits=limits, kept=unrolled and bool(self.places.random) and few)


def plan(universe: Universe, limits: Limits) -> Plan:
    """The plan of a universe."""
    computed = isinstance(universe.space, Grid) and universe.space.places == "computed"
    numbers = {affordance.name: number for number, affordance in enumerate(universe.affordances)}
    many_moves = len(universe.moves) > limits.moves
    where = places(universe, limits.affordances if computed else len(universe.affordances))
    many = computed and len(universe.affordances) > limits.affordances
    planned = Plan(
        universe,
        limits,
        numbers,
        computed,
        schema.place_rows(universe),
        where,
        catalogue(universe) if many else None,
        cascade_tables(universe, limits.cascades),
        move_tables(universe) if many_moves else None,
        step_tables(universe) if many_moves and isinstance(universe.space, Grid) else None,
        _draws(universe, where, limits.draws),
        row_tables(universe, numbers),
        action_table(universe) if len(universe.actions) > limits.actions else None,
        False,
    )
    return planned.keeping(limits)


def _draws(universe: Universe, where: Places, most_unrolled: int) -> DrawTable | None:
    space = universe.space
    if not isinstance(space, Grid) or (len(space.sizes) - where.permuted) * len(where.random) <= most_unrolled:
        return None
    return draw_table(space, where.permuted)
