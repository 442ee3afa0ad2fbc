"""Changes that must not change a bit: shards, batch sizes, launches, names, a cascade without strength."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.env import Env
from hamlet.module import Module

BACKENDS = ("interpreter", "numba")
TICKS = 70

POND = """
universe pond
space grid 4 x 3 { edges bounce }
clock 6 hours
lifespan 30 ticks { reward 1.0 }
{param}
meter warmth = 0.9 { decay 0.04 }
meter food   = 0.5 { decay 0.03  move 0.01 }
cascade hunger_chills: food < 0.3 -> warmth -= 0.02 * deficit
{cascade}
affordance Fire at random { instantly { warmth += 0.3 } }
affordance Reeds at (0, 0) open 1 .. 5 lasts 2 ticks { on completion { food += 0.5 } }
dies when warmth <= 0 or food <= 0
reward warmth * food
observe { grid  meters  time  progress }
"""


def compiled(text: str, folder: Path) -> Module:
    folder.mkdir()
    source = folder / "pond.hamlet"
    source.write_text(text)
    return hamlet.compile(source, folder / "pond")


@pytest.fixture(scope="module")
def pond(tmp_path_factory: pytest.TempPathFactory) -> Module:
    text = POND.replace("{param}", "").replace("{cascade}", "")
    return compiled(text, tmp_path_factory.mktemp("pond") / "plain")


def bits(env: Env) -> dict[str, torch.Tensor]:
    """All that an environment holds, floats as the integers of their bits."""
    assert env.observation is not None
    arrays = {**env.state, "observation": env.observation.T.contiguous(), "mask": env.action_mask().T}
    return {name: a.clone().view(torch.int32) if a.is_floating_point() else a.clone() for name, a in arrays.items()}


def assert_same(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> None:
    assert left.keys() == right.keys()
    for name in left:
        assert torch.equal(left[name], right[name]), name


def eventful(env: Env) -> None:
    """Comparisons of runs in which nothing happened would show nothing."""
    assert int(env.state["episode"].max()) > 0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("agents", [1, 3])
def test_shards(pond: Module, backend: str, agents: int) -> None:
    whole = pond.make(worlds=300, agents=agents, backend=backend, seed=5)
    whole.rollout(TICKS)
    eventful(whole)
    parts = []
    for first, worlds in ((0, 1), (1, 99), (100, 200)):
        shard = pond.make(worlds=worlds, agents=agents, backend=backend, seed=5, first_world=first)
        shard.rollout(TICKS)
        parts.append(bits(shard))
    assert_same(bits(whole), {name: torch.cat([part[name] for part in parts], dim=-1) for name in parts[0]})


@pytest.mark.parametrize("backend", BACKENDS)
def test_launches(pond: Module, backend: str) -> None:
    once, parts, steps = (pond.make(worlds=50, backend=backend, seed=9) for _ in range(3))
    generator = torch.Generator().manual_seed(1)
    actions = torch.randint(0, once.num_actions, (TICKS, 50), generator=generator, dtype=torch.int32)
    once.rollout(TICKS, actions)
    eventful(once)
    for begin, end in ((0, 2), (2, 3), (3, 40), (40, TICKS)):
        parts.rollout(end - begin, actions[begin:end])
    for row in actions:
        steps.step(row)
    assert_same(bits(once), bits(parts))
    assert_same(bits(once), bits(steps))


@pytest.mark.parametrize("backend", BACKENDS)
def test_names_and_a_cascade_without_strength(pond: Module, backend: str, tmp_path: Path) -> None:
    plain = pond.make(worlds=64, backend=backend, seed=3)
    renamed = POND.replace("{param}", "").replace("{cascade}", "")
    for old, new in (("warmth", "tl"), ("food", "lambda"), ("Fire", "where"), ("Reeds", "Self"), ("hunger", "f32")):
        renamed = renamed.replace(old, new)
    other = compiled(renamed, tmp_path / "renamed").make(worlds=64, backend=backend, seed=3)
    weak = POND.replace("{param}", "param strength = 0 in 0 .. 1").replace(
        "{cascade}", "cascade weak: warmth < 0.5 -> food -= strength * deficit"
    )
    idle = compiled(weak, tmp_path / "weak").make(worlds=64, backend=backend, seed=3)
    for env in (plain, other, idle):
        env.rollout(TICKS)
        eventful(env)
    assert_same(bits(plain), bits(other))
    without = bits(idle)
    del without["params"]
    assert_same(bits(plain), without)
    idle.params["strength"] = 1.0
    plain.rollout(TICKS)
    idle.rollout(TICKS)
    assert not torch.equal(plain.state["meters"], idle.state["meters"])
