"""A critic that sees the world, and pay that a team shares: what they are given, and that it repeats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from small import HUNT, StoppedError, trained

from hamlet.backend.protocol import NetworkPolicy
from hamlet.interpreter.networks import decide
from hamlet.package.module import Module, load
from hamlet_train.cli.begin import Arguments, opened_in
from hamlet_train.collect import shared_pay
from hamlet_train.critic import Critic
from hamlet_train.errors import TrainError
from hamlet_train.exact import kernels
from hamlet_train.exact.kernels import LOSSES
from hamlet_train.exact.network import Array
from hamlet_train.learning import Learning
from hamlet_train.ppo import Progress
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest, Run, packaged
from hamlet_train.settings import Settings
from hamlet_train.taking import Taken
from hamlet_train.training import begun

SEEING = replace(HUNT, ticks=70 * 5 * 10 * 3, settings=replace(HUNT.settings, critic=1, team=1))
GIFT = """universe gift
space none
lifespan 10 ticks
meter coin = uniform(0, 1)
meter got  = 0
rule gets: got = total(coin) - coin
reward got
observe { mine: coin in 0 .. 1 }
"""
"""An agent is paid what the other one has, which it does not see."""


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Three updates of roles with such critics, and with shared pay."""
    folder: Path = tmp_path_factory.mktemp("critics") / "one"
    return trained(folder, SEEING)


def noted(run: Run) -> str:
    return "".join((run.folder / f"{name}.jsonl").read_text() for name in ("progress", "evaluations"))


def critic_of(learning: Learning) -> Critic:
    assert isinstance(learning.critic, Critic)
    return learning.critic


def collected(module: Module, manifest: Manifest, updates: int = 0) -> tuple[Learning, ...]:
    """The crews of a training after so many updates, with stores that are filled once more."""
    training = begun(module, replace(manifest, digest=module.digest), Ranks(), 1)
    for _ in range(updates):
        training.advance()
    training.collect()
    return training.crews


def test_threads_and_a_break_change_nothing(seeing: Run, tmp_path: Path) -> None:
    assert noted(trained(tmp_path / "two", SEEING, threads=2)) == noted(seeing)

    def stop(update: Progress) -> None:
        if (update.update, update.role) == (2, "it"):
            raise StoppedError

    with pytest.raises(StoppedError):
        trained(tmp_path / "cut", SEEING, watch=stop)
    assert noted(trained(tmp_path / "cut", SEEING)) == noted(seeing)
    name = "checkpoints/00000003.safetensors"
    assert (tmp_path / "cut" / name).read_bytes() == (seeing.folder / name).read_bytes()
    other = replace(SEEING, settings=replace(SEEING.settings, critic=0, value=0.0))
    with pytest.raises(TrainError, match="is of a training with critic 1, and this one has 0"):
        trained(tmp_path / "cut", other)


def test_a_critic_is_given_what_all_agents_of_the_world_observe_and_values_are_its(seeing: Run) -> None:
    crews = collected(load(seeing.package), SEEING, updates=1)
    dead = 0
    for each in crews:
        critic, env, crew = critic_of(each), critic_of(each).overview.env, each.crew
        assert env.observation is not None
        seen, values = env.observation.numpy(), critic.overview.seen[0]
        for lane in (np.arange(env.num_lanes) if crew.lanes is None else crew.lanes)[::7]:
            world, rows = lane // env.num_agents, [seen[lane, : len(crew.reach)]]
            for agent in range(env.num_agents):
                there = world * env.num_agents + agent
                dead += not env.state["alive"][there]
                rows.append(seen[there] if env.state["alive"][there] else np.zeros_like(seen[there]))
            assert np.array_equal(values[:, lane], np.concatenate(rows))
        network, parameters = critic.learner.network, critic.learner.learned.parameters
        layers = tuple(
            (torch.from_numpy(np.ascontiguousarray(weight))[None], torch.from_numpy(bias)[None])
            for weight, bias in network.views(parameters)
        )
        own = torch.from_numpy(np.ascontiguousarray(values[:, crew.lanes]))
        decided = decide(
            NetworkPolicy(layers, "tanh", True, True), own, torch.ones(1, own.shape[1], dtype=torch.bool), None
        )
        assert decided.values is not None
        assert decided.values.numpy().tobytes() == critic.store.values[:, -1].tobytes()
        before = each.learner.network.views(each.learner.learned.parameters)[-1][0][-1].copy()
        each.update()
        # The policy's own last row learns nothing.
        assert np.array_equal(each.learner.network.views(each.learner.learned.parameters)[-1][0][-1], before)
        assert np.array_equal(each.store.values, critic.store.values)
        assert np.array_equal(each.store.beyond, critic.store.beyond)
        assert critic.learner.learned.digest() != each.learner.learned.digest()
    assert dead > 10


