"""Momentum, tick by tick, as docs/semantics.md says: pushes, what an own action does, the way, the edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.schema import observation_segments, state_fields

TEXT = """
universe puck_{edges}
space continuous (0 .. 1) x (-2 .. 2) {{ edges {edges}  step 0.25  reach 0.5  momentum up to 0.75 }}
lifespan 90 ticks
meter gust = 0 in -1 .. 1 {{ only read }}
meter fuel = 1 {{ move 0.125 }}
action LEAP {{ needs velocity x >= 0  velocity y = -0.5  move (0.5, 0.25) }}
action HOME {{ velocity x += 0.125  teleport (0.5, 0) }}
rule wind: velocity x += gust
dies when fuel <= 0
reward velocity x
report before: previous(velocity x)
observe {{ position relative  velocity  speed  meters }}
"""


@pytest.fixture(scope="module")
def at(compiled: Callable[[str], Module]) -> Callable[..., Env]:
    """One agent at (x, y) with a velocity, in a space with these edges."""

    def env(edges: str, x: float, v: float, y: float = 0.0, w: float = 0.0) -> Env:
        made = hamlet.make(compiled(TEXT.format(edges=edges)), worlds=1, backend="interpreter", quiet=True)
        made.state["position"][:] = torch.tensor([[x], [y]])
        made.state["velocity"][:] = torch.tensor([[v], [w]])
        return made

    return env


def went(env: Env, *actions: str) -> list[float]:
    """Position and velocity after these actions: x, y, and the velocities on both axes."""
    for action in actions:
        env.step([env.action_names.index(action)])
    return [*env.state["position"].flatten().tolist(), *env.state["velocity"].flatten().tolist()]


def test_moves_push_and_everybody_goes_on(at: Callable[..., Env]) -> None:
    assert went(at("clamp", 0.25, 0.0), "RIGHT") == [0.5, 0.0, 0.25, 0.0]
    assert went(at("clamp", 0.25, 0.0), "RIGHT", "WAIT") == [0.75, 0.0, 0.25, 0.0]
    assert went(at("clamp", 0.25, 0.125, 1.0, -0.5), "INTERACT") == [0.375, 0.5, 0.125, -0.5]
    assert went(at("clamp", 0.0, 0.0), "RIGHT", "LEFT", "WAIT") == [0.25, 0.0, 0.0, 0.0]


def test_velocities_have_a_limit_on_each_axis(at: Callable[..., Env]) -> None:
    assert went(at("clamp", 0.0, 0.625), "RIGHT")[2] == 0.75
    assert went(at("clamp", 0.0, 0.0, 2.0, -0.75), "UP") == [0.0, 1.25, 0.0, -0.75]
    env = at("clamp", 0.0, 0.5)
    env.state["meters"][0] = 1.0
    assert went(env, "WAIT") == [0.5, 0.0, 0.75, 0.0]


@pytest.mark.parametrize(
    ("edges", "after"),
    [
        ("clamp", [1.0, 0.0, 0.0, 0.0]),
        ("sticky", [0.75, 0.0, 0.0, 0.0]),
        ("wrap", [0.25, 0.0, 0.5, 0.0]),
        ("bounce", [0.75, 0.0, -0.5, 0.0]),
    ],
)
def test_edges_stop_or_turn_who_meets_them(at: Callable[..., Env], edges: str, after: list[float]) -> None:
    assert went(at(edges, 0.75, 0.5), "WAIT") == after
    low = [1 - after[0], 0.0, -after[2] + 0.0, 0.0]
    assert went(at(edges, 0.25, -0.5), "WAIT") == low
    assert went(at(edges, 0.25, 0.5), "WAIT") == [0.75, 0.0, 0.5, 0.0]


def test_elastic_walls_keep_the_speed(at: Callable[..., Env]) -> None:
    env, fast = at("bounce", 0.3, 0.7, 0.1, -0.3), []
    for _ in range(60):
        went(env, "WAIT")
        fast.append(env.state["velocity"].abs().flatten().tolist())
    assert all(speeds == fast[0] for speeds in fast)
    assert env.observation is not None
    assert env.observation[0, :2].min() >= 0
    assert env.observation[0, :2].max() <= 1


def test_an_own_action_writes_and_pushes_before_the_way(at: Callable[..., Env]) -> None:
    # velocity y = -0.5, then + 0.25; x: 0.125 + 0.5.
    assert went(at("clamp", 0.0, 0.125, 1.0), "LEAP") == [0.625, 0.75, 0.625, -0.25]
    assert went(at("clamp", 0.5, -0.125, 1.0), "LEAP") == [0.375, 1.0, -0.125, 0.0]
    assert went(at("clamp", 0.0, 0.25, 1.0, 0.25), "HOME") == [0.5, 0.0, 0.375, 0.25]


def test_what_a_rule_writes_moves_the_agent_in_the_next_tick(at: Callable[..., Env]) -> None:
    env = at("clamp", 0.0, 0.0)
    env.state["meters"][0] = 0.25
    assert went(env, "WAIT") == [0.0, 0.0, 0.25, 0.0]
    assert env.outcome["reward"].tolist() == [0.25]
    assert env.reports["before"].tolist() == [0.0]
    assert went(env, "WAIT") == [0.25, 0.0, 0.5, 0.0]
    assert env.reports["before"].tolist() == [0.25]


def test_a_push_costs_what_a_move_costs(at: Callable[..., Env]) -> None:
    env = at("clamp", 0.0, 0.5)
    went(env, "WAIT", "LEAP", "RIGHT", "UP")
    assert env.meter("fuel").tolist() == [0.75]


def test_the_state_and_what_is_observed_know_the_limit(at: Callable[..., Env]) -> None:
    env = at("wrap", 0.5, 0.0)
    (field,) = (field for field in state_fields(env.universe) if field.name == "velocity")
    assert field.bounds is not None
    assert {(each.low, each.high) for each in field.bounds} == {(-0.75, 0.75)}
    scales = {segment.name: (segment.scale.low, segment.scale.high) for segment in observation_segments(env.universe)}
    assert scales["velocity.x"] == (-0.75, 0.75)
    assert scales["speed"][1] == np.sqrt(np.float32(0.75**2 + 0.75**2))
    saved: dict[str, Any] = env.state_dict()
    saved["state"]["velocity"][0, 0] = 0.875
    with pytest.raises(hamlet.EnvError, match=r"velocity x of the state must lie in -0.75 .. 0.75, not 0.875"):
        env.load_state_dict(saved)


GLIDER = """
universe glider
space continuous (-4 .. 4) x (-4 .. 4) { edges sticky  reach 1  momentum up to 2 }
lifespan 40 ticks
control lift in -1 .. 1
meter fuel = 1
rule fly:   velocity y += 0.5 * lift
rule burns: fuel -= 0.0625 * abs(lift)
affordance Pump at (0, 0) { instantly { fuel += 0.25 } }
dies when fuel <= 0
reward fuel
observe { position absolute  velocity  meters }
"""


def test_controls_alone_may_push(compiled: Callable[[str], Module]) -> None:
    ways = []
    for backend in ("interpreter", "c"):
        env = hamlet.make(compiled(GLIDER), worlds=5, backend=backend, quiet=True)
        assert env.action_names == ("INTERACT", "WAIT")
        env.reset()
        heights = []
        for tick in range(12):
            env.step([tick % 2] * 5, controls=torch.full((1, 5), 0.5 if tick % 3 else -1.0))
            heights.append(env.state["position"][1].tolist())
        ways.append(heights)
    assert ways[0] == ways[1]
    assert len({tuple(height) for height in ways[0]}) > 6
