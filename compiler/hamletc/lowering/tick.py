"""A tick of one lane: docs/semantics.md, "A tick", in the order of `hamlet.universe.stages`. Where something of a world
follows after the rules of its agents, what comes then is a function of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hamlet.universe import Previous, stages
from hamlet.universe.walk import nodes
from hamletc.ir.builder import Builder
from hamletc.ir.function import SETTLE, TICK, Construct, Function, Output, function_of, ticking
from hamletc.ir.ops import F32, Value
from hamletc.lowering.act import act
from hamletc.lowering.cell_cache import moved_position, searched
from hamletc.lowering.dynamics import decay, dynamics
from hamletc.lowering.ending import Ending, age, deaths, reward
from hamletc.lowering.expressions import cell_value, lower_expression, there_is
from hamletc.lowering.interact import interact
from hamletc.lowering.lane import Lane, begin_tick, input_lane, state_of
from hamletc.lowering.plan import Plan
from hamletc.lowering.pushing import added
from hamletc.lowering.reductions import Meeting, asked_before, asked_elsewhere, asked_uses, settling, sites_of_settling


def tick(planned: Plan, meeting: Meeting) -> Function:
    """Inputs: the state, action (I32), and what agents have together. Outputs: the state that a tick can change, and
    what happened; without what `settle` gives, where that follows."""
    builder, ending = Builder(), Ending()
    lane, _ = begin_tick(planned, builder)
    lane.among = meeting.began
    with builder.at(Construct("state"), None, "state"):
        lane.meters |= {meter.name: builder.f32(0.0) for meter in planned.universe.meters if meter.of_tick}
    _run(lane, _steps(TICK), ending)
    used = {"used": there_is(lane.used, "use")}
    if not meeting.settles:
        _run(lane, _steps(SETTLE), ending)
        # The state has another age when the tick has ended.
        outputs = state_of(lane) | _ended(ending, used)
        return builder.finish("tick", tuple(Output(name, value) for name, value in outputs.items()))
    outputs = {name: value for name, value in state_of(lane).items() if name != "age"} | used
    outputs |= {f"uses.{name}": lane.uses[planned.numbers[name]] for name in asked_uses(planned)}
    for name in asked_before(planned.universe):
        assert lane.before is not None, "a tick has a beginning"
        outputs[f"was.{name}"] = cell_value(lane.before, name)
    for read, name in asked_elsewhere(planned.universe).items():
        assert lane.before is not None, "a tick has a beginning"
        outputs[name] = lower_expression(lane.before, read)
    outputs |= added(lane)
    return builder.finish("tick", tuple(Output(name, value) for name, value in outputs.items()))


def settle(planned: Plan, meeting: Meeting) -> Function:
    """The part of a tick after the rules of agents and of the world. Inputs: the state as it is then, the state at the
    beginning that `previous` reads as `before.<state name>`, action, used, and reductions. Outputs: age, and outcomes.
    """
    lane, ending = settling(planned, "deaths"), Ending()
    lane.among = meeting.settled
    if any(isinstance(node, Previous) for node in nodes(sites_of_settling(planned.universe))):
        before = input_lane(planned, lane.builder, "before.")
        was = {name: lane.builder.input(F32, f"was.{name}") for name in asked_before(planned.universe)}
        lane.before = replace(before, words=lane.words, cells=was, there=asked_elsewhere(planned.universe))
    _run(lane, _steps(SETTLE), ending)
    outputs = {"age": lane.age} | _ended(ending, {})
    return lane.builder.finish("settle", tuple(Output(name, value) for name, value in outputs.items()))


def _steps(function: str) -> tuple[stages.Step, ...]:
    """The steps of agents that a function has, in order."""
    return tuple(step for stretch in ticking() if function_of(stretch) == function for step in stretch.steps)


def _run(lane: Lane, steps: Iterable[stages.Step], ending: Ending) -> None:
    """Lower steps of agents, one after the other."""
    for step in steps:
        lane.builder.begin(step.phase)
        match step.name:
            case "act":
                act(lane, there_is(lane.action, "action"))
                if lane.plan.searched:
                    lane.position, lane.searched = moved_position(lane), searched(lane)
            case "interact":
                interact(lane, there_is(lane.action, "action"))
            case "decay":
                decay(lane)
            case "pairs":
                pass  # They run where all agents are asked, on what the tick began with.
            case "rules":
                dynamics(lane)
            case "deaths":
                deaths(lane, ending)
            case "age":
                age(lane, ending)
            case "reward":
                reward(lane, ending)
            case "alive":
                pass  # The schedule says who is.
            case name:
                raise ValueError(f"{name} is no step of agents in a tick")


def _ended(ending: Ending, used: dict[str, Value]) -> dict[str, Value]:
    """How a tick ends: deaths, age, reward; and what was used, where that is not given already."""
    return {
        "reward": there_is(ending.reward, "reward"),
        "terminated": there_is(ending.terminated, "end"),
        "truncated": there_is(ending.truncated, "end"),
        **used,
        "cause": there_is(ending.cause, "cause"),
        **{f"report.{name}": value for name, value in ending.reports.items()},
    }
