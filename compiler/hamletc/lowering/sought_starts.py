"""Where agents begin an episode on cells for which a condition holds (docs/semantics.md, "Where agents start"): in the
order of the layout each has the next of the free cells that is no wall, is not taken by an affordance and fulfils the
condition, as cells begin; where none fulfils it, the next that is no wall and is not taken."""

from __future__ import annotations

from hamlet.universe import Expression, Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output
from hamletc.ir.ops import I32, Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.layouts import random_cell
from hamletc.lowering.open_starts import Begun, beginning_cell, candidate, carried_on, looked_for
from hamletc.lowering.places import cell_position, grid_of
from hamletc.lowering.plan import Plan

LOOP = "seek"


def sought_position(
    planned: Plan, builder: Builder, layout: Value, agent: Value, taken: tuple[Value, ...], begun: Begun
) -> tuple[Value, ...]:
    """The position (I32 per axis) of an agent (U32), beside the cells (U32) that affordances have taken: the last of
    those that it may have where they are too few, and the free cell of its own index where all are closed."""
    index = builder.add(builder.u32(len(planned.places.random)), agent)
    first = random_cell(builder, planned.places, layout, index)
    counts = [builder.u32(0)] * len(_counted(planned.universe))
    carried = (first, *counts, layout, agent, *taken, *begun.words(builder))
    chosen = looked_for(builder, seek_body(planned), planned.places.free.size, carried)
    return cell_position(builder, grid_of(planned.universe).sizes, chosen)


def seek_body(planned: Plan) -> Function:
    """The body of the loop: a row looks at a cell, which is that of the agent if as many before it were others'."""
    universe, builder = planned.universe, Builder("episode")
    with builder.at(Construct("layout"), None):
        taken = tuple(f"taken{number}" for number in planned.places.random)
        carried, begun = carried_on(universe, builder, LOOP, ("cell", *_counted(universe), "key", "agent", *taken))
        row = builder.to_u32(builder.input(I32, "row"))
        cell = candidate(planned, builder, "free", carried["key"], row, row)
        lane, starting = beginning_cell(planned, builder, cell, begun), _starting(universe)
        is_open = [builder.not_(builder.equal(cell, carried[name])) for name in taken]
        if universe.closed is not None:
            is_open.insert(0, builder.not_(lower_expression(lane, universe.closed)))
        may_begin = builder.all([lower_expression(lane, starting), *is_open])
        takes = builder.and_(may_begin, builder.less_equal(carried["before"], carried["agent"]))
        if "open" in carried:
            there = builder.all(is_open)
            none = builder.equal(carried["before"], builder.u32(0))
            turn = builder.less_equal(carried["open"], carried["agent"])
            takes = builder.or_(takes, builder.all([there, none, turn]))
            carried["open"] = _one_more(builder, there, carried["open"])
        chosen = builder.select(takes, cell, carried["cell"])
        carried |= {"cell": chosen, "before": _one_more(builder, may_begin, carried["before"])}
    return builder.finish(LOOP, tuple(Output(f"{LOOP}.{name}", value) for name, value in carried.items()))


def seek_bodies(planned: Plan) -> tuple[Function, ...]:
    """The body of the loop, where a universe has one."""
    return () if planned.universe.starting is None else (seek_body(planned),)


def _counted(universe: Universe) -> tuple[str, ...]:
    """Counts of the loop, by name: cells before on which agents may begin, and where some are closed, open ones."""
    return ("before",) if universe.closed is None else ("before", "open")


def _one_more(builder: Builder, holds: Value, count: Value) -> Value:
    return builder.select(holds, builder.add(count, builder.u32(1)), count)


def _starting(universe: Universe) -> Expression:
    if universe.starting is None:
        raise ValueError(f"universe {universe.name} says of no cell that agents start there")
    return universe.starting
