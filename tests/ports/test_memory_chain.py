"""MemoryChain beside bsuite's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from beside import Array, State, Step, drawn, side_by_side

import hamlet_gym
from hamlet.package.module import Module

memory_chain = pytest.importorskip("bsuite.environments.memory_chain", reason="hamletc[ports] is not installed: bsuite")


class Chain:
    """A world of bsuite."""

    def __init__(self, seed: int) -> None:
        self._env = memory_chain.MemoryChain(memory_length=10, num_bits=3, seed=seed)

    def reset(self) -> Array:
        return np.asarray(self._env.reset().observation)

    def state(self) -> State:
        bits = dict(zip(("first", "second", "third"), self._env._context, strict=True))
        return bits | {"query": self._env._query}

    def step(self, actions: Array) -> Step:
        after = self._env.step(int(actions[0]))
        ended = np.array([after.last()])
        return Step(np.asarray(after.observation), np.array([after.reward]), ended, np.zeros(1, bool))


def test_memory_chain_is_bsuites(port: Callable[[str], Module]) -> None:
    module = port("memory_chain")
    comparison = side_by_side(module, [Chain(w) for w in range(50)], drawn(2), 110).sufficient(truncated=0)
    assert comparison.differences == 0
    assert hamlet_gym.Env(module).action_space.n == memory_chain.MemoryChain(10).action_spec().num_values
