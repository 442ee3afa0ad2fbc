"""Weights that examples save act in `hamletc eval` as they do in the example."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import torch
from small import MEAL

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module, load
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import environment, played, rolled_episodes
from hamlet_train.policy import Policy, Table, read_any, read_policy
from hamlet_train.run import Run

EXAMPLES = Path("examples").resolve()


@pytest.fixture
def module(run: Run) -> Module:
    return load(run.package)


def example(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    found = importlib.import_module(name)
    monkeypatch.delitem(sys.modules, name)
    return found


def logits_of(policy: Policy, env: Env) -> torch.Tensor:
    views = policy.network.views(policy.parameters)
    weights, biases = (
        [torch.from_numpy(each.copy(order="C")) for each in layers] for layers in zip(*views, strict=True)
    )
    assert policy.about["activation"] == "relu"
    return hamlet.MLP(weights, biases, "relu", sample=False).forward(env.observation, env.action_mask).logits


def test_ppo_saves_what_it_learnt(module: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ppo, env, path = example("ppo", monkeypatch), environment(module, 20, 1, 3), tmp_path / "ppo.safetensors"
    agent = ppo.Agent(env, ppo.Config(look=0, hidden=64))
    heads = [(agent.layers[1].weight, agent.layers[1].bias), (agent.heads.weight, agent.heads.bias)]
    ppo.save(str(path), env, [agent.first_layer(), *heads], 3)
    policy = read_policy(path, module)
    env.rollout(5)
    logits, _ = agent(env.observation.T)
    # Torch sums in an order of its own.
    assert torch.allclose(logits_of(policy, env), logits.T, atol=1e-5)
    assert played(environment(module, 20, 1, 4), policy, 1).unfinished == 0
    wide = [torch.zeros(65, policy.network.inputs), torch.zeros(env.num_actions + 1, 65)]
    ppo.save(str(path), env, [(weight, torch.zeros(len(weight))) for weight in wide], 3)
    with pytest.raises(TrainError, match="networks with relu have"):
        played(environment(module, 20, 1, 4), read_policy(path, module), 1)


def test_dqn_saves_what_it_learnt(module: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dqn, env, path = example("dqn", monkeypatch), environment(module, 20, 1, 3), tmp_path / "dqn.safetensors"
    values = dqn.Values(env, 64)
    dqn.save(str(path), env, dqn.plain(values), 3)
    policy = read_policy(path, module)
    env.rollout(5)
    # Torch sums in an order of its own.
    assert torch.allclose(logits_of(policy, env), values(env.observation), atol=1e-5)
    assert played(environment(module, 20, 1, 4), policy, 1, greedy=True).unfinished == 0


@pytest.mark.parametrize("name", ["ppo", "ppo_gru"])
def test_what_eval_cannot_play_the_example_plays(
    name: str, module: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ppo, env, path = example(name, monkeypatch), environment(module, 20, 1, 3), tmp_path / "weights.safetensors"
    sizes = {"universe": str(MEAL), "hidden": 70, "backend": "interpreter"}
    config = ppo.Config(**sizes, evaluation=20, longest=30)
    agent = ppo.Agent(env, config)
    (ppo.save_sighted if name == "ppo" else ppo.save)(str(path), env, agent, config)
    other, again = ppo.restored(str(path), replace(config, hidden=10))
    assert again == config
    assert all(torch.equal(value, other.state_dict()[key]) for key, value in agent.state_dict().items())
    with pytest.raises(TrainError, match=rf"{name}\.py --universe UNIVERSE --play"):
        read_any(path, module)
    monkeypatch.setattr(ppo, "made", lambda *_: SimpleNamespace(module=SimpleNamespace(digest="another")))
    with pytest.raises(SystemExit, match="was trained on first_meal"):
        ppo.restored(str(path), config)


def test_a_table_that_evolved_is_played(module: Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evolution, env, path = example("evolution", monkeypatch), environment(module, 20, 1, 3), tmp_path / "a.safetensors"
    config = evolution.Config(features=("here", "satiation:4"))
    logits = torch.randn(*evolution.situations(env, config.features), env.num_actions)
    evolution.save(str(path), env, logits, config)
    table = read_any(path, module)
    assert isinstance(table, Table)
    found = played(environment(module, 20, 1, 4), table, 1)
    other = environment(module, 20, 1, 4)
    wanted = rolled_episodes(other, other.tabular(logits.softmax(-1), evolution.axes(config.features)))
    assert (found.lengths == wanted.lengths).all()
    assert not (played(environment(module, 20, 1, 4), table, 1, greedy=True).lengths == wanted.lengths).all()
    with pytest.raises(TrainError, match="has a table, and no network"):
        read_policy(path, module)
