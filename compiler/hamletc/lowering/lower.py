"""Universe -> tick IR: the functions of docs/design.md, each made of the phases in this folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from hamlet import schema
from hamlet.universe import Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output, Program, Table
from hamletc.ir.ops import Fold, Lookup
from hamletc.lowering.cell_cache import cell_cache_functions, found
from hamletc.lowering.cells import begin_cells, near, over_cells, run_cells
from hamletc.lowering.dynamics import loop_body
from hamletc.lowering.episode import advance_clock, reset
from hamletc.lowering.expressions import day_time
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.layouts import draw_body
from hamletc.lowering.mask import mask
from hamletc.lowering.observe import observe
from hamletc.lowering.occupancy import loops as occupancy_loops
from hamletc.lowering.plan import LIMITS, Limits, Plan, plan
from hamletc.lowering.policy import lower_choose, lower_policy, lower_situation, lower_steer
from hamletc.lowering.reductions import meeting
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
    together, world = meeting(planned), universe.world
    if planned.found:
        functions += cell_cache_functions(planned, together.began)
    # What agents have together at the beginning of a tick, the tick, and what they have together after it.
    ticked = [*together.functions.get("tick", ()), tick(planned, together), *together.functions.get("settle", ())]
    sums = () if universe.cells is None else universe.cells.sums
    if world is not None and (world.rules or sums):
        ticked.append(run_world(planned, world, together))
    ticked += together.functions.get("cells", ())
    if universe.cells is not None:
        ticked += [*near(planned, universe.cells), run_cells(planned, universe.cells, together)]
        ticked.append(begin_cells(planned, universe.cells))
        ticked += [over_cells(planned, universe.cells)] if sums else []
    if together.settles:
        ticked.append(settle(planned, together))
    functions += ticked
    if universe.clock is not None:
        functions.append(advance_clock(universe.clock))
    observed = _between_ticks(planned, "observe", observe)
    functions += [
        reset(planned),
        *occupancy_loops(planned, observed),
        observed,
        _between_ticks(planned, "mask", mask),
        lower_policy(),
        lower_choose(len(schema.action_names(universe))),
        lower_situation(planned),
    ]
    if universe.controls:
        functions.append(lower_steer(universe))
    days = () if universe.clock is None else (day_time(universe, "sin"), day_time(universe, "cos"))
    tables = _read(functions, (*days, *planned.tables))
    return Program(universe.name, tuple(functions), tables, together.reductions)


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
    if planned.found:
        lane.found = found(lane)
    return builder.finish(name, look(lane))
