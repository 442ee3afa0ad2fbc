"""MountainCarContinuous beside Gymnasium's, which computes in f64 from states of f32."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import numpy as np
from beside import Array, Single, side_by_side
from spaces_beside import same_spaces

from hamlet.package.module import Module

NAMES = ("place", "velocity")
WORLDS = 10


def original(number: int) -> Single:
    env = gymnasium.make("MountainCarContinuous-v0")
    return Single(env, lambda env: dict(zip(NAMES, env.state, strict=True)), seed=number)


def test_continuous_mountain_car_is_gymnasiums(port: Callable[[str], Module]) -> None:
    """Every other car swings itself up."""
    rng = np.random.default_rng(1)

    def choose(_: int, observations: Array) -> Array:
        controls = rng.uniform(-1, 1, (len(observations), 1, 1)).astype(np.float32)
        controls[::2] = np.where(observations[::2, :, 1:] < 0, -0.8, 0.9)
        return controls

    module = port("mountain_car_continuous")
    comparison = side_by_side(module, [original(w) for w in range(WORLDS)], choose, 1000).sufficient()
    assert comparison.wrong_ends == 0
    assert comparison.reward < 1e-5
    assert comparison.observation < 1e-5
    same_spaces(module, gymnasium.make("MountainCarContinuous-v0"))
