"""A training from its beginning, or from its latest checkpoint, to its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

import hamlet
from hamlet.package.module import Module
from hamlet_train import checkpoint
from hamlet_train.budget import Aim, stalled
from hamlet_train.collect import Actor, Present
from hamlet_train.crews import Crew, crew_sizes, crews_of
from hamlet_train.critic import Critic
from hamlet_train.curriculum import Curriculum
from hamlet_train.devices import Device
from hamlet_train.draws import crew_seeds
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import check_roles, player
from hamlet_train.evaluation import Evaluated, Evaluation, Plan, trained
from hamlet_train.exact.store import Store
from hamlet_train.gpu.allowed import check_device
from hamlet_train.groups import Groups, Share
from hamlet_train.learning import Learning, Training
from hamlet_train.past import past_of
from hamlet_train.policy import Policy, filename, write_policy
from hamlet_train.ppo import Learned, Learner, Lives, Progress
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, Run
from hamlet_train.team import Team
from hamlet_train.variety import params_of

CHECKPOINTS = 20
"""Checkpoints of a training, about."""


def ignore(_: object) -> None:
    """Watch nothing."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told of a training: of each update, and of each evaluation."""

    updated: Callable[[Progress], None] = ignore
    evaluated: Callable[[Evaluated], None] = ignore


def begun(
    module: Module,
    manifest: Manifest,
    ranks: Ranks,
    threads: int,
    fixed: Mapping[str | None, Policy] | None = None,
    device: Device = "cpu",
) -> Training:
    """A training before its first update. `fixed` are policies of roles that play as they are.

    Raises:
        TrainError: the universe cannot be trained on.
        EnvError: the environment cannot be made.
    """
    check_device(device)
    if device == "cuda":
        # Triton is imported here alone.
        from hamlet_train.gpu.training import begun_on_gpu

        return begun_on_gpu(module, manifest, ranks, fixed or {})
    cuts = Groups.of_crews(manifest.worlds, crew_sizes(module.universe, manifest.agents, manifest.shared))
    shares = [groups.share(ranks.rank, ranks.size) for groups in cuts]
    env = hamlet.make(
        module,
        worlds=shares[0].worlds,
        agents=manifest.agents,
        first_world=shares[0].first_world,
        seed=manifest.seed,
        device="cpu",
        backend="c",
        validate=False,
        quiet=True,
        params=params_of(manifest.params, module.universe) or None,
    )
    present, team = Present(env), Team(threads, 0)
    crews = crews_of(env, manifest.shared)
    policies = fixed or {}
    check_roles(env, policies)
    learners = tuple(
        learning(present, team, manifest, crew, share, seed, ranks)
        for crew, share, seed in zip(crews, shares, crew_seeds(manifest.seed, len(crews)), strict=True)
        if crew.role not in policies
    )
    if not learners:
        raise TrainError("every role has an opponent's policy: nobody is left to learn")
    opponents = tuple(player(present, crew, policies[crew.role], threads) for crew in crews if crew.role in policies)
    past = past_of(present, team, manifest, [(each.crew, each.learner) for each in learners])
    training = Training(env, present, learners, policies, opponents, past, Curriculum.of(env), manifest.schedule)
    training.note()
    return training


def learning(
    present: Present, team: Team, manifest: Manifest, crew: Crew, share: Share, seed: int, ranks: Ranks
) -> Learning:
    """A crew before its first update; `seed` is what it draws with for itself."""
    network = crew.network(manifest.settings.hidden, manifest.settings.memory)
    mine = team.beside(network.scratch)
    settings = manifest.settings
    critic = None
    if settings.critic:
        critic = Critic.begun(present, team, crew, share, settings, manifest.updates, seed, ranks)
        # Its own last row learns nothing.
        settings = replace(settings, value=0.0)
    learner = Learner(
        network,
        settings,
        seed,
        manifest.updates,
        share,
        ranks,
        mine,
        Learned.begun(network, crew.reach, seed),
        Lives.begun(share.lanes),
        manifest.gradient_norm,
        crew.role,
        manifest.agents,
    )
    pay = crew.agents if settings.team else None
    actor = Actor(present, network, mine, share.bounds, crew.lanes, crew.actions, pay)
    return Learning(crew, learner, actor, Store.empty(network, share.lanes, settings.horizon), critic)


