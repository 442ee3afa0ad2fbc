"""A training whose worlds, policies and learners are on a GPU: they fill storages there, and learn from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import torch

import hamlet
from hamlet.backend.storage import Storage
from hamlet.env.act.graph import record
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet_train.crews import Crew, crew_sizes, crews_of
from hamlet_train.critic import Judging, first_critic
from hamlet_train.curriculum import Curriculum
from hamlet_train.draws import crew_seeds
from hamlet_train.evaluate import check_roles
from hamlet_train.exact import tree
from hamlet_train.exact.kernels import LOSSES, SAMPLES, SURVEYED
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Memory, Store
from hamlet_train.gpu.acting import GpuCritic, GpuPlayer, Rollouts, Stage, storage_of
from hamlet_train.gpu.allowed import check_training, interpreted, take_device
from hamlet_train.gpu.learner import Lesson
from hamlet_train.gpu.mind import Mind
from hamlet_train.gpu.taught import Notes, Taught, is_small
from hamlet_train.groups import Groups, Share
from hamlet_train.learning import Learning, Training
from hamlet_train.past import Part, Past, past_of
from hamlet_train.policy import Policy
from hamlet_train.ppo import Learned, Learner, Lives, Progress
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest
from hamlet_train.team import Team
from hamlet_train.variety import params_of

F64 = np.dtype(np.float64).itemsize


@dataclass(slots=True)
class GpuLearner(Learner):
    """Learns on a GPU, from what was stored there. On the host are the parameters of the last update; moments, lives
    and `memory`, what lanes remember, only after `leave`. `stored` is the storage.
    """

    env: Env = field(kw_only=True)
    memory: Memory | None = field(kw_only=True, default=None)
    stored: Storage = field(init=False)
    mind: Mind = field(init=False)
    lesson: Lesson = field(init=False)

    def __post_init__(self) -> None:
        lanes = self.share.lanes
        self.mind = Mind(self.network, lanes, self.env.device)
        self.lesson = self._lesson()
        self.stored = storage_of(self.network, self.settings.horizon, lanes, self.env.device)
        self.take()

    def _lesson(self, notes: Notes | None = None) -> Lesson:
        """Launches with the settings as they are now."""
        lanes, groups = self.share.lanes, self.share.groups
        each, whole = min(groups.worlds_each * groups.agents, lanes), self.network.memory > 0
        taught = Taught(lanes, each, self.settings.horizon, whole, self.share.first)
        across = self._sum if self.ranks.size > 1 else None
        # A graph waits for nobody.
        recorded = record if self.env.launch == "graph" and across is None else None
        learning = self.mind, self.settings, self.seed, self.updates, taught
        return Lesson(*learning, record=recorded, notes=notes, across=across)

    def _sum(self, values: torch.Tensor) -> torch.Tensor:
        """The sum of the groups of all processes, of values [groups, width]: processes exchange nodes of the tree."""
        first, count = self.share.first, self.share.groups.count
        own = tree.nodes(first, self.share.end, count)
        sums = torch.stack([_added(values[tree.groups_of(node, first, count)]) for node in own])
        return torch.from_numpy(self.ranks.sum_nodes(sums.cpu().numpy(), self.share)).to(values.device)

    def update(self, store: Store) -> Progress:
        """Learn from what was stored. Of the store on the host nothing is read; when all is launched, one transfer
        waits for what came of it."""
        if self.lesson.settings != self.settings:
            # A graph and the memory of launches hold for the settings that they began with.
            self.lesson = self._lesson(self.lesson.notes)
        self.lesson.teach(self.stored, self.learned)
        told = self.lesson.told().cpu().numpy()
        sizes = np.cumsum([SURVEYED, LOSSES, len(self.lesson.norms)]) * F64
        happened, losses, norms, parameters = np.split(told, sizes)
        self.learned.parameters[:] = parameters.view(np.float32)
        self.norms[:] = norms.view(np.float64).tolist()
        counts = happened.view(np.float64)
        return self._progress(store, counts, losses.view(np.float64) / max(counts[SAMPLES], 1.0))

    def take(self) -> None:
        self.mind.take(self.learned, self.lives, self.memory)

    def forget(self, lanes: Array) -> None:
        self.mind.forget(lanes)

    def leave(self) -> None:
        self.mind.leave(self.learned, self.lives, self.memory)


@dataclass(frozen=True, slots=True)
class GpuTraining(Training):
    """A training on a GPU. `stage` is where its crews act, beside `others`, who play as they are; what these remember
    is in memories on the host for checkpoints alone."""

    stage: Stage | Rollouts
    others: tuple[tuple[GpuPlayer, Memory | None], ...]

    def memories(self) -> list[tuple[str, Memory, int]]:
        """Their memories, which waits for the device."""
        memories, roles = list[tuple[str, Memory, int]](), [role for role in self.env.roles if role in self.fixed]
        for role, (player, memory) in zip(roles, self.others, strict=True):
            if memory is not None:
                player.mind.leave_memory(memory)
                memories.append((role, memory, len(player.lanes) // self.env.num_worlds))
        return memories

    def remember(self) -> None:
        """Go on from what was written into memories."""
        for player, memory in self.others:
            if memory is not None:
                player.mind.remember(memory)

    def collect(self) -> None:
        """Fill the storages of the crews."""
        past = self.past
        if past is None or isinstance(self.stage, Rollouts):
            self.stage.play()
            return
        self.stage.play([self._past(past, part) for part in past.parts(self.update)])
        for number, each in enumerate(self.crews):
            lanes = torch.from_numpy(past.played(number)).to(self.env.device)
            for learner in (each.learner, *([each.critic.learner] if each.critic else [])):
                assert isinstance(learner, GpuLearner)
                learner.stored.tensors["alive"].index_fill_(1, lanes, False)

    def _past(self, past: Past, part: Part) -> GpuPlayer:
        learner = self.crews[part.crew].learner
        assert isinstance(learner, GpuLearner)
        return GpuPlayer.past(self.env, past.crews[part.crew], past.networks[part.crew], part, learner.mind.recall)


def begun_on_gpu(module: Module, manifest: Manifest, ranks: Ranks, fixed: Mapping[str | None, Policy]) -> GpuTraining:
    """A training before its first update. `fixed` are policies of roles that play as they are.

    Raises:
        TrainError: it has what the learner on a GPU has not, or the universe cannot be trained on.
        EnvError: the environment cannot be made.
    """
    check_training(manifest)
    sizes = crew_sizes(module.universe, manifest.agents, manifest.shared)
    shares = [groups.share(ranks.rank, ranks.size) for groups in Groups.of_crews(manifest.worlds, sizes)]
    if not interpreted():
        take_device()
    env = hamlet.make(
        module,
        worlds=shares[0].worlds,
        agents=manifest.agents,
        first_world=shares[0].first_world,
        seed=manifest.seed,
        device="cpu" if interpreted() else "cuda",
        backend="triton",
        launch="step" if interpreted() else "graph",
        validate=False,
        quiet=True,
        params=params_of(manifest.params, module.universe) or None,
    )
    every = crews_of(env, manifest.shared)
    check_roles(env, fixed)
    seeds = crew_seeds(manifest.seed, len(every))
    of_learners = [each for each in zip(every, shares, seeds, strict=True) if each[0].role not in fixed]
    crews = [crew for crew, *_ in of_learners]
    learners = tuple(_learner(env, manifest, *each, ranks) for each in of_learners)
    judges = [_critic(env, manifest, *each, ranks) if manifest.settings.critic else None for each in of_learners]
    playing = [GpuPlayer.fixed(env, crew, fixed[crew.role]) for crew in every if crew.role in fixed]
    others = tuple((each, _memory(each.mind.network, len(each.lanes))) for each in playing)
    stage: Stage | Rollouts
    settings = manifest.settings
    plain = not (env.universe.by_hand or env.num_controls or settings.team or settings.critic or settings.memory)
    if len(every) == 1 and plain and is_small(learners[0].network):
        stage = Rollouts(env, learners[0].mind, learners[0].stored)
    else:
        critics = [
            None if judge is None else GpuCritic.of(env, crew, judge.mind, judge.stored)
            for crew, judge in zip(crews, judges, strict=True)
        ]
        parts = [(each.mind, each.stored, each.lesson.notes, bool(settings.team)) for each in learners]
        players = [
            GpuPlayer.of(env, crew, *part, critic) for crew, part, critic in zip(crews, parts, critics, strict=True)
        ]
        stage = Stage(env, players, [player for player, _ in others])
    ticks = manifest.settings.horizon
    learnings = tuple(
        Learning(crew, learner, None, _told(learner, ticks), None if judge is None else Judging(judge))
        for crew, learner, judge in zip(crews, learners, judges, strict=True)
    )
    past = past_of(None, Team(1, 0), manifest, list(zip(crews, learners, strict=True)))
    training = GpuTraining(env, None, learnings, fixed, (), past, Curriculum.of(env), manifest.schedule, stage, others)
    training.note()
    return training


def _added(values: torch.Tensor) -> torch.Tensor:
    """The sum of rows in the order of `hamlet_train.exact.tree`."""
    while len(values) > 1:
        whole = len(values) // 2 * 2
        values = torch.cat([values[0:whole:2] + values[1:whole:2], values[whole:]])
    return values[0]


def _memory(network: Network, lanes: int) -> Memory | None:
    """The memory of lanes on the host, of a network that has one."""
    return Memory.empty(network, lanes, 0) if network.memory else None


def _told(learner: GpuLearner, ticks: int) -> Store:
    """The store of a learner on the host, which has nothing but what lanes remember."""
    return replace(Store.empty(learner.network, 0, ticks), memory=learner.memory)


def _learner(env: Env, manifest: Manifest, crew: Crew, share: Share, seed: int, ranks: Ranks) -> GpuLearner:
    """The learner of a crew before its first update; `seed` is what it draws with for itself."""
    settings = manifest.settings
    network = crew.network(settings.hidden, settings.memory)
    if settings.critic:
        # Its own last row learns nothing.
        settings = replace(settings, value=0.0)
    return GpuLearner(
        network,
        settings,
        seed,
        manifest.updates,
        share,
        ranks,
        Team(1, 0),
        Learned.begun(network, crew.reach, seed),
        Lives.begun(share.lanes),
        manifest.gradient_norm,
        crew.role,
        manifest.agents,
        env=env,
        memory=_memory(network, share.lanes),
    )


def _critic(env: Env, manifest: Manifest, crew: Crew, share: Share, seed: int, ranks: Ranks) -> GpuLearner:
    """The learner of the critic of a crew before its first update; `seed` is that of its crew."""
    network, learned, settings = first_critic(env, crew, manifest.settings, seed)
    lives = Lives.begun(share.lanes)
    return GpuLearner(network, settings, seed, manifest.updates, share, ranks, Team(1, 0), learned, lives, env=env)
