"""`Env.set`: meters and states by name. What is set is what the next observation shows, and what ticks go on from."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.package.module import Module

FIELD = """
universe field
space grid map
map {
    "#..."
    "...#"
    wall "#"
}
lifespan 90 ticks
param pay = 1 in 0 .. 1
input wind = 0 in 0 .. 1

world {
    state season: spring summer autumn = spring
    meter grain = 0.5
    rule turns: season = if grain > 0.9 then summer else if grain > 0.7 then autumn else season
    rule grows: grain += 0.01 * pay
}
cells {
    meter soil = 0.5 in 0.25 .. 1
    rule rests: soil += 0.01
}
meter food = 1 { decay 0.01 + 0.01 * wind  only falls }
state rest: int in 0 .. 24 = 3
state asleep = false
rule sleeps: asleep = rest > 2
rule wakes:  rest = if season == autumn and soil > 0.5 then 0 else rest

role guard: 1 agent {
    meter torch = 0.5 { decay 0.1  only falls }
    reward torch
}
role farmer: others {
    reward food
}
dies when food <= 0
observe { meters  state  world  cell soil }
"""
WORLDS, AGENTS, CELLS = 3, 2, 8


@pytest.fixture(scope="module")
def field(compiled: Callable[[str], Module]) -> Module:
    return compiled(FIELD)


@pytest.fixture
def env(field: Module) -> Env:
    return hamlet.make(field, worlds=WORLDS, agents=AGENTS, backend="interpreter", quiet=True)


def test_what_is_set_is_what_is_seen_and_what_ticks_go_on_from(env: Env) -> None:
    row = env.observation_names.index("meter.food")
    before = {name: values.clone() for name, values in env.state.items()}
    env.set("food", 0.25)
    assert env.observation is not None
    assert (env.observation[:, row] == 0.25).all()
    unchanged = {name: values for name, values in env.state.items() if name != "meters"}
    assert all(torch.equal(values, before[name]) for name, values in unchanged.items())
    saved, (seen, *_) = env.state_dict(), env.step(torch.zeros(env.num_lanes, dtype=torch.int32))
    assert (env.meter("food") == torch.tensor(0.25) - torch.tensor(0.01)).all()
    # A checkpoint has it too, and goes on alike.
    other = hamlet.make(env.module, worlds=WORLDS, agents=AGENTS, backend="interpreter", quiet=True)
    other.load_state_dict(saved)
    again, *_ = other.step(torch.zeros(env.num_lanes, dtype=torch.int32))
    assert seen is not None
    assert again is not None
    assert torch.equal(seen, again)


def test_who_has_no_meter_left_dies_in_the_next_tick(env: Env) -> None:
    env.set("food", [0, 1, 1, 1, 1, 1])
    assert env.state["alive"].all()
    terminated = env.step(torch.zeros(env.num_lanes, dtype=torch.int32))[2]
    assert terminated.tolist() == [True, *[False] * 5]


def test_what_a_step_wrote_elsewhere_is_not_changed(env: Env) -> None:
    out = env.outputs()
    env.step(torch.zeros(env.num_lanes, dtype=torch.int32), out=out)
    kept, rewards = out.results[0], env.outcome["reward"].clone()
    assert kept is not None
    before = kept.clone()
    env.set("grain", 1)
    assert torch.equal(kept, before)
    assert env.observation is not None
    assert (env.observation[:, env.observation_names.index("world.grain")] == 1).all()
    assert torch.equal(env.outcome["reward"], rewards)


@pytest.mark.parametrize(
    ("name", "values", "worlds", "found"),
    [
        ("food", np.linspace(0, 1, 6), None, torch.linspace(0, 1, 6)),
        ("food", [[0, 0.5], [1, 1], [0.25, 0]], None, torch.tensor([0, 0.5, 1, 1, 0.25, 0])),
        ("food", torch.tensor([0.5, 0.25]), [2], torch.tensor([1, 1, 1, 1, 0.5, 0.25])),
        ("food", [[0.5, 0], [0.25, 0.125]], [2, 0], torch.tensor([0.25, 0.125, 1, 1, 0.5, 0])),
        ("food", 0.1, torch.tensor([1]), torch.tensor([1, 1, 0.1, 0.1, 1, 1])),
        ("food", 0.1, [], torch.ones(6)),
        ("rest", 7, [1], torch.tensor([3.0, 3, 7, 7, 3, 3])),
        ("asleep", True, [0], torch.tensor([1.0, 1, 0, 0, 0, 0])),
        ("asleep", [True, False] * 3, None, torch.tensor([1.0, 0, 1, 0, 1, 0])),
        ("season", "autumn", None, torch.tensor([2.0, 2, 2])),
        ("season", ["summer", "autumn"], [2, 0], torch.tensor([2.0, 0, 1])),
        ("season", np.array(["summer"] * 3), None, torch.ones(3)),
        ("season", 1, [1], torch.tensor([0.0, 1, 0])),
        ("grain", [0, 0.5, 1], None, torch.tensor([0, 0.5, 1])),
        # Only guards, the first of the two agents, have a torch; farmers keep what nobody looks at.
        ("guard.torch", 0.75, None, torch.tensor([0.75, 0.5] * 3)),
        ("guard.torch", [[0.25, 9]] * 3, None, torch.tensor([0.25, 0.5] * 3)),
    ],
)
def test_shapes_and_types(env: Env, name: str, values: Any, worlds: Any, found: torch.Tensor) -> None:
    env.set(name, values, worlds=worlds)
    assert torch.equal(env.meter(name), found.float())


def test_cells(env: Env) -> None:
    before = env.meter("soil").clone()
    env.set("soil", torch.full((CELLS,), 0.75), worlds=[1])
    there = [1, 2, 3, 4, 5, 6]
    assert (env.meter("soil")[there, 1] == 0.75).all()
    assert torch.equal(env.meter("soil")[:, [0, 2]], before[:, [0, 2]])
    # Walls, of which there are two, are no cells.
    values = torch.linspace(0.25, 1, CELLS * 2).reshape(CELLS, 2)
    values[[0, 7]] = -9
    env.set("soil", values, worlds=[2, 0])
    assert torch.equal(env.meter("soil")[there][:, [2, 0]], values[there])
    assert torch.equal(env.meter("soil")[[0, 7]], before[[0, 7]])


@pytest.mark.parametrize(
    ("name", "values", "worlds", "message"),
    [
        ("fod", 1, None, "the universe has no meter or state 'fod': did you mean 'food'?"),
        ("pay", 1, None, 'pay is a param: write env.params["pay"]'),
        ("wind", 1, None, 'wind is an input: write env.inputs["wind"]'),
        ("food", 1.5, None, "meter food must lie in 0 .. 1, not 1.5"),
        ("food", [1, 1, 1, 1, 1, float("nan")], None, "meter food must lie in 0 .. 1, not nan"),
        ("food", [1, 1, 1], None, "meter food takes a number or a tensor [6] or [3, 2], not [3]"),
        ("food", [1, 1, 1], [1], "meter food takes a number or a tensor [2] or [1, 2], not [3]"),
        ("food", True, None, "meter food takes numbers, not torch.bool"),
        ("food", "much", None, "meter food takes numbers, not 'much'"),
        ("rest", 0.5, None, "state rest takes whole numbers, not 0.5"),
        ("rest", 25, None, "state rest must lie in 0 .. 24, not 25"),
        ("asleep", 0.5, None, "state asleep takes whole numbers, not 0.5"),
        ("asleep", 2, None, "state asleep must lie in 0 .. 1, not 2"),
        ("season", "winter", None, "state season is one of spring, summer, autumn, not 'winter'"),
        ("season", ["spring", "winter"], [0, 1], "state season is one of spring, summer, autumn, not 'winter'"),
        ("season", 3, None, "state season must lie in 0 .. 2, not 3"),
        ("season", ["spring"] * 2, None, "state season takes a number or a tensor [3], not [2]"),
        ("soil", 0, None, "meter soil must lie in 0.25 .. 1, not 0"),
        ("soil", [1, 1, 1], None, "meter soil takes a number or a tensor [8] or [8, 3], not [3]"),
        ("food", 1, [3], "worlds are a list of whole numbers in 0 .. 2"),
        ("food", 1, [1, 1], "worlds name a world twice"),
        ("food", 1, [True, False, True], "worlds are a list of whole numbers in 0 .. 2, not [3] of torch.bool"),
    ],
)
def test_what_is_refused_changes_nothing(env: Env, name: str, values: Any, worlds: Any, message: str) -> None:
    before = env.state_dict()
    with pytest.raises(EnvError, match=re.escape(message)):
        env.set(name, values, worlds=worlds)
    assert all(torch.equal(values, before["state"][name]) for name, values in env.state.items())
