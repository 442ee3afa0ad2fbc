"""Draws: random numbers as functions of the seed, a lane or a world, the tick and the draw site
(docs/semantics.md)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hamlet.interpreter import functions
from hamlet.numbers.counters import BLOCK_WORDS, PAIR_SHIFT
from hamlet.numbers.elementary import TWICE_PI
from hamlet.numbers.random import Words, draw_words, multiply_high, share


class Sites:
    """The random words of a tick, or of the beginning of an episode, made when they are first asked for."""

    def __init__(self, numbers: Tensor, time: int | Tensor, stream: int | Tensor, seed: tuple[int, int]) -> None:
        """`numbers` are those of the lanes, or of the worlds, among all shards', i64, `time` and `stream` as in
        `draw_words`; `seed`: (low, high)."""
        self._numbers = numbers
        self._time = time
        self._stream = stream
        self._seed = seed
        self._blocks: dict[int, Words] = {}

    def word(self, site: int) -> Tensor:
        """The word of a site for each number, i64."""
        block, word = divmod(site, BLOCK_WORDS)
        if block not in self._blocks:
            self._blocks[block] = draw_words(self._numbers, self._time, block, self._stream, self._seed)
        return self._blocks[block][word]


@dataclass(frozen=True, slots=True)
class PairDraws:
    """The random words of each agent with each other one.

    Attributes:
        numbers: of the lanes among all shards', i64 [worlds, agents].
        time, stream, seed: as in `Sites`; `time` is one for all, or [worlds, 1].
    """

    numbers: Tensor
    time: int | Tensor
    stream: int
    seed: tuple[int, int]

    def of(self, askers: slice) -> Sites:
        """The words of some agents with all agents, [askers, worlds, agents]."""
        agents = self.numbers.shape[1]
        other = torch.arange(agents, device=self.numbers.device)
        own = self.numbers[:, askers].T.unsqueeze(-1).expand(-1, -1, agents)
        return Sites(own, self.time, (other << PAIR_SHIFT) | self.stream, self.seed)


def uniform(word: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """A number between low and high."""
    return low + share(word) * (high - low)


def integer(word: Tensor, low: int, high: int) -> Tensor:
    """A whole number from low to high, as f32."""
    return (multiply_high(word, high - low + 1) + low).to(torch.float32)


def choice(word: Tensor, count: int, thresholds: tuple[int, ...] | None) -> Tensor:
    """A number of 0 .. count - 1, i64: how many thresholds the word has reached, where there are any."""
    if thresholds is None:
        return multiply_high(word, count)
    return (word.unsqueeze(-1) >= torch.tensor(thresholds, device=word.device)).sum(dim=-1)


def normal(first: Tensor, second: Tensor, mean: Tensor, deviation: Tensor) -> Tensor:
    """A normally distributed number (G. E. P. Box, M. E. Muller, "A note on the generation of random normal deviates",
    1958), at most 5.77 deviations from the mean."""
    distance = functions.call("sqrt", functions.call("log", share(first, above=1)) * -2.0)
    turned = functions.call("cos", share(second) * TWICE_PI)
    return mean + deviation * (distance * turned)


def poisson(word: Tensor, mean: Tensor, most: int) -> Tensor:
    """A number of 0 .. most, f32: how many of the sums of probabilities the share of the word has reached."""
    reached = share(word)
    probability = total = functions.call("exp", -mean)
    result = (total <= reached).to(torch.float32)
    for count in range(1, most):
        probability = probability * mean * functions.number(1.0 / count, mean)
        total = total + probability
        result = result + (total <= reached).to(torch.float32)
    return result


def chance(word: Tensor, probability: Tensor) -> Tensor:
    """Whether it happens."""
    return share(word) < probability
