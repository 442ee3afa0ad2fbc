"""The trainings of a tuning: candidates, as far as each has learnt, and where that is kept."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from hamlet.package.module import Module
from hamlet_train import checkpoint
from hamlet_train.crews import crew_sizes
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Networks
from hamlet_train.evaluation import Evaluated, Evaluation, Plan
from hamlet_train.learning import Training
from hamlet_train.ppo import Progress
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest
from hamlet_train.settings import Settings, usual_of
from hamlet_train.training import begun, evaluation_of, plan_of
from hamlet_train.tuning.rungs import Rungs
from hamlet_train.tuning.shelf import Record, Shelf
from hamlet_train.tuning.worlds import Score, Tell, Worlds


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

    @property
    def settings(self) -> Settings:
        """The settings with which it learnt last."""
        return self.manifest.schedule.at(self.manifest.updates)

    @property
    def is_usual(self) -> bool:
        """Whether it is the one of the defaults."""
        return self.number == 0 and not self.manifest.changes

    def take(self, record: Record) -> None:
        """Go on from the end of a rung."""
        self.lines += record.lines
        self.evaluations += record.evaluations
        self.scores.append(record.score)


Ended = Callable[[int, Sequence[Candidate]], None]


@dataclass(frozen=True, slots=True)
class Search(ABC):
    """A tuning: candidates, and the rungs on which they learn; the shelf has how far each is. `beside` are the
    opponents (`Worlds.opponents`) as a user says them."""

    module: Module
    rungs: Rungs
    candidates: tuple[Candidate, ...]
    worlds: Worlds
    shelf: Shelf
    threads: int
    beside: tuple[str, ...] = ()
    evaluations: dict[Plan, Evaluation] = field(default_factory=dict)

    @property
    def usual(self) -> Settings:
        """The defaults of the universe."""
        return usual_of(self.module.universe)

    @abstractmethod
    def climb(self, tell: Tell, ended: Ended) -> list[Candidate]:
        """All candidates, the best one first, after all trainings. `tell` is told who learns now, `ended` the ranking
        at the end of each rung.

        Raises:
            TrainError: the universe cannot be trained on.
        """

    def opened(self, candidate: Candidate) -> Training:
        """The training of a candidate, as far as it is."""
        return self.going_on(candidate, self.saved(candidate) if candidate.scores else None)

    def going_on(self, candidate: Candidate, path: Path | None) -> Training:
        """The training of a candidate from a checkpoint on, or from its beginning."""
        training = begun(self.module, candidate.manifest, Ranks(), self.threads, self.worlds.opponents)
        if path is not None:
            checkpoint.load(path, training)
        return training

    def saved(self, candidate: Candidate) -> Path:
        """The file with the checkpoint of a candidate."""
        return self.shelf.checkpoint(candidate.number, len(candidate.scores) - 1)

    def taught(self, candidate: Candidate, training: Training, end: int) -> Record:
        """Let a candidate learn until an update; what came of it."""
        manifest = candidate.manifest
        plan = plan_of(self.module, manifest, training)
        if plan not in self.evaluations:
            self.evaluations[plan] = evaluation_of(self.module, manifest, plan, self.threads)
        evaluation = self.evaluations[plan]
        lines, evaluations = list[Progress](), list[Evaluated]()
        if not candidate.evaluations:
            evaluations += [evaluation.by_chance(), evaluation.of(training.policies(), 0, 0)]
        while training.update < end:
            lines += training.advance()
            if plan.due(training.update, manifest.updates):
                evaluations.append(evaluation.of(training.policies(), training.update, lines[-1].ticks))
        ticks = (lines or candidate.lines)[-1].ticks
        return Record(tuple(lines), tuple(evaluations), self.worlds.score(training, ticks))


def entrants(usual: Manifest, settings: Sequence[Settings], ticks: int) -> tuple[Candidate, ...]:
    """A candidate for each of these settings, in a training of at most so many agent-ticks: whole updates."""
    every = []
    for number, each in enumerate(settings):
        update = usual.worlds * usual.agents * each.horizon
        every.append(Candidate(number, replace(usual, settings=each, ticks=max(ticks // update, 1) * update)))
    return tuple(every)


def seconds_of(module: Module, candidates: Sequence[Candidate], threads: int, tell: Tell, opponents: Networks) -> float:
    """How many seconds an agent-tick takes on this machine, the mean of all candidates, by an update of each that
    nothing is kept of."""
    every = []
    for place, each in enumerate(candidates, 1):
        tell(f"measuring: candidate {place} of {len(candidates)}")
        training = begun(module, each.manifest, Ranks(), threads, opponents)
        training.advance()
        begin = monotonic()
        training.advance()
        every.append(
            (monotonic() - begin) / (each.manifest.worlds * each.manifest.agents * each.manifest.settings.horizon)
        )
    return math.fsum(every) / len(every)


def check_one_crew(module: Module, agents: int, shared: bool, opponents: Networks) -> None:
    """Raise `TrainError` where several roles learn, beside each other."""
    if shared and opponents:
        raise TrainError("--shared has all roles learn one policy: leave it out, or --opponent")
    if len(crew_sizes(module.universe, agents, shared)) - len(opponents) > 1:
        roles = " and ".join(role.name for role in module.universe.roles or ())
        raise TrainError(
            f"{roles} of {module.name} learn beside each other, so what one returns says little about its settings: "
            "say by --opponent ROLE=RUN how all but one of them play, or take --shared"
        )
