"""The course of one world: its state before and after each tick, and what its agents did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream
from hamlet.env.act.trajectories import chosen
from hamlet.env.keep.episode import Episode
from hamlet.errors import EnvError
from hamlet.interpreter import Interpreter
from hamlet.interpreter.interpreter import global_lanes
from hamlet.interpreter.policy import drawn_controls
from hamlet.universe import Universe
from hamlet_lab.divergence.events import CPU, Runner
from hamlet_lab.divergence.session import Side
from hamlet_lab.verify.recording import STEP, Recording
from hamletc.ir.evaluate import Array

Frame = dict[str, Array]
"""Fields of the state by name, [rows, columns] or [columns] of one world."""


@dataclass(frozen=True, slots=True)
class Course:
    """The course of a world.

    Attributes:
        label: what ran it.
        world, agents, seed: which one, how many are in it, and the seed of its random numbers.
        ticks: i64 [ticks], since the seed was set.
        actions: i32 [ticks, agents], as they were chosen.
        before, after: of each tick.
    """

    label: str
    universe: Universe
    world: int
    agents: int
    seed: int
    ticks: Array
    actions: Array
    before: tuple[Frame, ...]
    after: tuple[Frame, ...]

    def part(self, begin: int, end: int) -> Course:
        """The ticks from one to before another."""
        where = slice(begin, end)
        return replace(
            self,
            ticks=self.ticks[where],
            actions=self.actions[where],
            before=self.before[where],
            after=self.after[where],
        )


def live(
    side: Side,
    shape: Shape,
    seed: int,
    ticks: int,
    params: Mapping[str, float],
) -> Course:
    """The first ticks of the only world of a shape, with random actions."""
    runner = Runner(side.universe, side.candidate, shape)
    rows = [param.name for param in side.universe.params]
    for name, value in params.items():
        runner.buffers.state["params"][rows.index(name)] = value
    side.candidate.backend.reset(runner.buffers, Stream(seed, 0))
    return played(side, runner, seed, 0, ticks, RandomPolicy())


def of_episode(side: Side, episode: Episode, ticks: int) -> Course:
    """The first ticks of a recorded episode, run again."""
    runner = Runner(side.universe, side.candidate, Shape(1, episode.agents, episode.world))
    for name, values in episode.state.items():
        runner.buffers.state[name].copy_(values)
    most = min(ticks, episode.ticks)
    controls = None if episode.controls is None else episode.controls[:most]
    return played(
        side, runner, episode.seed, episode.tick, most, RecordedPolicy(episode.actions[:most].contiguous()), controls
    )


def of_recording(recording: Recording, world: int, ticks: int) -> Course:
    """The first ticks of one world of a recorded run, as it was recorded.

    Raises:
        EnvError: the run has no such world.
    """
    shape = recording.shape
    place = world - shape.first_world
    if not 0 <= place < shape.worlds:
        last = shape.first_world + shape.worlds - 1
        raise EnvError(f"there is no world {world}: the run has worlds {shape.first_world} .. {last}")
    steps = [index for index, kind in enumerate(recording.kinds.tolist()) if kind == STEP][:ticks]
    lanes = slice(place * shape.agents, (place + 1) * shape.agents)
    frames = [_recorded(recording, index, place, lanes) for index in range(len(recording.kinds))]
    steered = {"controls"} & set(recording.frames)
    return Course(
        recording.label,
        recording.universe,
        world,
        shape.agents,
        recording.seed,
        np.arange(len(steps), dtype=np.int64),
        recording.actions[steps][:, lanes].numpy(),
        tuple({**frames[index - 1], **{name: frames[index][name] for name in steered}} for index in steps),
        tuple(frames[index] for index in steps),
    )


def _recorded(recording: Recording, index: int, place: int, lanes: slice) -> Frame:
    """The state of a world after an event of a recording."""
    frame = {}
    for field in schema.state_fields(recording.universe):
        if field.rows == ():
            continue
        values = recording.frames[field.name][index].numpy()
        columns = slice(place, place + 1) if field.per == "world" else lanes
        frame[field.name] = values[0, columns] if field.rows is None else values[:, columns]
    return frame


def played(
    side: Side,
    runner: Runner,
    seed: int,
    tick: int,
    ticks: int,
    policy: RandomPolicy | RecordedPolicy,
    controls: torch.Tensor | None = None,
    edit: Callable[[int, torch.Tensor], torch.Tensor] | None = None,
) -> Course:
    """Ticks from where a runner is. `edit` changes the actions of a tick, by its number from 0 on."""
    buffers, universe = runner.buffers, side.universe
    device, shape = side.candidate.device, buffers.shape
    interpreter, numbers = Interpreter(universe, device), global_lanes(shape, device)
    before, after, actions = list[Frame](), list[Frame](), list[Array]()
    frame = _frame(buffers)
    for index in range(ticks):
        now = Stream(seed, (tick + index) % (1 << 32))
        if universe.controls:
            drawn = drawn_controls(universe, numbers, now) if controls is None else controls[index].to(device)
            buffers.state["controls"].copy_(drawn)
            frame = {**frame, "controls": buffers.state["controls"].to(CPU, copy=True).numpy()}
        if isinstance(policy, RecordedPolicy):
            acts = policy.actions[index].to(device)
        else:
            acts = chosen(interpreter, buffers, policy, now)
        if edit is not None:
            acts = edit(index, acts)
        side.candidate.backend.step(buffers, acts.contiguous(), now)
        before.append(frame)
        frame = _frame(buffers)
        after.append(frame)
        actions.append(acts.to(CPU, copy=True).numpy())
    numbered = np.arange(tick, tick + ticks, dtype=np.int64)
    return Course(
        side.label,
        universe,
        shape.first_world,
        shape.agents,
        seed,
        numbered,
        np.stack(actions),
        tuple(before),
        tuple(after),
    )


def _frame(buffers: Buffers) -> Frame:
    return {name: values.to(CPU, copy=True).numpy() for name, values in buffers.state.items()}


def stacked(frames: tuple[Frame, ...]) -> Iterator[tuple[str, Array]]:
    """Fields of frames with all columns side by side: [rows, frames * columns] or [frames * columns]."""
    for name in frames[0]:
        yield name, np.concatenate([frame[name] for frame in frames], axis=-1)
