"""Measurements of each variant: shares of uses and of ends, quantiles and means of lives and of returns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamlet.backend.buffers import LaneCounts

Column = NDArray[Any]
NEVER = np.iinfo(np.int32).max
"""In the place of a life that there was not."""
ROUNDING = 1e-12
"""How far a share may miss a decimal fraction, such as 0.9, by being rounded."""


@dataclass(frozen=True)
class Measured:
    """Episodes of some variants, [variants, episodes] with room for those of the variant that has the most.

    A life is the length in ticks of an episode of an agent, however it ended. Agents still alive at the end count for
    as long as they were watched (E. L. Kaplan, P. Meier: Nonparametric estimation from incomplete observations, 1958).
    Returns are those of finished episodes.

    Attributes:
        lives: i32, sorted: twice the length, plus 1 where the agent was still alive; then `NEVER`.
        returns: f32, sorted; then infinite.
        uses: [affordances, variants] i64: ticks in which an agent used each affordance.
        ends: [causes + 1, variants] i64: episodes that ended by each cause; the last is the lifespan.
    """

    lives: Column
    returns: Column
    uses: Column
    ends: Column

    @classmethod
    def of(cls, counts: LaneCounts, ages: Column, alive: Column, variants: int, causes: int) -> Measured:
        """Of counts of lanes, those of a variant side by side, and the lanes' ages and whether they are alive."""
        episodes = counts.episodes.cpu().numpy()
        most = int(episodes.max(initial=0))
        there = np.arange(most)[:, None] < episodes
        lengths, returns, ends = (each[:most].cpu().numpy() for each in (counts.lengths, counts.returns, counts.causes))
        watched = alive & (ages > 0)
        lives = np.concatenate(
            [np.where(there, 2 * lengths, NEVER), np.where(watched, 2 * ages + 1, NEVER)[None]], dtype=np.int32
        )
        uses = (
            counts.uses.cpu()
            .numpy()
            .reshape(len(counts.uses), variants, len(ages) // variants)
            .sum(axis=2, dtype=np.int64)
        )
        return cls(
            np.sort(_of_variants(lives, variants), axis=1),
            np.sort(_of_variants(np.where(there, returns, np.float32(np.inf)), variants), axis=1),
            uses,
            np.stack(
                [_of_variants((ends == cause) & there, variants).sum(axis=1, dtype=np.int64) for cause in range(causes)]
            ),
        )

    @cached_property
    def episodes(self) -> Column:
        """[variants] i64: the finished episodes."""
        result: Column = self.ends.sum(axis=0)
        return result

    def use_shares(self) -> Column:
        """[affordances, variants] f64: the share that each affordance has in all uses; NaN without uses."""
        return _shares(self.uses)

    def end_shares(self) -> Column:
        """[causes + 1, variants] f64: the share that each cause has in all ends; NaN without ends."""
        return _shares(self.ends)

    def mean_return(self) -> Column:
        """[variants] f64; NaN without episodes."""
        # One after the other in ascending order: the sum does not depend on how much room there is.
        total = np.zeros(len(self.returns))
        for rank, column in enumerate(self.returns.T):
            total += np.where(rank < self.episodes, column, np.float32(0))
        with np.errstate(invalid="ignore"):
            return total / self.episodes

    def return_quantile(self, share: float) -> Column:
        """[variants] f64: the least return that so many of the episodes reach at most; NaN without episodes."""
        rank = np.maximum(np.ceil(share * self.episodes - ROUNDING).astype(np.int64) - 1, 0)
        if not self.returns.shape[1]:
            return np.full(len(self.returns), np.nan)
        values = np.take_along_axis(self.returns, rank[:, None], axis=1)[:, 0].astype(np.float64)
        return np.where(self.episodes > 0, values, np.nan)

    def mean_life(self) -> Column:
        """[variants] f64, in ticks: the area under the curve of survival, up to the longest life that was seen."""
        return self._curve(())[0]

    def life_quantile(self, share: float) -> Column:
        """[variants] f64, in ticks: when so many have ended. Infinite where fewer have ended when nobody is watched any
        more, and NaN where nobody was watched."""
        return self._curve((share,), mean=False)[1][0]

    def life(self, *shares: float) -> tuple[Column, list[Column]]:
        """The mean, and the quantiles of these shares."""
        return self._curve(shares)

    def _curve(self, shares: tuple[float, ...], *, mean: bool = True) -> tuple[Column, list[Column]]:
        """The area under the curve of survival, and its quantiles; without a `mean` only as far as these need it."""
        watched = (self.lives != NEVER).sum(axis=1)
        quantiles = [np.where(watched > 0, np.inf, np.nan) for _ in shares]
        # The fraction alive when the last agent left alive, and how many were watched then: a fraction of whole numbers
        # is rounded once.
        before, at_risk = np.ones(len(watched)), watched.astype(np.float64)
        alive, area, time = np.ones(len(watched)), np.zeros(len(watched)), np.zeros(len(watched))
        for rank, column in enumerate(self.lives.T):
            there = column != NEVER
            if not there.any():
                break
            now, died, left = column >> 1, there & (column & 1 == 0), watched - (rank + 1)
            if mean:
                area += np.where(there, alive * (now - time), 0.0)
                time = np.where(there, now, time)
            alive = np.where(died, before * (left / np.maximum(at_risk, 1.0)), alive)
            censored = there & ~died
            before, at_risk = np.where(censored, alive, before), np.where(censored, left, at_risk)
            for share, lives in zip(shares, quantiles, strict=True):
                reached = died & (alive <= 1 - share + ROUNDING) & np.isinf(lives)
                lives[reached] = now[reached]
            if not mean and not np.isinf(quantiles).any():
                break
        return np.where(watched > 0, area, np.nan), quantiles


def _of_variants(rows: Column, variants: int) -> Column:
    """[rows, lanes] as [variants, all of a variant]."""
    return np.ascontiguousarray(rows.T).reshape(variants, -1)


def _shares(counts: Column) -> Column:
    with np.errstate(invalid="ignore"):
        result: Column = counts / counts.sum(axis=0)
        return result
