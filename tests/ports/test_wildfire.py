"""Wildfire beside pyRDDLGym's simulation of it, which draws its own fires: from the same state what cannot be otherwise
is the same, cells catch fire as often as the original says, and episodes of random play return as much."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from beside import STEPS, Array, State, Step, of_worlds, place, same_episodes, stepped, uniform

import hamlet
import hamlet_gym
from hamlet.package.module import Module

pytest.importorskip("pyRDDLGym", reason="hamletc[ports] is not installed: pyRDDLGym")
pytest.importorskip("rddlrepository", reason="hamletc[ports] is not installed: rddlrepository")

SIZE = 9
TARGET = np.array([0, 0, 0, 0, 1, 1, 1, 0, 0], bool)


@cache
def original() -> Any:
    """The environment: parsing it takes a second."""
    import pyRDDLGym

    return pyRDDLGym.make("Wildfire_MDP_ippc2014", "1")


class Wildfire:
    """A world of it."""

    def __init__(self) -> None:
        self._env = original()
        self.actions = ["", *self._env.action_space]

    def reset(self) -> Array:
        return self._observed(self._env.reset()[0])

    def state(self) -> State:
        subs = self._env.sampler.subs
        return {"burning": subs["burning"].reshape(-1), "spent": subs["out-of-fuel"].reshape(-1)}

    def step(self, actions: Array) -> Step:
        chosen = self.actions[int(actions[0])]
        observation, reward, terminated, truncated, _ = self._env.step({chosen: 1} if chosen else {})
        ends = np.array([terminated]), np.array([truncated])
        return Step(self._observed(observation), np.array([reward]), *ends)

    def _observed(self, observation: dict[str, Any]) -> Array:
        return np.array([list(observation.values())], np.float32)


def test_wildfire_is_rddls(port: Callable[[str], Module]) -> None:
    """Each step of the original is one of a world of its own, from the state before it."""
    there, choose, states, actions, steps = Wildfire(), uniform(2 * SIZE + 1), {}, np.zeros((STEPS, 1), int), []
    observation = there.reset()
    for tick in range(STEPS):
        states[tick], actions[tick] = there.state(), choose(observation)
        steps.append(there.step(actions[tick]))
        observation = there.reset() if steps[-1].truncated[0] else steps[-1].observation
    env = hamlet.make(port("wildfire"), worlds=STEPS, backend="c", quiet=True)
    place(env, states)
    burning, spent = np.split(of_worlds(env.observation, env)[:, 0] > 0, 2, axis=1)
    ours = stepped(env, actions)
    assert (ours.reward == np.stack([step.reward for step in steps])).all()
    (fires, bare), (their_fires, their_bare) = (
        np.split(values[:, 0], 2, axis=1)
        for values in (ours.observation, np.stack([step.observation for step in steps]))
    )
    assert (bare == their_bare).all()
    lit = near(burning)
    may = ~burning & ~spent & ~(TARGET & (lit == 0)) & (np.arange(1, SIZE + 1) != actions)
    assert (fires == their_fires)[~may].all()
    assert len(np.unique(lit[may])) >= 4
    for around in np.unique(lit[may]):
        count, chance = (lit[may] == around).sum(), 1 / (1 + np.exp(4.5 - around))
        room = 4.5 * np.sqrt(count * chance * (1 - chance))
        assert abs(fires[may & (lit == around)].sum() - chance * count) <= room
        assert abs(their_fires[may & (lit == around)].sum() - chance * count) <= room


def near(burning: Array) -> Array:
    """The number of cells on fire among the neighbours of each, [worlds, cells]."""
    padded = np.pad(burning.reshape(-1, 3, 3).astype(int), ((0, 0), (1, 1), (1, 1)))
    around = sum(padded[:, x : x + 3, y : y + 3] for x in range(3) for y in range(3))
    return (around - padded[:, 1:4, 1:4]).reshape(len(burning), SIZE)


def test_episodes_return_as_much(port: Callable[[str], Module]) -> None:
    policies = [uniform(2 * SIZE + 1, seed) for seed in (1, 2)]
    assert same_episodes(port("wildfire"), Wildfire(), policies[0], policies[1], 300) < -500


def test_actions_and_observations_are_in_their_order(port: Callable[[str], Module]) -> None:
    env = hamlet_gym.Env(port("wildfire"), backend="c")
    names = [name.replace("-", "_").upper().split("___") for name in original().action_space]
    cells = [f"X{x}__Y{y}" for x in (1, 2, 3) for y in (1, 2, 3)]
    assert env.action_space.n == 1 + len(names)  # type: ignore[attr-defined]
    assert [name for name, _ in names] == ["PUT_OUT"] * SIZE + ["CUT_OUT"] * SIZE
    assert [cell for _, cell in names] == cells * 2
