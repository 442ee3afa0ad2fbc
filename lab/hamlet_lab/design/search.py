"""The search: many candidates side by side, more of them where the best ones were, and a second look at the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hamlet_lab.design.wishes import Wish
from hamlet_lab.sweep.grid import Values, canonical
from hamlet_lab.sweep.measured import Measured
from hamlet_lab.sweep.run import Trial, measure
from hamletc.cli.policy import Player

CANDIDATES = 512
"""Candidates of a round."""
ROUNDS = 12
"""The most rounds."""
ELITE = 24
"""The best candidates of all rounds, around which the next one looks."""
EVERYWHERE = 4
"""Of so many candidates of a later round one is anywhere in the ranges."""
WIDER = 0.1
"""How far the next round looks beyond the best candidates, as a part of how far those are apart."""
SECOND = 8
"""The best candidates, which are looked at a second time,"""
MORE = 16
"""in so many times the worlds, others than the first time: the best of many candidates was also lucky."""
TRAINED_ROUNDS = 4
"""Rounds of a search in which each candidate is trained, about."""
STEPS = 1000
"""A range has about so many steps, powers of ten, to which values are rounded."""
CHANCE = 1e-9
"""Misses that are no more than rounding."""


@dataclass(frozen=True, slots=True)
class Range:
    """A param, and where its value may lie; one number where both ends are the same."""

    name: str
    low: float
    high: float

    def values(self, shares: Values) -> Values:
        """The values at these shares of the range, 0 to 1, as short decimals of binary32 numbers in the range."""
        if self.low == self.high:
            return np.full(len(shares), canonical([self.low])[0])
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / STEPS))
        rounded = np.round((self.low + shares * (self.high - self.low)) / step) * step
        return np.array(canonical(np.clip(rounded, self.low, self.high)))


@dataclass(frozen=True, slots=True)
class Candidate:
    """The best candidate.

    Attributes:
        params: its values.
        met: whether all wishes hold.
        values: of each wish, [values].
        misses: of each wish; 0 where it holds.
        worlds: in which it was looked at the second time.
        candidates: how many there were in all.
        rounds: how many there were.
    """

    params: Mapping[str, float]
    met: bool
    values: tuple[tuple[float, ...], ...]
    misses: tuple[float, ...]
    worlds: int
    candidates: int
    rounds: int


Retrain: TypeAlias = Callable[[Mapping[str, float]], Player]
"""Trains a policy anew for params."""


@dataclass(frozen=True, slots=True)
class Looks:
    """How many candidates a round has, how many rounds there are at most, around how many of the best ones the next
    round looks, and how many are looked at a second time."""

    candidates: int
    rounds: int
    elite: int
    second: int

    @classmethod
    def within(cls, trainings: int) -> Looks:
        """As many as so many trainings allow: each candidate takes one."""
        each = min(max(trainings // TRAINED_ROUNDS, 4), trainings)
        return cls(each, max(trainings // each, 1), max(each // 3, 1), max(each // 3, 1))


def search(
    trial: Trial,
    ranges: Sequence[Range],
    wishes: Sequence[Wish],
    tell: Callable[[float], None],
    looks: Looks | None = None,
    retrain: Retrain | None = None,
) -> Candidate:
    """Look for params with which all wishes hold; the same for the same seed.

    The first round spreads candidates evenly over each range. Each later one looks between the best of all rounds, and
    a bit beyond, but one in four candidates is anywhere. After each round the best are run again in more and other
    worlds; what is found there counts. The search ends when a candidate meets all wishes there, or after 12 rounds.

    Args:
        trial: how a candidate is run.
        ranges: of the params.
        wishes: at least one.
        tell: is told which share of the rounds is done.
        looks: how many candidates and rounds; by default `CANDIDATES` and the others.
        retrain: who plays a candidate; by default the policy of the trial plays all of them.

    Raises:
        CompileError: `measure` raises it.
    """
    looks = looks or Looks(CANDIDATES, ROUNDS, ELITE, SECOND)
    random = np.random.Generator(np.random.Philox(trial.seed))
    worlds = _Worlds(trial, ranges, wishes, retrain)
    shares = _spread(random, looks.candidates, len(ranges))
    low, high = np.zeros(len(ranges)), np.ones(len(ranges))
    tried, scores = np.zeros((0, len(ranges))), np.zeros(0)
    best: Candidate | None = None
    for number in range(1, looks.rounds + 1):
        misses = worlds.first_look(shares)
        tried, scores = np.concatenate([tried, shares]), np.concatenate([scores, misses.sum(axis=0)])
        order = np.argsort(scores, kind="stable")
        chosen = tried[order[: looks.second]]
        again, values = worlds.second_look(chosen)
        # What the second look found is what is known of these.
        scores[order[: looks.second]] = again.sum(axis=0)
        first = int(np.argmin(again.sum(axis=0)))
        candidate = Candidate(
            {r.name: float(r.values(chosen[first : first + 1, n])[0]) for n, r in enumerate(ranges)},
            bool((again[:, first] <= CHANCE).all()),
            tuple(tuple(map(float, each[:, first])) for each in values),
            tuple(map(float, again[:, first])),
            trial.worlds * MORE,
            len(tried),
            number,
        )
        if best is None or sum(candidate.misses) < sum(best.misses):
            best = candidate
        tell(number / looks.rounds)
        if best.met:
            break
        elite = tried[np.argsort(scores, kind="stable")[: looks.elite]]
        reach = WIDER * (elite.max(axis=0) - elite.min(axis=0)) + 1 / STEPS
        low, high = np.maximum(elite.min(axis=0) - reach, 0), np.minimum(elite.max(axis=0) + reach, 1)
        shares = low + (high - low) * _spread(random, looks.candidates, len(ranges))
        shares[::EVERYWHERE] = _spread(random, len(shares[::EVERYWHERE]), len(ranges))
    assert best is not None
    return replace(best, candidates=len(tried), rounds=number)


class _Worlds:
    """Looks at candidates: all of them in the same worlds, and at the best in the worlds after these."""

    def __init__(
        self, trial: Trial, ranges: Sequence[Range], wishes: Sequence[Wish], retrain: Retrain | None = None
    ) -> None:
        self._trial, self._ranges, self._wishes, self._retrain = trial, ranges, wishes, retrain
        self._trained: dict[tuple[float, ...], Player] = {}

    def first_look(self, shares: Values) -> Values:
        """[wishes, candidates] misses."""
        return self._look(self._trial, shares)[0]

    def second_look(self, shares: Values) -> tuple[Values, list[Values]]:
        """[wishes, candidates] misses, and of each wish [values, candidates] values."""
        worlds = self._trial.worlds
        return self._look(replace(self._trial, worlds=worlds * MORE, first_world=worlds), shares)

    def _look(self, trial: Trial, shares: Values) -> tuple[Values, list[Values]]:
        params = {each.name: each.values(shares[:, n]) for n, each in enumerate(self._ranges)}
        values: list[list[NDArray[np.float64]]] = [[] for _ in self._wishes]

        def numbered(begin: int, end: int) -> dict[str, Values]:
            return {name: array[begin:end] for name, array in params.items()}

        if self._retrain is None:
            for measured in measure(trial, numbered, len(shares)):
                self._add(values, measured)
        else:
            for number in range(len(shares)):
                own = replace(trial, policy=self._player(numbered(number, number + 1)))
                for measured in measure(own, numbered, 1, number):
                    self._add(values, measured)
        joined = [np.concatenate(each, axis=1) for each in values]
        misses = [wish.misses(each) for wish, each in zip(self._wishes, joined, strict=True)]
        return np.stack(misses), joined

    def _player(self, params: Mapping[str, Values]) -> Player:
        """The policy that learnt with these params, trained once for both looks."""
        key = tuple(float(values[0]) for values in params.values())
        if key not in self._trained:
            assert self._retrain is not None
            self._trained[key] = self._retrain(dict(zip(params, key, strict=True)))
        return self._trained[key]

    def _add(self, values: list[list[NDArray[np.float64]]], measured: Measured) -> None:
        for wish, parts in zip(self._wishes, values, strict=True):
            parts.append(wish.values(measured, self._trial.ticks))


def _spread(random: np.random.Generator, count: int, dimensions: int) -> Values:
    """[count, dimensions] shares: in each dimension one in each of `count` equal parts (M. D. McKay, R. J. Beckman,
    W. J. Conover, "A comparison of three methods for selecting values of input variables", 1979)."""
    parts = np.argsort(random.random((count, dimensions)), axis=0, kind="stable")
    return (parts + random.random((count, dimensions))) / count
