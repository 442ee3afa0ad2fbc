"""The worlds that rank the candidates of a tuning, and how these fare there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.schema.roles import members
from hamlet_train import certainty
from hamlet_train.certainty import Interval
from hamlet_train.draws import evaluation_seed
from hamlet_train.evaluate import Episodes, Networks, environment, played, played_by_chance
from hamlet_train.evaluation import LONGEST
from hamlet_train.learning import Training
from hamlet_train.report.studied import best_alone
from hamlet_train.run import Manifest
from hamlet_train.variety import params_of

EPISODES = 400
"""Agents, about, whose first episodes rank candidates."""
MEASURES = ("return", "length")
FRESH = 1000
"""The same, of worlds that ranked nobody."""
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Score:
    """The mean of what candidates are ranked by, of first episodes in the worlds that rank all of them."""

    update: int
    ticks: int
    mean: Interval

    @property
    def value(self) -> float:
        """The mean; a training that diverged is worse than all others."""
        return -math.inf if math.isnan(self.mean.value) else self.mean.value


@dataclass(frozen=True, slots=True)
class Worlds:
    """The worlds that rank candidates, the same ones each time, which no training has.

    Attributes:
        ticks: after which episodes are no longer waited for. measure: `return` or `length`.
        role: the one whose agents are ranked; `None` where these are all. opponents: the policies of the other roles.
    """

    module: Module
    count: int
    agents: int
    seed: int
    params: tuple[str, ...]
    ticks: int
    measure: str
    threads: int
    role: str | None = None
    opponents: Networks = field(default_factory=dict)

    @classmethod
    def of(cls, module: Module, manifest: Manifest, measure: str, threads: int, opponents: Networks) -> Worlds:
        """The worlds for trainings with such a manifest."""
        lifespan, agents = module.universe.lifespan, manifest.agents
        longest = LONGEST if lifespan is None else min(lifespan.ticks, 10 * LONGEST)
        seed, role = evaluation_seed(manifest.seed), None
        if opponents:
            role = next(each.name for each in module.universe.roles or () if each.name not in opponents)
        made = cls(module, 1, agents, seed, manifest.params, longest, measure, threads, role, opponents)
        return replace(made, count=-(-EPISODES // made.ranked))

    @property
    def ranked(self) -> int:
        """How many agents of a world are ranked."""
        role = next((each for each in self.module.universe.roles or () if each.name == self.role), None)
        return self.agents if role is None else len(members(role, self.agents))

    def here(self) -> Env:
        """The worlds at their beginning."""
        params = params_of(self.params, self.module.universe)
        return environment(self.module, self.count, self.agents, self.seed, params=params)

    def _mean(self, env: Env, episodes: Episodes) -> Interval:
        """The mean of what is ranked by."""
        if self.role is not None:
            episodes = episodes.by_role(env)[self.role]
        numbers = episodes.returns if self.measure == "return" else episodes.lengths.astype(np.float64)
        return certainty.of_mean([numbers])

    def score(self, training: Training, ticks: int) -> Score:
        """How the policies of a training fare."""
        env = self.here()
        episodes = played(env, training.policies(), self.threads, ticks=self.ticks)
        return Score(training.update, ticks, self._mean(env, episodes))

    def by_chance(self) -> Interval:
        """How random actions fare, beside the opponents; of a universe with controls beside random ones."""
        env = self.here()
        if not self.opponents or env.num_controls:
            return self._mean(env, played_by_chance(env, self.ticks))
        return self._mean(env, played(env, self.opponents, self.threads, ticks=self.ticks))

    def fresh(self, seed: int) -> Worlds:
        """Other worlds, in which nobody was ranked."""
        return replace(self, seed=seed, count=-(-FRESH // self.ranked))

    def references(self, tell: Tell) -> dict[str, Interval]:
        """How those fare who learn nothing: random actions and, without opponents, the best single action."""
        chance = {"random actions": self.by_chance()}
        if self.opponents:
            return chance
        env = self.here()
        action, alone = best_alone(self.here, self.ticks, tell)
        lengths = np.concatenate([each.lengths for each in alone.values()])
        returns = np.concatenate([each.returns for each in alone.values()])
        single = Episodes(lengths, returns, np.zeros(0, np.int64), ())
        return chance | {f"{action} all the time": self._mean(env, single)}
