"""`start`: the velocity and the speed that episodes begin with: in kernels, in checkpoints, as bytes and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

import hamlet
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.schema import observation_segments
from hamlet.universe.codec import CodecError, from_json, to_json

TEXT = """
universe launched
space grid 5 x 4 { edges clamp }
start velocity (0.5, -3) speed 7.25
lifespan 3 ticks
meter fuel = 1 { decay 0.02 }
affordance Pump at (0, 0) { instantly { fuel += 0.3 } }
allow LEFT when velocity y > -2
reward fuel + previous(speed)
observe { velocity  speed  meters }
"""
WAIT, RIGHT = 5, 3


@pytest.fixture(scope="module")
def module(compiled: Callable[[str], Module]) -> Module:
    return compiled(TEXT)


@pytest.mark.parametrize("backend", ["interpreter", pytest.param("c", marks=pytest.mark.long)])
def test_until_the_first_tick(module: Module, backend: str) -> None:
    env = hamlet.make(module, worlds=3, backend=backend, seed=1)
    observation, info = env.reset()
    assert observation[:, :3].tolist() == [[0.5, -3.0, 7.25]] * 3
    assert not info["action_mask"][:, 2].any()
    observation, reward, _, _, info = env.step(torch.full((3,), WAIT))
    assert observation[:, :3].tolist() == [[0.0, 0.0, 0.0]] * 3
    assert reward.tolist() == [torch.tensor(1.0).sub(0.02).add(7.25).item()] * 3
    assert info["action_mask"][:, 2].all()
    env.step(torch.full((3,), WAIT))
    observation, _, _, truncated, _ = env.step(torch.full((3,), RIGHT))
    assert truncated.all()
    assert observation[:, :3].tolist() == [[0.5, -3.0, 7.25]] * 3  # the worlds began anew


def test_checkpoints_hold_it(module: Module) -> None:
    env, other = (hamlet.make(module, worlds=2, backend="interpreter", seed=seed) for seed in (1, 2))
    env.reset()
    saved = env.state_dict()
    other.load_state_dict(saved)
    assert other.state["speed"].tolist() == [7.25, 7.25]
    for name, wrong in (("speed", 7.5), ("velocity", -4.5), ("speed", -0.5)):
        changed = env.state_dict()
        changed["state"][name] = torch.full_like(changed["state"][name], wrong)
        with pytest.raises(EnvError, match=name):
            other.load_state_dict(changed)


def test_bytes_hold_it(module: Module) -> None:
    found = [(each.scale.low, each.scale.high) for each in observation_segments(module.universe)[:3]]
    assert found == [(-5.0, 5.0), (-4.0, 4.0), (0.0, 7.25)]


def test_json_leaves_out_what_is_not_said(module: Module) -> None:
    text = to_json(module.universe)
    assert '"start": {"kind": "Start", "velocity": [0.5, -3.0], "speed": 7.25,' in text
    assert from_json(text) == module.universe
    without = to_json(replace(module.universe, start=None))
    assert len(without.splitlines()) == len(text.splitlines()) - 1
    assert from_json(without).start is None
    with pytest.raises(CodecError, match="leaves out 'start' where it is null"):
        from_json(without.replace('"name": "launched"', '"start": null,\n  "name": "launched"', 1))
