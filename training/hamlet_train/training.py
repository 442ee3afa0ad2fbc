"""A training from its beginning, or from its latest checkpoint, to its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet_train import checkpoint
from hamlet_train.collect import Actor
from hamlet_train.errors import TrainError
from hamlet_train.evaluation import Evaluated, Evaluation, Plan, trained
from hamlet_train.exact.network import Network
from hamlet_train.exact.store import Store
from hamlet_train.groups import Groups
from hamlet_train.policy import FILENAME, write_policy
from hamlet_train.ppo import Learned, Learner, Lives, Progress
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, Run
from hamlet_train.team import Team

CHECKPOINTS = 20
"""Checkpoints of a training, about."""


def ignore(_: object) -> None:
    """Watch nothing."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told of a training: of each update, and of each evaluation."""

    updated: Callable[[Progress], None] = ignore
    evaluated: Callable[[Evaluated], None] = ignore


@dataclass(frozen=True, slots=True)
class Training:
    """A training: an environment, a learner, and the actors and watchers between updates."""

    env: Env
    learner: Learner
    actor: Actor
    store: Store

    def advance(self) -> Progress:
        """One update."""
        self.actor.collect(self.learner.learned.parameters, self.store)
        return self.learner.update(self.store)


def network_for(env: Env, hidden: tuple[int, ...]) -> Network:
    """The network for an environment.

    Raises:
        TrainError: its universe observes nothing, or has controls that are whole numbers.
    """
    whole = [name for name, each in zip(env.control_names, env.control_whole, strict=True) if each]
    if whole:
        raise TrainError(
            f"{env.universe.name} has whole numbers as controls ({', '.join(whole)}): train learns real ones"
        )
    if env.observation is None or not env.observation.shape[1]:
        raise TrainError(f"{env.universe.name} observes nothing: there is nothing to learn from")
    return Network(env.observation.shape[1], hidden, env.num_actions, env.num_controls)


def begun(module: Module, manifest: Manifest, ranks: Ranks, threads: int) -> Training:
    """A training before its first update.

    Raises:
        TrainError: the universe cannot be trained on.
        EnvError: the environment cannot be made.
    """
    groups = Groups(manifest.worlds, manifest.agents)
    share = groups.share(ranks.rank, ranks.size)
    env = hamlet.make(
        module,
        worlds=share.worlds,
        agents=manifest.agents,
        first_world=share.first_world,
        seed=manifest.seed,
        device="cpu",
        backend="c",
        validate=False,
        quiet=True,
    )
    network = network_for(env, manifest.settings.hidden)
    team = Team(threads, network.scratch)
    reach = torch.maximum(env.observation_low.abs(), env.observation_high.abs()).numpy()
    learned = Learned.begun(network, reach, manifest.seed)
    lives = Lives.begun(env.num_lanes)
    learner = Learner(
        network,
        manifest.settings,
        manifest.seed,
        manifest.updates,
        share,
        ranks,
        team,
        learned,
        lives,
        manifest.gradient_norm,
    )
    store = Store.empty(network, env.num_lanes, manifest.settings.horizon)
    return Training(env, learner, Actor(env, network, team, share.bounds), store)


def evaluation_of(module: Module, manifest: Manifest, network: Network, threads: int) -> Evaluation:
    """The evaluation of a training's policy."""
    plan = Plan.of(module.universe, network, manifest.agents, manifest.updates, manifest.ticks)
    return Evaluation(module, network, plan, manifest.seed, threads)


def train(run: Run, module: Module, manifest: Manifest, ranks: Ranks, threads: int, watch: Watch) -> str:
    """Train to the end, from the latest checkpoint if there is one. `watch` is told of every update and evaluation in
    the first process, which evaluates. Gives the SHA-256 of the parameters.

    Raises:
        TrainError: the universe cannot be trained on, or a checkpoint belongs to another training.
    """
    training = begun(module, manifest, ranks, threads)
    learner = training.learner
    ranks.wait()
    latest = checkpoint.latest(run.checkpoints)
    if latest is not None:
        checkpoint.load(latest, training.env, learner)
    evaluation = evaluation_of(module, manifest, learner.network, threads) if ranks.first else None

    def evaluate(progress: Progress | None) -> None:
        """Note an evaluation, if there is one after this update, or before the first one."""
        if evaluation is not None and (progress is None or evaluation.plan.due(progress.update, manifest.updates)):
            update, ticks = (0, 0) if progress is None else (progress.update, progress.ticks)
            evaluated = evaluation.of(learner.learned.parameters, update, ticks)
            run.add_evaluation(evaluated)
            watch.evaluated(evaluated)

    if evaluation is not None:
        evaluations = run.keep_evaluations(learner.learned.update)
        if not evaluations:
            evaluations = [evaluation.by_chance()]
            run.add_evaluation(evaluations[0])
        for each in evaluations:
            watch.evaluated(each)
        for line in run.keep_lines(learner.learned.update):
            watch.updated(line)
        if not trained(evaluations) and not learner.learned.update:
            evaluate(None)
    every = max(manifest.updates // CHECKPOINTS, 1)
    while learner.learned.update < manifest.updates:
        progress = training.advance()
        if ranks.first:
            run.add_line(progress)
            evaluate(progress)
            watch.updated(progress)
        if progress.update % every == 0 or progress.update == manifest.updates:
            checkpoint.save(checkpoint.named(run.checkpoints, progress.update), training.env, learner)
    digest = learner.learned.digest()
    if ranks.first:
        write_policy(run.folder / FILENAME, module, learner.network, learner.learned.parameters, manifest.seed)
        run.finish(manifest, digest)
    return digest
