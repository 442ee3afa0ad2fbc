"""How good a policy is while it learns: its first episodes in fixed worlds of its own, every so many updates.

The episodes that end in an update say little about that. The worlds of a training begin at the same tick, so what ends
first are the lives of those that died young, and what is left are long ones. An evaluation counts all first episodes of
worlds that no training has, the same ones each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.universe import Universe
from hamlet_train.draws import evaluation_seed
from hamlet_train.evaluate import MOST_TICKS, Episodes, Networks, environment, played, played_by_chance, rolls
from hamlet_train.exact.network import Array, Network
from hamlet_train.kinds import begin_in, by_number, stages_of
from hamlet_train.variety import Params

AGENTS, WORLDS = (50, 200), (8, 32)
"""The agents of an evaluation and the worlds that they are in: at least, in short trainings, and enough of them. Where
worlds have many agents there are as many worlds, for these agents fare alike."""

LONGEST = 1_000
"""Ticks after which an episode counts as it is, in a universe without a lifespan."""

SHARE = 0.11
"""How many agent-ticks all evaluations have for each one of the training: less than 2% of its time."""

LAUNCH, STEP = 64, 80
"""With how many more agents a tick of an evaluation would take twice the time that it takes anyway: one in a launch of
many ticks, and a step."""

SHORT = 1_000_000
"""Evaluations of a training of fewer agent-ticks, which lasts seconds, have as many as those of this one: a tenth of a
second altogether."""

POINTS = 10
"""Evaluations after the first one, which come before evaluations have more agents."""

LEAST, MOST = 3, 50
"""Evaluations after the first one, in short trainings and in long ones."""

RANDOM, TRAINED = "random", "trained"


@dataclass(frozen=True, slots=True)
class Middle:
    """The mean of numbers, rounded once, and those of them at which a quarter and three quarters lie below."""

    mean: float
    lower: float
    upper: float

    @classmethod
    def of(cls, numbers: Array) -> Middle:
        """That of [numbers], at least one."""
        lower, upper = np.quantile(numbers, (0.25, 0.75), method="nearest").tolist()
        return cls(math.fsum(numbers.tolist()) / len(numbers), float(lower), float(upper))

    @classmethod
    def read(cls, said: dict[str, Any]) -> Middle:
        """From JSON."""
        return cls(float(said["mean"]), float(said["lower"]), float(said["upper"]))


@dataclass(frozen=True, slots=True)
class Fared:
    """How the agents of a role fared, or all agents where `role` is `None`.

    Attributes:
        episodes: how many are counted. unfinished: how many of them had not ended, and count as they were.
        length: in ticks. returned: returns.
    """

    role: str | None
    episodes: int
    unfinished: int
    length: Middle
    returned: Middle

    @classmethod
    def of(cls, role: str | None, episodes: Episodes) -> Fared:
        """The summary of episodes."""
        lengths, returns = Middle.of(episodes.lengths), Middle.of(episodes.returns)
        return cls(role, len(episodes.lengths), episodes.unfinished, lengths, returns)

    @classmethod
    def read(cls, said: dict[str, Any]) -> Fared:
        """From JSON.

        Raises:
            TypeError, ValueError, KeyError: it says something else.
        """
        role, length, returned = said["role"], Middle.read(said["length"]), Middle.read(said["returned"])
        return cls(
            None if role is None else str(role), int(said["episodes"]), int(said["unfinished"]), length, returned
        )


@dataclass(frozen=True, slots=True)
class Kind:
    """How agents fared in worlds of a kind (`hamlet_train.kinds`): those of a stage, or with some numbers of a param.

    Attributes:
        name: `stage far`, `growth 0.1 .. 0.17`.
        fared: of each role, or of all agents.
    """

    name: str
    fared: tuple[Fared, ...]

    @classmethod
    def read(cls, said: dict[str, Any]) -> Kind:
        """From JSON.

        Raises:
            TypeError, ValueError, KeyError: it says something else.
        """
        return cls(str(said["name"]), tuple(map(Fared.read, said["fared"])))


@dataclass(frozen=True, slots=True)
class Evaluated:
    """An evaluation in numbers.

    Attributes:
        policy: "trained", or "random" for that of random actions.
        update, ticks: the updates and agent-ticks of the training before it.
        fared: of each role, or of all agents.
        kinds: the same in worlds of each kind, where there are several.
    """

    policy: str
    update: int
    ticks: int
    fared: tuple[Fared, ...]
    kinds: tuple[Kind, ...] = ()

    @classmethod
    def read(cls, said: dict[str, Any]) -> Evaluated:
        """From JSON.

        Raises:
            TypeError, ValueError, KeyError: it says something else.
        """
        if said["policy"] not in (RANDOM, TRAINED) or not said["fared"]:
            raise ValueError("an evaluation is of random actions or of a policy")
        fared, kinds = tuple(map(Fared.read, said["fared"])), tuple(map(Kind.read, said.get("kinds", ())))
        return cls(said["policy"], int(said["update"]), int(said["ticks"]), fared, kinds)


def of_chance(evaluations: Iterable[Evaluated]) -> Evaluated | None:
    """The one of random actions; `None` where there is none."""
    return next((each for each in evaluations if each.policy == RANDOM), None)


def trained(evaluations: Iterable[Evaluated]) -> list[Evaluated]:
    """Evaluations of the policy that learns, in their order."""
    return [each for each in evaluations if each.policy == TRAINED]


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of evaluations: which worlds, and when; it follows from the sizes of a training alone.

    Attributes:
        worlds, agents: of an evaluation; in each world.
        ticks: after which episodes are no longer waited for.
        every: updates from one evaluation to the next; there is one before the first update, and one after the last.
    """

    worlds: int
    agents: int
    ticks: int
    every: int

    @classmethod
    def of(cls, universe: Universe, networks: Sequence[Network], agents: int, updates: int, ticks: int) -> Plan:
        """The plan for a training of so many updates and agent-ticks, of a network for each crew."""
        longest = LONGEST if universe.lifespan is None else min(universe.lifespan.ticks, MOST_TICKS)
        extra = LAUNCH if all(map(rolls, networks)) else STEP
        plays = 1 + len(stages_of(universe))
        episodes = int(SHARE * max(ticks, SHORT)) // longest // plays
        few, enough = (max(-(-each // agents), worlds) for each, worlds in zip(AGENTS, WORLDS, strict=True))
        worlds = min(max((episodes // (min(POINTS, updates) + 1) - extra) // agents, few), enough)
        count = min(max(episodes // (worlds * agents + extra) - 1, LEAST), MOST)
        return cls(worlds, agents, longest, -(-updates // count))

    def due(self, update: int, updates: int) -> bool:
        """Whether there is an evaluation after an update, of so many."""
        return update % self.every == 0 or update == updates


class Evaluation:
    """Evaluates networks in training. It draws from a seed of its own, and leaves the training as it is."""

    def __init__(self, module: Module, plan: Plan, seed: int, threads: int, params: Params | None = None) -> None:
        """`seed` is that of the training, `params` are those of its worlds."""
        self.plan = plan
        self._threads = threads
        self._seed = evaluation_seed(seed)
        self._params = params or {}
        self._env = environment(module, plan.worlds, plan.agents, self._seed, params=params)

    def by_chance(self) -> Evaluated:
        """Random actions in the same worlds."""
        return self._evaluated(RANDOM, 0, 0, lambda env: played_by_chance(env, self.plan.ticks))

    def of(self, policies: Networks, update: int, ticks: int) -> Evaluated:
        """The networks as they are after so many updates and agent-ticks."""
        return self._evaluated(
            TRAINED, update, ticks, lambda env: played(env, policies, self._threads, ticks=self.plan.ticks)
        )

    def _evaluated(self, who: str, update: int, ticks: int, play: Callable[[Env], Episodes]) -> Evaluated:
        env = self._env
        env.reset(seed=self._seed)
        numbers = by_number(env, self._params)
        whole = play(env)
        kinds = [Kind(name, self._fared(whole, np.repeat(worlds, env.num_agents))) for name, worlds in numbers.items()]
        for stage in stages_of(env.universe):
            env.reset(seed=self._seed)
            begin_in(env, stage)
            kinds.append(Kind(f"stage {stage}", self._fared(play(env))))
        return Evaluated(who, update, ticks, self._fared(whole), tuple(kinds))

    def _fared(self, episodes: Episodes, lanes: Array | None = None) -> tuple[Fared, ...]:
        """How agents fared, of all lanes or of these."""
        among = np.ones(self._env.num_lanes, np.bool_) if lanes is None else lanes
        roles = {name: each.lanes.numpy() for name, each in self._env.roles.items()}
        if not roles:
            return (Fared.of(None, episodes.of(among)),)
        return tuple(Fared.of(name, episodes.of(mine[among[mine]])) for name, mine in roles.items())
