"""The actions of adapters are those that a universe lists, also where `acts when` adds a WAIT to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces

import hamlet
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_gym.single import Env as SingleEnv
from hamlet_gym.vector import VectorEnv
from hamlet_sb3 import VecEnv
from hamlet_torchrl import TorchRLEnv

DANCE = """
universe dance
space grid 4 x 4
lifespan 9 ticks
meter energy = 1 { move 0.01 }
effect dizzy lasts 2 ticks { each tick { energy += 0.01 } }
action SPIN { energy -= 0.1  begin dizzy }
actions UP DOWN LEFT RIGHT SPIN
acts when not dizzy
reward energy - 0.3 when not action == WAIT
observe { position relative  meters  effects }
"""
WORLDS = 6


@pytest.fixture(scope="module")
def dance(compiled: Callable[[str], Module]) -> Module:
    return compiled(DANCE)


def _core(dance: Module, worlds: int, **arguments: Any) -> hamlet.Env:
    return hamlet.make(dance, worlds=worlds, backend="c", seed=5, quiet=True, **arguments)


def _dizzy(core: hamlet.Env) -> np.ndarray[Any, Any]:
    """The worlds whose agent does not act, or has ended."""
    wait: np.ndarray[Any, Any] = core.action_mask[:, -1].numpy().copy()
    return wait


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_a_single_world_has_the_listed_actions(dance: Module, backend: str) -> None:
    env, core = SingleEnv(dance, backend=backend, seed=5), _core(dance, 1, autoreset="next_step")
    assert env.action_space == spaces.Discrete(5)
    assert core.num_actions == 6
    seen, info = env.reset()
    core.reset()
    waited = 0
    for number in range(40):
        assert info["action_mask"].shape == (5,)
        if _dizzy(core)[0]:
            waited += 1
            assert info["action_mask"].tolist() == [1] * 5
        else:
            assert info["action_mask"].tolist() == core.action_mask[0, :5].int().tolist()
        action = 4 if number % 3 == 0 else int(env.action_space.sample(info["action_mask"]))
        seen, reward, terminated, truncated, info = env.step(action)
        observation, expected, *_ = core.step(torch.tensor([action]))
        assert observation is not None
        assert seen.tolist() == observation[0].tolist()
        assert reward == float(expected[0])
        if terminated or truncated:
            seen, info = env.reset()
            core.step(torch.tensor([0]))
    assert waited > 10
    with pytest.raises(EnvError, match=r"0 \.\. 4"):
        env.step(5)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_many_worlds_have_the_listed_actions(dance: Module, mode: str) -> None:
    env = VectorEnv(WORLDS, dance, autoreset_mode=mode, backend="c", seed=5)
    assert env.single_action_space == spaces.Discrete(5)
    env.reset()
    all_of_them = ends = 0
    for number in range(30):
        actions = np.full(WORLDS, 4) if number % 3 == 0 else env.action_space.sample()
        *_, infos = env.step(actions)
        masks = infos["action_mask"]
        dizzy = _dizzy(env.env)
        assert masks.shape == (WORLDS, 5)
        assert (masks[dizzy] == 1).all()
        assert (masks[~dizzy] == env.env.action_mask.numpy()[~dizzy, :5]).all()
        all_of_them += int(dizzy.sum())
        if "final_info" in infos:
            over = infos["_final_info"]
            assert infos["final_info"]["action_mask"].shape == (WORLDS, 5)
            assert (infos["final_info"]["action_mask"][over] == 1).all()
            ends += int(over.sum())
    assert all_of_them > 20
    assert ends > 0 or mode == "NextStep"
    with pytest.raises(EnvError, match=r"0 \.\. 4"):
        env.step(np.full(WORLDS, 5))


def test_stable_baselines_has_the_listed_actions(dance: Module) -> None:
    env = VecEnv(WORLDS, dance, backend="c", seed=5)
    assert env.action_space == spaces.Discrete(5)
    env.reset()
    assert env.action_masks().shape == (WORLDS, 5)
    env.step(np.full(WORLDS, 4))
    assert env.action_masks().all()
    with pytest.raises(EnvError, match=r"0 \.\. 4"):
        env.step(np.full(WORLDS, 5))


def test_torchrl_has_the_listed_actions(dance: Module) -> None:
    envs = pytest.importorskip("torchrl.envs")
    env = TorchRLEnv(WORLDS, dance, backend="c", seed=5)
    assert env.action_spec.space.n == 5
    assert env.full_observation_spec["action_mask"].shape == (WORLDS, 5)
    played = envs.TransformedEnv(env, envs.ActionMask()).rollout(25, break_when_any_done=False)
    assert played["action"].max() == 4
    masks = played["next", "action_mask"]
    assert masks.any(dim=-1).all()
    assert (played["next", "observation"][masks.all(dim=-1)][:, 3] > 0).any()


def test_rsl_rl_has_the_listed_actions(dance: Module) -> None:
    rsl_rl = pytest.importorskip("hamlet_rsl_rl", reason="rsl-rl-lib is not installed")
    env = rsl_rl.VecEnv(WORLDS, dance, backend="c", seed=5)
    assert env.num_actions == 5
    scores = torch.zeros(WORLDS, 5)
    scores[:, 4] = 1
    *_, extras = env.step(scores)
    assert extras["action_mask"].tolist() == [[True] * 5] * WORLDS
    assert env.reset()[1]["action_mask"].shape == (WORLDS, 5)
    env.episode_length_buf = torch.zeros(WORLDS, dtype=torch.long)
    assert env.reset()[1]["action_mask"].shape == (WORLDS, 5)


def test_a_listed_wait_is_an_action(compiled: Callable[[str], Module]) -> None:
    listed = compiled(DANCE.replace("RIGHT SPIN", "WAIT RIGHT SPIN").replace("universe dance", "universe waltz"))
    env = SingleEnv(listed, backend="interpreter", seed=5)
    assert env.action_space == spaces.Discrete(6)
    env.reset()
    info = env.step(5)[4]
    assert info["action_mask"].tolist() == [0, 0, 0, 1, 0, 0]
