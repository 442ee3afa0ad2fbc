"""The worlds that rank the candidates of a tuning, and how these fare there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet_train import certainty
from hamlet_train.certainty import Interval
from hamlet_train.draws import evaluation_seed
from hamlet_train.evaluate import Episodes, environment, played, played_by_chance
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
    """

    module: Module
    count: int
    agents: int
    seed: int
    params: tuple[str, ...]
    ticks: int
    measure: str
    threads: int

    @classmethod
    def of(cls, module: Module, manifest: Manifest, measure: str, threads: int) -> Worlds:
        """The worlds for trainings with such a manifest."""
        lifespan, agents = module.universe.lifespan, manifest.agents
        longest = LONGEST if lifespan is None else min(lifespan.ticks, 10 * LONGEST)
        seed = evaluation_seed(manifest.seed)
        return cls(module, -(-EPISODES // agents), agents, seed, manifest.params, longest, measure, threads)

    def here(self) -> Env:
        """The worlds at their beginning."""
        params = params_of(self.params, self.module.universe)
        return environment(self.module, self.count, self.agents, self.seed, params=params)

    def mean(self, episodes: Episodes) -> Interval:
        """The mean of what is ranked by."""
        numbers = episodes.returns if self.measure == "return" else episodes.lengths.astype(np.float64)
        return certainty.of_mean([numbers])

    def score(self, training: Training, ticks: int) -> Score:
        """How the policies of a training fare."""
        episodes = played(self.here(), training.policies(), self.threads, ticks=self.ticks)
        return Score(training.update, ticks, self.mean(episodes))

    def fresh(self, seed: int) -> Worlds:
        """Other worlds, in which nobody was ranked."""
        return replace(self, seed=seed, count=-(-FRESH // self.agents))

    def references(self, tell: Tell) -> dict[str, Interval]:
        """How those fare who learn nothing: random actions, and the best single action."""
        chance = played_by_chance(self.here(), self.ticks)
        action, alone = best_alone(self.here, self.ticks, tell)
        every = [np.concatenate([getattr(each, name) for each in alone.values()]) for name in ("lengths", "returns")]
        single = replace(chance, lengths=every[0], returns=every[1])
        return {"random actions": self.mean(chance), f"{action} all the time": self.mean(single)}
