"""Events that both sides run: resets, injected states, steps, rollouts; each on a backend with buffers of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import torch
from torch import Tensor

from hamlet.backend.buffers import Buffers, Shape, Statistics, allocate, allocate_statistics
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
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import Array, Named


@dataclass(frozen=True, slots=True)
class Reset:
    """A new episode in every world, or in those of a mask [worlds] bool (on the CPU)."""

    worlds: Tensor | None = None


@dataclass(frozen=True, slots=True)
class Inject:
    """Fields of the state (on the CPU) that replace those of the environment; observations follow."""

    state: Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class Step:
    """One tick with actions [lanes] i32, and controls [controls, lanes] f32; `None`: those of the state."""

    actions: Tensor
    controls: Tensor | None = None


@dataclass(frozen=True, slots=True)
class Rollout:
    """`ticks` ticks in one launch; `given` as `hamlet.backend.protocol.ByTick`."""

    ticks: int
    policy: Policy
    observe_every_tick: bool
    by_tick: ByTick = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Jump:
    """The next tick has the number `tick`, on which random numbers depend, as if as many ticks had passed."""

    tick: int


CPU = torch.device("cpu")
KEPT = 3
"""Episodes of each lane that a rollout keeps, if it observes every tick; others do not count by lane."""
Event: TypeAlias = Reset | Inject | Step | Rollout | Jump


def ticks_of(event: Event) -> int:
    """The ticks that an event takes."""
    match event:
        case Step():
            return 1
        case Rollout(ticks=ticks):
            return ticks
        case Reset() | Inject() | Jump():
            return 0


def describe(event: Event) -> str:
    """An event in words."""
    match event:
        case Reset(worlds=worlds):
            return "reset" if worlds is None else f"reset of {int(worlds.sum())} worlds"
        case Inject():
            return "observing an injected state"
        case Step():
            return "step"
        case Jump(tick=tick):
            return f"going on to tick {tick}"
        case Rollout(ticks=ticks, policy=policy, observe_every_tick=observe):
            when = "every tick" if observe else "at the end"
            plural = "s" if ticks > 1 else ""
            anew = "".join(f", {name} of each tick" for name in event.by_tick)
            return f"rollout of {ticks} tick{plural}, {_kind(policy)} actions{anew}, observations {when}"


def _kind(policy: Policy) -> str:
    match policy:
        case RandomPolicy():
            return "random"
        case RecordedPolicy():
            return "recorded"
        case TabularPolicy():
            return "tabular"
        case NetworkPolicy():
            return "a network's"


def later(stream: Stream, ticks: int) -> Stream:
    """The random numbers `ticks` ticks later; ticks wrap at 2**32."""
    return Stream(stream.seed, (stream.tick + ticks) % (1 << 32))


def part(event: Rollout, begin: int, end: int) -> Rollout:
    """The ticks of a rollout from one to before another."""
    policy = event.policy
    if isinstance(policy, RecordedPolicy):
        policy = RecordedPolicy(policy.actions[begin:end])
    by_tick = {name: rows[begin:end] for name, rows in event.by_tick.items()}
    return Rollout(end - begin, policy, event.observe_every_tick, by_tick)


def remembers(event: Event) -> bool:
    """Whether what its policy does follows from more than the state."""
    return isinstance(event, Rollout) and isinstance(event.policy, NetworkPolicy) and event.policy.gates is not None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A backend to compare, and the device that its tensors live on."""

    backend: Backend
    device: torch.device


class Runner:
    """A backend with buffers of its own."""

    def __init__(
        self, universe: Universe, candidate: Candidate, shape: Shape, obs_dtype: torch.dtype | None = None
    ) -> None:
        self.universe = universe
        self.candidate = candidate
        self.buffers = allocate(universe, shape, candidate.device, obs_dtype)
        self._named = Named(universe)

    @classmethod
    def resumed(cls, universe: Universe, candidate: Candidate, before: Buffers) -> Runner:
        """A backend that goes on from where others are."""
        dtype = None if before.observation is None else before.observation.dtype
        runner = cls(universe, candidate, before.shape, dtype)
        runner.take_over(before)
        return runner

    def copied(self) -> Buffers:
        """A copy of its buffers on the CPU."""
        return self.buffers.copied() if self.candidate.device == CPU else self.buffers.moved(CPU)

    def take_over(self, source: Buffers) -> None:
        """Go on from where buffers of the same universe, shape and type of observations are."""
        for values, place in zip(source.tensors, self.buffers.tensors, strict=True):
            place.copy_(values)

    def apply(self, event: Event, stream: Stream) -> list[Array]:
        """Do what an event says; all arrays afterwards."""
        backend, buffers, device = self.candidate.backend, self.buffers, self.candidate.device
        statistics: Statistics | None = None
        match event:
            case Reset(worlds=worlds):
                backend.reset(buffers, stream, None if worlds is None else worlds.to(device))
            case Inject(state=state):
                for name, value in state.items():
                    buffers.state[name].copy_(value)
                backend.observe(buffers)
            case Step(actions=actions, controls=controls):
                if controls is not None:
                    buffers.state["controls"].copy_(controls)
                backend.step(buffers, actions.to(device), stream)
            case Jump():
                pass
            case Rollout(ticks=ticks, policy=policy, observe_every_tick=observe):
                statistics = allocate_statistics(self.universe, buffers.shape, device, KEPT if observe else None)
                by_tick = {name: rows[:ticks].to(device) for name, rows in event.by_tick.items()}
                backend.rollout(buffers, ticks, self._placed(policy, ticks), stream, observe, statistics, by_tick)
        return self._named.arrays(buffers, statistics)

    def _placed(self, policy: Policy, ticks: int) -> Policy:
        """A policy for `ticks` ticks on its device, whose lanes remember nothing."""
        placed = _placed(policy, ticks, self.candidate.device)
        if isinstance(placed, NetworkPolicy):
            return placed.beginning(self.buffers.shape.lanes, self.candidate.device)
        return placed


def _placed(policy: Policy, ticks: int, device: torch.device) -> Policy:
    """A policy for `ticks` ticks, with its tensors on a device."""

    def there(tensor: Tensor | None) -> Tensor | None:
        return None if tensor is None else tensor.to(device)

    match policy:
        case RandomPolicy():
            return policy
        case RecordedPolicy(actions=actions):
            return RecordedPolicy(actions[:ticks].to(device))
        case TabularPolicy(universe, choices, thresholds, strides, bins):
            return TabularPolicy(universe, there(choices), there(thresholds), strides.to(device), bins.to(device))
        case NetworkPolicy(layers=layers, gates=gates):
            placed = tuple((weight.to(device), bias.to(device)) for weight, bias in layers)
            return replace(policy, layers=placed, gates=gates and (gates[0].to(device), gates[1].to(device)))
