"""Samples of a learner on a GPU: which lanes teach, and how many of their samples a program takes at once."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from hamlet.policies.mlp import MOST_HIDDEN, MOST_WIDTH
from hamlet_train.exact.network import BLOCK, Network


def power(number: int) -> int:
    """The next power of two."""
    return 1 << (number - 1).bit_length()


def is_small(network: Network) -> bool:
    """Whether one program takes samples through all layers."""
    return len(network.hidden) <= MOST_HIDDEN and max(network.hidden) <= MOST_WIDTH


@dataclass(frozen=True, slots=True)
class Taught:
    """The lanes that teach: those of whole groups, and the ticks of a store. With `whole` all ticks of a lane are taken
    together, as a network that remembers takes them. `first` is the number of the first group among those of all
    processes."""

    lanes: int
    lanes_each: int
    ticks: int
    whole: bool = False
    first: int = 0

    @property
    def groups(self) -> int:
        return -(-self.lanes // self.lanes_each)

    @property
    def most(self) -> int:
        """Samples that a group orders at most, or lanes."""
        return self.lanes_each * (1 if self.whole else self.ticks)

    @property
    def together(self) -> int:
        """How many of these fill a block."""
        return BLOCK // self.ticks if self.whole else BLOCK

    def blocks(self, parts: int) -> int:
        """The blocks of a group in one of so many minibatches."""
        share = -(-self.most // parts)
        return -(-share // self.together)

    def teaching(self, alive: torch.Tensor) -> torch.Tensor:
        """Which samples, or lanes, teach something: [ticks, lanes] bool, or [1, lanes]."""
        return alive.any(dim=0, keepdim=True) if self.whole else alive

    def counts(self, alive: torch.Tensor) -> torch.Tensor:
        """[groups] i64, how many of them each group has."""
        by_lane = self.teaching(alive).sum(dim=0, dtype=torch.int64)
        by_lane = torch.nn.functional.pad(by_lane, (0, self.groups * self.lanes_each - self.lanes))
        return by_lane.view(self.groups, -1).sum(dim=1)


@dataclass(frozen=True, slots=True)
class Notes:
    """Numbers that whoever acts notes for a lesson, beside a storage.

    Attributes:
        raw: [ticks, controls, lanes] f32, what controls were drawn.
        first: [lanes, memory] f32, what lanes remembered before the first tick.
        begins: [ticks, lanes] bool, whether nothing was remembered in a tick.
    """

    raw: torch.Tensor
    first: torch.Tensor
    begins: torch.Tensor

    @classmethod
    def empty(cls, network: Network, ticks: int, lanes: int, device: torch.device) -> Notes:
        """Notes of nothing."""
        return cls(
            torch.zeros(ticks, network.controls, lanes, device=device),
            torch.zeros(lanes, network.memory, device=device),
            torch.zeros(ticks, lanes if network.memory else 0, dtype=torch.bool, device=device),
        )
