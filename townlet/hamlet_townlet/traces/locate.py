"""From a value that differs to its place: step, agent, field, values, rule and line."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape, allocate
from hamlet.backend.protocol import Stream as Randomness
from hamlet.interpreter import Interpreter, coverage
from hamlet.interpreter import Trace as Writes
from hamlet.package.module import Module
from hamlet.universe import Universe
from hamlet_lab.verify.locate import value_of
from hamlet_lab.verify.report import Value, describe_write
from hamlet_lab.verify.writers import writers
from hamlet_townlet.adapter.description import Description
from hamlet_townlet.adapter.env import VectorizedEnv, description_of
from hamlet_townlet.traces.drive import drive
from hamlet_townlet.traces.streams import REPORTS, Stream
from hamlet_townlet.traces.trace import Array, Trace


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first value that is not as recorded.

    Attributes:
        step: the step after which it was recorded, or before which the reset was.
        reset: it was recorded of a reset.
        stream: where it was recorded.
        agent: the number of the agent; `None` for what all share.
        field: the meter, axis, affordance, action or variable; "" where a stream has one number for each agent.
        action: what the agent did, "" at a reset.
        recorded, found: both values.
        writers: the constructs that can write such a value, each with file and line, in the order of a tick.
        writes: what the interpreter writes to this meter in this step, in order; empty for other streams.
    """

    step: int
    reset: bool
    stream: str
    agent: int | None
    field: str
    action: str
    recorded: Value
    found: Value
    writers: tuple[str, ...]
    writes: tuple[str, ...]

    def lines(self) -> list[str]:
        place = [f"{self.stream} {self.field}".strip()]
        if self.agent is not None:
            place.append(f"agent {self.agent}")
        if self.action:
            place.append(f"action {self.action}")
        lines = [
            "first divergence",
            f"  when      {'reset before step' if self.reset else 'step'} {self.step}",
            f"  where     {', '.join(place)}",
            f"  recorded  {self.recorded}",
            f"  found     {self.found}",
        ]
        if self.writes:
            lines += ["  what the interpreter writes in this step, in order"]
            lines += [f"    {write}" for write in self.writes]
        elif self.writers:
            lines += ["  written by", *(f"    {writer}" for writer in self.writers)]
        return lines


def locate(module: Module, trace: Trace, stream: Stream, first: tuple[int, ...], found: Array) -> Divergence:
    """All there is to say about a value that differs: number of the step or reset, of the agent, and of the value."""
    universe, description = module.universe, description_of(module)
    reset = stream.shape.startswith("K")
    step = trace.resets[first[0]] if reset else first[0]
    agent = first[1] if stream.shape[1:2] == "N" else None
    action = ""
    writes: tuple[str, ...] = ()
    if agent is not None and not reset:
        action = schema.action_names(universe)[int(trace.arrays["actions"][step][agent])]
    if stream.name == "meters" and agent is not None:
        writes = _writes(module, trace, step, agent, universe.meters[first[-1]].name)
    return Divergence(
        step=step,
        reset=reset,
        stream=stream.name,
        agent=agent,
        field=_field(universe, description, stream, first),
        action=action,
        recorded=_value(trace.arrays[stream.name][first]),
        found=_value(found[first]),
        writers=_writers(universe, stream, first),
        writes=writes,
    )


def _value(value: Array) -> Value:
    """A recorded number; whole ones are recorded in fewer bits than they have here."""
    if value.dtype.kind == "f":
        return value_of(torch.tensor(float(value), dtype=torch.float32))
    return value_of(torch.tensor(bool(value) if value.dtype == np.bool_ else int(value)))


def _field(universe: Universe, description: Description, stream: Stream, first: tuple[int, ...]) -> str:
    """The names of the numbers after those of step and agent."""
    words = []
    for letter, index in zip(stream.shape, first, strict=True):
        match letter:
            case "D":
                words.append(schema.axes(universe)[index])
            case "M":
                words.append(universe.meters[index].name)
            case "V":
                words.append(description.vocabulary[index])
            case "C":
                words.append(schema.action_names(universe)[index])
            case "O":
                field = next(item for item in description.fields if index < item.offset + item.count)
                words.append(field.name if field.count == 1 else f"{field.name}[{index - field.offset}]")
            case _:
                continue  # "T" and "K" count steps and agents, which are named elsewhere
    return " ".join(words)


def _writers(universe: Universe, stream: Stream, first: tuple[int, ...]) -> tuple[str, ...]:
    match stream.array:
        case "observation":
            return _observing(universe, first[-1])
        case "mask":
            return _masking(universe, schema.action_names(universe)[first[-1]])
        case "meters":
            return writers(universe, "meters", universe.meters[first[-1]].name)
        case _:
            return writers(universe, stream.array, REPORTS.get(stream.name, ""))


def _observing(universe: Universe, row: int) -> tuple[str, ...]:
    """The item that observes a value."""
    offset = 0
    for item in universe.observations:
        offset += schema.observation_rows(replace(universe, observations=(item,)))
        if row < offset:
            kind = type(item).__name__.removeprefix("Observe").lower()
            return (f"{universe.sources[item.span.file]}:{item.span.line}  observe: {kind}",)
    return ()


def _masking(universe: Universe, action: str) -> tuple[str, ...]:
    """What allows an action: what the universe says of it, or else what is built in; and what it says of all."""
    said = [(coverage.allow(mask), mask.span) for mask in universe.masks if action in mask.actions]
    built_in = [("space", universe.space.span)] if action in schema.move_names(universe) else []
    if action == schema.action_names(universe)[schema.interact_action(universe)]:
        built_in = [(f"affordance {item.name}", item.span) for item in universe.affordances]
    of_all = [(coverage.allow(mask), mask.span) for mask in universe.masks if not mask.actions]
    return tuple(f"{universe.sources[span.file]}:{span.line}  {name}" for name, span in (said or built_in) + of_all)


def _writes(module: Module, trace: Trace, step: int, agent: int, meter: str) -> tuple[str, ...]:
    """What the interpreter writes to a meter in a step of the trace."""
    universe, cpu = module.universe, torch.device("cpu")
    env = VectorizedEnv(module, trace.meta.agents, "cpu", backend="interpreter")
    before: list[Buffers] = []
    drive(env, trace, step + 1, lambda: before.append(_copy(env, universe)))
    writes = Writes(0, agent)
    actions = torch.from_numpy(trace.arrays["actions"][step].astype(np.int32))
    Interpreter(universe, cpu, trace=writes).step(before[0], actions, Randomness(0, 0))
    return tuple(describe_write(universe, write, False) for write in writes.writes if write.meter == meter)


def _copy(env: VectorizedEnv, universe: Universe) -> Buffers:
    buffers = allocate(universe, Shape(1, env.num_agents), torch.device("cpu"), torch.float32)
    for name, value in env.state.items():
        buffers.state[name].copy_(value)
    return buffers
