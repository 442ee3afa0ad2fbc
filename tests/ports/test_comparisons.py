"""Steps of both sides are compared, and a difference in any of what they give is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from beside import Array, Comparison, Original, State, Step, agree, drawn, mean, optimal, side_by_side

from hamlet.package.module import Module

COUNTER = """
universe counter
space none
lifespan 4 ticks
state count: int in 0 .. 9 = 0
action STAY { }
action GO { count += 1 }
actions STAY GO
ends when count >= 3
reward count
observe { state }
"""


class Counter:
    """The same in Python; `wrong` changes each step."""

    def __init__(self, first: int = 0, wrong: Callable[[Step], Step] = lambda step: step) -> None:
        self._first, self._wrong = first, wrong
        self._count = self._age = 0

    def reset(self) -> Array:
        self._count, self._age = self._first, 0
        return self._seen()

    def state(self) -> State:
        return {"count": self._count}

    def step(self, actions: Array) -> Step:
        self._count, self._age = self._count + int(actions[0]), self._age + 1
        done = np.array([self._count >= 3])
        return self._wrong(Step(self._seen(), np.array([self._count]), done, ~done & (self._age >= 4)))

    def _seen(self) -> Array:
        return np.array([[self._count]], np.float32)


def compared(module: Module, *originals: Original) -> Comparison:
    return side_by_side(module, originals, drawn(2), 60)


def test_the_same_has_no_differences(compiled: Callable[[str], Module]) -> None:
    comparison = compared(compiled(COUNTER), Counter(), Counter(first=1))
    assert (comparison.steps, comparison.differences) == (120, 0)
    assert comparison.terminated > 10
    assert comparison.truncated > 2
    with pytest.raises(AssertionError, match="too little was compared"):
        comparison.sufficient()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda step: replace(step, observation=step.observation + 1e-6),
        lambda step: replace(step, reward=step.reward + 1e-6),
        lambda step: replace(step, terminated=~step.terminated),
        lambda step: replace(step, truncated=~step.truncated),
    ],
)
def test_each_difference_is_found(compiled: Callable[[str], Module], wrong: Callable[[Step], Step]) -> None:
    assert compared(compiled(COUNTER), Counter(), Counter(wrong=wrong)).differences > 10


def test_too_few_ends_are_refused() -> None:
    comparison = Comparison(steps=5000, terminated=1)
    assert comparison.sufficient(truncated=0) is comparison
    with pytest.raises(AssertionError, match="too little was truncated"):
        comparison.sufficient()
    with pytest.raises(AssertionError, match="too little ended"):
        comparison.sufficient(terminated=2, truncated=0)


def test_means_agree_where_the_interval_of_their_difference_has_zero() -> None:
    rng = np.random.default_rng(0)
    first, same, other = rng.normal(0, 1, 1000), rng.normal(0, 1, 1000), rng.normal(0.5, 1, 1000)
    assert mean(first).half == pytest.approx(1.96 / np.sqrt(1000), rel=0.1)
    assert agree(mean(first), mean(same))
    assert not agree(mean(first), mean(other))


def test_the_best_action_counts_what_comes_later() -> None:
    """In state 0 an end with 1 is near, and one with 2 a step behind."""
    transitions = {
        0: {0: [(1.0, 2, 1.0, True)], 1: [(0.9, 1, 0.0, False), (0.1, 2, 0.0, True)]},
        1: {0: [(1.0, 2, 0.0, True)], 1: [(1.0, 2, 2.0, True)]},
        2: {0: [(1.0, 2, 5.0, True)], 1: [(1.0, 2, 0.0, True)]},
    }
    assert optimal(transitions).tolist() == [1, 1, 0]
    assert optimal(transitions, discount=0.5).tolist() == [0, 1, 0]
