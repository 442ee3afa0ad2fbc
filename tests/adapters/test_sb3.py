"""Stable-Baselines3: its checks, its wrappers, and PPO for two thousand steps."""

from __future__ import annotations

import numpy as np
import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecCheckNan, VecMonitor

from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_gym import Env, VectorEnv
from hamlet_sb3 import VecEnv


def test_single_environment(stall: Module) -> None:
    check_env(Env(stall))


def test_it_is_the_vector_environment(stall: Module) -> None:
    """It gives what Gymnasium's interface gives with SAME_STEP."""
    env = VecEnv(4, stall, backend="interpreter")
    other = VectorEnv(4, stall, "SameStep", backend="interpreter")
    env.seed(3)
    assert np.array_equal(env.reset(), other.reset(seed=3)[0])
    rng, ends = np.random.default_rng(0), 0
    for _ in range(25):
        actions = rng.integers(0, 6, 4)
        observation, reward, done, infos = env.step(actions)
        wanted = other.step(actions)
        assert np.array_equal(observation, wanted[0])
        assert np.array_equal(reward, wanted[1])
        assert np.array_equal(done, wanted[2] | wanted[3])
        assert np.array_equal(env.action_masks(), wanted[4]["action_mask"])
        for world, info in enumerate(infos):
            assert ("terminal_observation" in info) == done[world]
            if done[world]:
                last = wanted[4]["final_info"]
                assert np.array_equal(info["terminal_observation"], wanted[4]["final_obs"][world])
                assert info["TimeLimit.truncated"] == wanted[3][world]
                assert info["cause"] == last["cause"][world]
                assert info["reports"]["hunger"] == last["reports"]["hunger"][world]
                ends += 1
    assert ends > 4


def test_training(stall: Module) -> None:
    env = VecCheckNan(VecMonitor(VecEnv(16, stall, backend="interpreter")), raise_exception=True)
    policy = {"net_arch": [8]}
    model = PPO("MlpPolicy", env, n_steps=63, batch_size=504, n_epochs=1, policy_kwargs=policy, seed=1).learn(2000)
    assert model.num_timesteps >= 2000
    assert len(model.ep_info_buffer or ()) == 100


def test_its_other_calls(stall: Module) -> None:
    env = VecEnv(3, stall, render_mode="rgb_array", backend="interpreter")
    with pytest.raises(EnvError, match="call reset before"):
        env.step(np.zeros(3, int))
    env.set_options({"params": {"haste": 2.0}})
    env.reset()
    assert env.env.params["haste"].tolist() == [2, 2, 2]
    picture = env.render()
    assert picture is not None
    assert picture.ndim == 3
    assert env.has_attr("action_masks")
    assert np.stack(env.env_method("action_masks", indices=[0, 2])).shape == (2, 6)
    assert env.get_attr("num_worlds") == [3, 3, 3]
    assert env.env_is_wrapped(VecMonitor) == [False] * 3
    for call in (
        lambda: env.step(np.zeros(3)),
        lambda: env.step(np.full(3, 6)),
        lambda: env.step(np.zeros(2, int)),
        env.step_wait,
        lambda: env.set_attr("seed", 1),
        lambda: env.env_method("rollout", 3),
    ):
        with pytest.raises(EnvError) as caught:
            call()
        assert "\n" not in str(caught.value)
    env.set_options({"param": 1})
    with pytest.raises(EnvError, match="options"):
        env.reset()
    assert env.env.tick == 0
    env.close()
    with pytest.raises(EnvError, match="closed"):
        env.step(np.zeros(3, int))
