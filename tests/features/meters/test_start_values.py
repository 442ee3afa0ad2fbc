"""Start values that are expressions: of params, of the agent's number, drawn; the same on every backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

import hamlet
from hamlet.interpreter.functions import call
from hamlet.numbers.counters import EPISODE_DRAWS
from hamlet.numbers.random import draw_words, share
from hamlet.package.module import Module
from hamlet.universe import DrawUniform, MeterValue, draws
from hamlet.universe.codec import from_json, to_json
from hamlet.universe.members import UnsoundError
from hamlet.universe.sound import check_sound

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


READING = """
universe reading
space grid 4 x 3
lifespan 7 ticks
param wage = 0.25 in 0 .. 1
template Twin(one, other) {
    meter one = uniform(0, 1) { only read }
    meter other = 1 - one { only read }
}
meter angle = uniform(-1, 1) in -1 .. 1 { only read }
meter shape = cos(angle) in -1 .. 1 { only read }
state task: int in 0 .. 11 = integer(0, 11)
state left: int in 0 .. 5 = 11 - task
state even = mod(task, 2) == 0
use Twin(east, west)
role wolf: 1 agents {
    meter hunger = 0.5 * price { only read }
    meter greed = 1 - hunger { only read }
}
role sheep: others {
    meter wool = shape * shape { only read }
}
world {
    state sky: clear dull wet = if luck > 0.5 then wet else clear
    meter price = luck * wage
    meter bounty = 1 - price
    kept meter luck = uniform(0, 1)
    kept meter trust = 1 - luck
    rule next { luck = uniform(0, 1)  trust -= 0.01  price += 0.01  bounty -= 0.1  sky = dull }
}
affordance Bush: 2 copies at random {
    per agent meter likes = 0.5 * angle + 0.5
    meter berries = bounty
    instantly { likes += 0.01 }
    rule grow: berries += 0.01
}
state seen: clear dull wet = sky
cells {
    meter moss = 0.5 * bounty + 0.1 * position x
    meter grass = if moss > 0.6 then 1 - moss else 0
    rule grow { moss += 0.01  grass += 0.01 }
}
action ASK { left += 1  even = false  seen = dull }
dies when chance(0.1)
reward shape + west + wolf.greed + sheep.wool + moss + grass + trust + likes of Bush
reward left when (even and seen == wet)
observe { meters  state  world  cell }
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_start_values_read_those_above(compiled: Callable[[str], Module], backend: str) -> None:
    """Two begin from one draw: meters, states, and those of templates, roles, affordances, the world and cells."""
    env = hamlet.make(compiled(READING), worlds=5, agents=3, backend=backend, seed=SEED)
    for _ in range(3):
        env.reset()
        of_world = () if env.universe.world is None else env.universe.world.meters
        has = {meter.name: env.meter(meter.name) for meter in (*env.universe.meters, *of_world)}
        assert torch.equal(has["left"], (11 - has["task"]).clamp(0, 5))
        assert torch.equal(has["even"] > 0, has["task"] % 2 == 0)
        assert torch.equal(has["west"], 1 - has["east"])
        assert torch.equal(has["shape"], call("cos", has["angle"]))
        assert torch.equal(has["sheep.wool"], has["shape"] * has["shape"])
        price = has["price"].repeat_interleave(3)
        assert torch.equal(has["wolf.hunger"], 0.5 * price)
        assert torch.equal(has["wolf.greed"], 1 - has["wolf.hunger"])
        assert torch.equal(has["bounty"], 1 - has["price"])
        assert torch.equal(has["berries of Bush 2"], has["bounty"])
        assert torch.equal(has["likes of Bush 1"], 0.5 * has["angle"] + 0.5)
        assert torch.equal(has["seen"], has["sky"].repeat_interleave(3))
        moss, grass = env.state["cell_meters"].view(2, 12, 5)
        across = torch.arange(12, dtype=torch.float32).remainder(4).unsqueeze(1)
        assert torch.equal(moss, 0.5 * has["bounty"] + torch.tensor(0.1) * across)
        assert torch.equal(grass, torch.where(moss > 0.6, 1 - moss, 0.0))
        env.rollout(9)


@pytest.mark.parametrize(("worlds", "agents"), [(64, 2), (23, 3), (2, 70)])
def test_what_reads_begins_alike_on_every_backend(compiled: Callable[[str], Module], worlds: int, agents: int) -> None:
    text = READING if agents < 10 else READING.replace("space grid 4 x 3", "space grid 20 x 20")
    first, second = (
        hamlet.make(compiled(text), worlds=worlds, agents=agents, backend=backend, seed=SEED, first_world=7)
        for backend in ("interpreter", "c")
    )
    for env in (first, second):
        env.reset()
        env.rollout(25)
    assert first.state["episode"].min() >= 1
    for name, value in first.state.items():
        assert bits(value.float()) == bits(second.state[name].float()), name


def test_a_universe_whose_start_values_read_later_ones_is_unsound(module: Module) -> None:
    text = to_json(module.universe)
    food, energy = (next(m for m in module.universe.meters if m.name == name) for name in ("food", "energy"))
    late = replace(energy, start=MeterValue("food", food.span))
    with pytest.raises(UnsoundError, match="energy begins with food, which begins later"):
        check_sound(replace(module.universe, meters=(late, *module.universe.meters[1:])))
    check_sound(from_json(text))
