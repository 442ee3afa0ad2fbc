"""What every backend can do. All give the same bits; `docs/semantics.md` says which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch

from hamlet.state import Buffers, Statistics


@dataclass(frozen=True, slots=True)
class Stream:
    """Where the random numbers come from. `seed` is 0 .. 2**64 - 1; `tick` counts ticks since the seed was set."""

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


class Backend(Protocol):
    """Executes ticks on buffers. Actions are valid, tensors are on the backend's device."""

    name: str
    origin: str
    """In words, where its kernels come from."""

    def reset(self, buffers: Buffers, stream: Stream) -> None:
        """Start a new episode in every world, number `buffers.state["episode"]`; then observations and masks."""
        ...

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        ...

    def step(self, buffers: Buffers, actions: torch.Tensor, stream: Stream) -> None:
        """One tick with actions [lanes] i32: state, outcomes, observations, final observations, masks."""
        ...

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: RandomPolicy | RecordedPolicy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
    ) -> None:
        """So many ticks, at least 1. Leaves what that many `step`s leave; but observations and masks are written after
        the last tick only, and final observations not at all, unless `observe_every_tick`."""
        ...
