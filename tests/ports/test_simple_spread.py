"""simple_spread beside MPE's, which computes in f64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from beside import Array, Players, State, drawn, side_by_side
from spaces_beside import same_spaces_of_players

from hamlet.package.module import Module

spread = pytest.importorskip("mpe2.simple_spread_v3", reason="hamletc[ports] is not installed: mpe2")
WORLDS, AGENTS = 20, 3


def state(env: Any) -> State:
    """Places, velocities, and what agents know of others and of landmarks."""
    places = np.array([agent.state.p_pos for agent in env.world.agents])
    velocities = np.array([agent.state.p_vel for agent in env.world.agents])
    landmarks = [landmark.state.p_pos for landmark in env.world.landmarks]
    values: dict[str, Array] = {}
    for axis, letter in enumerate("xy"):
        values |= {letter: places[:, axis], f"v{letter}": velocities[:, axis]}
        values |= {f"first_{letter}": places[[1, 0, 0], axis], f"second_{letter}": places[[2, 2, 1], axis]}
        values |= {f"l{n}{letter}": np.full(AGENTS, place[axis]) for n, place in enumerate(landmarks, 1)}
    return values


def original(number: int) -> Players:
    return Players(spread.parallel_env(), state, seed=number)


def test_simple_spread_is_mpes(port: Callable[[str], Module]) -> None:
    """In half of the worlds agents seek the middle, where they collide; errors grow there, so both go on from one state
    after 10 steps."""
    at_random = drawn(5)

    def choose(tick: int, observations: Array) -> Array:
        actions = at_random(tick, observations)
        x, y = observations[::2, :, 2], observations[::2, :, 3]
        along_x = np.where(x > 0, 1, 2)
        actions[::2] = np.where(abs(x) > abs(y), along_x, np.where(y > 0, 3, 4))
        return actions

    module = port("simple_spread")
    comparison = side_by_side(module, [original(w) for w in range(WORLDS)], choose, 100, again=10).sufficient(
        terminated=0
    )
    assert comparison.wrong_ends == 0
    assert comparison.observation < 1e-5
    assert comparison.reward < 1e-5
    same_spaces_of_players(module, spread.parallel_env())
