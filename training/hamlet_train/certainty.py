"""How certain numbers of episodes are: bootstrap intervals, and the probability that one policy improves on another.

R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare, "Deep reinforcement learning at the edge of the
statistical precipice", 2021. Samples are drawn with Philox of a fixed key, so the same numbers have the same intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hamlet_train.exact.network import Array

SAMPLES = 2_000
"""How often numbers are drawn again."""
LEVEL = 0.95
"""The part of the samples that lies within an interval."""
AT_ONCE = 1 << 22
"""Numbers that are drawn together."""
KEY = 42


@dataclass(frozen=True, slots=True)
class Interval:
    """A number and its 95 % interval.

    Attributes:
        value: of the numbers as they are.
        low, high: the percentiles 2.5 and 97.5 of it over samples.
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


def of_mean(groups: Sequence[Array]) -> Interval:
    """The mean of numbers in groups, the mean of the groups' means. Where there are several groups, as of trainings
    with several seeds, groups are drawn and then numbers within each; else numbers alone. [numbers] each, at least
    one."""
    whole = [np.asarray(group, np.float64) for group in groups]
    random = _random()
    means = np.stack([_means(random, group) for group in whole])
    if len(whole) > 1:
        drawn = random.integers(0, len(whole), (len(whole), SAMPLES))
        means = np.take_along_axis(means, drawn, axis=0)
    return _interval(float(np.mean([group.mean() for group in whole])), means.mean(axis=0))


def of_improvement(first: Sequence[Array], second: Sequence[Array]) -> Interval:
    """The probability that a score of the first is greater than one of the second, where equal ones count half. Scores
    are the means of groups where both have several, as trainings of several seeds; else the numbers of all groups."""
    left, right = scores(first, second)
    random = _random()
    samples = np.array([_above(_again(random, left), _again(random, right)) for _ in range(SAMPLES)])
    return _interval(_above(left, right), samples)


def scores(first: Sequence[Array], second: Sequence[Array]) -> tuple[Array, Array]:
    """The scores that are compared, see `of_improvement`."""
    if min(len(first), len(second)) > 1:
        left, right = (np.array([np.mean(group) for group in groups]) for groups in (first, second))
    else:
        left, right = (
            np.concatenate([np.asarray(group, np.float64) for group in groups]) for groups in (first, second)
        )
    return left, right


def _random() -> np.random.Generator:
    return np.random.Generator(np.random.Philox(KEY))


def _means(random: np.random.Generator, numbers: Array) -> Array:
    """[samples] the means of as many numbers, drawn with replacement."""
    each = max(AT_ONCE // len(numbers), 1)
    parts = []
    for begin in range(0, SAMPLES, each):
        drawn = random.integers(0, len(numbers), (min(each, SAMPLES - begin), len(numbers)))
        parts.append(numbers[drawn].mean(axis=1))
    return np.concatenate(parts)


def _again(random: np.random.Generator, numbers: Array) -> Array:
    return numbers[random.integers(0, len(numbers), len(numbers))]


def _above(left: Array, right: Array) -> float:
    """The share of pairs in which the left one is greater; equal ones count half."""
    ordered = np.sort(right)
    below, upto = (np.searchsorted(ordered, left, side) for side in ("left", "right"))
    return float((below.sum() + upto.sum()) / (2 * len(left) * len(right)))


def _interval(value: float, samples: Array) -> Interval:
    low, high = np.quantile(samples, ((1 - LEVEL) / 2, (1 + LEVEL) / 2)).tolist()
    return Interval(value, float(low), float(high))
