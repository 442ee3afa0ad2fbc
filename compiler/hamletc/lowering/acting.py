"""Who acts in a tick, and what the others do (docs/semantics.md, "A tick"): WAIT, whatever they chose."""

from __future__ import annotations

from hamlet import schema
from hamletc.ir.builder import Builder
from hamletc.ir.function import CARRIED_OUT, Construct, Function, Output
from hamletc.ir.ops import I32, Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.plan import Plan


def carried_out(planned: Plan) -> Function:
    """Inputs: the state as a tick begins, and the action (I32) that the agent chose. Output: the action that it carries
    out."""
    builder = Builder("act")
    lane = input_lane(planned, builder)
    with builder.at(Construct("state"), None, "state"):
        chosen = builder.input(I32, "action")
    acts = act_now(lane)
    with builder.at(Construct("acts"), planned.universe.acting[0].span):
        wait = builder.i32(schema.idle_action(planned.universe))
        return builder.finish(CARRIED_OUT, (Output("action", builder.select(acts, chosen, wait)),))


def act_now(lane: Lane) -> Value:
    """Whether (BOOL) the agent acts in the tick that comes."""
    builder, conditions = lane.builder, list[Value]()
    for item in lane.universe.acting:
        with builder.at(Construct("acts"), item.span):
            condition = lower_expression(lane, item.condition)
            if item.who is not None:
                condition = builder.or_(condition, builder.not_(lower_expression(lane, item.who)))
            conditions.append(condition)
    return builder.all(conditions)
