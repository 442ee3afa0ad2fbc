"""Pendulum beside Gymnasium's, which computes in f64."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import numpy as np
from beside import Array, Single, side_by_side
from spaces_beside import same_spaces

from hamlet.package.module import Module

WORLDS = 25
AGAIN = 10
"""A pendulum near its highest point falls to one side or the other: rounding errors grow exponentially."""


def original(number: int) -> Single:
    return Single(gymnasium.make("Pendulum-v1"), state, seed=number)


def state(env: object) -> dict[str, Array]:
    return dict(zip(("angle", "turning"), env.state, strict=True))  # type: ignore[attr-defined]


def test_pendulum_is_gymnasiums(port: Callable[[str], Module]) -> None:
    """Every other one is pushed the way it swings."""
    rng = np.random.default_rng(1)

    def choose(_: int, observations: Array) -> Array:
        controls = rng.uniform(-2, 2, (len(observations), 1, 1)).astype(np.float32)
        controls[::2] = np.where(observations[::2, :, 2:] < 0, -2, 2)
        return controls

    module = port("pendulum")
    comparison = side_by_side(module, [original(w) for w in range(WORLDS)], choose, 210, AGAIN).sufficient(terminated=0)
    assert comparison.wrong_ends == 0
    assert comparison.reward < 1e-4
    assert comparison.observation < 1e-4
    same_spaces(module, gymnasium.make("Pendulum-v1"))
