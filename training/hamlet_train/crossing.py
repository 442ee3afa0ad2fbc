"""Policies against each other: how a role fares with each of them, beside each of the others; and ratings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hamlet.package.module import Module
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import (
    MOST_TICKS,
    Policies,
    chooser,
    environment,
    first_episodes,
    played,
    played_by_chance,
)
from hamlet_train.exact.network import Array
from hamlet_train.policy import Policy, kind_of
from hamlet_train.variety import Params

RANDOM = "random"
NORMAL = 1.96
"""Standard errors from a mean to the ends of the interval that has 95 of 100 means (normal distribution)."""
ROUNDS = 500
"""Steps of the fit of ratings."""
FIRST, SCALE = 1000.0, 400.0 / math.log(10.0)
"""The rating of random actions; a difference of 400 is odds of ten to one (A. Elo, 1978)."""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean return of a role, and half of its interval of 95 %: worlds are independent, agents of one are not."""

    value: float
    half: float

    @classmethod
    def of(cls, by_world: Array) -> Mean:
        """That of the means of worlds."""
        count = len(by_world)
        spread = float(np.std(by_world, ddof=1)) if count > 1 else math.nan
        return cls(math.fsum(by_world.tolist()) / count, NORMAL * spread / math.sqrt(count))


@dataclass(frozen=True, slots=True)
class Arena:
    """The worlds in which policies meet, the same ones each time.

    Attributes:
        module, agents, seed: of the worlds. worlds: how many.
        threads: by how many threads policies act.
        greedy: whether they take their likeliest actions.
        ticks: after which episodes are no longer waited for.
        params: of the worlds.
    """

    module: Module
    worlds: int
    agents: int
    seed: int
    threads: int
    greedy: bool = False
    ticks: int = MOST_TICKS
    params: Params | None = None

    @property
    def roles(self) -> tuple[str | None, ...]:
        """The roles, or `None` for all agents where there are none."""
        return tuple(role.name for role in self.module.universe.roles or ()) or (None,)

    def returns(self, role: str | None, its: Policies | None, others: Policies | None) -> Array:
        """[worlds] f64: the mean return of the agents of a role, which has its policy of the first side, beside other
        roles with theirs of the second side. `None` is a side that acts at random.

        Raises:
            TrainError: a policy does not fit.
        """
        # All by steps: sums of rewards are then rounded alike, and equal lives have equal returns.
        env = environment(self.module, self.worlds, self.agents, self.seed, params=self.params)
        if role is None:
            mixed = dict(its or {})
        else:
            mixed = {name: each for name in env.roles if (each := of_role(its if name == role else others, name))}
        networks = {name: each for name, each in mixed.items() if isinstance(each, Policy)}
        if len(networks) < len(mixed):
            episodes = played(env, mixed, self.threads, self.greedy, self.ticks)
        elif networks or (role is not None and not env.num_controls):
            episodes = first_episodes(env, chooser(env, networks, self.threads, self.greedy), self.ticks)
        else:
            episodes = played_by_chance(env, self.ticks)
        lanes = slice(None) if role is None else env.roles[role].lanes.numpy()
        by_world: Array = episodes.returns[lanes].reshape(self.worlds, -1).mean(axis=1)
        return by_world


def of_role(side: Policies | None, role: str) -> Policy | None:
    """The policy with which a side plays a role: that of the role, or one that all roles share."""
    policy = None if side is None else side.get(role, side.get(None))
    if policy is not None and not isinstance(policy, Policy):
        raise TrainError(f"{kind_of(policy)} plays whole universes, and no single role")
    return policy


def crossed(arena: Arena, sides: Mapping[str, Policies]) -> dict[str | None, dict[tuple[str, str], Mean]]:
    """By role, how it fares with the policy of the first named side, or at random, beside others of the second one."""
    tables: dict[str | None, dict[tuple[str, str], Mean]] = {}
    for role in arena.roles:
        beside = sides if role is not None and len(arena.roles) > 1 else {RANDOM: None}
        tables[role] = {
            (own, other): Mean.of(arena.returns(role, sides.get(own), sides.get(other)))
            for own in (*sides, RANDOM)
            for other in beside
        }
    return tables


def rated(arena: Arena, contestants: Sequence[Policies]) -> dict[str | None, list[float]]:
    """By role, the rating of each contestant. One beats another in a world, beside the same others in it, where the
    role returns more; random actions are rated too, and have `FIRST`."""
    ratings: dict[str | None, list[float]] = {}
    sides: list[Policies | None] = [None, *contestants]
    for role in arena.roles:
        others = sides if len(arena.roles) > 1 else [None]
        returns = np.stack([np.concatenate([arena.returns(role, own, other) for other in others]) for own in sides])
        wins = np.array([[np.mean((a > b) + 0.5 * (a == b)) for b in returns] for a in returns])
        ratings[role] = fitted(wins * returns.shape[1])[1:]
    return ratings


def fitted(wins: Array) -> list[float]:
    """Ratings of contestants by the model of R. Bradley and M. Terry (1952), whose strengths D. Hunter's steps (2004)
    find; `wins` [n, n] are how often each has beaten each. Everyone has half a win against everyone in advance, so that
    ratings are finite. The first one is rated `FIRST`."""
    count = len(wins)
    counted = wins + 0.5
    np.fill_diagonal(counted, 0.0)
    games, strengths = counted + counted.T, np.ones(count)
    for _ in range(ROUNDS):
        strengths = counted.sum(axis=1) / (games / (strengths[:, None] + strengths[None, :])).sum(axis=1)
        strengths = strengths / strengths[0]
    return [FIRST + SCALE * math.log(each) for each in strengths.tolist()]
