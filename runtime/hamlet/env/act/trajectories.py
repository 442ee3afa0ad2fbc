"""Trajectories of chosen lanes: what a rollout did to them, tick by tick.

A rollout keeps nothing of single ticks. The worlds of the chosen lanes run once more, from the state before the
rollout, tick by tick and by themselves: no bit of a world depends on how many others run beside it, or on how many
ticks are one launch (docs/exactness.md). So watching costs a few short launches, however many other lanes there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import torch
from torch import Tensor

from hamlet import schema
from hamlet.arguments import dense
from hamlet.backend.buffers import Buffers, allocate
from hamlet.backend.protocol import (
    Backend,
    ByTick,
    NetworkPolicy,
    Policy,
    RandomPolicy,
    RecordedPolicy,
    Stream,
    TabularPolicy,
)
from hamlet.backend.recall import Recall
from hamlet.errors import EnvError, shown
from hamlet.interpreter.interpreter import Interpreter, global_lanes
from hamlet.interpreter.networks import decide
from hamlet.interpreter.policy import drawn_controls
from hamlet.numbers.random import multiply_high, policy_words
from hamlet.universe import Universe

Acting: TypeAlias = RandomPolicy | TabularPolicy | NetworkPolicy
"""Policies that choose by the state."""
KEPT = ("meters", "position", "episode_return", "age", "alive")
"""Fields of the state that a trajectory has, where the universe has them."""
HAPPENED = ("reward", "terminated", "truncated", "used", "cause")


@dataclass(frozen=True, slots=True)
class Trajectories:
    """Trajectories of lanes in a rollout, on the environment's device; t is the tick, n the lane.

    Attributes:
        universe: their universe.
        lanes: their numbers, in the order in which they were asked for.
        actions: [t, n] i32.
        controls: [t, controls, n] f32; `None` in a universe without any.
        reward, terminated, truncated, used, cause: [t, n], as `Env.step` has them.
        meters: [t, meters, n] f32 after the tick; where it ended the episode of the world, of the new one.
        position: [t, axes, n], the same; `None` in a universe without a space.
        age: [t, n] i32, the same: 0 where an episode has just begun.
        alive: [t, n] bool, the same.
        episode_return: [t, n] f32, the same: the sum of rewards of the present episode.
    """

    universe: Universe
    lanes: tuple[int, ...]
    actions: Tensor
    controls: Tensor | None
    reward: Tensor
    terminated: Tensor
    truncated: Tensor
    used: Tensor
    cause: Tensor
    meters: Tensor
    position: Tensor | None
    age: Tensor
    alive: Tensor
    episode_return: Tensor

    def meter(self, name: str) -> Tensor:
        """[t, n] f32: the values of a meter.

        Raises:
            EnvError: the universe has no meter of this name.
        """
        names = [meter.name for meter in self.universe.meters]
        if name not in names:
            raise EnvError(f"{self.universe.name} has no meter {shown(name)}: it has {', '.join(names)}")
        return self.meters[:, names.index(name)]

    def __repr__(self) -> str:
        return f"Trajectories({self.universe.name}, {len(self.actions)} ticks of {len(self.lanes)} lanes)"


def watched_lanes(watch: Any, lanes: int) -> tuple[int, ...] | None:
    """The lanes that a rollout watches; `None` for none.

    Raises:
        EnvError: they are no numbers of lanes, or one is there twice.
    """
    if watch is None:
        return None
    what = f"watch is a list of numbers of lanes, 0 .. {lanes - 1}"
    numbers = dense(list(watch) if isinstance(watch, range) else watch, what)
    whole = not (numbers.is_floating_point() or numbers.dtype is torch.bool)
    if numbers.dim() != 1 or not len(numbers) or not whole:
        raise EnvError(f"{what}, not {shown(watch)}")
    chosen = tuple(numbers.tolist())
    if min(chosen) < 0 or max(chosen) >= lanes or len(set(chosen)) < len(chosen):
        raise EnvError(f"{what}, each once, not {shown(watch)}")
    return chosen


class Watch:
    """The worlds of some lanes as they were before a rollout."""

    def __init__(
        self, universe: Universe, buffers: Buffers, lanes: Sequence[int], recall: Recall | None = None
    ) -> None:
        """`recall`: what lanes remember before the rollout, where its policy has a memory."""
        self._universe = universe
        self._lanes = tuple(lanes)
        self._recall = None if recall is None else recall.of_lanes(slice(None))
        self._agents = buffers.shape.agents
        worlds = sorted({lane // self._agents for lane in lanes})
        self._runs = [_Run(universe, buffers, first, count) for first, count in _consecutive(worlds)]

    def trajectories(
        self, backend: Backend, ticks: int, policy: Policy, stream: Stream, by_tick: ByTick
    ) -> Trajectories:
        """Trajectories of these lanes in a rollout of `ticks` ticks. The backend must not be that of the environment,
        which knows its buffers.
        """
        if isinstance(policy, NetworkPolicy):
            policy = replace(policy, recall=self._recall)
        parts = [run.ticks(backend, ticks, policy, stream, by_tick) for run in self._runs]
        together = {name: torch.cat([part[name] for part in parts], dim=-1) for name in parts[0]}
        columns = [lane for run in self._runs for lane in run.lanes]
        order = torch.tensor([columns.index(lane) for lane in self._lanes], device=together["actions"].device)
        ordered: dict[str, Any] = {name: values.index_select(-1, order) for name, values in together.items()}
        return Trajectories(self._universe, self._lanes, **{"position": None, "controls": None, **ordered})


class _Run:
    """Consecutive worlds, by themselves.

    Attributes:
        lanes: the numbers of their lanes in the environment.
    """

    def __init__(self, universe: Universe, buffers: Buffers, first: int, worlds: int) -> None:
        agents = buffers.shape.agents
        self._universe = universe
        self._buffers = part_of(universe, buffers, first, worlds, torch.float32)
        self._first, self._all = first, buffers.shape.worlds
        self.lanes = range(first * agents, (first + worlds) * agents)

    def ticks(self, backend: Backend, ticks: int, policy: Policy, stream: Stream, by_tick: ByTick) -> dict[str, Tensor]:
        """Run so many ticks; by name [ticks, ..., lanes] of what happened."""
        values_of: dict[str, list[Tensor]] = {}
        interpreter = Interpreter(self._universe, self._buffers.mask.device)
        mine = slice(self.lanes[0], self.lanes[-1] + 1)
        if isinstance(policy, NetworkPolicy):
            backend.observe(self._buffers)
            if policy.recall is not None:
                policy = replace(policy, recall=policy.recall.of_lanes(mine))
        for index in range(ticks):
            now = Stream(stream.seed, (stream.tick + index) % (1 << 32))
            rows = {name: values[index : index + 1, :, mine].contiguous() for name, values in by_tick.items()}
            actions = self._actions(interpreter, policy, index, now)
            if self._universe.controls and "controls" not in rows and not isinstance(policy, RecordedPolicy):
                rows["controls"] = drawn_controls(self._universe, self._numbers(), now).unsqueeze(0)
            backend.rollout(self._buffers, 1, RecordedPolicy(actions.unsqueeze(0)), now, False, None, rows)
            for name, values in self._seen(actions, rows):
                values_of.setdefault(name, []).append(values.clone())
        return {name: torch.stack(values) for name, values in values_of.items()}

    def _seen(self, actions: Tensor, rows: ByTick) -> Iterator[tuple[str, Tensor]]:
        buffers = self._buffers
        yield "actions", actions
        if self._universe.controls:
            yield "controls", rows["controls"][0] if "controls" in rows else buffers.state["controls"]
        yield from ((name, buffers.outcome[name]) for name in HAPPENED)
        yield from ((name, buffers.state[name]) for name in KEPT if name in buffers.state)

    def _actions(self, interpreter: Interpreter, policy: Policy, index: int, now: Stream) -> Tensor:
        """The actions of a tick, [lanes] i32."""
        if isinstance(policy, RecordedPolicy):
            return policy.actions[index, self.lanes[0] : self.lanes[-1] + 1].contiguous()
        if isinstance(policy, NetworkPolicy):
            policy = networks_of(policy, self._first, self._buffers.shape.worlds, self._all)
        return chosen(interpreter, self._buffers, policy, now)

    def _numbers(self) -> Tensor:
        return global_lanes(self._buffers.shape, self._buffers.mask.device)


def part_of(universe: Universe, buffers: Buffers, first: int, worlds: int, obs_dtype: torch.dtype | None) -> Buffers:
    """A copy of the state of some worlds, from number `first` on, as buffers of their own; what they see is not
    computed yet."""
    shape, device = buffers.shape, buffers.mask.device
    part = allocate(universe, replace(shape, worlds=worlds, first_world=shape.first_world + first), device, obs_dtype)
    lanes = slice(first * shape.agents, (first + worlds) * shape.agents)
    for field in schema.state_fields(universe):
        columns = slice(first, first + worlds) if field.per == "world" else lanes
        part.state[field.name].copy_(buffers.state[field.name][..., columns])
    return part


def one_world(universe: Universe, buffers: Buffers, world: int) -> Buffers:
    """A copy of one world, which observes in f32."""
    return part_of(universe, buffers, world, 1, torch.float32)


def chosen(interpreter: Interpreter, buffers: Buffers, policy: Acting, now: Stream) -> Tensor:
    """The actions [lanes] i32 that a policy has for the state as it is, which buffers observe in f32 for a network.
    What lanes remember becomes that after the tick."""
    numbers = global_lanes(buffers.shape, buffers.mask.device)
    words = policy_words(numbers, now.tick, (now.low, now.high))[now.tick % 4]
    match policy:
        case RandomPolicy():
            return multiply_high(words, len(schema.choices(interpreter.universe))).to(torch.int32)
        case TabularPolicy():
            return interpreter.look_up(buffers, policy, words)
        case NetworkPolicy():
            assert buffers.observation is not None, "networks observe"
            seen, age = buffers.observation, buffers.state["age"]
            decided = decide(policy, seen, buffers.mask, words if policy.sample else None, age)
            if policy.recall is not None and decided.hidden is not None:
                policy.recall.keep(decided.hidden, seen, decided.actions)
            return decided.actions


def networks_of(policy: NetworkPolicy, first: int, worlds: int, of_all: int) -> NetworkPolicy:
    """The networks of so many worlds, from number `first` on, of all worlds."""
    if policy.members == 1 or policy.of_agents:
        return policy
    numbers = torch.arange(first, first + worlds) * policy.members // of_all
    mine = numbers.to(policy.layers[0][0].device)
    return replace(policy, layers=tuple((weight[mine], bias[mine]) for weight, bias in policy.layers))


def _consecutive(worlds: Sequence[int]) -> list[tuple[int, int]]:
    """The first and the count of each run of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for world in worlds:
        if runs and sum(runs[-1]) == world:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((world, 1))
    return runs
