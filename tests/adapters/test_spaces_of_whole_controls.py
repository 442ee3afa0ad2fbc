"""Controls that are whole numbers, in the spaces of others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from gymnasium import spaces

from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_gym.single import Env as SingleEnv
from hamlet_gym.vector import VectorEnv

SHOP = """
universe shop
space none
lifespan 12 ticks
control order: int in 0 .. 100
control shift: int in -3 .. 3
state stock: int in 0 .. 500 = 20
rule comes: stock += order
rule goes: stock -= integer(0, 50) + shift
reward 10 - 0.01 * stock
observe { state }
"""
WHOLE = spaces.MultiDiscrete([101, 7], start=[0, -3])


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


@pytest.fixture(scope="module")
def stall(compiled: Callable[[str], Module]) -> Module:
    """A shop where agents choose an action too."""
    return compiled(SHOP.replace("shop", "stall") + "action SELL { stock -= 10 }\n")


def test_gymnasium(shop: Module, stall: Module) -> None:
    single, both = SingleEnv(shop, backend="interpreter"), SingleEnv(stall, backend="interpreter")
    assert single.action_space == WHOLE
    assert both.action_space == spaces.Dict({"action": spaces.Discrete(3), "controls": WHOLE})
    for env in (single, both):
        env.reset(seed=1)
        for _ in range(30):
            *_, terminated, truncated, _info = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()
    single.reset(seed=1)
    assert single.step(np.array([7, -2]))[4] is not None
    for wrong in (np.array([0.5, 0]), np.array([7.0, 0.0]), np.array([101, 0]), np.array([1]), "much"):
        with pytest.raises(EnvError):
            single.step(wrong)
    several = VectorEnv(4, shop, backend="c")
    several.reset(seed=1)
    for _ in range(15):
        several.step(several.action_space.sample())
    with pytest.raises(EnvError, match="of whole numbers"):
        several.step(np.zeros((4, 2), np.float32))


def test_pettingzoo(shop: Module, stall: Module) -> None:
    pytest.importorskip("pettingzoo")
    from hamlet_pettingzoo.parallel import ParallelEnv

    for module in (shop, stall):
        env = ParallelEnv(module, agents=2, backend="interpreter")
        env.reset(seed=1)
        for _ in range(5):
            env.step({name: env.action_space(name).sample() for name in env.agents})


def test_torchrl(shop: Module) -> None:
    pytest.importorskip("torchrl")
    from hamlet_torchrl import TorchRLEnv

    env = TorchRLEnv(64, shop, backend="interpreter")
    drawn = env.action_spec.rand()
    assert drawn.dtype is torch.int64
    assert drawn[:, 1].unique().tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert env.rollout(5)["action"].shape == (64, 5, 2)


def test_stable_baselines_counts_from_0_on(shop: Module) -> None:
    pytest.importorskip("stable_baselines3")
    from hamlet_sb3 import VecEnv

    env = VecEnv(3, shop, backend="interpreter")
    assert env.action_space == spaces.MultiDiscrete([101, 7])
    env.reset()
    env.step(np.array([[0, 0], [100, 6], [7, 3]]))
    assert env.env.state["controls"].tolist() == [[0, 100, 7], [-3, 3, 0]]


def test_rsl_rl_rounds(shop: Module) -> None:
    pytest.importorskip("rsl_rl")
    from hamlet_rsl_rl import VecEnv

    env = VecEnv(3, shop, backend="interpreter")
    env.step(torch.tensor([[0.4, 9.0], [100.7, -0.6], [7.5, 0.5]]))
    assert env.env.state["controls"].tolist() == [[0, 100, 8], [3, -1, 0]]


def test_what_no_space_of_others_has(compiled: Callable[[str], Module]) -> None:
    mixed = compiled(SHOP.replace("shop", "mixed").replace("shift: int", "shift").replace("+ shift", "+ floor(shift)"))
    with pytest.raises(EnvError, match="controls are all whole numbers or all real ones, not order alone"):
        VectorEnv(2, mixed, backend="interpreter")
