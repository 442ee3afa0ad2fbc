"""A training whose worlds, policy and learner are on a GPU: rollouts fill a store there, and updates learn from it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import hamlet
from hamlet.backend.storage import Storage
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.policies.mlp import MLP
from hamlet_train.crews import crews_of
from hamlet_train.exact.kernels import LOSSES, SAMPLES, SURVEYED
from hamlet_train.exact.store import Store
from hamlet_train.gpu.allowed import check_training, interpreted
from hamlet_train.gpu.learner import Lesson, Mind, Taught
from hamlet_train.groups import Groups
from hamlet_train.learning import Learning, Training
from hamlet_train.ppo import Learned, Learner, Lives, Progress
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest
from hamlet_train.team import Team
from hamlet_train.variety import params_of

F64 = np.dtype(np.float64).itemsize


@dataclass(slots=True)
class GpuLearner(Learner):
    """Learns on a GPU, from what a rollout stored there. On the host are the parameters of the last update; moments and
    lives only after `leave`.

    `stored` is the storage; `policy` is the network as rollouts play it.
    """

    env: Env = field(kw_only=True)
    stored: Storage = field(init=False)
    policy: MLP = field(init=False)
    mind: Mind = field(init=False)
    lesson: Lesson = field(init=False)

    def __post_init__(self) -> None:
        lanes, groups, ticks = self.share.lanes, self.share.groups, self.settings.horizon
        self.mind = Mind(self.network, lanes, self.env.device)
        taught = Taught(lanes, min(groups.worlds_each * groups.agents, lanes), ticks)
        self.lesson = Lesson(self.mind, self.settings, self.seed, self.updates, taught)
        self.stored = self.env.storage(ticks)
        self.take()
        weights, biases = zip(*self.mind.layers, strict=True)
        self.policy = MLP([each.contiguous() for each in weights], [each.clone() for each in biases])

    def play(self) -> None:
        """Fill the storage."""
        for number, layer in enumerate(self.mind.layers):
            self.policy.weights[number].copy_(layer[0])
            self.policy.biases[number].copy_(layer[1])
        self.env.rollout(self.settings.horizon, self.policy, store=self.stored, statistics=False)

    def update(self, store: Store) -> Progress:
        """Learn from what `play` stored. Of the store on the host nothing is read; when all is launched, one transfer
        waits for what came of it."""
        self.lesson.teach(self.stored, self.learned)
        told = self.lesson.told().cpu().numpy()
        sizes = np.cumsum([SURVEYED, LOSSES, len(self.lesson.norms)]) * F64
        happened, losses, norms, parameters = np.split(told, sizes)
        self.learned.parameters[:] = parameters.view(np.float32)
        self.norms[:] = norms.view(np.float64).tolist()
        counts = happened.view(np.float64)
        return self._progress(store, counts, losses.view(np.float64) / max(counts[SAMPLES], 1.0))

    def take(self) -> None:
        self.mind.take(self.learned, self.lives)

    def leave(self) -> None:
        self.mind.leave(self.learned, self.lives)


@dataclass(frozen=True, slots=True)
class GpuTraining(Training):
    """A training on a GPU; `learner` is that of its crew."""

    learner: GpuLearner

    def collect(self) -> None:
        """Fill the storage of the crew."""
        self.learner.play()


def begun_on_gpu(module: Module, manifest: Manifest, ranks: Ranks) -> GpuTraining:
    """A training before its first update.

    Raises:
        TrainError: it has what the learner on a GPU has not, or the universe cannot be trained on.
        EnvError: the environment cannot be made.
    """
    check_training(module.universe, manifest, ranks.size)
    share = Groups(manifest.worlds, manifest.agents).share(0, 1)
    env = hamlet.make(
        module,
        worlds=share.worlds,
        agents=manifest.agents,
        seed=manifest.seed,
        device="cpu" if interpreted() else "cuda",
        backend="triton",
        validate=False,
        quiet=True,
        params=params_of(manifest.params, module.universe) or None,
    )
    (crew,) = crews_of(env, shared=True)
    settings = manifest.settings
    network = crew.network(settings.hidden)
    learner = GpuLearner(
        network,
        settings,
        manifest.seed,
        manifest.updates,
        share,
        ranks,
        Team(1, 0),
        Learned.begun(network, crew.reach, manifest.seed),
        Lives.begun(share.lanes),
        manifest.gradient_norm,
        None,
        manifest.agents,
        env=env,
    )
    learning = Learning(crew, learner, None, Store.empty(network, 0, settings.horizon))
    return GpuTraining(env, None, (learning,), {}, (), None, learner)
