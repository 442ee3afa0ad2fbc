"""What a launch works on, with numpy: arrays, and what a launch is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

import numpy as np

from hamlet.frozen import dataclass
from hamletc.ir.evaluate import Array


@dataclass(frozen=True, slots=True)
class Recorded:
    """Actions i32 [ticks, lanes]."""

    actions: Array


@dataclass(frozen=True, slots=True)
class Random:
    """Each lane draws each tick uniformly from all actions."""


@dataclass(frozen=True, slots=True)
class Table:
    """Actions by situation: `choices` i32 [situations], or `thresholds` i32 [situations, actions - 1], ascending, for
    the upper 30 bits of a word; `strides` i32 [features], `scales` and `tops` f32 [quantities]."""

    choices: Array | None
    thresholds: Array | None
    strides: Array
    scales: Array
    tops: Array


Policy: TypeAlias = Recorded | Random | Table


@dataclass(frozen=True, slots=True)
class Memory:
    """The arrays that a launch reads and writes in place.

    Attributes:
        fields: state and outcome by name, as `hamlet.schema` says: [rows, lanes], [lanes], [rows, worlds] or [worlds].
        mask: bool [actions, lanes].
        observation, final_observation: f32 [rows, lanes]; `None` where nothing is observed.
        as_bytes: whether observations are written as numbers 0 .. 255 (`hamlet.schema.observed`).
        counts: what is counted, by the names of `hamlet.schema.abi`; empty where nothing is.
    """

    fields: Mapping[str, Array]
    mask: Array
    observation: Array | None = None
    final_observation: Array | None = None
    as_bytes: bool = False
    counts: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Moments:
    """Worlds at ticks of their own, one world many times among them, as the worlds of a launch. Each does what it would
    do in its own launch.

    Attributes:
        worlds: i64 [worlds], the number of each among all shards' worlds.
        ticks: i64 [worlds], the ticks of each since the seed was set.
    """

    worlds: Array
    ticks: Array


@dataclass(frozen=True, slots=True)
class Launch:
    """What a launch is given.

    Attributes:
        worlds, agents: how many worlds of how many agents.
        first_world: the number of the first of these worlds among all shards' worlds.
        waits: whether a world whose episode ended shows its end for a tick.
        seed: 0 .. 2**64 - 1.
        tick: ticks since the seed was set.
        moments: of which worlds the worlds of the launch are moments, where they are; with recorded actions alone.
        ticks: of this launch.
        every_tick: whether observations and masks are written after every tick, and last observations at ends.
        policy: whose actions are taken.
        given: by field, f32 [ticks, rows, lanes]: inputs and controls of each tick.
        begins: bool [worlds], the worlds that a reset begins anew.
    """

    worlds: int
    agents: int
    first_world: int = 0
    waits: bool = False
    seed: int = 0
    tick: int = 0
    ticks: int = 1
    every_tick: bool = True
    policy: Policy = Random()
    given: Mapping[str, Array] = field(default_factory=dict)
    begins: Array | None = None
    moments: Moments | None = None

    @property
    def lanes(self) -> int:
        """How many lanes there are."""
        return self.worlds * self.agents

    def counters(self, now: int) -> dict[str, Array]:
        """What random words of a tick of the launch are drawn by, by the names of registers, u32 [lanes]."""
        lanes = np.arange(self.lanes, dtype=np.int64)
        worlds, ticks = lanes // self.agents + self.first_world, np.full(self.lanes, self.tick, np.int64)
        if self.moments is not None:
            worlds, ticks = (np.repeat(each, self.agents) for each in (self.moments.worlds, self.moments.ticks))
        seed = {"seed_low": self.seed, "seed_high": self.seed >> 32}
        return {
            "lane": (worlds * self.agents + lanes % self.agents).astype(np.uint32),
            "world": worlds.astype(np.uint32),
            "tick": (ticks + now).astype(np.uint32),
            **{name: np.full(self.lanes, word & 0xFFFFFFFF, np.uint32) for name, word in seed.items()},
        }
