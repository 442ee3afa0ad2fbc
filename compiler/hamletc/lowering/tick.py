"""A tick of one lane: docs/semantics.md, "A tick". Where something of a world follows after the rules of its agents,
what comes then is a function of its own."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Previous
from hamlet.universe.walk import nodes
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import F32, Value
from hamletc.lowering.act import act
from hamletc.lowering.cell_cache import found, moved_position
from hamletc.lowering.dynamics import decay, dynamics
from hamletc.lowering.ending import end
from hamletc.lowering.expressions import cell_value
from hamletc.lowering.interact import interact
from hamletc.lowering.lane import Lane, begin_tick, input_lane, state_of
from hamletc.lowering.plan import Plan
from hamletc.lowering.reductions import Meeting, asked_before, asked_uses, settling, sites_of_settling


def tick(planned: Plan, meeting: Meeting) -> Function:
    """Inputs: the state, action (I32), and what agents have together. Outputs: the state that a tick can change, and
    what happened; without what `settle` gives, where that follows."""
    builder = Builder()
    lane, action = begin_tick(planned, builder)
    lane.among = meeting.began
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
    if not meeting.settles:
        # The state has another age when the tick has ended.
        ended = _ended(lane, {"used": used})
        outputs = state_of(lane) | ended
        return builder.finish("tick", tuple(Output(name, value) for name, value in outputs.items()))
    outputs = {name: value for name, value in state_of(lane).items() if name != "age"} | {"used": used}
    outputs |= {f"uses.{name}": lane.uses[planned.numbers[name]] for name in asked_uses(planned)}
    for name in asked_before(planned.universe):
        assert lane.before is not None, "a tick has a beginning"
        outputs[f"was.{name}"] = cell_value(lane.before, name)
    return builder.finish("tick", tuple(Output(name, value) for name, value in outputs.items()))


def settle(planned: Plan, meeting: Meeting) -> Function:
    """What follows after the rules of agents and of the world. Inputs: the state as it is then, what `previous` reads
    of the state at the beginning as `before.<state name>`, action, used, and what agents have together. Outputs: age,
    and what happened."""
    lane = settling(planned, "deaths")
    lane.among = meeting.settled
    if any(isinstance(node, Previous) for node in nodes(tuple(sites_of_settling(planned.universe)))):
        before = input_lane(planned, lane.builder, "before.")
        was = {name: lane.builder.input(F32, f"was.{name}") for name in asked_before(planned.universe)}
        lane.before = replace(before, words=lane.words, cells=was)
    ended = _ended(lane, {})
    outputs = {"age": lane.age} | ended
    return lane.builder.finish("settle", tuple(Output(name, value) for name, value in outputs.items()))


def _ended(lane: Lane, used: dict[str, Value]) -> dict[str, Value]:
    """How a tick ends: deaths, age, reward; and what was used, where that is not given already."""
    ending = end(lane)
    return {
        "reward": ending.reward,
        "terminated": ending.terminated,
        "truncated": ending.truncated,
        **used,
        "cause": ending.cause,
        **{f"report.{name}": value for name, value in ending.reports.items()},
    }
