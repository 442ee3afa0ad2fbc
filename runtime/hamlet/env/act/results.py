"""The results of steps and rollouts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch

from hamlet import html
from hamlet.backend.buffers import LaneCounts, Statistics, WorldCounts
from hamlet.env.act.trajectories import Trajectories
from hamlet.errors import EnvError
from hamlet.universe import Universe

Info: TypeAlias = Mapping[str, torch.Tensor | None]
Stepped: TypeAlias = tuple[torch.Tensor | None, torch.Tensor, torch.Tensor, torch.Tensor, Info]
"""Observation, reward, terminated, truncated, info: see `Env.step`."""

MANY = 8
"""Affordances that a table in a notebook names."""

LIFESPAN = "lifespan"
"""The name under which episodes that ended at the lifespan are counted."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """The result of a rollout: its number of ticks, and statistics over all lanes.

    `statistics` stay on their device, so that `Env.rollout` need not wait for the device; the methods below fetch them.
    `statistics` is `None` if the rollout was called with `statistics=False`, and `seen` without `watch`.
    """

    universe: Universe
    ticks: int
    statistics: Statistics | None
    seen: Trajectories | None = None

    @property
    def counts(self) -> Statistics:
        """The statistics.

        Raises:
            EnvError: the rollout was called with `statistics=False`.
        """
        if self.statistics is None:
            raise EnvError("this rollout counted nothing: call rollout(..., statistics=True)")
        return self.statistics

    def episodes(self) -> int:
        """The number of episodes that lanes finished."""
        return int(self.counts.causes.sum())

    def causes(self) -> dict[str, int]:
        """The number of finished episodes by how they ended: a cause of death as the author wrote it, or `lifespan`."""
        counts = self.counts.causes.tolist()
        names = [cause.name for cause in self.universe.causes]
        if self.universe.lifespan is not None:
            names.append(LIFESPAN)
        return dict(zip(names, counts, strict=False))

    def uses(self) -> dict[str, int]:
        """The number of ticks in which an agent used each affordance; those of copies are added up."""
        names = [affordance.copy_of or affordance.name for affordance in self.universe.affordances]
        uses = dict.fromkeys(names, 0)
        for name, count in zip(names, self.counts.uses.tolist(), strict=True):
            uses[name] += count
        return uses

    def lengths(self) -> list[int]:
        """The number of finished episodes by length in ticks; the last entry counts all longer ones too."""
        lengths: list[int] = self.counts.lengths.tolist()
        return lengths

    def mean_return(self) -> float:
        """The mean return of the finished episodes, the same number on every backend; NaN if there are none."""
        episodes = self.episodes()
        return math.fsum(self.counts.finished_return.tolist()) / episodes if episodes else math.nan

    def mean_length(self) -> float:
        """The mean length of the finished episodes in ticks; NaN if there are none."""
        lengths = self.lengths()
        episodes = sum(lengths)
        return sum(ticks * count for ticks, count in enumerate(lengths)) / episodes if episodes else math.nan

    def world_episodes(self) -> torch.Tensor:
        """[worlds] i64: the number of episodes that the agents of each world finished, as `episodes` counts them.

        Raises:
            EnvError: the rollout was called without `per_world=True`; the methods below raise it too.
        """
        return self._worlds.episodes

    def world_mean_return(self) -> torch.Tensor:
        """[worlds] f64: the mean return of the finished episodes of each world; NaN if there are none."""
        episodes = self._worlds.episodes
        returns = self.counts.finished_return.to(torch.float64).view(len(episodes), -1).sum(dim=1)
        return returns / episodes

    def world_mean_length(self) -> torch.Tensor:
        """[worlds] f64: the mean length of the finished episodes of each world in ticks; NaN if none ended. The episode
        of a world ends when none of its agents is alive. In worlds of several agents, only `lengths` counts the
        episodes of single agents, over all worlds.

        Raises:
            EnvError: the universe has `episodes by hand`, so its worlds do not end episodes by themselves.
        """
        if self.universe.by_hand:
            raise EnvError(f"worlds of {self.universe.name} start anew by hand only: lengths() has those of its agents")
        return self._worlds.ticks.to(torch.float64) / self._worlds.ended

    def gathered(self) -> Rollout:
        """The counts of all ranks of `torchrun` together, on every rank: the same bits as a rollout of one process with
        all worlds. Every rank must call this.

        Raises:
            EnvError: the rollout was called with `statistics=False`, or the other ranks cannot be reached.

        Example:
            part = hamlet.make(universe, worlds=1000, shard="torchrun", quiet=True)
            print(part.rollout(500).gathered().mean_return())
        """
        return replace(self, statistics=self.counts.gathered())

    @property
    def trajectories(self) -> Trajectories:
        """The trajectories of the lanes that were watched, tick by tick, see
        `hamlet.env.act.trajectories.Trajectories`.

        Raises:
            EnvError: the rollout was called without `watch`.
        """
        if self.seen is None:
            raise EnvError("this rollout watched no lanes: call rollout(..., watch=[0, 1])")
        return self.seen

    @property
    def lanes(self) -> LaneCounts:
        """The counts of each lane, see `hamlet.backend.buffers.LaneCounts`.

        Raises:
            EnvError: the rollout was called without `per_lane`.
        """
        if self.counts.lanes is None:
            raise EnvError("this rollout did not count per lane: call rollout(..., per_lane=16)")
        return self.counts.lanes

    def __repr__(self) -> str:
        if self.statistics is None:
            return f"Rollout({self.universe.name}, ticks={self.ticks}, nothing counted)"
        return (
            f"Rollout({self.universe.name}, ticks={self.ticks}, episodes={self.episodes()}, "
            f"mean_length={self.mean_length():.6g}, mean_return={self.mean_return():.6g})"
        )

    def _repr_html_(self) -> str:
        rows = {"ticks": f"{self.ticks:,}"}
        if self.statistics is not None:
            most = sorted(self.uses().items(), key=lambda item: -item[1])[:MANY]
            rows |= {
                "episodes": f"{self.episodes():,}",
                "mean length, mean return": f"{self.mean_length():.6g}, {self.mean_return():.6g}",
                "ended by": ", ".join(f"{name}: {count:,}" for name, count in self.causes().items()),
                "used most": ", ".join(f"{name}: {count:,}" for name, count in most),
            }
        return html.table(f"Rollout of {self.universe.name}", rows)

    @property
    def _worlds(self) -> WorldCounts:
        if self.counts.worlds is None:
            raise EnvError("this rollout did not count per world: call rollout(..., per_world=True)")
        return self.counts.worlds
