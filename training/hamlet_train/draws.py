"""What a learner draws, with Philox: first weights, and the order in which it takes samples."""

from __future__ import annotations

import math

import numpy as np
import torch

from hamlet.interpreter.functions import log, wave
from hamlet.numbers.random import philox, share
from hamlet_train.exact.network import Array, Network

ORDER, WEIGHTS = 32, 33
"""The streams, the last number of a counter. Those of worlds are below (`hamlet.numbers.counters`)."""

HIDDEN_GAIN, LOGIT_GAIN, VALUE_GAIN = math.sqrt(2.0), 0.01, 1.0
NEVER = 1 << 62
"""Behind all samples."""


def halves(seed: int) -> tuple[int, int]:
    """The key of Philox."""
    return seed & 0xFFFFFFFF, seed >> 32


def _words(count: int, second: torch.Tensor | int, third: int, stream: int, seed: int) -> torch.Tensor:
    """[..., count] i64: words by their number; `second` may have a column for each row of words."""
    blocks = torch.arange(-(-count // 4)) + torch.zeros_like(torch.as_tensor(second))
    counter = (blocks, blocks * 0 + second, torch.full_like(blocks, third), torch.full_like(blocks, stream))
    return torch.stack(philox(counter, halves(seed)), dim=-1).flatten(-2)[..., :count]


def order(seed: int, update: int, epoch: int, groups: range, valid: Array) -> Array:
    """[groups, samples] i32: the samples of each group in the order in which they are taken, those that are not valid
    last. `valid` is [groups, samples] bool; `groups` are global numbers."""
    samples = valid.shape[1]
    numbers = torch.arange(groups.start, groups.stop).unsqueeze(1)
    words = _words(samples, numbers, (update << 8) + epoch, ORDER, seed)
    keys = (words << 24) + torch.arange(samples)
    keys = torch.where(torch.from_numpy(valid), keys, NEVER + torch.arange(samples))
    drawn: Array = (keys.sort(dim=1).values & 0xFFFFFF).to(torch.int32).numpy()
    return drawn


def first_parameters(network: Network, reach: Array, seed: int) -> Array:
    """Orthogonal weights (Saxe et al. 2014) and biases of 0. `reach` [inputs] is the greatest size of each input: the
    weights of one that exceeds 1 are divided by it."""
    parameters = np.zeros(network.parameters, np.float32)
    views = network.views(parameters)
    for number, (weights, _) in enumerate(views):
        outputs, inputs = weights.shape
        if number < len(views) - 1:
            weights[:] = HIDDEN_GAIN * orthogonal(outputs, inputs, number, seed)
        else:
            weights[:-1] = LOGIT_GAIN * orthogonal(outputs - 1, inputs, number, seed)
            weights[-1:] = VALUE_GAIN * orthogonal(1, inputs, number + 1, seed)
    first = views[0][0]
    first[:] = first / np.maximum(reach, 1.0).astype(np.float32)
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
    words = _words(2 * count, number, 0, WEIGHTS, seed).reshape(count, 2)
    radius = (log(share(words[:, 0], 1)) * -2.0).double().sqrt()
    turn = share(words[:, 1]) * torch.tensor(6.2831855, dtype=torch.float32)
    drawn: Array = (radius * wave(turn, 1).double()).numpy()
    return drawn
