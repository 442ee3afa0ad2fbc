"""A tick of one lane: docs/semantics.md, "A tick", steps 1 to 7."""

from __future__ import annotations

from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.lowering.act import act
from hamletc.lowering.cell_cache import found, moved_position
from hamletc.lowering.dynamics import decay, dynamics
from hamletc.lowering.ending import end
from hamletc.lowering.interact import interact
from hamletc.lowering.lane import begin_tick, state_of
from hamletc.lowering.plan import Plan


def tick(planned: Plan) -> Function:
    """Inputs: the state, and action (I32). Outputs: the state that a tick can change, and what happened."""
    builder = Builder()
    lane, action = begin_tick(planned, builder)
    builder.begin("act")
    act(lane, action)
    if planned.found:
        lane.position, lane.found = moved_position(lane), found(lane)
    builder.begin("interact")
    used = interact(lane, action)
    builder.begin("decay")
    decay(lane)
    builder.begin("rules")
    dynamics(lane)
    ending = end(lane)
    outputs = {
        **state_of(lane),
        "reward": ending.reward,
        "terminated": ending.terminated,
        "truncated": ending.truncated,
        "used": used,
        "cause": ending.cause,
        **{f"report.{name}": value for name, value in ending.reports.items()},
    }
    return builder.finish("tick", tuple(Output(name, value) for name, value in outputs.items()))
