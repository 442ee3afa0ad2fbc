"""What a launch counts of a tick, with numpy: `hamlet.schema.abi` names the arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hamlet.schema import abi
from hamlet.universe import Universe
from hamletc.ir.evaluate import Array


def count(counts: Mapping[str, Array], registers: Mapping[str, Array], universe: Universe) -> None:
    """Add a tick to arrays in place, before worlds begin anew: each lane that used an affordance, and each lane whose
    episode ended in the tick, by its cause, its length (at most the last bin) and its return."""
    used, cause, age = registers["used"], registers["cause"], registers["age"]
    ended = registers["terminated"] | registers["truncated"]
    _tally(counts["uses"], used[used >= 0])
    _tally(counts["causes"], cause[ended])
    _tally(counts["lengths"], np.minimum(age[ended], len(counts["lengths"]) - 1))
    counts["finished_return"][ended] += registers["episode_return"][ended]
    if abi.ENDED_METERS in counts:
        for row, (meter, scale) in enumerate(zip(universe.meters, abi.meter_scales(universe), strict=True)):
            whole = registers[f"meter.{meter.name}"][ended] * np.float32(scale)
            counts[abi.ENDED_METERS][row] += whole.astype(np.int64).sum()
    if "lane_uses" in counts:
        _of_lanes(counts, registers, ended)


def _of_lanes(counts: Mapping[str, Array], registers: Mapping[str, Array], ended: Array) -> None:
    """Add a tick to the counts of single lanes; the first episodes of each lane are kept."""
    (using,) = (registers["used"] >= 0).nonzero()
    counts["lane_uses"][registers["used"][using], using] += 1
    (ending,) = ended.nonzero()
    number = counts["lane_episodes"][ending].astype(np.int64)
    counts["lane_episodes"][ending] += 1
    kept = number < len(counts["lane_lengths"])
    number, ending = number[kept], ending[kept]
    for name, register in (("lane_lengths", "age"), ("lane_returns", "episode_return"), ("lane_causes", "cause")):
        counts[name][number, ending] = registers[register][ending]


def _tally(counts: Array, numbers: Array) -> None:
    counts += np.bincount(numbers, minlength=len(counts))
