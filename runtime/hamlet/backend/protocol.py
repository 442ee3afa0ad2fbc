"""The protocol of backends. All give the same bits; `docs/semantics.md` says which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
import torch

from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.recall import Recall
from hamlet.backend.storage import Storage


class Stream(NamedTuple):
    """Where the random numbers come from. `seed` is 0 .. 2**64 - 1; `tick` counts ticks since the seed was set.

    Every step makes one: a tuple takes a third of the time of a frozen dataclass.
    """

    seed: int
    tick: int

    @property
    def low(self) -> int:
        return self.seed & 0xFFFFFFFF

    @property
    def high(self) -> int:
        return self.seed >> 32


@dataclass(frozen=True, slots=True)
class RandomPolicy:
    """Every agent draws every tick uniformly from all actions."""


@dataclass(frozen=True, slots=True)
class RecordedPolicy:
    """Actions [ticks, lanes] i32, in range."""

    actions: torch.Tensor


@dataclass(frozen=True, slots=True, repr=False)
class TabularPolicy:
    """Actions looked up by situation; `hamlet.schema.features` says what a situation is.

    Attributes:
        universe: the digest of the module that it is for.
        choices: [situations] i32, the action of each; `None` where actions are drawn.
        thresholds: [situations, actions - 1] i32 in 0 .. 2**30, not decreasing: an agent whose random word has the
            upper 30 bits b takes the action of number (thresholds <= b); `None` where actions are fixed.
        strides: [features] i32, 0 for a feature that does not count.
        bins: [2 * quantities] f32: the scales of all quantities, then the number of each one's last bin.
    """

    universe: str
    choices: torch.Tensor | None
    thresholds: torch.Tensor | None
    strides: torch.Tensor
    bins: torch.Tensor

    def __repr__(self) -> str:
        table = self.choices if self.choices is not None else self.thresholds
        situations = 0 if table is None else len(table)
        drawn = "fixed" if self.choices is not None else "drawn"
        return f"TabularPolicy({situations} situations, {drawn} actions, universe={self.universe[:12]})"


NOTHING_STORED = Storage()
Activation: TypeAlias = Literal["tanh", "relu"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NetworkPolicy:
    """A multilayer perceptron, see `hamlet.policies.mlp.MLP`; docs/semantics.md has its order of operations.

    Attributes:
        layers: weights [members, outputs, inputs] f32 and biases [members, outputs] f32 of hidden layers, then of the
            heads. Consecutive worlds have the same member, unless agents have.
        activation: of hidden layers.
        value: whether the last row of the heads is a value; the others are logits.
        sample: whether actions are drawn; otherwise the likeliest is taken.
        store: what a rollout is to fill, of its ticks.
        of_agents: the member of each agent of a world; empty where members are of worlds.
        gates: of a memory, weights [1, 2 * numbers, outputs of the first layer] and biases [1, 2 * numbers], gates
            first, then what is new; `None` without one. The network is then the only member.
        recall: what lanes remember, where it acts.
        controls: the rows of the heads behind the logits that are means of controls.
    """

    layers: tuple[tuple[torch.Tensor, torch.Tensor], ...]
    activation: Activation
    value: bool
    sample: bool
    store: Storage = NOTHING_STORED
    of_agents: tuple[int, ...] = ()
    gates: tuple[torch.Tensor, torch.Tensor] | None = None
    recall: Recall | None = None
    controls: int = 0

    @property
    def members(self) -> int:
        return self.layers[0][0].shape[0]

    @property
    def inputs(self) -> int:
        """The number of inputs of the first layer: without a memory those of an observation."""
        return self.layers[0][0].shape[2]

    @property
    def actions(self) -> int:
        """The number of actions."""
        return self.layers[-1][0].shape[1] - self.value - self.controls

    @property
    def remembers(self) -> int:
        """The numbers that it remembers; 0 without a memory."""
        return 0 if self.gates is None else self.gates[1].shape[1] // 2

    @property
    def values(self) -> int:
        """The number of values of an observation."""
        return self.inputs if self.gates is None else (self.inputs - self.actions) // 2

    def beginning(self, lanes: int, device: torch.device) -> NetworkPolicy:
        """The same network where so many lanes remember nothing; without a memory itself."""
        if self.gates is None:
            return self
        return replace(self, recall=Recall.empty(self.remembers, self.values, lanes, device))


class Decided(NamedTuple):
    """Decisions of a network for lanes.

    Attributes:
        actions: [lanes] i32.
        log_probs: [lanes] f32, the logarithm of the probability of that action.
        values: [lanes] f32; `None` of a network without a value.
        logits: [lanes, actions] f32, those of actions that the mask turns off as well.
        hidden: [numbers, lanes] f32, what is remembered then; `None` of a network without a memory.
        means: [controls, lanes] f32, of controls; `None` of a network without controls.
    """

    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor | None
    logits: torch.Tensor
    hidden: torch.Tensor | None = None
    means: torch.Tensor | None = None


Policy: TypeAlias = RandomPolicy | RecordedPolicy | TabularPolicy | NetworkPolicy
ByTick: TypeAlias = Mapping[str, torch.Tensor]
"""Values of a rollout for each tick: fields of `hamlet.schema.GIVEN_BY_TICK` by name, [ticks, rows, lanes] f32, within
their bounds. They take the place of those of the state. Controls that are absent are those of the state where actions
are recorded; with the other policies each is drawn uniformly (docs/semantics.md, "Randomness").
"""
NOTHING_BY_TICK: ByTick = MappingProxyType({})


class Backend(Protocol):
    """Executes ticks on buffers. Actions are valid, tensors are on the backend's device."""

    name: str
    origin: str
    """In words, where its kernels come from."""

    def reset(self, buffers: Buffers, stream: Stream, worlds: torch.Tensor | None = None) -> None:
        """Start a new episode, number `buffers.state["episode"]`, in every world, or in those of a mask, [worlds] bool;
        then observations and masks of all."""
        ...

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        ...

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        """One tick with actions [lanes] i32, and the inputs and controls of the state: state, outcomes, observations,
        final observations, masks; counted where there are statistics.

        A world in which nobody is alive after the tick begins the next episode at its end. Where worlds wait
        (`Shape.waits`), one in which an agent's episode ended in this tick does not, and final observations are not
        written."""
        ...

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        by_tick: ByTick = NOTHING_BY_TICK,
    ) -> None:
        """So many ticks, at least 1. Leaves what that many `step`s leave; but observations and masks are written after
        the last tick only, and final observations not at all, unless `observe_every_tick`."""
        ...


