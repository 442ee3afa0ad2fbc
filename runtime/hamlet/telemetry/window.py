"""A window of ticks as a vector of integers, and the record that is made of it.

Windows of shards are added, integer by integer: the record of the sum is that of all worlds, to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamlet.numbers.sums import WORDS, sum_of, words_of
from hamlet.schema import abi
from hamlet.universe import Universe

LIFESPAN = "lifespan"
"""The name under which episodes that ended at the lifespan are counted."""
QUARTILES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class Record:
    """The record of a window of ticks, over all lanes.

    Attributes:
        number: of the window, from 0.
        tick: `Env.tick` at its end.
        ticks: how many ticks it has.
        lanes: how many lanes.
        episodes: how many episodes lanes finished.
        mean_return: of these; NaN without episodes. The returns of a lane are added in f32, in their order; the sums of
            lanes are added without any rounding, and the mean is rounded once, to f64.
        mean_length: in ticks; NaN without episodes.
        lengths: the lower quartile, median and upper quartile of lengths: the least length that so many are at most; in
            a universe without a lifespan 1,023 stands for that and more.
        ends: finished episodes by how they ended: a cause of death as the author wrote it, a goal, or "lifespan".
        uses: ticks in which a lane used each affordance.
        meters: the mean of each meter at the end of these episodes; empty without any. Each is rounded towards zero to
            2**-30 of the power of two above its bounds, and these whole numbers are added.
    """

    number: int
    tick: int
    ticks: int
    lanes: int
    episodes: int
    mean_return: float
    mean_length: float
    lengths: tuple[int, ...]
    ends: Mapping[str, int]
    uses: Mapping[str, int]
    meters: Mapping[str, float]

    def as_json(self) -> dict[str, Any]:
        """The record as JSON has it: `None` for a NaN."""
        means = {"mean_return": self.mean_return, "mean_length": self.mean_length}
        return {
            "number": self.number,
            "tick": self.tick,
            "ticks": self.ticks,
            "lanes": self.lanes,
            "episodes": self.episodes,
            **{name: None if math.isnan(value) else value for name, value in means.items()},
            "lengths": list(self.lengths),
            "ends": dict(self.ends),
            "uses": dict(self.uses),
            "meters": dict(self.meters),
        }

    def scalars(self) -> dict[str, float]:
        """The numbers of the record by names with slashes, without NaN."""
        shares = {f"end/{name}": count / self.episodes for name, count in self.ends.items() if self.episodes}
        named = {
            "episode/count": float(self.episodes),
            "episode/return": self.mean_return,
            "episode/length": self.mean_length,
            **shares,
            **{f"use/{name}": count / (self.ticks * self.lanes) for name, count in self.uses.items()},
            **{f"meter at end/{name}": value for name, value in self.meters.items()},
        }
        return {name: value for name, value in named.items() if not math.isnan(value)}


class Layout:
    """Where the integers of a window of a universe are: counters, the exact sum of returns, and how many lanes there
    are.

    Attributes:
        size: how many integers there are.
    """

    def __init__(self, universe: Universe) -> None:
        sizes = {**abi.counters(universe), "returns": WORDS, "lanes": 1}
        self._parts: dict[str, slice] = {}
        first = 0
        for name, size in sizes.items():
            self._parts[name] = slice(first, first + size)
            first += size
        self.size = first
        self._meters = [
            (meter.name, *scale.as_integer_ratio())
            for meter, scale in zip(universe.meters, abi.meter_scales(universe), strict=True)
        ]
        self._causes = [cause.name for cause in universe.causes] + [LIFESPAN] * (universe.lifespan is not None)
        self._uses = [each.name for each in universe.affordances]
        lengths = self._parts["lengths"]
        self._ticks = np.arange(lengths.stop - lengths.start)

    def packed(self, counters: NDArray[np.int64], finished_return: NDArray[np.float32]) -> Any:
        """The window, [size] i64, of what came from the device: the counters one after the other, and [lanes] sums of
        returns."""
        lanes = np.array([len(finished_return)])
        return np.concatenate([counters, words_of(finished_return), lanes], dtype=np.int64)

    def record(self, window: NDArray[np.int64], number: int, tick: int, ticks: int) -> Record:
        """The record of a window, from its counts."""
        part = {name: window[where] for name, where in self._parts.items()}
        lengths, totals = part["lengths"], part[abi.ENDED_METERS].tolist()
        episodes = int(part["causes"].sum())
        # A quotient of two integers is rounded once, as that of fractions is, which takes longer.
        means = {
            name: total * below / (above * episodes)
            for (name, above, below), total in zip(self._meters, totals, strict=True)
            if episodes
        }
        returned = sum_of(part["returns"])
        return Record(
            number,
            tick,
            ticks,
            int(part["lanes"][0]),
            episodes,
            returned.numerator / (returned.denominator * episodes) if episodes else math.nan,
            int(lengths @ self._ticks) / episodes if episodes else math.nan,
            _quantiles(lengths),
            dict(zip(self._causes, part["causes"].tolist(), strict=False)),
            dict(zip(self._uses, part["uses"].tolist(), strict=True)),
            means,
        )


def _quantiles(lengths: NDArray[np.int64]) -> tuple[int, ...]:
    reached = np.cumsum(lengths)
    total = int(reached[-1])
    ranks = [max(math.ceil(share * total), 1) for share in QUARTILES] if total else []
    return tuple(np.searchsorted(reached, ranks).tolist())
