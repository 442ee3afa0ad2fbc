"""DeepSea beside bsuite's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from beside import Array, State, Step, drawn, side_by_side

from hamlet.package.module import Module

deep_sea = pytest.importorskip("bsuite.environments.deep_sea", reason="hamletc[ports] is not installed: bsuite")


class DeepSea:
    """A world of it."""

    def __init__(self) -> None:
        self._env = deep_sea.DeepSea(size=10, mapping_seed=42)

    def reset(self) -> Array:
        return np.atleast_2d(self._env.reset().observation.reshape(-1))

    def state(self) -> State:
        return {}

    def step(self, actions: Array) -> Step:
        found = self._env.step(int(actions[0]))
        ended = np.array([found.last()])
        return Step(found.observation.reshape(1, -1), np.array([found.reward]), ended, np.zeros_like(ended))


def test_deep_sea_is_bsuites(port: Callable[[str], Module]) -> None:
    """Every other agent looks up where `right` is, and finds the treasure now and then."""
    mapping = np.random.RandomState(42).binomial(1, 0.5, [10, 10]).reshape(-1)
    at_random = drawn(2)

    def choose(tick: int, observations: Array) -> Array:
        actions = at_random(tick, observations)
        right = mapping[observations.argmax(axis=2)]
        keeps = (np.arange(len(actions))[:, None] % 2 == 0) & (tick // 10 % 3 != 0)
        return np.where(keeps, right, actions)

    comparison = side_by_side(port("deep_sea"), [DeepSea() for _ in range(20)], choose, 300).sufficient(truncated=0)
    assert comparison.differences == 0
