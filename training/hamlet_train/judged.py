"""Sides of an evaluation: policies that play the same worlds, one of each seed, and how they compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hamlet.package.module import Module
from hamlet_train import certainty
from hamlet_train.checkpoint import weights_in
from hamlet_train.evaluate import Episodes, Policies, environment, played, played_by_chance
from hamlet_train.exact.network import Array
from hamlet_train.policy import Policy, read_all, seed_of
from hamlet_train.run import Run
from hamlet_train.variety import Params

ALL = "all"
"""The name of the agents of a universe without roles."""
RANDOM = "random"

ByRole = Mapping[str, Episodes]


@dataclass(frozen=True, slots=True)
class Named:
    """A policy that a user named, with those of its run's further seeds.

    Attributes:
        path: as the user wrote it. runs: the folder of each seed, or the file. policies: of each, by role.
    """

    path: Path
    runs: tuple[Path, ...]
    policies: tuple[Policies, ...]

    @classmethod
    def read(cls, path: Path, module: Module) -> Named:
        """The policies of a run, or in a file.

        Raises:
            TrainError: there is none, or it is for another universe, or a program has to play it.
        """
        seeds = Run(path).seeds
        others = sorted(each for each in seeds.iterdir() if each.is_dir()) if seeds.is_dir() else []
        runs = (path, *others)
        return cls(path, runs, tuple(read_all(each, module) for each in runs))

    @property
    def seed(self) -> int:
        """The last seed of its trainings."""
        return max(seed_of(policy) for each in self.policies for policy in each.values())

    @property
    def going(self) -> tuple[Path, ...]:
        """The checkpoints among its files, of trainings that have not ended."""
        if not self.path.is_dir():
            return ()
        pairs = zip(self.runs, self.policies, strict=True)
        return tuple(
            weights_in(run)
            for run, each in pairs
            if any(isinstance(policy, Policy) and "update" in policy.about for policy in each.values())
        )


@dataclass(frozen=True, slots=True)
class Side:
    """A side: the first episodes by role, of each of its policies."""

    name: str
    groups: tuple[ByRole, ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles, or `ALL` alone."""
        return tuple(self.groups[0])

    def returns(self, role: str) -> list[Array]:
        """The returns of each policy."""
        return [group[role].returns for group in self.groups]

    def lengths(self, role: str) -> list[Array]:
        """The lengths of each policy, in ticks."""
        return [group[role].lengths.astype(np.float64) for group in self.groups]

    def together(self, role: str) -> Episodes:
        """The episodes of all policies."""
        every = [group[role] for group in self.groups]
        lengths, returns, endings = (
            np.concatenate([getattr(each, name) for each in every]) for name in ("lengths", "returns", "endings")
        )
        return Episodes(lengths, returns, endings, every[0].ways)

    def report(self) -> dict[str, Any]:
        """The side for JSON: means with 95 % intervals, and how episodes ended, by role."""
        roles = {}
        for role in self.roles:
            episodes = self.together(role)
            roles[role] = {
                "episodes": len(episodes.lengths),
                "return": asdict(certainty.of_mean(self.returns(role))),
                "length": asdict(certainty.of_mean(self.lengths(role))),
                "ended": episodes.causes,
                "unfinished": episodes.unfinished,
            }
        return {"name": self.name, "policies": len(self.groups), "roles": roles}


@dataclass(frozen=True, slots=True)
class Worlds:
    """The worlds that all sides play."""

    module: Module
    count: int
    agents: int | None
    seed: int
    params: Params | None = None

    def side(self, name: str, policies: Sequence[Policies], threads: int, greedy: bool) -> Side:
        """The first episodes of policies.

        Raises:
            TrainError: the environment observes something else, or has other actions or controls.
        """
        groups = []
        for policy in policies:
            env = environment(self.module, self.count, self.agents, self.seed, params=self.params)
            episodes = played(env, policy, threads, greedy)
            groups.append(episodes.by_role(env) or {ALL: episodes})
        return Side(name, tuple(groups))

    def chance(self) -> Side:
        """The first episodes of random actions."""
        env = environment(self.module, self.count, self.agents, self.seed, params=self.params)
        episodes = played_by_chance(env)
        return Side(RANDOM, (episodes.by_role(env) or {ALL: episodes},))


def improvement(first: Side, second: Side) -> dict[str, certainty.Interval]:
    """By role, the probability that the first one's return is greater, see `certainty.of_improvement`."""
    return {role: certainty.of_improvement(first.returns(role), second.returns(role)) for role in first.roles}


def of_what(first: Side, second: Side) -> str:
    """The scores that are compared: means of seeds where both sides have several, else episodes."""
    return "mean returns of seeds" if min(len(first.groups), len(second.groups)) > 1 else "returns of episodes"
