"""CartPole beside Gymnasium's, which computes in f64."""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import numpy as np
from beside import Array, Single, drawn, side_by_side
from spaces_beside import same_spaces

from hamlet.package.module import Module

NAMES = ("place", "roll", "angle", "turn")
WORLDS = 20


def original(number: int) -> Single:
    return Single(gymnasium.make("CartPole-v1"), lambda env: dict(zip(NAMES, env.state, strict=True)), seed=number)


def test_cartpole_is_gymnasiums(port: Callable[[str], Module]) -> None:
    """Every other pole is balanced until the episode is over. Both go on from one state after 50 steps: an error in the
    angle of a pole grows by a factor of e in a quarter of a second."""
    at_random = drawn(2)

    def choose(tick: int, observations: Array) -> Array:
        actions = at_random(tick, observations)
        place, roll, angle, turn = np.moveaxis(observations[::2], -1, 0)
        actions[::2] = 0.02 * place + 0.05 * roll + angle + 0.2 * turn > 0
        return actions

    module = port("cartpole")
    comparison = side_by_side(module, [original(w) for w in range(WORLDS)], choose, 502, again=50).sufficient()
    assert comparison.wrong_ends == 0
    assert comparison.reward == 0
    assert comparison.observation < 1e-5
    same_spaces(module, gymnasium.make("CartPole-v1"))
