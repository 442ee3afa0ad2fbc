"""Acrobot beside Gymnasium's, which computes in f64."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import numpy as np
from beside import Array, Single, drawn, side_by_side
from spaces_beside import same_spaces

from hamlet.package.module import Module

NAMES = ("a", "b", "spin_a", "spin_b")
WORLDS = 12


def original(number: int) -> Single:
    return Single(gymnasium.make("Acrobot-v1"), lambda env: dict(zip(NAMES, env.state, strict=True)), seed=number)


def test_acrobot_is_gymnasiums(port: Callable[[str], Module]) -> None:
    """Every other one pumps itself up. Both go on from one state after 10 steps, for a double pendulum is chaotic."""
    at_random = drawn(3)

    def choose(tick: int, observations: Array) -> Array:
        actions = at_random(tick, observations)
        actions[::2] = np.where(observations[::2, :, 4] > 0, 0, 2)
        return actions

    module = port("acrobot")
    comparison = side_by_side(module, [original(w) for w in range(WORLDS)], choose, 510, again=10).sufficient()
    assert comparison.wrong_ends == 0
    assert comparison.reward == 0
    assert comparison.observation < 1e-4
    same_spaces(module, gymnasium.make("Acrobot-v1"))
