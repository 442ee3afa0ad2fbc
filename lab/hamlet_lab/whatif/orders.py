"""Orders in which players join one after the other, sampled, and the Shapley values that follow.

The value of a player is the mean, over all orders, of what is gained when it joins those before it (L. S. Shapley: A
value for n-person games, 1953). Orders are sampled, and each is used backwards, too (R. Mitchell et al.: Sampling
permutations for Shapley value estimation, 2022).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from hamletc.ir.evaluate import Array

NORMAL = 1.959964
"""The quantile of the normal distribution for an interval of 95%."""


@dataclass(frozen=True, slots=True)
class Share:
    """The Shapley value of a construct or an agent, and half of its 95% interval."""

    player: str
    value: float
    half: float


@dataclass(frozen=True, slots=True)
class Shares:
    """The values of all players, the greatest first, which add up to `all_on` less `all_off`: mean returns with all and
    with none."""

    shares: tuple[Share, ...]
    all_on: float
    all_off: float


def sampled(players: int, orders: int, seed: int) -> list[Array]:
    """So many orders, i64 [players], each followed by itself backwards."""
    generator = np.random.default_rng(seed)
    result: list[Array] = []
    for _ in range((orders + 1) // 2):
        order = generator.permutation(players)
        result += [order, order[::-1]]
    return result[:orders]


def coalitions(order: Array) -> Iterator[Array]:
    """The coalitions of an order, from nobody to all, f64 [players]."""
    on = np.zeros(len(order))
    yield on.copy()
    for player in order:
        on[player] = 1.0
        yield on.copy()


def shares_of(names: Sequence[str], orders: Sequence[Array], returns: Array) -> Shares:
    """The values of players.

    Args:
        names: of the players.
        orders: as `sampled` gives them.
        returns: f64 [orders, players + 1, worlds], of the coalitions of each order; where the worlds' are known only
            together, one number for all.
    """
    gains = np.zeros((len(orders), len(names), returns.shape[2]))
    for number, order in enumerate(orders):
        gains[number, order] = np.diff(returns[number], axis=0)
    # Both directions of an order are one sample: they are no two independent ones.
    pairs = np.array([gains[begin : begin + 2].mean(axis=0) for begin in range(0, len(gains), 2)])
    variance = _of_mean(pairs.mean(axis=2), axis=0)
    if returns.shape[2] > 1:
        variance = variance + _of_mean(pairs.mean(axis=0), axis=1)
    means = gains.mean(axis=(0, 2))
    made = [
        Share(name, float(mean), NORMAL * sqrt(each)) for name, mean, each in zip(names, means, variance, strict=True)
    ]
    ordered = sorted(made, key=lambda share: -abs(share.value))
    return Shares(tuple(ordered), float(returns[0, -1].mean()), float(returns[0, 0].mean()))


def _of_mean(samples: Array, axis: int) -> Array:
    """The variance of the mean of samples; NaN where there is one."""
    count = samples.shape[axis]
    if count < 2:
        return np.full(samples.shape[1 - axis], np.nan)
    result: Array = samples.var(axis=axis, ddof=1) / count
    return result


def lines(made: Shares) -> Iterator[str]:
    """The values as text, the greatest first."""
    width = max((len(share.player) for share in made.shares), default=0)
    yield f"mean return {made.all_on:.4g} with all of them, {made.all_off:.4g} with none; the share of each:"
    for share in made.shares:
        low, high = share.value - share.half, share.value + share.half
        yield f"  {share.player:<{width}}  {share.value:+.4g}  ({low:.4g} .. {high:.4g})"