def test_its_gradient_is_the_derivative_of_its_errors(seeing: Run) -> None:
    """Torch adds in another order, in binary64, so the comparison has a tolerance: that of binary32."""
    critic = critic_of(collected(load(seeing.package), SEEING)[1])
    learner, store, random = critic.learner, critic.store, np.random.default_rng(1)
    store.advantages[:] = random.standard_normal(store.advantages.shape)
    store.chances[:] = 0
    network, parameters, count = learner.network, learner.learned.parameters, learner.share.count
    taken = Taken.of(store, learner.share, 1, 0, 0)
    transposed, gradients = np.zeros(network.parameters, np.float32), np.zeros((count, network.parameters), np.float32)
    network.transpose(parameters, transposed)
    stored = store.inputs, store.masks, store.actions, store.raw, store.chances, store.values, store.advantages
    kernels.learn(0, count, network.table, parameters, transposed, learner.share.bounds, taken.order, taken.counts,
                  0, 1, *stored, *map(np.float32, (0, 1, 0.2, 0, 0.5)), gradients, np.zeros((count, LOSSES + 1)),
                  np.zeros(network.scratch, np.float32), store.valid)  # fmt: skip
    views = [(torch.tensor(weight).double().requires_grad_(), torch.tensor(bias).double().requires_grad_())
             for weight, bias in network.views(parameters)]  # fmt: skip
    x = torch.from_numpy(store.inputs[..., : network.inputs]).double()
    for number, (weight, bias) in enumerate(views):
        x = x @ weight.T + bias[: len(weight)]
        x = torch.tanh(x) if number < len(views) - 1 else x
    aims = torch.from_numpy(store.advantages + store.values[:, :-1]).double()
    (0.25 * ((x[..., -1] - aims) ** 2)[torch.from_numpy(store.valid) == 1].sum()).backward()
    summed = gradients.astype(np.float64).sum(axis=0).astype(np.float32)
    for (weight, _), (found, _) in zip(views, network.views(summed), strict=True):
        assert weight.grad is not None
        assert weight.grad.abs().max() > 1e-3
        assert np.allclose(found, weight.grad.numpy(), rtol=1e-3, atol=1e-4 * float(weight.grad.abs().max()))


def test_it_knows_what_others_have_and_an_agent_does_not_see(tmp_path: Path) -> None:
    path = tmp_path / "gift.hamlet"
    path.write_text(GIFT)
    module = packaged(path, tmp_path / "package")
    settings = Settings(hidden=(16,), horizon=10, minibatches=2, rate=1e-2, discount=0.9, trace=0.9)
    losses = []
    for critic in (0, 1):
        manifest = replace(HUNT, universe="gift", worlds=64, agents=2, ticks=64 * 2 * 10 * 40, shared=True,
                           settings=replace(settings, critic=critic))  # fmt: skip
        training = begun(module, replace(manifest, digest=module.digest), Ranks(), 1)
        lines = [training.advance()[0] for _ in range(40)]
        losses.append(lines[-1].value_loss)
    assert losses[1] < 0.5 * losses[0]


def test_a_team_is_paid_the_mean_of_all_its_agents_in_their_order(seeing: Run) -> None:
    rewards = torch.tensor([1e8, 1.0, -1e8, 7.0, 3.0, 1.0, 2.0, 5.0])
    third = np.float32(np.float32(np.float32(1e8) + np.float32(1.0)) - np.float32(1e8)) / np.float32(3)
    assert shared_pay(rewards, 4, range(3)).tolist() == [float(third)] * 3 + [7.0] + [2.0] * 3 + [5.0]
    runners = collected(load(seeing.package), SEEING)[1]
    rows: Array = runners.store.rewards.reshape(-1, len(runners.crew.agents), runners.store.ticks)
    assert (rows == rows[:, :1]).all()
    assert len(np.unique(rows)) > 10


def test_contradictions_are_refused_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gift.hamlet"
    path.write_text(GIFT)
    basics = (100, 4, 2, 0, ())
    for arguments, said in (
        (Arguments(100, 4, 1, 0, (), critic="world"), "are for worlds of several agents: give --agents"),
        (Arguments(100, 4, 1, 0, (), team=True), "are for worlds of several agents: give --agents"),
    ):
        with pytest.raises(TrainError, match=said):
            opened_in(Run(tmp_path / "run"), path, arguments, False, Ranks())
        assert not (tmp_path / "run").exists()
    run, _, manifest = opened_in(Run(tmp_path / "run"), path, Arguments(*basics, critic="world"), False, Ranks())
    assert run.read().settings.critic == manifest.settings.critic == 1
    opened_in(run, path, Arguments(*basics, critic="world"), True, Ranks())
    with pytest.raises(TrainError, match="is trained without --team"):
        opened_in(run, path, Arguments(*basics, team=True), True, Ranks())
    monkeypatch.setattr("hamlet_train.critic.MOST_INPUTS", 2)
    with pytest.raises(TrainError, match="2 agents observe 3 numbers together, and at most 2 are given"):
        begun(load(run.package), manifest, Ranks(), 1)
