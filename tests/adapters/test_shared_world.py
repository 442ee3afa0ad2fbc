"""A world of several agents that kernels step in its own memory gives what all others give; nothing changes later."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import hamlet
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_gym import Env
from hamlet_pettingzoo import AECEnv, ParallelEnv

FIRST_MEAL = hamlet.load(Path(__file__).parents[2] / "generated" / "first_meal")

SHORE = """
universe shore
space grid 4 x 4
lifespan 25 ticks
param wind = 0.5 in 0 .. 1
control pull in -1 .. 1
meter calm = uniform(0.2, 0.8) in 0 .. 1 { decay 0.02 * wind }
rule blows { calm += 0.1 * pull * wind + uniform(-0.02, 0.02) - 0.01 * count(age > 0) }
role crab: 3 agents {
    begins with 2
    action BREED { needs calm > 0.3  spawn crab { calm = 0.6 } }
    action DIVE { calm += 0.05 }
}
role gull: 1 agent { action DIVE { calm -= 0.05 } }
dies when calm <= 0
reward calm
report left: 1 - calm
observe { meters  lifetime }
"""


@pytest.fixture(scope="module")
def shore(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHORE.replace("", ""))


def same(one: Any, other: Any) -> bool:
    """Whether results have the same names, types and bits."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[name], other[name]) for name in one)
    return (
        type(one) is type(other)
        and np.array_equal(one, other)
        and getattr(one, "dtype", 0) == getattr(other, "dtype", 0)
    )


def chosen(world: ParallelEnv) -> dict[str, Any]:
    return {name: world.action_space(name).sample() for name in world.agents}


def test_its_steps_are_those_of_the_interpreter(shore: Module) -> None:
    one, other = ParallelEnv(shore, backend="c", seed=3), ParallelEnv(shore, backend="interpreter", seed=3)
    for name in one.possible_agents:
        one.action_space(name).seed(5)
    assert same(one.reset(), other.reset())
    before: list[Any] = []
    ends = births = 0
    for number in range(300):
        actions, lived = chosen(one), set(one.agents)
        stepped = one.step(actions)
        assert same(stepped, other.step(actions)), number
        assert one.agents == other.agents
        assert np.array_equal(one.state(), other.state())
        before.append((stepped, copy.deepcopy(stepped)))
        births += len(set(stepped[1]) - lived)
        if not one.agents:
            ends += 1
            options = {"params": {"wind": 0.9}} if ends % 3 == 0 else None
            seed = number if ends % 4 == 0 else None
            assert same(one.reset(seed, options), other.reset(seed, options))
    assert ends > 8
    assert births > 20
    assert one._shared is not None
    assert other._shared is None
    assert all(same(now, then) for now, then in before)
    assert one.env.tick == other.env.tick
    assert torch.equal(one.env.state["meters"], other.env.state["meters"])


def test_copies_of_it_go_on_alone(shore: Module) -> None:
    world = ParallelEnv(shore, backend="c", seed=3)
    world.reset()
    world.step(chosen(world))
    copies = [copy.deepcopy(world), pickle.loads(pickle.dumps(world))]
    actions, expected = list[dict[str, Any]](), list[Any]()
    for _ in range(3):
        # Who ended does nothing more.
        actions.append(chosen(world))
        expected.append(copy.deepcopy(world.step(actions[-1])))
    for each in copies:
        assert np.array_equal(each.mask("crab_0"), each.env.action_mask[0, : len(each.mask("crab_0"))])
        assert same([each.step(every) for every in actions][-1], expected[-1])


def test_memory_of_its_tensors_may_move(shore: Module) -> None:
    one, other = (ParallelEnv(shore, backend="c", seed=3) for _ in range(2))
    one.reset()
    other.reset()
    for number in range(20):
        if number == 10:
            for tensor in one.env.state.values():
                tensor.share_memory_()
        actions = chosen(one)
        assert same(one.step(actions), other.step(actions)), number


def test_histories_have_its_steps(shore: Module) -> None:
    world, single = ParallelEnv(shore, backend="c", seed=3), Env(FIRST_MEAL, backend="c", seed=3)
    world.reset()
    single.reset()
    for number in range(9):
        if number == 3:
            for each in (world, single):
                each.env.keep_history()
        world.step(chosen(world))
        single.step(number % 6)
        if number == 5:
            states = [each.env.state["meters"].clone() for each in (world, single)]
    for each, meters in zip((world, single), states, strict=True):
        assert torch.equal(each.env.at(6).state["meters"], meters)


def test_wrong_actions_change_nothing(shore: Module) -> None:
    world = ParallelEnv(shore, backend="c", seed=3)
    world.reset()
    world.step(chosen(world))
    before = world.state()
    for wrong in (7, -1, True, 1.0, "DIVE"):
        actions = chosen(world)
        actions["gull_0"] = actions["gull_0"] | {"action": wrong}
        with pytest.raises(EnvError, match="an action of gull_0"):
            world.step(actions)
    assert np.array_equal(world.state(), before)
    assert world.env.tick == 1


def test_worlds_by_turns_are_those_of_the_interpreter(shore: Module) -> None:
    one, other = (AECEnv(shore, backend=backend, seed=3, action_mask="info") for backend in ("c", "interpreter"))
    for name in one.possible_agents:
        one.action_space(name).seed(5)
    moves = 0
    for episode in range(3):
        for each in (one, other):
            each.reset(episode)
        while one.agents:
            assert same(one.last(), other.last())
            over = one.terminations[one.agent_selection] or one.truncations[one.agent_selection]
            action = None if over else one.action_space(one.agent_selection).sample()
            one.step(action)
            other.step(action)
            assert one.agent_selection == other.agent_selection
            moves += 1
    assert moves > 100