def plan_of(module: Module, manifest: Manifest, training: Training) -> Plan:
    """The plan of a training's evaluations."""
    networks = [each.network for each in training.policies().values()]
    return Plan.of(module.universe, networks, manifest.agents, manifest.updates, manifest.ticks)


def evaluation_of(module: Module, manifest: Manifest, plan: Plan, threads: int) -> Evaluation:
    """The evaluation of a training's policies."""
    return Evaluation(module, plan, manifest.seed, threads, params_of(manifest.params, module.universe))


def train(
    run: Run, module: Module, manifest: Manifest, ranks: Ranks, threads: int, watch: Watch, device: Device = "cpu"
) -> str:
    """Train to the end, from the latest checkpoint if there is one. `watch` is told of every update and evaluation in
    the first process, which evaluates. Gives the SHA-256 of the parameters.

    Raises:
        TrainError: the universe cannot be trained on, or a checkpoint belongs to another training.
    """
    training = begun(module, manifest, ranks, threads, run.opponents(module, manifest.opponents), device)
    ranks.wait()
    latest = checkpoint.latest(run.checkpoints)
    if latest is not None:
        checkpoint.load(latest, training)
    plan = plan_of(module, manifest, training)
    evaluation = evaluation_of(module, manifest, plan, threads) if ranks.first else None

    roles = [role.name for role in module.universe.roles or ()]
    aim = None if manifest.until is None else Aim.of(manifest.until, roles)

    def over() -> bool:
        """Whether the training ends now, as the first process says by its evaluations."""
        if aim is None and not manifest.patience:
            return False
        ends = False
        if ranks.first:
            evaluations = run.evaluations()
            points = [each for each in trained(evaluations) if each.update]
            reached = bool(points and aim is not None and aim.reached(points[-1]))
            ends = reached or stalled(evaluations, manifest.patience)
        return bool(ranks.gather(np.array([ends]), [1] * ranks.size)[0])

    def evaluate(progress: Progress | None) -> None:
        """Note an evaluation, if there is one after this update, or before the first one."""
        if evaluation is not None and (progress is None or evaluation.plan.due(progress.update, manifest.updates)):
            update, ticks = (0, 0) if progress is None else (progress.update, progress.ticks)
            evaluated = evaluation.of(training.policies(), update, ticks)
            run.add_evaluation(evaluated)
            watch.evaluated(evaluated)

    if evaluation is not None:
        evaluations = run.keep_evaluations(training.update)
        if not evaluations:
            evaluations = [evaluation.by_chance()]
            run.add_evaluation(evaluations[0])
        for each in evaluations:
            watch.evaluated(each)
        for line in run.keep_lines(training.update):
            watch.updated(line)
        if not trained(evaluations) and not training.update:
            evaluate(None)
    every = max(manifest.updates // CHECKPOINTS, 1)
    ends = over()
    while training.update < manifest.updates and not ends:
        lines = training.advance()
        if ranks.first:
            for line in lines:
                run.add_line(line)
            evaluate(lines[-1])
            for line in lines:
                watch.updated(line)
        ends = plan.due(training.update, manifest.updates) and over()
        if training.update % every == 0 or training.update == manifest.updates or ends:
            checkpoint.save(checkpoint.named(run.checkpoints, training.update), training)
    digest = training.digest()
    if ranks.first:
        for role, policy in training.policies().items():
            write_policy(run.folder / filename(role), module, policy, manifest.seed, role)
        run.finish(manifest, digest, 0 if training.update == manifest.updates else training.update)
    return digest
