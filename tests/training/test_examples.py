"""Weights that examples save act in `hamletc eval` as they do in the example."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module, load
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import environment, played
from hamlet_train.policy import Policy, read_policy
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
