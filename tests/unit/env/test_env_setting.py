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


@pytest.mark.parametrize(
    ("name", "values", "worlds", "agents", "found"),
    [
        ("food", 0.5, None, [1], torch.tensor([1, 0.5] * 3)),
        ("food", [0.5, 0.25, 0.125], None, [1], torch.tensor([1, 0.5, 1, 0.25, 1, 0.125])),
        ("food", [[0.5, 0.25]], [2], [1, 0], torch.tensor([1, 1, 1, 1, 0.25, 0.5])),
        ("rest", 9, [0, 1], torch.tensor([0]), torch.tensor([9.0, 3, 9, 3, 3, 3])),
        ("guard.torch", 0.75, [1], [0, 1], torch.tensor([0.5, 0.5, 0.75, 0.5, 0.5, 0.5])),
        ("food", 0.5, None, [], torch.ones(6)),
    ],
)
def test_some_agents(env: Env, name: str, values: Any, worlds: Any, agents: Any, found: torch.Tensor) -> None:
    env.set(name, values, worlds=worlds, agents=agents)
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


# --- positions, and what depends on what is set -----------------------------------------------------------------------

MEADOW = """
universe meadow
space grid map { starts anywhere }
map { "#..." "...#"  wall "#" }
lifespan 90 ticks
world {
    state dry = false
    rule dries: dry = dry
}
cells {
    meter grass = 0.5
    rule grows: grass += 0.01
}
meter energy = 1 { decay 0.01  only falls }
affordance Well at (3, 0) lasts 3 ticks { each tick { energy -= 0.01 } }
inert allowed
dies when energy <= 0
reward total(grass when not dry) over cells - 0.1 * distance to Well
observe {
    position absolute  meters  here  progress
    all_grass: total(grass when not dry) over cells
    far: distance to Well
}
"""


@pytest.fixture(scope="module")
def meadow(compiled: Callable[[str], Module]) -> Module:
    return compiled(MEADOW)


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_what_is_derived_is_right_afterwards(meadow: Module, backend: str) -> None:
    env = hamlet.make(meadow, worlds=3, agents=2, backend=backend, quiet=True)

    def seen(name: str) -> list[float]:
        assert env.observation is not None
        return env.observation[:, env.observation_names.index(name)].tolist()

    env.set("grass", 0.25, worlds=[1])
    assert seen("all_grass") == [3, 3, 1.5, 1.5, 3, 3]
    env.set("dry", True, worlds=[2])
    assert seen("all_grass") == [3, 3, 1.5, 1.5, 0, 0]
    env.set("position", (2, 1), worlds=[0])
    env.set("position", [[3, 0], [1, 0]], worlds=[2])
    assert seen("far")[:2] == [2, 2]
    assert seen("far")[4:] == [0, 2]
    assert seen("here[Well]")[4:] == [1, 0]
    assert env.action_mask[:2, env.action_names.index("RIGHT")].tolist() == [False, False]
    env.rollout(3)
    twin = hamlet.make(meadow, worlds=3, agents=2, backend="interpreter", quiet=True)
    twin.load_state_dict(env.state_dict())
    for _ in range(2):
        one, other = (each.step(torch.full((6,), each.action_names.index("INTERACT"))) for each in (env, twin))
        assert torch.equal(one[1], other[1])


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_what_a_world_keeps_can_be_set_before_its_first_reset(compiled: Callable[[str], Module], backend: str) -> None:
    text = "universe school\nspace none\nlifespan 5 ticks\nworld { kept state level: easy hard = easy }\n"
    text += "meter energy = 0.9 { decay 0.1 }\naction REST { energy += 0.1 when level == hard }\n"
    module = compiled(text + "reward energy\nobserve { meters  state level }\n")
    env = hamlet.make(module, worlds=3, backend=backend, quiet=True)
    env.set("level", "hard", worlds=[1])
    env.reset()
    assert env.observation is not None
    assert env.observation[:, 2].tolist() == [0, 1, 0]
    # A seed begins the first episode of a life, in which nobody has kept anything yet.
    env.reset(seed=2)
    assert env.observation[:, 2].tolist() == [0, 0, 0]


