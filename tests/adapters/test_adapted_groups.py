"""Groups of observations in every adapter: spaces, what is in them, and the row of numbers for those who want it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from gymnasium.utils import env_checker
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from pettingzoo.test import parallel_api_test
from torchrl.envs.utils import check_env_specs

from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_gym import Env, VectorEnv, check_vector_env
from hamlet_pettingzoo import ParallelEnv
from hamlet_torchrl import TorchRLEnv

FIELD = """
universe field
space grid 4 x 3
lifespan 9 ticks
meter fuel = 1 { decay 0.01  only falls }
state task: int in -1 .. 2 = integer(-1, 2)
cells { state ground: grass sand = grass  rule spreads: chance(0.2) -> ground = sand }
rule tasks: task = integer(-1, 2)
reward fuel
observe {
    image view { hot window 1 of ground }
    discrete task
    group body { meters  lifetime  hot column: position x }
}
"""
ALONE = """
universe {}
space grid 4 x 3
lifespan 9 ticks
meter fuel = 1 {{ decay 0.01  only falls }}
affordance Bed at random {{ instantly {{ fuel -= 0.1 }} }}
reward fuel
observe {{ {} }}
"""
PLACE = ALONE.format("alone", "discrete place: 4 * position y + position x")
BOARD = ALONE.format("board", "image board { grid }")
ROLES = """
universe two
space grid 4 x 3
lifespan 9 ticks
meter food = 1 { decay 0.01  only falls }
role wolf: 1 agent { state anger: int in 2 .. 300 = 3  rule a: anger = integer(2, 300)  observe { discrete anger } }
role hare: 1 agent { meter fear = 5 in 0 .. 9  rule b: fear = uniform(0, 9)  observe { group own { meters } } }
reward food
observe { group body { meters food } }
"""
Compiled = Callable[[str], Module]


@pytest.mark.parametrize("text", [FIELD, PLACE, BOARD], ids=["dictionary", "number", "image"])
def test_gymnasium_and_its_checkers(text: str, compiled: Compiled) -> None:
    module = compiled(text)
    env_checker.check_env(Env(module, backend="interpreter"), skip_render_check=True)
    check_vector_env(lambda **given: VectorEnv(2, module, backend="c", **given), steps=24, render=False, mistakes=False)


def test_spaces_are_in_the_order_of_the_file(compiled: Compiled) -> None:
    space = Env(compiled(FIELD), backend="interpreter").observation_space
    assert isinstance(space, spaces.Dict)
    assert list(space.spaces.items()) == [
        ("view", spaces.Box(0, 1, (2, 3, 3), np.float32)),
        ("task", spaces.Discrete(4, start=-1)),
        ("body", spaces.Box(0, 1, (6,), np.float32)),
    ]
    assert Env(compiled(PLACE), backend="interpreter").observation_space == spaces.Discrete(12)
    assert Env(compiled(BOARD), backend="interpreter").observation_space == spaces.Box(0, 2, (1, 3, 4), np.float32)


def test_flat_is_the_row(compiled: Compiled) -> None:
    envs = [Env(compiled(FIELD), backend="interpreter", observations=way) for way in ("groups", "flat")]
    (parts, _), (row, _) = (env.reset(seed=3) for env in envs)
    assert np.array_equal(np.concatenate([parts["view"].ravel(), [parts["task"]], parts["body"]]), row)
    assert isinstance(parts["task"], int)
    assert envs[1].observation_space.shape == row.shape


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("text", [FIELD, PLACE], ids=["dictionary", "number"])
def test_many_worlds_are_many_environments(text: str, mode: AutoresetMode, compiled: Compiled) -> None:
    module = compiled(text)
    given: dict[str, Any] = {"seed": 5, "backend": "interpreter"}
    ours = VectorEnv(3, module, autoreset_mode=mode, **given)
    theirs = SyncVectorEnv(
        [lambda world=world: Env(module, first_world=world, **given) for world in range(3)], autoreset_mode=mode
    )
    assert ours.observation_space == theirs.observation_space
    equal(ours.reset()[0], theirs.reset()[0])
    for _ in range(9):
        actions = ours.action_space.sample()
        (seen, *_, infos), (others, *_, info) = ours.step(actions), theirs.step(actions)
        equal(seen, others)
        assert ("final_obs" in infos) == ("final_obs" in info)
    for one, other in zip(infos.get("final_obs", ()), info.get("final_obs", ()), strict=True):
        equal(one, other)


def equal(one: Any, other: Any) -> None:
    """Both are the same, types included."""
    if isinstance(one, dict):
        assert list(one) == list(other)
        for name in one:
            equal(one[name], other[name])
    else:
        assert type(one) is type(other)
        assert np.array_equal(one, other)
        assert getattr(one, "dtype", None) == getattr(other, "dtype", None)


def test_bytes_keep_discrete_numbers(compiled: Compiled) -> None:
    given: dict[str, Any] = {"backend": "interpreter", "seed": 2}
    pairs = [VectorEnv(4, compiled(FIELD), obs_dtype=dtype, **given) for dtype in ("float32", "uint8")]
    numbers, codes = (envs.reset()[0] for envs in pairs)
    assert np.array_equal(numbers["task"], codes["task"])
    assert np.array_equal(numbers["view"] * 255, codes["view"])
    assert pairs[1].single_observation_space["view"] == spaces.Box(0, 255, (2, 3, 3), np.uint8)


def test_agents_have_the_groups_of_their_role(compiled: Compiled) -> None:
    module = compiled(ROLES)
    parallel_api_test(ParallelEnv(module, backend="interpreter"), num_cycles=20)
    world = ParallelEnv(module, backend="interpreter")
    assert world.observation_space("wolf_0") == spaces.Dict(
        [("body", spaces.Box(0, 1, (1,), np.float32)), ("anger", spaces.Discrete(299, start=2))]
    )
    assert world.observation_space("hare_0") == spaces.Dict(
        [("body", spaces.Box(0, 1, (1,), np.float32)), ("own", spaces.Box(0, 9, (1,), np.float32))]
    )
    observations, _ = world.reset(seed=1)
    assert isinstance(observations["wolf_0"]["anger"], int)
    assert ParallelEnv(module, observations="flat").observation_space("hare_0").shape == (2,)
    with pytest.raises(EnvError, match=r"uint8 has not every number of `anger`, 2 .. 300"):
        ParallelEnv(module, obs_dtype="uint8")


@pytest.mark.parametrize("text", [FIELD, PLACE], ids=["dictionary", "number"])
def test_torchrl(text: str, compiled: Compiled) -> None:
    envs = TorchRLEnv(3, compiled(text), backend="interpreter", seed=1)
    check_env_specs(envs)
    run = envs.rollout(20, break_when_any_done=False)
    row = TorchRLEnv(3, compiled(text), backend="interpreter", seed=1, observations="flat")
    assert row.observation_spec["observation"].shape == (3, len(envs.env.observation_names))
    seen = run["observation", "task"] if text is FIELD else run["observation"]
    assert seen.dtype is torch.int64
    assert seen.min() < seen.max()


@pytest.mark.parametrize("adapter", [Env, VectorEnv, ParallelEnv, TorchRLEnv])
def test_there_are_two_ways(adapter: Any, compiled: Compiled) -> None:
    with pytest.raises(EnvError, match=r'^observations are handed out as "groups" or "flat", not 3$'):
        adapter(universe=compiled(FIELD), backend="interpreter", observations=3)