@runtime_checkable
class Recordable(Protocol):
    """A backend whose steps, and rollouts of networks, a CUDA graph can record."""

    def step_since(self, buffers: Buffers, actions: torch.Tensor, stream: Stream, elapsed: torch.Tensor) -> None:
        """`Backend.step`, `elapsed` ticks ([1] i32, on the device) after `stream.tick`. Nothing is read on the host."""
        ...

    def rollout_since(
        self,
        buffers: Buffers,
        ticks: int,
        policy: NetworkPolicy,
        stream: Stream,
        observe_every_tick: bool,
        elapsed: torch.Tensor,
    ) -> None:
        """The same for `Backend.rollout` of a network without a memory, which counts nothing."""
        ...


@runtime_checkable
class Checking(Protocol):
    """A backend whose steps look at the range of actions, before they change anything."""

    def step_in_range(
        self,
        buffers: Buffers,
        actions: torch.Tensor,
        seed: int,
        tick: int,
        count: int,
        statistics: Statistics | None = None,
        controls: torch.Tensor | None = None,
    ) -> bool:
        """`Backend.step` with actions [lanes], i32 or i64, contiguous, if all are in 0 .. count - 1; gives whether they
        are. With a `count` of 0 nobody looks, and actions are i32. `controls`, [controls, lanes] f32, take the place of
        those of the state, if actions are in range."""
        ...


class Clock(Protocol):
    """The seed of an environment, and its ticks since then, which whoever runs them counts."""

    seed: int
    tick: int


class Single(Protocol):
    """Ticks of the only world of buffers, for who counts microseconds: the same bits as `Backend.step` and
    `Backend.reset`, into the same tensors.

    Attributes:
        actions: [lanes] i32, those of the last tick.
    """

    actions: torch.Tensor

    def moved(self) -> bool:
        """Whether a tensor has other memory now, as after `share_memory_`; then others have to be made."""
        ...

    def step(self, now: Clock, action: int, controls: Sequence[float]) -> None:
        """One tick of one lane with an action and controls in range, which is counted: both happen, or neither, also if
        Ctrl-C is pressed."""
        ...

    def step_all(self, now: Clock, actions: Sequence[int], controls: np.ndarray[Any, Any] | None) -> None:
        """The same with an action for each lane, and controls [controls, lanes] f32; without these they stay."""
        ...

    def begin(self, seed: int) -> None:
        """Start the episode of the number that the state has; then observations and masks."""
        ...


@runtime_checkable
class Singling(Protocol):
    """A backend that has a shorter way to run one world."""

    def single(self, buffers: Buffers) -> Single:
        """Ticks of buffers of one world."""
        ...
