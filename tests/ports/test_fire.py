"""Fire beside its procedures in numpy: NetLogo is no package of Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from beside import Array, State, Step, drawn, side_by_side

from hamlet.package.module import Module

SIDE = 251
BARE, TREE, FIRE, EMBER = range(4)


class Forest:
    """The procedures `setup` and `go` of the model, rows of patches from above."""

    def __init__(self, seed: int, density: float) -> None:
        self._rng, self._density = np.random.default_rng(seed), density
        self._ground = np.zeros((SIDE, SIDE), int)
        self._trees = 0

    def reset(self) -> Array:
        self._ground = np.where(self._rng.random((SIDE, SIDE)) < self._density, TREE, BARE)
        self._ground[:, 0] = FIRE
        self._trees = int((self._ground == TREE).sum())
        return self._seen()

    def state(self) -> State:
        return {"ground": self._ground.ravel()}

    def step(self, _: Array) -> Step:
        fires = np.pad(self._ground == FIRE, 1)
        beside = fires[:-2, 1:-1] | fires[2:, 1:-1] | fires[1:-1, :-2] | fires[1:-1, 2:]
        ignited = beside & (self._ground == TREE)
        self._ground[self._ground == FIRE] = EMBER
        self._ground[ignited] = FIRE
        ended = np.array([not (self._ground == FIRE).any()])
        return Step(self._seen(), np.zeros(1), ended, np.zeros(1, bool))

    def _seen(self) -> Array:
        burned = self._trees - int((self._ground == TREE).sum())
        return np.array([[np.float32(100 * burned) / np.float32(self._trees)]])


@pytest.mark.parametrize(
    ("densities", "ticks"),
    [((0.55, 0.7), 300), pytest.param((0.5, 0.55, *[0.6] * 6, 0.7), 560, marks=pytest.mark.long)],
)
def test_fire_is_netlogos(port: Callable[[str], Module], densities: tuple[float, ...], ticks: int) -> None:
    """Forests around the threshold of percolation, at 59.3 %."""
    forests = [Forest(w, density) for w, density in enumerate(densities)]
    comparison = side_by_side(port("fire"), forests, drawn(1), ticks)
    assert comparison.sufficient(truncated=0, steps=len(densities) * ticks).differences == 0
