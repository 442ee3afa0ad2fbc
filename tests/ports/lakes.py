"""FrozenLake beside Gymnasium's, which draws its own slips: where each step leads and how often, and returns and
lengths of episodes, those of the best policy too."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import gymnasium
import numpy as np
from beside import Policy, Single, of_worlds, optimal, same_episodes, stepped, uniform

import hamlet
import hamlet_gym
from hamlet.package.module import Module

EPISODES = 1500


def transitions(name: str) -> Any:
    """`P` of the original."""
    return gymnasium.make(name).unwrapped.P  # type: ignore[attr-defined]


def best(name: str) -> Policy:
    """The best action of each cell by value iteration on the transitions of the original."""
    actions = optimal(transitions(name))
    return lambda observations: actions[observations[:, 0].astype(int)]


def same_lake(module: Module, name: str) -> None:
    """A port has the episodes of the original, at random and at best, its steps, and its actions."""
    original = Single(gymnasium.make(name), lambda _: {}, lambda cell: [cell])
    same_episodes(module, original, uniform(4, seed=1), uniform(4, seed=2), EPISODES)
    assert same_episodes(module, original, best(name), best(name), EPISODES) > 0.7
    same_steps(module, name)
    assert hamlet_gym.Env(module, backend="c").action_space == gymnasium.make(name).action_space


def same_steps(module: Module, name: str) -> None:
    """Every step leads to one of the cells that it has there, with its reward and its end, as often."""
    env = hamlet.make(module, worlds=4000, backend="c", quiet=True)
    rng, seen = np.random.default_rng(0), defaultdict[tuple[int, int], Counter[tuple[int, float, bool]]](Counter)
    for _ in range(12):
        before, actions = of_worlds(env.observation, env)[:, 0, 0].astype(int), rng.integers(0, 4, (4000, 1))
        step = stepped(env, actions)
        columns = step.observation[:, 0, 0].astype(int), step.reward[:, 0], step.terminated[:, 0]
        results = zip(*(column.tolist() for column in columns), strict=True)
        for cell, action, result in zip(before.tolist(), actions[:, 0].tolist(), results, strict=True):
            seen[cell, action][result] += 1
    rows = transitions(name)
    assert len(seen) > 40
    for (cell, action), results_of in seen.items():
        theirs: Counter[tuple[int, float, bool]] = Counter()
        for share, there, reward, over in rows[cell][action]:
            theirs[there, float(reward), bool(over)] += share
        assert results_of.keys() <= theirs.keys()
        count = results_of.total()
        for result, share in theirs.items():
            room = 4.5 * np.sqrt(count * share * (1 - share)) + 1e-9
            assert abs(results_of[result] - share * count) <= room, (cell, action, result)
