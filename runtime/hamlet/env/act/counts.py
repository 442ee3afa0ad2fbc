"""Counts of rollouts: uses, ends, lengths and returns of episodes, of all lanes, of worlds and of lanes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch

from hamlet.arguments import flag
from hamlet.backend.buffers import Shape, Statistics, WorldCounts, counted_by_lane
from hamlet.env.act.results import Rollout
from hamlet.errors import EnvError
from hamlet.system import exceeds_memory


@dataclass(frozen=True, slots=True)
class Counting:
    """Makes the counts of an environment's rollouts.

    Attributes:
        affordances: how many its universe has.
        zeroed: makes statistics in which nothing is counted yet.
    """

    shape: Shape
    affordances: int
    device: torch.device
    zeroed: Callable[[], Statistics]

    def begun(self, statistics: Any, per_world: bool, per_lane: int | None) -> Statistics | None:
        """The counts that a rollout adds to, for the arguments of `Env.rollout`; `None` where nothing is counted.

        Raises:
            EnvError: the arguments ask for counts that these statistics lack, or that do not fit.
        """
        if isinstance(statistics, Statistics):
            problem = statistics.misfit(self.zeroed())
            if problem is not None:
                raise EnvError(f"these statistics are of another environment: {problem}")
            if per_world and statistics.worlds is None:
                raise EnvError("these statistics were begun without counts per world: begin with per_world=True")
            if per_lane is not None and (statistics.lanes is None or statistics.lanes.kept != per_lane):
                raise EnvError(f"these statistics were not begun with per_lane={per_lane}, which cannot change later")
            return statistics
        if isinstance(statistics, Rollout):
            raise EnvError("statistics are the counts of a rollout: pass statistics=result.counts")
        if not flag("statistics, where it is not the counts of an earlier rollout,", statistics):
            if per_world or per_lane is not None:
                kind = "world" if per_world else "lane"
                raise EnvError(f"counts per {kind} are part of the statistics: leave out statistics=False")
            return None
        counts = self.zeroed()
        if per_lane is not None:
            counts = self._by_lane(counts, per_lane)
        return replace(counts, worlds=WorldCounts.zeros(self.shape, self.device)) if per_world else counts

    def _by_lane(self, counts: Statistics, per_lane: int) -> Statistics:
        needed = 4 * self.shape.lanes * (self.affordances + 1 + 3 * per_lane)
        problem = f"counts of {self.shape.lanes} lanes with {per_lane} episodes of each need {-(-needed >> 20)} MiB"
        if self.device.type == "cpu" and exceeds_memory(needed):
            raise EnvError(f"{problem}, more memory than this machine has")
        try:
            return counted_by_lane(counts, self.affordances, per_lane)
        except (RuntimeError, MemoryError) as error:
            raise EnvError(f"{problem}, more than is free: keep fewer episodes") from error
