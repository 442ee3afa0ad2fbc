"""Random numbers of which states are drawn, on the CPU."""

from __future__ import annotations

import torch
from torch import Tensor


class Draws:
    """A stream of random numbers on the CPU."""

    def __init__(self, seed: int) -> None:
        self._generator = torch.Generator().manual_seed(seed)

    def chance(self, probability: float, count: int) -> Tensor:
        """True with this probability, bool [count]."""
        return torch.rand(count, generator=self._generator) < probability

    def integers(self, low: int, high: int, count: int) -> Tensor:
        """Integers low .. high - 1, i32 [count]."""
        return self.words(low, high, count).to(torch.int32)

    def words(self, low: int, high: int, count: int) -> Tensor:
        """Integers low .. high - 1, i64 [count]."""
        return torch.randint(low, high, (count,), generator=self._generator, dtype=torch.int64)

    def normal(self, count: int) -> Tensor:
        """Normally distributed numbers, f32 [count]."""
        return torch.randn(count, generator=self._generator)

    def one_of(self, values: Tensor, count: int) -> Tensor:
        """One of these values each, [count]."""
        return values[self.words(0, len(values), count)]

    def numbers(self, boundaries: Tensor, low: float, high: float, count: int, at_boundary: float) -> Tensor:
        """Numbers within bounds, f32 [count]; so many of them at a boundary value."""
        spread = torch.rand(count, generator=self._generator)
        anywhere = (low + spread * (high - low)).clamp(low, high)
        chosen = self.one_of(boundaries, count)
        return torch.where(self.chance(at_boundary, count), chosen, anywhere)
