"""Worlds behind the interface of rsl_rl: steps beside those of an environment, and time-outs."""

from __future__ import annotations

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.package.module import Module

pytest.importorskip("rsl_rl", reason="rsl-rl-lib is not installed")

from rsl_rl.runners import OnPolicyRunner

from hamlet_rsl_rl import VecEnv

WORLDS = 12


def test_steps_are_those_of_an_environment(stall: Module) -> None:
    env = VecEnv(WORLDS, stall, backend="c", seed=3)
    core = hamlet.make(stall, worlds=WORLDS, backend="c", seed=3, quiet=True)
    assert env.num_actions == core.num_actions
    generator = torch.Generator().manual_seed(1)
    kept, timed_out, ended = [], 0, 0
    for _ in range(env.max_episode_length + 20):
        scores = torch.randn(WORLDS, env.num_actions, generator=generator)
        allowed = scores.masked_fill(~core.action_mask, -torch.inf).argmax(dim=1)
        observations, reward, done, extras = env.step(scores)
        observation, expected, terminated, truncated, _ = core.step(allowed)
        assert observation is not None
        kept.append((observations["policy"], observation.clone()))
        assert torch.equal(reward, expected)
        assert torch.equal(done.bool(), terminated | truncated)
        assert torch.equal(extras["time_outs"], truncated)
        assert torch.equal(env.episode_length_buf, core.state["age"].long())
        timed_out, ended = timed_out + int(truncated.sum()), ended + int(terminated.sum())
    assert all(torch.equal(given, then) for given, then in kept)
    assert timed_out > 0
    assert ended > 0


def test_what_is_no_action_is_refused(stall: Module) -> None:
    env = VecEnv(WORLDS, stall, backend="interpreter", seed=3)
    right = torch.zeros(WORLDS, env.num_actions)
    for wrong in (right[:, 1:], right.long(), torch.full_like(right, torch.nan), None):
        with pytest.raises(EnvError):
            env.step(wrong)  # type: ignore[arg-type]
    with pytest.raises(EnvError, match="ages"):
        env.episode_length_buf = torch.full((WORLDS,), env.max_episode_length)
    assert env.env.tick == 0
    ages = torch.arange(WORLDS) % env.max_episode_length
    env.episode_length_buf = ages
    assert torch.equal(env.episode_length_buf, ages)
    env.close()
    with pytest.raises(EnvError, match="closed"):
        env.step(right)


def test_its_runner_learns(stall: Module) -> None:
    """PPO of rsl_rl, two iterations: it takes observations and time-outs as they are, and changes weights."""
    env = VecEnv(WORLDS, stall, backend="interpreter", seed=3)
    network = {"class_name": "MLPModel", "hidden_dims": [8], "activation": "tanh"}
    spread = {"class_name": "GaussianDistribution", "init_std": 1.0}
    config = {
        "num_steps_per_env": 12,
        "save_interval": 100,
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": network | {"distribution_cfg": spread},
        "critic": dict(network),
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 1, "num_mini_batches": 2, "schedule": "fixed"},
    }
    runner = OnPolicyRunner(env, config, log_dir=None, device="cpu")
    before = [each.detach().clone() for each in runner.alg.actor.parameters()]
    runner.learn(2, init_at_random_ep_len=True)
    assert env.env.tick == 24
    after = list(runner.alg.actor.parameters())
    assert all(bool(each.isfinite().all()) for each in after)
    assert not all(torch.equal(one, other) for one, other in zip(before, after, strict=True))
