"""Draws of a learner, with Philox: first weights, actions, controls, and the order in which it takes samples."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch

from hamlet.interpreter.functions import log, wave
from hamlet.numbers.counters import CONTROL_DRAWS, POLICY, POLICY_BLOCK
from hamlet.numbers.random import philox, share
from hamlet_train.exact.network import FIRST_LOG_DEVIATION, Array, Network
from hamlet_train.exact.words import words

ORDER, WEIGHTS, EVALUATION, CREWS, PAST = 32, 33, 34, 35, 36
"""The streams, the last number of a counter. Those of worlds are below (`hamlet.numbers.counters`)."""

HIDDEN_GAIN, HEAD_GAIN, VALUE_GAIN, GATE_GAIN = math.sqrt(2.0), 0.01, 1.0, 1.0
FIRST_GATE = -2.0
"""The first biases of gates: what is new goes into a memory slowly at first."""
TICKS_AHEAD = 16
"""Ticks whose words are drawn together, a multiple of 4."""
NEVER = 1 << 62
"""Behind all samples."""


def halves(seed: int) -> tuple[int, int]:
    """The key of Philox."""
    return seed & 0xFFFFFFFF, seed >> 32


def evaluation_seed(seed: int) -> int:
    """The seed of the worlds in which a training evaluates its policy."""
    low, high = _words(2, 0, 0, EVALUATION, seed).tolist()
    return int(low | high << 32)


def crew_seeds(seed: int, crews: int) -> list[int]:
    """The seeds of what each crew draws for itself, first weights and the order of samples: that of the training where
    there is one crew."""
    if crews == 1:
        return [seed]
    words = [_words(2, number, 0, CREWS, seed).tolist() for number in range(crews)]
    return [int(low | high << 32) for low, high in words]


def past_words(groups: Array, update: int, seed: int) -> Array:
    """[groups] i64: the word that says which past self plays in each group during an update."""
    words: Array = _words(1, torch.from_numpy(groups).unsqueeze(1), update, PAST, seed).flatten().numpy()
    return words


def _words(count: int, second: torch.Tensor | int, third: int, stream: int, seed: int) -> torch.Tensor:
    """[..., count] i64: words by their number; `second` may have a column for each row of words."""
    blocks = torch.arange(-(-count // 4)) + torch.zeros_like(torch.as_tensor(second))
    counter = (blocks, blocks * 0 + second, torch.full_like(blocks, third), torch.full_like(blocks, stream))
    return torch.stack(philox(counter, halves(seed)), dim=-1).flatten(-2)[..., :count]


class Ahead:
    """Words of ticks, several of which come from one computation: an operation on few numbers costs its call."""

    def __init__(self, ticks: int, draw: Callable[[int], Array]) -> None:
        """`draw` gives what is drawn in the ticks from one of its `ticks`-th on, [ticks, ...]."""
        self._ticks = ticks
        self._draw = draw
        self._drawn: tuple[int, Array] | None = None

    def at(self, tick: int) -> Array:
        """The draws of a tick."""
        first, index = tick - tick % self._ticks, tick % self._ticks
        if self._drawn is None or self._drawn[0] != first:
            self._drawn = first, self._draw(first)
        words: Array = self._drawn[1][index]
        return words


def action_words(lanes: Array, seed: int) -> Ahead:
    """The words of the random policy for these global lanes, [lanes] u32 in each tick."""

    def draw(first: int) -> Array:
        # A counter has the words of four ticks.
        counters = (first >> 2) + np.arange(TICKS_AHEAD // 4)
        return words(lanes, counters, POLICY_BLOCK, POLICY, seed).reshape(TICKS_AHEAD, -1)

    return Ahead(TICKS_AHEAD, draw)


def control_words(lanes: Array, controls: int, seed: int) -> Ahead:
    """The words of `CONTROL_DRAWS` for these global lanes, [2 * controls, lanes] u32 in each tick: control k has those
    of the sites 2 k and 2 k + 1."""
    if not controls:
        return Ahead(1, lambda _tick: np.zeros((1, 0, len(lanes)), np.uint32))

    def draw(first: int) -> Array:
        ticks = first + np.arange(TICKS_AHEAD)
        blocks = [words(lanes, ticks, block, CONTROL_DRAWS, seed) for block in range(-(-controls // 2))]
        return np.concatenate(blocks, axis=1)[:, : 2 * controls]

    return Ahead(TICKS_AHEAD, draw)


def order(seed: int, update: int, epoch: int, groups: range, valid: Array) -> Array:
    """[groups, samples] i32: the samples of each group in the order in which they are taken, those that are not valid
    last. `valid` is [groups, samples] bool; `groups` are global numbers."""
    numbers = np.arange(valid.shape[1])
    blocks, of_groups = numbers[: -(-len(numbers) // 4)], np.arange(groups.start, groups.stop)
    drawn = words(blocks, of_groups, (update << 8) + epoch, ORDER, seed).transpose(0, 2, 1).reshape(len(groups), -1)
    keys = np.where(valid, (drawn[:, : len(numbers)].astype(np.int64) << 24) + numbers, NEVER + numbers)
    # No two are equal.
    keys.sort(axis=1)
    taken: Array = (keys & 0xFFFFFF).astype(np.int32)
    return taken


def first_parameters(network: Network, reach: Array, seed: int) -> Array:
    """Orthogonal weights (Saxe et al. 2014), biases of 0, `FIRST_LOG_DEVIATION` for controls, `FIRST_GATE` for gates.
    `reach` [inputs] is the greatest size of each value of an observation: the weights of one that exceeds 1, and of
    what has changed in it, are divided by it."""
    parameters = np.zeros(network.parameters, np.float32)
    views = network.views(parameters)
    for number, (weights, _) in enumerate(views):
        outputs, inputs = weights.shape
        if number < len(views) - 1:
            weights[:] = HIDDEN_GAIN * orthogonal(outputs, inputs, number, seed)
        else:
            weights[:-1] = HEAD_GAIN * orthogonal(outputs - 1, inputs, number, seed)
            weights[-1:] = VALUE_GAIN * orthogonal(1, inputs, number + 1, seed)
    network.log_deviations(parameters)[:] = FIRST_LOG_DEVIATION
    first = views[0][0]
    reaches = np.ones(network.reads, np.float32)
    reaches[: network.inputs] = np.maximum(reach, 1.0)
    if network.memory:
        reaches[network.inputs : 2 * network.inputs] = reaches[: network.inputs]
        weights, biases = network.gates(parameters)
        for part, rows in enumerate(np.split(weights, 2)):
            rows[:] = GATE_GAIN * orthogonal(len(rows), rows.shape[1], len(views) + 1 + part, seed)
        biases[: network.memory] = FIRST_GATE
    first[:] = first / reaches
    return parameters


def orthogonal(rows: int, columns: int, number: int, seed: int) -> Array:
    """[rows, columns] f64 with rows, or columns where there are more rows, of length 1 and orthogonal to each other."""
    count, length = min(rows, columns), max(rows, columns)
    vectors = normal(count * length, number, seed).reshape(count, length)
    for index in range(count):
        # Numbers are added exactly and rounded once, so that no order of additions matters.
        for before in vectors[:index]:
            vectors[index] -= math.fsum(before * vectors[index]) * before
        vectors[index] /= math.sqrt(math.fsum(vectors[index] * vectors[index]))
    return vectors if rows <= columns else vectors.T


def normal(count: int, number: int, seed: int) -> Array:
    """[count] f64: normally distributed numbers (Box and Muller 1958), exact functions of random words."""
    pairs = _words(2 * count, number, 0, WEIGHTS, seed).reshape(count, 2)
    radius = (log(share(pairs[:, 0], 1)) * -2.0).double().sqrt()
    turn = share(pairs[:, 1]) * torch.tensor(6.2831855, dtype=torch.float32)
    drawn: Array = (radius * wave(turn, 1).double()).numpy()
    return drawn
