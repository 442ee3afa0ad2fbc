"""MountainCar beside Gymnasium's, which computes in f64."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import numpy as np
from beside import Array, Single, drawn, side_by_side
from spaces_beside import same_spaces

from hamlet.package.module import Module

NAMES = ("place", "velocity")
WORLDS = 20


def original(number: int) -> Single:
    return Single(gymnasium.make("MountainCar-v0"), lambda env: dict(zip(NAMES, env.state, strict=True)), seed=number)


def test_mountain_car_is_gymnasiums(port: Callable[[str], Module]) -> None:
    """Every other car swings itself up."""
    at_random = drawn(3)

    def choose(tick: int, observations: Array) -> Array:
        actions = at_random(tick, observations)
        actions[::2] = np.where(observations[::2, :, 1] < 0, 0, 2)
        return actions

    module = port("mountain_car")
    comparison = side_by_side(module, [original(w) for w in range(WORLDS)], choose, 300).sufficient()
    assert comparison.wrong_ends == 0
    assert comparison.reward == 0
    assert comparison.observation < 5e-6
    same_spaces(module, gymnasium.make("MountainCar-v0"))
