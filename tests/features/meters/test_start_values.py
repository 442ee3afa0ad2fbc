"""Start values that are expressions: of params, of the agent's number, drawn; the same on every backend."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

import hamlet
from hamlet.numbers.counters import EPISODE_DRAWS
from hamlet.numbers.random import draw_words, share
from hamlet.package.module import Module
from hamlet.universe import DrawUniform, draws
from hamlet.universe.codec import from_json, to_json

TEXT = """
universe begun
space grid 5 x 4 { edges wrap }
lifespan 40 ticks
param wage = 0.25 in 0 .. 1
let half = 0.5
meter energy = half + 0.5 * agent / agents { decay 0.1 }
meter food   = uniform(0.2, 0.8) { decay 0.02 }
meter money  = wage * 3 in 0 .. 2 { decay 0.01 }
meter rich   = 4 * wage { only read }
meter kind   = if chance(0.5) then 1 else choice(0.25, wage) { only read }
affordance Pump at random { instantly { energy += 0.3  food += uniform(0, 0.1) } }
dies when energy <= 0 or food <= 0.1
reward energy + money + kind
observe { meters }
"""
SEED = (11 << 32) + 5


@pytest.fixture(scope="module")
def module(compiled: Callable[[str], Module]) -> Module:
    return compiled(TEXT)


def bits(values: torch.Tensor) -> list[int]:
    return [int(value) for value in values.contiguous().view(torch.int32).reshape(-1)]


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_values(module: Module, backend: str) -> None:
    env = hamlet.make(module, worlds=3, agents=4, backend=backend, seed=SEED, first_world=2)
    env.reset()
    energy, food, money, rich, kind = env.state["meters"]
    assert energy.tolist() == [0.5, 0.625, 0.75, 0.875] * 3
    assert money.tolist() == [0.75] * 12
    assert rich.tolist() == [1.0] * 12
    assert set(kind.tolist()) == {0.25, 1.0}
    site = next(draw.site for draw in draws(module.universe) if isinstance(draw, DrawUniform) and draw.span.line == 8)
    lanes, episode = torch.arange(8, 20), int(env.state["episode"][0])
    word = draw_words(lanes, episode, site // 4, EPISODE_DRAWS, (5, 11))[site % 4]
    low, high = (torch.tensor(np.float32(value)) for value in (0.2, 0.8))
    assert bits(food) == bits(low + share(word) * (high - low))


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_params_count_from_the_next_episode_on(module: Module, backend: str) -> None:
    env = hamlet.make(module, worlds=2, agents=1, backend=backend, seed=SEED)
    env.reset()
    env.params["wage"][:] = torch.tensor([0.5, 0.75])
    assert env.state["meters"][2].tolist() == [0.75, 0.75]
    env.reset()
    assert env.state["meters"][2].tolist() == [1.5, 2.0]  # the second is clamped
    assert env.state["meters"][3].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("worlds", "agents"), [(131, 1), (23, 3), (2, 300)])
def test_worlds_that_begin_by_themselves(compiled: Callable[[str], Module], worlds: int, agents: int) -> None:
    nowhere = TEXT.replace("grid 5 x 4 { edges wrap }", "none").replace("at random ", "")
    module = compiled(nowhere if agents > 3 else TEXT)
    first, second = (
        hamlet.make(module, worlds=worlds, agents=agents, backend=backend, seed=SEED, first_world=7)
        for backend in ("interpreter", "c")
    )
    for env in (first, second):
        env.reset()
        env.params["wage"][:] = torch.linspace(0, 1, worlds)
        for _ in range(12):
            env.step(torch.full((env.num_lanes,), env.action_names.index("WAIT"), dtype=torch.int32))
        env.rollout(13)
    assert first.state["episode"].min() >= 1
    for name, value in first.state.items():
        assert torch.equal(value, second.state[name]), name


def test_a_reset_and_a_new_episode_begin_alike(module: Module) -> None:
    """The values depend on the number of the episode, not on how it came to begin."""
    one, other = (hamlet.make(module, worlds=5, agents=2, backend="c", seed=SEED) for _ in range(2))
    one.reset()
    while not (one.state["episode"] == one.state["episode"].max()).all() or one.state["age"].max() > 0:
        one.step(torch.zeros(10, dtype=torch.int32))
    while other.state["episode"][0] < one.state["episode"][0]:
        other.reset()
    assert bits(one.state["meters"]) == bits(other.state["meters"])


def test_json(module: Module) -> None:
    text = to_json(module.universe)
    assert from_json(text) == module.universe
    assert to_json(from_json(text)) == text


def test_shards_begin_alike(module: Module) -> None:
    whole = hamlet.make(module, worlds=6, agents=3, backend="c", seed=SEED)
    part = hamlet.make(module, worlds=2, agents=3, backend="interpreter", seed=SEED, first_world=3)
    whole.reset()
    part.reset()
    assert bits(whole.state["meters"][:, 9:15]) == bits(part.state["meters"])
