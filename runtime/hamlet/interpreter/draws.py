"""Draws: random numbers as functions of the seed, the lane, the tick and the draw site (docs/semantics.md)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from hamlet.interpreter import functions
from hamlet.numbers.elementary import TWICE_PI
from hamlet.numbers.random import Words, draw_words, multiply_high, share


class Sites:
    """The random words of a tick, made when they are first asked for."""

    def __init__(
        self, numbers: Tensor, tick: int, seed: tuple[int, int], of: Literal["agents", "worlds"] = "agents"
    ) -> None:
        """`numbers`: of the lanes among all shards' lanes, i64 [worlds, agents], or of the worlds, i64 [worlds, 1];
        `seed`: (low, high)."""
        self._numbers = numbers
        self._of = of
        self._tick = tick
        self._seed = seed
        self._blocks: dict[int, Words] = {}

    def word(self, site: int) -> Tensor:
        """The word of a site in every lane, i64 [worlds, agents], or in every world."""
        block = site // 4
        if block not in self._blocks:
            self._blocks[block] = draw_words(self._numbers, self._tick, block, self._seed, self._of)
        return self._blocks[block][site % 4]


def uniform(word: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """A number between low and high."""
    return low + share(word) * (high - low)


def integer(word: Tensor, low: int, high: int) -> Tensor:
    """A whole number from low to high, as f32."""
    return (multiply_high(word, high - low + 1) + low).to(torch.float32)


def choice(word: Tensor, count: int) -> Tensor:
    """A number of 0 .. count - 1, i64."""
    return multiply_high(word, count)


def normal(first: Tensor, second: Tensor, mean: Tensor, deviation: Tensor) -> Tensor:
    """A normally distributed number (G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates",
    1958), at most 5.77 deviations from the mean."""
    distance = functions.call("sqrt", functions.call("log", share(first, above=1)) * -2.0)
    turned = functions.call("cos", share(second) * TWICE_PI)
    return mean + deviation * (distance * turned)


def chance(word: Tensor, probability: Tensor) -> Tensor:
    """Whether it happens."""
    return share(word) < probability
