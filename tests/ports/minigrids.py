"""MiniGrid's worlds beside their ports: the view of 7 x 7 cells, the direction, the mission, and what the state is
called here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from beside import Array, Chooser, Single, State, drawn, side_by_side

import hamlet_gym
from hamlet.package.module import Module

WORLDS = 20
FORWARD = 2


def of_agent(world: Any) -> State:
    """Which way the agent faces; it begins where the map says."""
    return {"heading": int(world.agent_dir)}


def cells_with(world: Any, kind: str) -> list[bool]:
    """Of each cell whether an object of this kind is there, row by row."""
    return [each is not None and each.type == kind for each in world.grid.grid]


def shown(observation: dict[str, Any]) -> Array:
    """The image by channel, line and column, then the direction."""
    return np.concatenate([observation["image"].transpose(2, 1, 0).ravel(), [observation["direction"]]])


def original(name: str, number: int, state: Callable[[Any], State] = of_agent) -> Single:
    """A world of MiniGrid, which is skipped where the package is missing."""
    pytest.importorskip("minigrid", reason="the package minigrid is not installed")
    return Single(gymnasium.make(name), state, shown, seed=number)


def forwards(seed: int) -> Chooser:
    """Every other agent goes forward half of the time, the others do anything."""
    at_random = drawn(7, seed)
    rng = np.random.default_rng(seed)

    def choose(tick: int, observations: Array) -> Array:
        actions = at_random(tick, observations)
        goes = rng.random(actions.shape) < 0.5
        goes &= np.arange(len(actions))[:, None] % 2 == 0
        return np.where(goes, FORWARD, np.where(goes | (rng.random(actions.shape) < 0.5), actions % 3, actions))

    return choose


def compared(
    module: Module,
    name: str,
    state: Callable[[Any], State],
    ticks: int,
    terminated: int,
    choose: Chooser | None = None,
) -> None:
    """Step both, from the state with which each episode of MiniGrid begins, and expect no difference."""
    worlds = [original(name, number, state) for number in range(WORLDS)]
    comparison = side_by_side(module, worlds, choose or forwards(5), ticks)
    assert comparison.sufficient(terminated=terminated, truncated=1).differences == 0
    theirs = gymnasium.make(name)
    ours, seen = hamlet_gym.Env(module, backend="c"), theirs.observation_space
    assert isinstance(seen, gymnasium.spaces.Dict)
    own = ours.observation_space
    assert isinstance(own, gymnasium.spaces.Dict)
    # MiniGrid's class for missions is its own, and equals no other.
    assert all(own[name] == seen[name] for name in ("image", "direction"))
    assert ours.action_space == theirs.action_space
    here, there = ours.reset(seed=1)[0], theirs.reset(seed=1)[0]
    assert seen.contains(here)
    assert own.contains(there)
    assert here["mission"] == there["mission"]
    # Columns come first, as MiniGrid has them; the rows that were compared are by channel, line and column.
    row = hamlet_gym.Env(module, backend="c", observations="flat").reset(seed=2)[0]
    assert (ours.reset(seed=2)[0]["image"] == row[: 3 * 7 * 7].reshape(3, 7, 7).transpose(2, 1, 0)).all()
