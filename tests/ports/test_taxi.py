"""Taxi beside Gymnasium's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from beside import Array, Single, drawn, place, side_by_side
from spaces_beside import same_spaces

import hamlet
from hamlet.package.module import Module

WORLDS, STATES, ACTIONS = 24, 500, 6


def decoded(env: Any, number: int) -> dict[str, Any]:
    """The state of a number by the names of the port."""
    row, column, passenger, goal = env.decode(number)
    return {"position": (column, row), "passenger": passenger, "goal": goal}


def original(number: int) -> Single:
    env = gymnasium.make("Taxi-v4")
    return Single(env, lambda taxi: decoded(taxi, taxi.s), lambda observation: [observation], seed=number)


def test_taxi_is_gymnasiums(port: Callable[[str], Module]) -> None:
    """Every other agent keeps to actions that change something, so that it carries somebody now and then."""
    at_random = drawn(ACTIONS)
    taxi: Any = gymnasium.make("Taxi-v4").unwrapped
    masks = np.stack([taxi.action_mask(number) for number in range(STATES)])

    def choose(tick: int, observations: Array) -> Array:
        actions = at_random(tick, observations)
        likes = masks[observations[..., 0].astype(int)] + np.random.default_rng(tick).random((WORLDS, 1, ACTIONS)) / 2
        likes[..., 4:] *= 2
        return np.where(np.arange(WORLDS)[:, None] % 2 == 0, likes.argmax(axis=-1), actions)

    module = port("taxi")
    comparison = side_by_side(module, [original(w) for w in range(WORLDS)], choose, 420).sufficient()
    assert comparison.differences == 0
    same_spaces(module, gymnasium.make("Taxi-v4"))


def test_each_action_of_each_state(port: Callable[[str], Module]) -> None:
    """What an action leads to, what it is paid, and what is possible: all there is of the original."""
    taxi: Any = gymnasium.make("Taxi-v4").unwrapped
    numbers = [number for number in range(STATES) if number // 4 % 5 != number % 4]  # who is there is no passenger
    env = hamlet.make(port("taxi"), worlds=len(numbers) * ACTIONS, backend="c", quiet=True)
    states = [number for number in numbers for _ in range(ACTIONS)]
    place(env, {world: decoded(taxi, number) for world, number in enumerate(states)})
    assert np.array_equal(env.observation.numpy()[:, 0], states)
    assert np.array_equal(env.action_mask.numpy(), np.stack([taxi.action_mask(number) for number in states]))
    _, reward, terminated, _, info = env.step(np.tile(np.arange(ACTIONS, dtype=np.int32), len(numbers)))
    over = terminated.numpy()
    there = np.where(over, info["final_observation"].numpy()[:, 0], env.observation.numpy()[:, 0])
    leads = [taxi.P[number][action][0] for number in numbers for action in range(ACTIONS)]
    assert np.array_equal(there, [then for _, then, _, _ in leads])
    assert np.array_equal(reward.numpy(), [paid for _, _, paid, _ in leads])
    assert np.array_equal(over, [done for _, _, _, done in leads])
