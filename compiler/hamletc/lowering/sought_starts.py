"""Where agents begin an episode on cells for which a condition holds (docs/semantics.md, "Where agents start"): in the
order of the layout each has the next of the free cells that is no wall, is not taken by an affordance and fulfils the
condition, as cells begin."""

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
    those that it may have where they are too few, and the free cell of its own index where there are none."""
    index = builder.add(builder.u32(len(planned.places.random)), agent)
    first = random_cell(builder, planned.places, layout, index)
    carried = (first, builder.u32(0), layout, agent, *taken, *begun.words(builder))
    chosen = looked_for(builder, seek_body(planned), planned.places.free.size, carried)
    return cell_position(builder, grid_of(planned.universe).sizes, chosen)


def seek_body(planned: Plan) -> Function:
    """The body of the loop: a row looks at a cell, which is that of the agent if as many before it were others'."""
    universe, builder = planned.universe, Builder("episode")
    with builder.at(Construct("layout"), None):
        taken = tuple(f"taken{number}" for number in planned.places.random)
        carried, begun = carried_on(universe, builder, LOOP, ("cell", "before", "key", "agent", *taken))
        row = builder.to_u32(builder.input(I32, "row"))
        cell = candidate(planned, builder, "free", carried["key"], row, row)
        may_begin = builder.all(_conditions(planned, builder, cell, begun, [carried[name] for name in taken]))
        turn = builder.less_equal(carried["before"], carried["agent"])
        chosen = builder.select(builder.and_(may_begin, turn), cell, carried["cell"])
        one_more = builder.add(carried["before"], builder.u32(1))
        carried |= {"cell": chosen, "before": builder.select(may_begin, one_more, carried["before"])}
    return builder.finish(LOOP, tuple(Output(f"{LOOP}.{name}", value) for name, value in carried.items()))


def seek_bodies(planned: Plan) -> tuple[Function, ...]:
    """The body of the loop, where a universe has one."""
    return () if planned.universe.starting is None else (seek_body(planned),)


def _conditions(planned: Plan, builder: Builder, cell: Value, begun: Begun, taken: list[Value]) -> list[Value]:
    """The conditions (BOOL) that hold of a cell (U32) on which an agent may begin."""
    universe, lane = planned.universe, beginning_cell(planned, builder, cell, begun)
    holds = [lower_expression(lane, _starting(universe))]
    if universe.closed is not None:
        holds.append(builder.not_(lower_expression(lane, universe.closed)))
    return [*holds, *(builder.not_(builder.equal(cell, each)) for each in taken)]


def _starting(universe: Universe) -> Expression:
    if universe.starting is None:
        raise ValueError(f"universe {universe.name} says of no cell that agents start there")
    return universe.starting
