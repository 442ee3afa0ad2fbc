"""Plays for the report of a run: how its policies fare, what ends lives and what is used while they learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hamlet.env.environment import Env
from hamlet.package.module import Module, load
from hamlet.policies.opened import checkpoints_in
from hamlet_train.draws import evaluation_seed
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Episodes, Networks, chooser, environment, played_by_chance
from hamlet_train.evaluation import LONGEST
from hamlet_train.exact.network import Array
from hamlet_train.judged import ALL
from hamlet_train.policy import Policy, read_all
from hamlet_train.report.film import Life, filmed
from hamlet_train.report.followed import Followed, action_names, by_one_action, followed
from hamlet_train.run import Manifest, Run
from hamlet_train.variety import params_of

AGENTS = 200
"""Agents, about, whose first episodes are counted, of each seed."""
WATCHED = 64
"""Agents, about, that play each checkpoint."""
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Trained:
    """A training of a run: one of its seeds."""

    run: Run
    manifest: Manifest

    @property
    def finished(self) -> bool:
        """Whether it has ended."""
        return self.manifest.weights is not None


@dataclass(frozen=True, slots=True)
class Moment:
    """A checkpoint played: after so many agent-ticks, the shares of endings and of uses, by name."""

    ticks: int
    endings: Mapping[str, float]
    uses: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Studied:
    """Everything that was played.

    Attributes:
        module: the universe. trainings: each seed, the run's own first.
        played: of each training, the first episodes of its policy, by role.
        chance: those of random actions. alone: those of the best single action, which is `action`.
        moments: the checkpoints of the first training, in their order. what: what is used, "affordances" or "actions".
        lives: the best, a median and the worst life.
    """

    module: Module
    trainings: tuple[Trained, ...]
    played: tuple[Mapping[str, Episodes], ...]
    chance: Mapping[str, Episodes]
    alone: Mapping[str, Episodes]
    action: str
    moments: tuple[Moment, ...]
    what: str
    lives: tuple[Life, ...]


def trainings_of(run: Run) -> tuple[Trained, ...]:
    """The trainings of a run, which has those of further seeds in folders of its own.

    Raises:
        TrainError: it is no folder of a training.
    """
    others = sorted(run.seeds.glob("*"), key=lambda path: (len(path.name), path.name)) if run.seeds.is_dir() else []
    runs = [run, *(Run(path) for path in others if Run(path).begun)]
    return tuple(Trained(each, each.read()) for each in runs)


def studied(run: Run, threads: int, tell: Tell) -> Studied:
    """Play what a report tells. Every seed plays the same worlds, which no training has.

    Raises:
        TrainError: nothing was trained there, or a policy cannot be read.
    """
    trainings, module = trainings_of(run), load(run.package)
    first = trainings[0].manifest
    seed, agents = evaluation_seed(first.seed), first.agents
    longest = LONGEST if module.universe.lifespan is None else module.universe.lifespan.ticks
    worlds = max(-(-AGENTS // agents), 1)

    params = params_of(first.params, module.universe)

    def here() -> Env:
        return environment(module, worlds, agents, seed, params=params)

    tell("random actions")
    env = here()
    chance = _roles(env, played_by_chance(env, longest))
    action, alone = best_alone(here, longest, tell)
    whole = list[Followed]()
    for training in trainings:
        tell(f"seed {training.manifest.seed}")
        env = here()
        policy = networks_of(training.run.folder, training, module)
        whole.append(followed(env, chooser(env, policy, threads), longest))
    played = tuple(_roles(env, each.episodes) for each in whole)
    what, moments = _moments(trainings[0], module, seed, longest, threads, tell)
    lives = _lives(trainings[0], module, seed, whole[0].episodes, threads, tell)
    return Studied(module, trainings, played, chance, alone, action, moments, what, lives)


def networks_of(path: Path, training: Trained, module: Module) -> Networks:
    """The networks of a run, or of a checkpoint of it, by role, with those of its opponents.

    Raises:
        TrainError: there are none, or they are for another universe.
    """
    own = {role: each for role, each in read_all(path, module).items() if isinstance(each, Policy)}
    return training.run.opponents(module, training.manifest.opponents) | own


def _roles(env: Env, episodes: Episodes) -> Mapping[str, Episodes]:
    return episodes.by_role(env) or {ALL: episodes}


def best_alone(here: Callable[[], Env], longest: int, tell: Tell) -> tuple[str, Mapping[str, Episodes]]:
    """The single action with the greatest mean return, and its episodes: the simplest script that there is."""
    best: tuple[float, str, Mapping[str, Episodes]] | None = None
    for number, name in enumerate(action_names(here())):
        tell(f"{name} all the time")
        env = here()
        course = followed(env, by_one_action(env, number), longest).episodes
        if best is None or course.returned > best[0]:
            best = course.returned, name, _roles(env, course)
    assert best is not None
    return best[1], best[2]


def _moments(
    training: Trained, module: Module, seed: int, longest: int, threads: int, tell: Tell
) -> tuple[str, tuple[Moment, ...]]:
    """Each checkpoint played in the same worlds."""
    agents, manifest = training.manifest.agents, training.manifest
    each = manifest.worlds * manifest.agents * manifest.settings.horizon
    what = "affordances" if module.universe.affordances else "actions"
    moments = []
    for path in checkpoints_in(training.run.checkpoints):
        tell(f"the policy after update {int(path.stem)}")
        params = params_of(manifest.params, module.universe)
        env = environment(module, max(-(-WATCHED // agents), 1), agents, seed, params=params)
        course = followed(env, chooser(env, networks_of(path, training, module), threads), longest)
        names = [a.name for a in module.universe.affordances] if what == "affordances" else action_names(env)
        counts = course.uses if what == "affordances" else course.actions
        endings = {**course.episodes.causes, "not ended": course.episodes.unfinished}
        uses = _shares(dict(zip(names, counts.tolist(), strict=True)))
        moments.append(Moment(int(path.stem) * each, _shares(endings), uses))
    return what, tuple(moments)


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    total = sum(counts.values())
    return {name: count / total if total else 0.0 for name, count in counts.items()}


def _lives(
    training: Trained, module: Module, seed: int, episodes: Episodes, threads: int, tell: Tell
) -> tuple[Life, ...]:
    """The best, a median and the worst life, each once more in its own world, alone."""
    agents = training.manifest.agents
    order = np.argsort(episodes.returns, kind="stable")
    chosen = {"The best life": order[-1], "A median life": order[len(order) // 2], "The worst life": order[0]}
    policy = networks_of(training.run.folder, training, module)
    lives = []
    for name, lane in chosen.items():
        tell(name.lower())
        world, agent = divmod(int(lane), agents)
        params = params_of(training.manifest.params, module.universe)
        env = environment(module, 1, agents, seed, world, params)
        life = filmed(name, env, chooser(env, policy, threads), agent, int(episodes.lengths[lane]))
        if life.length != int(episodes.lengths[lane]):
            raise TrainError(f"world {world} of {module.name} went another way when it was filmed")
        lives.append(life)
    return tuple(lives)


def returns(of: Sequence[Mapping[str, Episodes]], role: str) -> list[Array]:
    """The returns of a role, of each training."""
    return [each[role].returns for each in of]


def lengths(of: Sequence[Mapping[str, Episodes]], role: str) -> list[Array]:
    """The lengths of a role, of each training."""
    return [each[role].lengths.astype(np.float64) for each in of]


def settings_of(manifest: Manifest) -> dict[str, str]:
    """The settings of a training, in words."""
    settings = manifest.settings
    texts = {name: str(getattr(settings, name)) for name in type(settings).__slots__}
    return texts | {"hidden": ",".join(map(str, settings.hidden))}
