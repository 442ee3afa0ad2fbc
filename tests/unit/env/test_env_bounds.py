"""Compiled code relies on bounds of the state: what lies outside is refused, and what is taken gives equal bits."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.schema.bounds import coordinates, fastest, unclamped_meters

FIELD = """
universe field
space continuous (2 .. 10) x (-6 .. -1.5) { edges bounce  step 0.7  reach 1 }
clock 5 hours
lifespan 30 ticks
track uses
param cold = 0.5 in 0.25 .. 1
input wind = 0 in -1 .. 1
meter warmth = 0.9 { decay 0.01 * cold }
meter rest = 0.5 in 0.25 .. 0.75
meter copy = 0.5
meter swing = 0.5
meter drift = 0.5 in -1 .. 0.5
meter far = 0.5
meter odd = 0.5
rule copied: copy = swing
rule swinging: swing = 0.5 + 0.25 * wind unclamped
rule moved: drift = 0.05 * velocity x
rule runs: far = 0.1 * speed
rule sums: odd = 0.01 * (velocity x + velocity y) + 0.03 * hour
rule rests: rest -= 0.01 * wind
affordance Reed at random { instantly { warmth += 0.02 } }
affordance Dock at (3, -2) open 1 .. 4 lasts 3 ticks { each tick { rest += 0.01 } }
rule again: last == Dock -> warmth += 0.01
dies when warmth <= 0.1
reward warmth + 0.1 * rest + copy
observe { position absolute  velocity  speed  meters  time  lifetime  progress }
"""
LANES = 4
WAYS: dict[str, list[float]] = {
    "meters": [0.0, -0.0, 0.25, 0.5, 0.75, 1.0, 1.0000001, -1e-30, -1.0, 7.0, 3e38, float("inf"), float("nan")],
    "position": [2.0, 10.0, -6.0, -1.5, 5.0, -3.0, 10.000001, 1.9999999, 0.0, float("nan")],
    "velocity": [0.0, -0.0, 8.0, -8.0, 4.5, -4.5, 8.000001, 4.5000005, 1e-45, 1e30, float("inf"), float("nan")],
    "used_at": [0.0, -0.0, 2.0, 10.0, -6.0, -1.5, 11.0, 1.0],
    "age": [0, 29, 30, 31, -1],
    "engaged": [-1, 0, 1, 2],
    "progress": [0, 1, 2, 3],
    "last": [-2, -1, 0, 1, 2],
    "hour": [0, 4, 5, -1],
    "episode": [0, 2**31 - 1, -1],
    "episode_return": [0.0, -0.0, float("inf"), float("nan")],
    "params": [0.25, 1.0, 0.2, 1.1],
    "inputs": [-1.0, 1.0, -0.0, 1.5],
    "places": [2.0, 10.0, -6.0, -1.5, 0.0],
}


@pytest.fixture(scope="module")
def field(compiled: Callable[[str], Module]) -> Module:
    return compiled(FIELD)


def bits(value: torch.Tensor) -> torch.Tensor:
    return value.contiguous().view(torch.int32) if value.dtype is torch.float32 else value


def everything(env: Env) -> dict[str, torch.Tensor]:
    assert env.observation is not None
    return {**env.state, **env.outcome, "observation": env.observation, "mask": env.action_mask}


def test_bounds(field: Module) -> None:
    assert coordinates(field.universe) == ((2.0, 10.0), (-6.0, -1.5))
    assert fastest(field.universe) == (8.0, 4.5)
    assert unclamped_meters(field.universe) == {"swing"}


def test_what_is_taken_gives_equal_bits(field: Module) -> None:
    defined, compiled = (
        hamlet.make(field, worlds=LANES, backend=name, seed=3, quiet=True) for name in ("interpreter", "c")
    )
    start, chance = defined.state_dict(), random.Random(5)
    missing = set(start["state"]) - set(WAYS)
    assert missing <= {"alive", "layout", "seen", "streaks"}
    said: set[tuple[str, str]] = set()
    taken, refused = dict.fromkeys(WAYS, 0), dict.fromkeys(WAYS, 0)
    for name in [name for name in WAYS if name in start["state"]] * 15:
        saved = start | {"state": {key: value.clone() for key, value in start["state"].items()}}
        values = saved["state"][name].view(-1)
        values[chance.randrange(len(values))] = chance.choice(WAYS[name])
        try:
            defined.load_state_dict(saved)
        except EnvError as error:
            refused[name] += 1
            said.add((name, str(error).split(" must ")[0]))
            continue
        taken[name] += 1
        compiled.load_state_dict(saved)
        for turn in range(4):
            here, there = everything(defined), everything(compiled)
            for key, value in here.items():
                assert torch.equal(bits(value), bits(there[key])), (name, values, turn, key)
            actions = torch.tensor([chance.randrange(defined.num_actions) for _ in range(LANES)])
            defined.step(actions)
            compiled.step(actions)
    used = [name for name in WAYS if name in start["state"]]
    assert len(used) == len(start["state"]) - len(missing)
    assert all(re.search(name.rstrip("s"), line) for name, line in said)
    assert all(taken[name] and refused[name] for name in used), (taken, refused)


def put(field: str, value: float, index: Any) -> Callable[[dict[str, Any]], None]:
    def change(saved: dict[str, Any]) -> None:
        saved["state"][field][index] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("velocity", 8.000001, (0, 2)), "velocity x of the state must lie in -8 .. 8, not 8.000001 in lane 2"),
        (put("velocity", -1e30, (1, 1)), "velocity y of the state must lie in -4.5 .. 4.5, not -1e+30 in lane 1"),
        (put("velocity", float("inf"), (0, 0)), "velocity x of the state must lie in -8 .. 8, not inf in lane 0"),
        (put("velocity", float("nan"), (0, 0)), "velocity x of the state must lie in -8 .. 8, not nan in lane 0"),
        (put("meters", 0.2, (1, 3)), "meter rest of the state must lie in 0.25 .. 0.75, not 0.2 in lane 3"),
        (put("meters", float("inf"), (3, 3)), "meter swing of the state must lie in 0 .. 1, not inf in lane 3"),
        (put("used_at", 1.0, (0, 1)), "used_at x of the state must lie in 2 .. 10, not 1 in lane 1"),
        (put("hour", 5, 2), "hour of the state must lie in 0 .. 4, not 5 in world 2"),
        (put("params", 2.0, (0, 1)), "param cold must lie in 0.25 .. 1, not 2 in world 1"),
    ],
)
def test_one_line_says_what_is_wrong(field: Module, change: Callable[[dict[str, Any]], None], message: str) -> None:
    env = hamlet.make(field, worlds=LANES, backend="interpreter")
    saved = env.state_dict()
    change(saved)
    with pytest.raises(EnvError) as caught:
        env.load_state_dict(saved)
    assert str(caught.value) == message
