"""Trainings of all candidates, halved: each learns to the end of a rung, and those that return most go on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

import numpy as np

from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet_train import certainty, checkpoint
from hamlet_train.certainty import Interval
from hamlet_train.crews import crew_sizes
from hamlet_train.draws import evaluation_seed
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Episodes, environment, played, played_by_chance
from hamlet_train.evaluation import LONGEST, Evaluated, Evaluation, Plan
from hamlet_train.learning import Training
from hamlet_train.ppo import Progress
from hamlet_train.ranks import Ranks
from hamlet_train.report.studied import best_alone
from hamlet_train.run import Manifest
from hamlet_train.settings import Settings
from hamlet_train.training import begun, evaluation_of, plan_of
from hamlet_train.tuning.rungs import Rungs
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


@dataclass(slots=True)
class Candidate:
    """A candidate: the training that it is, and how that went so far.

    Attributes:
        number: 0 is the one of the defaults.
        lines, evaluations: as the folder of a run has them.
        scores: at the end of each rung that it has learnt on.
    """

    number: int
    manifest: Manifest
    lines: list[Progress] = field(default_factory=list)
    evaluations: list[Evaluated] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)

    @property
    def order(self) -> tuple[int, float, int]:
        """The place in a ranking, best first: who learnt longer, then who has the greater mean."""
        return -len(self.scores), -self.scores[-1].value if self.scores else math.inf, self.number


Ended = Callable[[int, Sequence[Candidate]], None]


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


@dataclass(frozen=True, slots=True)
class Halving:
    """A tuning: candidates and the ladder on which they learn; `folder` is for their checkpoints, since few of them fit
    into memory together."""

    module: Module
    rungs: Rungs
    candidates: tuple[Candidate, ...]
    worlds: Worlds
    folder: Path
    threads: int
    evaluations: dict[Plan, Evaluation] = field(default_factory=dict)

    def climb(self, tell: Tell, ended: Ended) -> list[Candidate]:
        """All candidates, the best one first, after all trainings. `tell` is told who learns now, `ended` the ranking
        at the end of each rung.

        Raises:
            TrainError: the universe cannot be trained on.
        """
        going: Sequence[Candidate] = self.candidates
        for rung, count in enumerate(self.rungs.counts):
            going = sorted(going, key=lambda each: each.order)[:count]
            for place, each in enumerate(going, 1):
                tell(f"rung {rung + 1} of {len(self.rungs.counts)}: candidate {place} of {count}")
                self._learn(each, rung)
            ended(rung, sorted(self.candidates, key=lambda each: each.order))
        return sorted(self.candidates, key=lambda each: each.order)

    def opened(self, candidate: Candidate) -> Training:
        """The training of a candidate, as far as it is."""
        training = begun(self.module, candidate.manifest, Ranks(), self.threads)
        if candidate.scores:
            checkpoint.load(self.saved(candidate), training)
        return training

    def saved(self, candidate: Candidate) -> Path:
        """The file with the checkpoint of a candidate."""
        return self.folder / f"{candidate.number:08}.safetensors"

    def _learn(self, candidate: Candidate, rung: int) -> None:
        training, manifest = self.opened(candidate), candidate.manifest
        plan = plan_of(self.module, manifest, training)
        if plan not in self.evaluations:
            self.evaluations[plan] = evaluation_of(self.module, manifest, plan, self.threads)
        evaluation = self.evaluations[plan]
        if not candidate.evaluations:
            candidate.evaluations += [evaluation.by_chance(), evaluation.of(training.policies(), 0, 0)]
        end = self.rungs.updates(rung, manifest.updates)
        while training.update < end:
            lines = training.advance()
            candidate.lines += lines
            if plan.due(training.update, manifest.updates):
                candidate.evaluations.append(evaluation.of(training.policies(), training.update, lines[-1].ticks))
        checkpoint.save(self.saved(candidate), training)
        ticks = candidate.lines[-1].ticks
        candidate.scores.append(self.worlds.score(training, ticks))


def entrants(usual: Manifest, settings: Sequence[Settings], ticks: int) -> tuple[Candidate, ...]:
    """A candidate for each of these settings, in a training of at most so many agent-ticks: whole updates."""
    every = []
    for number, each in enumerate(settings):
        update = usual.worlds * usual.agents * each.horizon
        every.append(Candidate(number, replace(usual, settings=each, ticks=max(ticks // update, 1) * update)))
    return tuple(every)


def seconds_of(module: Module, candidates: Sequence[Candidate], threads: int, tell: Tell) -> float:
    """How many seconds an agent-tick takes on this machine, the mean of all candidates, by an update of each that
    nothing is kept of."""
    every = []
    for place, each in enumerate(candidates, 1):
        tell(f"measuring: candidate {place} of {len(candidates)}")
        training = begun(module, each.manifest, Ranks(), threads)
        training.advance()
        begin = monotonic()
        training.advance()
        every.append(
            (monotonic() - begin) / (each.manifest.worlds * each.manifest.agents * each.manifest.settings.horizon)
        )
    return math.fsum(every) / len(every)


def check_one_crew(module: Module, agents: int, shared: bool) -> None:
    """Raise `TrainError` where several roles learn, beside each other."""
    if len(crew_sizes(module.universe, agents, shared)) > 1:
        roles = " and ".join(role.name for role in module.universe.roles or ())
        raise TrainError(
            f"{roles} of {module.name} learn beside each other, so what one returns says little about its settings: "
            "tune takes --shared"
        )
