"""CliffWalking beside Gymnasium's."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import numpy as np
from beside import Array, Single, drawn, side_by_side

import hamlet_gym
from hamlet.package.module import Module

WORLDS = 20


def original(number: int) -> Single:
    env = gymnasium.make("CliffWalking-v1")
    return Single(env, lambda _: {}, lambda observation: [observation], seed=number)


def test_cliff_walking_is_gymnasiums(port: Callable[[str], Module]) -> None:
    """Every other agent mostly goes up where it starts, to the right, and down at the end."""
    at_random = drawn(4)

    def choose(tick: int, observations: Array) -> Array:
        actions = at_random(tick, observations)
        column, row = observations[..., 0] % 12, observations[..., 0] // 12
        way = np.where(column == 11, 2, np.where(row == 3, 0, 1))
        keeps = np.arange(WORLDS)[:, None] % 2 == 0
        return np.where(keeps & (tick % 7 != 0), way, actions)

    module = port("cliff_walking")
    comparison = side_by_side(module, [original(w) for w in range(WORLDS)], choose, 300).sufficient(truncated=0)
    assert comparison.differences == 0
    assert comparison.terminated > 50
    assert hamlet_gym.Env(module, backend="c").action_space == gymnasium.make("CliffWalking-v1").action_space
