"""How a budget is shared among candidates: all learn a little, and of those who return most a third learns on.

K. Jamieson and A. Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", 2016, with
trainings that go on rather than begin again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hamlet_train.errors import TrainError

FACTOR = 3
"""Of so many candidates one stays, and learns so many times as long."""
MANY, FEW = 27, 9
"""Candidates unless the user says otherwise: of budgets that are large enough, and of others."""
WORLDS = (1024, 512, 256, 128, 64)
"""Worlds of a training unless the user says otherwise: as many as leave it updates enough."""
UPDATES, HORIZON = 8, 32
"""Updates of a horizon that a candidate has before anybody is left out, at least, where worlds are chosen."""


@dataclass(frozen=True, slots=True)
class Rungs:
    """Rungs of a ladder.

    Attributes:
        counts: how many candidates learn on each.
        ticks: the agent-ticks of each of these at its end, from its beginning on; the last are those of a whole
            training.
    """

    counts: tuple[int, ...]
    ticks: tuple[int, ...]

    @classmethod
    def of(cls, budget: int, count: int) -> Rungs:
        """The rungs of a budget in agent-ticks."""
        counts = counts_of(count)
        first = budget // units(counts)
        return cls(counts, tuple(first * FACTOR**rung for rung in range(len(counts))))

    @property
    def budget(self) -> int:
        """The agent-ticks of all trainings."""
        return sum(count * more for count, more in zip(self.counts, self.added, strict=True))

    @property
    def added(self) -> tuple[int, ...]:
        """The agent-ticks of a candidate on each rung."""
        return tuple(after - before for before, after in pairwise((0, *self.ticks)))

    def updates(self, rung: int, whole: int) -> int:
        """The updates of a candidate at the end of a rung, which has so many of them in a whole training."""
        for _ in self.counts[rung + 1 :]:
            whole //= FACTOR
        return max(whole, 1)


def counts_of(count: int) -> tuple[int, ...]:
    """How many candidates learn on each rung, of so many, until one is left."""
    counts = [count]
    while counts[-1] > 1:
        counts.append(max(counts[-1] // FACTOR, 1))
    return tuple(counts)


def units(counts: Sequence[int]) -> int:
    """The budget in trainings to the end of the first rung."""
    ends = [FACTOR**rung for rung in range(len(counts))]
    return sum(count * (after - before) for count, (before, after) in zip(counts, pairwise((0, *ends)), strict=True))


def sizes(budget: int, agents: int, count: int | None, worlds: int | None, horizon: int) -> tuple[int, int]:
    """How many candidates, and worlds of each: what the user says, else what a budget in agent-ticks has room for.
    `horizon` is the longest of all candidates.

    Raises:
        TrainError: a candidate could not do one update before it may be left out.
    """

    def room(count: int, worlds: int, ticks: int) -> bool:
        return budget // units(counts_of(count)) >= worlds * agents * ticks

    least, usual = WORLDS[-1] if worlds is None else worlds, UPDATES * HORIZON
    chosen = count if count is not None else MANY if room(MANY, least, usual) else FEW
    if worlds is None:
        worlds = next((each for each in WORLDS if room(chosen, each, usual)), least)
    if not room(chosen, worlds, horizon):
        needs = units(counts_of(chosen)) * worlds * agents * horizon
        raise TrainError(
            f"{budget:,} agent-ticks are too few: {chosen} candidates in {worlds} worlds need {needs:,}, or take fewer "
            "--candidates or --worlds"
        )
    return chosen, worlds
