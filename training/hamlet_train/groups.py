"""Lanes cut into groups by their global numbers: what is computed per group is the same, whoever computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hamlet.errors import EnvError
from hamlet_train.exact.network import Array

LANES = 64
"""A group has as many whole worlds as fit into so many lanes, at least one."""
FEWEST = 16
"""Groups of a training of several crews that are not made fewer for the sake of the smallest one."""


@dataclass(frozen=True, slots=True)
class Share:
    """The groups first .. end - 1 and their worlds, which one process has."""

    groups: Groups
    first: int
    end: int

    @property
    def first_world(self) -> int:
        return self.first * self.groups.worlds_each

    @property
    def worlds(self) -> int:
        return min(self.end * self.groups.worlds_each, self.groups.worlds) - self.first_world

    @property
    def lanes(self) -> int:
        return self.worlds * self.groups.agents

    @property
    def count(self) -> int:
        return self.end - self.first

    @property
    def bounds(self) -> Array:
        """[groups + 1] i64: the first lane of each group, counted within this share, and the number of lanes."""
        each = self.groups.worlds_each * self.groups.agents
        return np.minimum(np.arange(self.count + 1, dtype=np.int64) * each, self.lanes)


@dataclass(frozen=True, slots=True)
class Groups:
    """How all worlds of a training are cut.

    Attributes:
        worlds, agents: of all processes together; in each world.
        cut: worlds of a group; `None`: as many as fit.
    """

    worlds: int
    agents: int
    cut: int | None = None

    @property
    def worlds_each(self) -> int:
        """Worlds of a group; the last one may have fewer."""
        return max(LANES // self.agents, 1) if self.cut is None else self.cut

    @property
    def count(self) -> int:
        """The number of groups."""
        return -(-self.worlds // self.worlds_each)

    @classmethod
    def of_crews(cls, worlds: int, crews: Sequence[int]) -> tuple[Groups, ...]:
        """How the lanes of crews are cut, each of which has so many agents in a world: at the same worlds. The smallest
        crew fills a group where there are worlds enough for `FEWEST` groups."""
        if len(crews) == 1:
            return (cls(worlds, crews[0]),)
        cut = max(min(LANES // min(crews), worlds // FEWEST), LANES // sum(crews), 1)
        return tuple(cls(worlds, agents, cut) for agents in crews)

    def share(self, rank: int, ranks: int) -> Share:
        """The groups of a process.

        Raises:
            EnvError: there are fewer groups than processes.
        """
        if ranks > self.count:
            each = f"{self.worlds_each} world{'s' * (self.worlds_each > 1)}"
            raise EnvError(
                f"{self.worlds} worlds are {self.count} groups of {each}, too few for {ranks} processes: "
                "take more worlds, or fewer processes"
            )
        return Share(self, self.count * rank // ranks, self.count * (rank + 1) // ranks)
