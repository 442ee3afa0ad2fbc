"""A tick of one lane: docs/semantics.md, "A tick", steps 1 to 7."""

from __future__ import annotations

from hamlet import schema
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import Value
from hamletc.lowering.act import act
from hamletc.lowering.cell_cache import found, moved_position
from hamletc.lowering.dynamics import decay, dynamics
from hamletc.lowering.ending import end
from hamletc.lowering.interact import interact
from hamletc.lowering.lane import Lane, begin_tick
from hamletc.lowering.plan import Plan


def tick(planned: Plan) -> Function:
    """Inputs: the state, and action (I32). Outputs: the state that a tick can change, and what happened."""
    builder = Builder()
    lane, action = begin_tick(planned, builder)
    act(lane, action)
    if planned.cell_cache:
        lane.position, lane.found = moved_position(lane), found(lane)
    used = interact(lane, action)
    decay(lane)
    dynamics(lane)
    ending = end(lane)
    outputs = {
        **_state(lane),
        "reward": ending.reward,
        "terminated": ending.terminated,
        "truncated": ending.truncated,
        "used": used,
        "cause": ending.cause,
        **{f"report.{name}": value for name, value in ending.reports.items()},
    }
    return builder.finish("tick", tuple(Output(name, value) for name, value in outputs.items()))


def _state(lane: Lane) -> dict[str, Value]:
    """The state that a tick can change, by state name."""
    axes = schema.axes(lane.universe)
    state = {f"meter.{name}": value for name, value in lane.meters.items()}
    state |= {f"position.{axis}": value for axis, value in zip(axes, lane.position, strict=True)}
    state |= {f"velocity.{axis}": value for axis, value in zip(axes, lane.velocity, strict=False)}
    single = {"speed": lane.speed, "age": lane.age, "engaged": lane.engaged, "progress": lane.progress}
    state |= {name: value for name, value in single.items() if value is not None}
    state |= {f"used_at.{axis}": value for axis, value in zip(axes, lane.used_at, strict=False)}
    if lane.last is not None:
        state["last"] = lane.last
    state |= {f"streak.{name}": value for name, value in lane.streaks.items()}
    state |= {f"seen.{name}": value for name, value in lane.seen.items()}
    return state
