"""The arguments of generated kernels, in order: the contract between emitters and launchers.

Every kernel takes its arrays first, then tables, then scalars. What else a kernel needs (block sizes, switches) is its
target's own business and comes after these.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from hamlet import schema
from hamlet.schema.bounds import meter_bounds
from hamlet.universe import Universe

Kernel: TypeAlias = Literal["reset", "observe", "step", "rollout"]
KERNELS: tuple[Kernel, ...] = ("reset", "observe", "step", "rollout")

TABULAR = ("choices", "thresholds", "strides", "bins")
"""The arrays of a tabular policy, see `hamlet.backend.protocol.TabularPolicy`: without a dimension for situations
or rows."""

GIVEN = tuple(f"given_{name}" for name in schema.GIVEN_BY_TICK)
"""Arguments of a rollout for each tick, see `hamlet.backend.protocol.ByTick`, [ticks * rows, lanes]; each only in
universes that have that field. `None`, or empty, where the caller passes none.
"""

COUNTS = ("uses", "causes", "lengths", "finished_return")
"""The arrays of `hamlet.backend.buffers.Statistics`."""
ENDED_METERS = "ended_meters"
"""[meters] i64, which only a rollout that is asked to has: the sum of each meter over the episodes that ended, see
`meter_scales`."""
SUMS = ("uses", "causes", "lengths", ENDED_METERS)
"""Counts that are integers over all lanes: those of shards add up to those of all worlds."""

LANE_COUNTS = ("lane_uses", "lane_episodes", "lane_lengths", "lane_returns", "lane_causes")
"""The arrays of `hamlet.backend.buffers.LaneCounts`, which only a rollout that is asked to has."""

ENDED_BITS = 30
"""Of a meter that is added as an integer."""

LENGTH_BINS = 1024
"""Bins of the histogram of episode lengths in a universe without a lifespan; the last one takes all longer ones."""

COPIES = 64
"""A rollout on a GPU counts in at most so many copies of each counter, of which a block takes one: otherwise all blocks
would wait for each other at the same few words of memory."""
MOST_COPIED = 1 << 14
"""The words of all copies of a counter, unless one has more. Long episodes have many bins and seldom end: they have
fewer copies, and need fewer."""


def array_arguments(universe: Universe, kernel: Kernel) -> tuple[str, ...]:
    """The names of the arrays a kernel takes. Tables follow them in the order of the program. `begins`, [worlds] bool,
    are the worlds that begin an episode."""
    state = tuple(field.name for field in schema.state_fields(universe))
    outcome = tuple(field.name for field in schema.outcome_fields(universe))
    match kernel:
        case "reset":
            return (*state, "begins", "observation", "mask")
        case "observe":
            return (*state, "observation", "mask")
        case "step":
            return (*state, "actions", *outcome, "observation", "final_observation", "mask")
        case "rollout":
            policy = ("actions", *TABULAR, *given_arguments(universe))
            counted = (*COUNTS, *LANE_COUNTS, ENDED_METERS)
            return (*state, *policy, *outcome, "observation", "final_observation", "mask", *counted)


def given_arguments(universe: Universe) -> tuple[str, ...]:
    """Names of `GIVEN` that the rollout of a universe takes."""
    state = {field.name for field in schema.state_fields(universe)}
    return tuple(f"given_{name}" for name in schema.GIVEN_BY_TICK if name in state)


def scalar_arguments(kernel: Kernel) -> tuple[str, ...]:
    """The names of the run-time integers a kernel takes, after the tables. Seeds and tick are u32, the others i32."""
    match kernel:
        case "observe":
            return ("worlds", "agents")
        case "reset":
            return ("worlds", "agents", "first_world", "seed_low", "seed_high")
        case "step":
            return ("worlds", "agents", "first_world", "waits", "seed_low", "seed_high", "tick")
        case "rollout":
            return (*scalar_arguments("step"), "kept_episodes", "ticks")


def length_bins(universe: Universe) -> int:
    """The number of bins of the histogram of episode lengths."""
    return LENGTH_BINS if universe.lifespan is None else universe.lifespan.ticks + 1


def counters(universe: Universe) -> dict[str, int]:
    """The words of each of the counters, which are `SUMS`."""
    sizes = len(universe.affordances), len(universe.causes) + 1, length_bins(universe), len(universe.meters)
    return dict(zip(SUMS, sizes, strict=True))


def meter_scales(universe: Universe) -> tuple[float, ...]:
    """Factors of meters, in f32, by which they are multiplied to be rounded towards zero and added as integers: a unit
    is 2**-30 of the power of two above their bounds. Powers of two, which round nothing.
    """
    ends = [max(abs(bounds.low), abs(bounds.high)) for bounds in meter_bounds(universe)]
    return tuple(2.0 ** min(ENDED_BITS - math.frexp(end)[1], 127) for end in ends)


def copies(words: int) -> int:
    """How many copies a rollout on a GPU has of a counter of so many words: a power of two."""
    most = max(MOST_COPIED // max(words, 1), 1)
    return min(COPIES, 1 << (most.bit_length() - 1))