def test_who_is_put_elsewhere_is_engaged_no_more(meadow: Module) -> None:
    env = hamlet.make(meadow, worlds=2, agents=2, backend="interpreter", quiet=True)
    env.set("position", (3, 0))
    env.step(torch.full((4,), env.action_names.index("INTERACT")))
    assert env.state["progress"].tolist() == [1] * 4
    env.set("position", [[3, 0], [2, 0]], worlds=[1])
    assert env.state["progress"].tolist() == [1, 1, 1, 0]
    assert env.state["engaged"].tolist() == [0, 0, 0, -1]


def test_positions_elsewhere(compiled: Callable[[str], Module]) -> None:
    graph = "universe way\nspace graph { home - road - mill }\nlifespan 9 ticks\nreward 1 when on mill\n"
    env = hamlet.make(compiled(graph + "observe { position node }\n"), worlds=3, backend="interpreter", quiet=True)
    env.set("position", "mill")
    assert env.state["position"].tolist() == [[2, 2, 2]]
    env.set("position", ["home", "road"], worlds=[2, 0])
    assert env.state["position"].tolist() == [[1, 2, 0]]
    env.set("position", [[1]], worlds=[1])
    assert env.state["position"].tolist() == [[1, 1, 0]]
    pond = "universe pond\nspace continuous (0 .. 4) x (-1 .. 1) { step 0.5  reach 1 }\nlifespan 9 ticks\n"
    text = pond + "reward position x\nobserve { position absolute }\n"
    lake = hamlet.make(compiled(text), worlds=2, backend="interpreter", quiet=True)
    lake.set("position", [[0.1, -1], [4, 0.5]])
    assert torch.equal(lake.state["position"], torch.tensor([[0.1, 4], [-1, 0.5]]))
    nowhere = hamlet.make(
        compiled(
            pond.split("space")[0] + "space none\nlifespan 9 ticks\nmeter a = 1 { decay 0.1 }\n"
            "reward a\nobserve { meters }\n"
        ),
        backend="interpreter",
        quiet=True,
    )
    with pytest.raises(EnvError, match="has no space, and nobody a position"):
        nowhere.set("position", 1)


@pytest.mark.parametrize(
    ("values", "arguments", "message"),
    [
        ((0, 0), {}, "a position is on no wall of the map"),
        ((4, 0), {}, "x of a position is a whole number in 0 .. 3, not 4"),
        ((1, 0.5), {}, "y of a position is a whole number in 0 .. 1, not 0.5"),
        ((1, float("nan")), {}, "y of a position is a whole number in 0 .. 1, not nan"),
        ([1, 1, 1], {}, "a position is 2 numbers (x, y), or a tensor [6, 2] or [3, 2, 2], not [3]"),
        ([[1, 1]], {"agents": [0, 1], "worlds": [1]}, "or a tensor [2, 2] or [1, 2, 2], not [1, 2]"),
        ("home", {}, "a position is 2 numbers (x, y)"),
        ((1, 1), {"agents": [2]}, "agents are a list of whole numbers in 0 .. 1"),
        ((1, 1), {"agents": [1, 1]}, "agents name an agent twice"),
    ],
)
def test_positions_that_are_refused(meadow: Module, values: Any, arguments: Any, message: str) -> None:
    env = hamlet.make(meadow, worlds=3, agents=2, backend="interpreter", quiet=True)
    before = env.state_dict()
    with pytest.raises(EnvError, match=re.escape(message)):
        env.set("position", values, **arguments)
    assert all(torch.equal(values, before["state"][name]) for name, values in env.state.items())


@pytest.mark.parametrize(
    ("name", "whose"), [("grain", "meter grain is of the world"), ("soil", "meter soil is of cells")]
)
def test_agents_are_of_what_agents_have(env: Env, name: str, whose: str) -> None:
    with pytest.raises(EnvError, match=f"{whose}: leave out agents="):
        env.set(name, 0.5, agents=[0])
