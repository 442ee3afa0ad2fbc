"""Universe -> tick IR: the functions of docs/design.md, each made of the phases in this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from hamlet import schema
from hamlet.universe import Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output, Program, Stage, Table, function_of, stage_of, ticking
from hamletc.ir.ops import Fold, Lookup
from hamletc.lowering.acting import carried_out
from hamletc.lowering.births import bear
from hamletc.lowering.cell_cache import cell_cache_functions, searched
from hamletc.lowering.cells import begin_cells, near, over_cells, run_cells
from hamletc.lowering.crowd import crowd
from hamletc.lowering.dynamics import loop_body
from hamletc.lowering.episode import advance_clock, reset
from hamletc.lowering.expressions import day_time
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.layouts import draw_body
from hamletc.lowering.mask import mask
from hamletc.lowering.observe import observe
from hamletc.lowering.occupancy import loops as occupancy_loops
from hamletc.lowering.open_starts import try_bodies
from hamletc.lowering.pairs import begin_pairs
from hamletc.lowering.plan import LIMITS, Limits, Plan, plan
from hamletc.lowering.policy import lower_choose, lower_policy, lower_situation, lower_steer
from hamletc.lowering.reductions import Meeting, meeting
from hamletc.lowering.sought_starts import seek_bodies
from hamletc.lowering.tick import settle, tick
from hamletc.lowering.world import run_world


def lower(universe: Universe, limits: Limits = LIMITS) -> Program:
    """The program of a universe, as it stands: exact, and not yet optimised."""
    return lower_planned(plan(universe, limits))


def lower_planned(planned: Plan) -> Program:
    """The program of a universe, as its plan says."""
    universe = planned.universe
    functions = [loop_body(planned, table) for table in planned.cascades]
    if planned.draws is not None:
        functions.append(draw_body(planned.draws))
    functions += (*try_bodies(planned), *seek_bodies(planned))
    if universe.acting:
        functions.append(carried_out(planned))
    together = meeting(planned)
    if planned.searched:
        functions += cell_cache_functions(planned, together.began)
    met: set[Stage] = set()
    for stretch in ticking():
        if (stage := stage_of(stretch)) not in met:
            met.add(stage)
            functions += together.functions.get(stage, ())
        functions += _of_stretch(planned, together, function_of(stretch))
    if universe.clock is not None:
        functions.append(advance_clock(universe.clock))
    if universe.counts:
        functions.append(crowd(planned))
    if universe.pairs is not None:
        functions.append(begin_pairs(planned, universe.pairs))
    observed = _between_ticks(planned, "observe", observe)
    functions += [
        reset(planned),
        *occupancy_loops(planned, observed),
        observed,
        _between_ticks(planned, "mask", mask),
        lower_policy(),
        lower_choose(len(schema.choices(universe))),
        lower_situation(planned),
    ]
    if universe.controls:
        functions.append(lower_steer(universe))
    days = () if universe.clock is None else (day_time(universe, "sin"), day_time(universe, "cos"))
    tables = _read(functions, (*days, *planned.tables))
    return Program(universe.name, tuple(functions), tables, together.reductions)


def _of_stretch(planned: Plan, together: Meeting, name: str) -> Iterator[Function]:
    """The functions of a stretch of a tick, by the name of the one that runs it."""
    universe = planned.universe
    match name:
        case "tick":
            yield tick(planned, together)
        case "world" if universe.world is not None and (universe.world_rules or universe.sums):
            yield run_world(planned, universe.world, together)
        case "spread" if universe.cells is not None:
            yield from near(planned, universe.cells)
            yield run_cells(planned, universe.cells, together)
            yield begin_cells(planned, universe.cells)
            if universe.sums:
                yield over_cells(planned, universe.cells)
        case "settle" if together.settles:
            yield settle(planned, together)
        case "bear" if universe.pools:
            yield bear(planned, together.births)
        case _:
            pass


def _read(functions: list[Function], tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """The tables that functions read."""
    read: set[str] = set()
    for function in functions:
        for node in function.nodes:
            match node.op:
                case Lookup(table=table):
                    read.add(table)
                case Fold(tables=several):
                    read.update(several)
                case _:
                    pass
    return tuple(table for table in tables if table.name in read)


def _between_ticks(
    planned: Plan, name: Literal["observe", "mask"], look: Callable[[Lane], tuple[Output, ...]]
) -> Function:
    """A function that looks at the state between two ticks."""
    builder = Builder(name)
    lane = input_lane(planned, builder)
    if planned.searched:
        lane.searched = searched(lane)
    return builder.finish(name, look(lane))
