"""From a difference to its place: tick, agent, action, values, constructs and lines."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream, TabularPolicy
from hamlet.interpreter import Interpreter, Trace
from hamlet.numbers.binary32 import bits32, spell32
from hamlet.numbers.random import multiply_high, policy_words
from hamlet.universe import Universe
from hamlet_lab.verify.arrays import Difference, bits, compare
from hamlet_lab.verify.events import Candidate, Event, Rollout, Side, Step, describe, ticks_of
from hamlet_lab.verify.report import Divergence, Value, describe_write
from hamlet_lab.verify.writers import writers


@dataclass(frozen=True, slots=True)
class Moment:
    """Just before the event after which two backends differ.

    Attributes:
        scenario: in words.
        ticks: that the scenario ran before the event.
        before: all arrays at that time, on the CPU; on them the event can be run again.
    """

    scenario: str
    event: Event
    stream: Stream
    ticks: int
    before: Buffers


def locate(universe: Universe, candidate: Candidate, moment: Moment, difference: Difference) -> Divergence:
    """The first tick of the event after which the candidate differs, and all there is to say about it."""
    ticks = ticks_of(moment.event)
    if isinstance(moment.event, Rollout):
        ticks, difference = _first_tick(universe, candidate, moment, moment.event, difference)
    world, agent = place_of(difference, moment.before.shape.agents)
    actions = actions_of(universe, moment, ticks - 1) if agent is not None else None
    writes: tuple[str, ...] = ()
    if difference.array == "meters" and actions is not None and world is not None and agent is not None:
        writes = _writes(universe, moment, ticks, actions, Trace(world, agent), difference)
    return Divergence(
        candidate=candidate.backend.name,
        scenario=moment.scenario,
        event=describe(moment.event),
        tick=moment.ticks + max(ticks - 1, 0),
        field=difference.array,
        row=difference.row,
        world=world,
        agent=agent,
        action="" if actions is None else schema.action_names(universe)[int(actions[difference.index])],
        expected=value_of(difference.expected),
        found=value_of(difference.found),
        writers=writers(universe, difference.array, difference.row),
        writes=writes,
    )


def _replay(universe: Universe, candidate: Candidate, moment: Moment) -> Side:
    """A backend in the state before the event."""
    observation = moment.before.observation
    side = Side(universe, candidate, moment.before.shape, None if observation is None else observation.dtype)
    side.copy_from(moment.before)
    return side


def _reference(universe: Universe, trace: Trace | None = None) -> Candidate:
    cpu = torch.device("cpu")
    return Candidate(Interpreter(universe, cpu, trace=trace), cpu)


def _first_tick(
    universe: Universe, candidate: Candidate, moment: Moment, event: Rollout, difference: Difference
) -> tuple[int, Difference]:
    """The number of ticks of the shortest rollout that shows a difference, and that difference."""
    for ticks in range(1, event.ticks):
        shorter = Rollout(ticks, event.policy, event.observe_every_tick)
        expected = _replay(universe, _reference(universe), moment).apply(shorter, moment.stream)
        _, found = compare(expected, _replay(universe, candidate, moment).apply(shorter, moment.stream))
        if found is not None:
            return ticks, found
    return event.ticks, difference


def place_of(difference: Difference, agents: int) -> tuple[int | None, int | None]:
    """The world and the agent of a difference, as far as it has them."""
    match difference.column:
        case "lane":
            return difference.index // agents, difference.index % agents
        case "world":
            return difference.index, None
        case "none":
            return None, None


def actions_of(universe: Universe, moment: Moment, index: int) -> Tensor | None:
    """The actions of a tick of the event, i32 [lanes]."""
    match moment.event:
        case Step(actions=actions):
            return actions
        case Rollout(policy=RecordedPolicy(actions=actions)):
            return actions[index]
        case Rollout(policy=TabularPolicy() as policy):
            reference = Interpreter(universe, torch.device("cpu"))
            side = _replay(universe, Candidate(reference, reference.device), moment)
            if index > 0:
                side.apply(Rollout(index, policy, False), moment.stream)
            return reference.look_up(side.buffers, policy, _words(moment, index))
        case Rollout(policy=RandomPolicy()):
            return multiply_high(_words(moment, index), len(schema.action_names(universe))).to(torch.int32)
        case _:
            return None


def _words(moment: Moment, index: int) -> Tensor:
    """The random words of a tick of the event, i64 [lanes]."""
    shape, stream = moment.before.shape, moment.stream
    lanes = torch.arange(shape.lanes) + shape.first_world * shape.agents
    return policy_words(lanes, stream.tick + index, (stream.low, stream.high))[(stream.tick + index) % 4]


def _writes(
    universe: Universe, moment: Moment, ticks: int, actions: Tensor, trace: Trace, difference: Difference
) -> tuple[str, ...]:
    """What the interpreter wrote to a meter in the last of some ticks; marked where it wrote the candidate's value."""
    side = _replay(universe, _reference(universe, trace), moment)
    if isinstance(moment.event, Rollout) and ticks > 1:
        side.apply(Rollout(ticks - 1, moment.event.policy, False), moment.stream)
        trace.writes.clear()
    side.apply(Step(actions), moment.stream)
    writes = [write for write in trace.writes if write.meter == difference.row]
    found = int(bits(difference.found)) & 0xFFFFFFFF
    last = len(writes) - 1
    return tuple(
        describe_write(universe, write, index < last and bits32(write.value) == found)
        for index, write in enumerate(writes)
    )


def value_of(value: Tensor) -> Value:
    """A value in decimal and in hex."""
    match value.dtype:
        case torch.float32:
            text = spell32(float(value)) if value.isfinite() else str(float(value))
            return Value(text, f"0x{int(bits(value)) & 0xFFFFFFFF:08x}")
        case torch.bfloat16:
            return Value(repr(float(value)), f"0x{int(bits(value)) & 0xFFFF:04x}")
        case torch.bool:
            return Value(str(bool(value)).lower(), "")
        case _:
            return Value(str(int(value)), f"0x{int(value) & 0xFFFFFFFF:08x}")
