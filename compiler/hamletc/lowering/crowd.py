"""The joining of an agent to the numbers of its cell that windows show (docs/semantics.md, "Agents in windows")."""

from __future__ import annotations

from hamlet.numbers.binary32 import round32
from hamlet.universe import CellCount, Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import CROWD, Construct, Function, Output
from hamletc.ir.ops import BOOL, Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.plan import Plan


def crowd(planned: Plan) -> Function:
    """Inputs: the state after the births of a tick, `alive` (BOOL). Outputs: `standing` (I32), the cell of the agent;
    `counted` (BOOL), whether it counts there; `crowd.<number>` (F32), what it adds to each total."""
    builder = Builder("cells")
    lane = input_lane(planned, builder)
    with builder.at(Construct("agents on cells"), None):
        standing = cell_index(builder, grid_of(planned.universe).sizes, lane.position)
        outputs = [Output("standing", standing), Output("counted", _counted(lane))]
    for number, each in enumerate(planned.universe.counts):
        with builder.at(Construct("meter", each.meter), each.span):
            outputs.append(Output(f"crowd.{number}", lower_expression(lane, each.operand)))
    return builder.finish(CROWD, tuple(outputs))


def nobody(universe: Universe, each: CellCount) -> float:
    """The number on a cell on which no agent counts: agents are joined to it."""
    if each.extreme is None or universe.cells is None:
        return 0.0
    (meter,) = (meter for meter in universe.cells.meters if meter.name == each.meter)
    return round32(meter.high if each.extreme == "lowest" else meter.low)


def _counted(lane: Lane) -> Value:
    """Whether (BOOL) the agent is alive, or its age is the lifespan; with episodes by hand all are."""
    builder, universe = lane.builder, lane.universe
    if universe.by_hand:
        return builder.boolean(True)
    alive, lifespan = builder.input(BOOL, "alive"), universe.lifespan
    if lifespan is None or lifespan.of_world is not None:
        return alive
    return builder.or_(alive, builder.less_equal(builder.i32(lifespan.ticks), lane.age))
