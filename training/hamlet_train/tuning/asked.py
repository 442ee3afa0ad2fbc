"""A tuning before it begins: what a user asks, made into candidates and a ladder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from hamlet.env.make import checked_shape
from hamlet.package.module import Module
from hamlet_train.beside import opponents_of
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Networks
from hamlet_train.run import Manifest, Run, open_universe, versions
from hamlet_train.settings import Settings
from hamlet_train.tuning import population
from hamlet_train.tuning.budget import Budget
from hamlet_train.tuning.halving import Halving
from hamlet_train.tuning.population import Population
from hamlet_train.tuning.rungs import WORLDS, Rungs, sizes
from hamlet_train.tuning.search import Candidate, Search, check_one_crew, entrants, seconds_of
from hamlet_train.tuning.shelf import Shelf
from hamlet_train.tuning.space import Space, candidates
from hamlet_train.tuning.worlds import Tell, Worlds
from hamlet_train.variety import params_of

MEASURED = 5
"""Candidates by which time is measured."""
SPENT = 0.8
"""Of the time that trainings take: the rest is that of evaluations."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of a user; `None` where nothing was said.

    Attributes:
        usual: the settings of the first candidate, which others differ from by what they draw of `space`.
        measure: the mean by which candidates are ranked, `return` or `length`.
        population: how many members learn side by side, in place of candidates of which fewer and fewer learn.
        opponents: how other roles play, as `train` is told.
        digest: of the universe, of a tuning that goes on. digests: the SHA-256 of its opponents, by role.
    """

    universe: Path
    budget: Budget
    candidates: int | None
    worlds: int | None
    agents: int | None
    seed: int
    usual: Settings
    space: Space
    params: tuple[str, ...]
    shared: bool
    measure: str
    threads: int
    population: int | None = None
    opponents: tuple[str, ...] = ()
    digest: str | None = None
    digests: Mapping[str, str] = field(default_factory=dict)

    def search(self, shelf: Shelf, tell: Tell) -> Search:
        """The tuning, of which the shelf may have a part.

        Raises:
            TrainError: the budget is too small, or several roles would learn, or nothing can be trained; or the shelf
                is that of another version of the universe.
            CompileError: the universe cannot be read or has errors, or a param is none of it.
            EnvError: it cannot have so many agents.
        """
        module = open_universe(self.universe)
        if self.digest is not None and self.digest != module.digest:
            raise TrainError(
                f"{shelf.folder.parent} tunes for another universe than {self.universe}, or another version of it"
            )
        agents = checked_shape(module.universe, self.worlds or WORLDS[-1], self.agents, 0).agents
        opponents = self._opponents(module, shelf)
        check_one_crew(module, agents, self.shared, opponents)
        params_of(self.params, module.universe)
        ticks = self.budget.ticks if self.budget.ticks is not None else self._ticks(module, agents, opponents, tell)
        count, worlds = self._sizes(ticks, agents)
        entered = self._entered(module, agents, opponents, count, worlds, ticks)
        ranking = Worlds.of(module, entered[0].manifest, self.measure, self.threads, opponents)
        all_ = module, self._rungs(ticks, len(entered)), entered, ranking, shelf, self.threads, self.opponents
        return Halving(*all_) if self.population is None else Population(*all_, space=self.space)

    def _opponents(self, module: Module, shelf: Shelf) -> Networks:
        if self.digest is None:
            return opponents_of(self.opponents, module)
        return Run(shelf.folder).opponents(module, self.digests)

    def _rungs(self, ticks: int, count: int) -> Rungs:
        return Rungs.of(ticks, count) if self.population is None else population.rounds_of(ticks, count)

    def _sizes(self, ticks: int, agents: int) -> tuple[int, int]:
        if self.population is not None:
            worlds = population.sizes(ticks, agents, self.population, self.worlds, self.usual.horizon)
            return self.population, worlds
        longest = max(self.space.get("horizon", (self.usual.horizon,)))
        return sizes(ticks, agents, self.candidates, self.worlds, longest)

    def _entered(
        self, module: Module, agents: int, opponents: Networks, count: int, worlds: int, ticks: int
    ) -> tuple[Candidate, ...]:
        settings = candidates(count, self.seed, self.space, self.usual)
        usual = Manifest(
            universe=module.name,
            digest=module.digest,
            source=str(self.universe),
            command=(),
            versions=versions(),
            worlds=worlds,
            agents=agents,
            seed=self.seed,
            ticks=ticks,
            settings=self.usual,
            shared=self.shared or not module.universe.roles,
            params=self.params,
            opponents={str(role): policy.digest() for role, policy in opponents.items()},
        )
        return entrants(usual, settings, self._rungs(ticks, len(settings)).ticks[-1])

    def _ticks(self, module: Module, agents: int, opponents: Networks, tell: Tell) -> int:
        """The agent-ticks that this machine trains in the budget's seconds: at first by a guess of how many worlds
        there will be, then by these."""
        begin, seconds = monotonic(), self.budget.seconds or 0.0
        worlds, ticks = self.worlds or WORLDS[-1], 0
        for _ in range(2):
            count = self.population or self.candidates or MEASURED
            some = self._entered(module, agents, opponents, count, worlds, 1)[:MEASURED]
            each = seconds_of(module, some, self.threads, tell, opponents)
            ticks = int((SPENT * seconds - (monotonic() - begin)) / each)
            if ticks <= 0:
                raise TrainError("the budget is over before a candidate is measured: take a longer one")
            _, worlds = self._sizes(ticks, agents)
        return ticks
