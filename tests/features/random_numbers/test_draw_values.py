"""What universes draw, against docs/semantics.md read aloud in numpy's binary32 and Python's integers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from plain_philox import draw_word, site

import hamlet
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.env.environment import Env
from hamlet.interpreter import Interpreter, functions
from hamlet.package.module import Module
from hamlet.schema.fields import report_names
from hamlet.universe import DrawChance, DrawChoice, DrawInteger, DrawNormal, DrawUniform, draws
from hamlet.universe.codec import from_json, to_json

SEED = 0x123456789ABCDEF
F = np.float32

DICE = """
universe dice
space none
lifespan 7 ticks
meter luck = 0.5 { decay uniform(0, 0.01) }
meter wins = 0 in 0 .. 1000
rule win: chance(0.2 + 0.1 * luck) -> wins += integer(1, 6)
rule drift: luck += normal(0, 0.1)
affordance Booth { instantly { luck = choice(0.1, luck, 0.9) } }
reward luck
report roll: uniform(-3, 5.5)
report lots: integer(-16777216, 16777216)
report bell: normal(luck, 0.25)
report coin: uniform(wins, luck) when (chance(0.5) or chance(luck))
report pick: choice(1: 3, 2: 0.5, luck: 1e-9, 3: 1.25)
observe { meters }
"""


@pytest.fixture(scope="module")
def dice(compiled: Callable[[str], Module]) -> Module:
    return compiled(DICE)


def share(word: int, above: int = 0) -> np.float32:
    return F(((word >> 8) + above) / 2**24)


def function(name: str, x: np.float32) -> np.float32:
    return F(functions.call(name, torch.tensor(x)))  # type: ignore[arg-type]  # a name of docs/functions.md


def test_sites_are_those_of_the_constructs(dice: Module) -> None:
    kinds = [(draw.site, type(draw)) for draw in draws(dice.universe)]
    assert kinds == [
        (site("meter luck"), DrawUniform),
        (site("rule win"), DrawChance),
        (site("rule win", 1), DrawInteger),
        (site("rule drift"), DrawNormal),
        (site("affordance Booth"), DrawChoice),
        (site("report roll"), DrawUniform),
        (site("report lots"), DrawInteger),
        (site("report bell"), DrawNormal),
        (site("report coin"), DrawUniform),
        (site("report coin", 1), DrawChance),
        (site("report coin", 2), DrawChance),
        (site("report pick"), DrawChoice),
    ]
    assert [draw.span.line for draw in draws(dice.universe)] == [5, 7, 7, 8, 9, 11, 12, 13, 14, 14, 14, 15]


def test_values_are_those_of_the_words(dice: Module) -> None:
    """One tick after the other of some lanes of a shard; agents wait, or use the booth."""
    env = hamlet.make(dice, worlds=20, agents=3, first_world=100, backend="interpreter", seed=SEED)
    interact = env.action_names.index("INTERACT")
    happened = {"win": 0, "booth": 0, "coin": 0}
    for tick in range(6):
        luck, wins = (env.state["meters"][row].numpy().copy() for row in (0, 1))
        actions = torch.arange(60) % 2 + interact
        env.step(actions)
        for lane in range(60):

            def word(construct: str, number: int = 0, lane: int = lane, tick: int = tick) -> int:
                return draw_word(SEED, 300 + lane, tick, site(construct, number))

            x, won = luck[lane], wins[lane]
            if actions[lane] == interact:
                x = (F(0.1), x, F(0.9))[word("affordance Booth") * 3 >> 32]
                happened["booth"] += 1
            x = np.clip(x - share(word("meter luck")) * F(0.01), F(0), F(1))
            if share(word("rule win")) < F(0.2) + F(0.1) * x:
                won += F(1 + (word("rule win", 1) * 6 >> 32))
                happened["win"] += 1
            x = np.clip(x + (F(0) + F(0.1) * normal(word("rule drift"), word("rule drift", 1))), F(0), F(1))
            assert env.state["meters"][:, lane].tolist() == [x, won]
            assert env.reports["roll"][lane] == F(-3) + share(word("report roll")) * F(8.5)
            assert env.reports["lots"][lane] == -(2**24) + (word("report lots") * (2**25 + 1) >> 32)
            assert env.reports["bell"][lane] == x + F(0.25) * normal(word("report bell"), word("report bell", 1))
            coin = share(word("report coin", 1)) < 0.5 or share(word("report coin", 2)) < x
            assert env.reports["coin"][lane] == (won + share(word("report coin")) * (x - won) if coin else 0)
            happened["coin"] += bool(coin)
    assert min(happened.values()) > 20


def normal(first: int, second: int) -> np.float32:
    distance = np.sqrt(function("log", share(first, 1)) * F(-2))
    return distance * function("cos", share(second) * F(6.2831855))


def test_weighted_choices_are_those_of_the_words(dice: Module) -> None:
    """A part in a billion is met by nobody; the others come as often as they weigh, to four deviations."""
    (draw,) = (each for each in draws(dice.universe) if each.site == site("report pick"))
    assert isinstance(draw, DrawChoice)
    begins = [0, *(draw.thresholds or ())]
    rolls = []
    for backend in ("interpreter", "c"):
        env = hamlet.make(dice, worlds=1000, agents=2, backend=backend, seed=SEED)
        env.step(torch.zeros(2000, dtype=torch.int32))
        rolls.append(env.reports["pick"].numpy().copy())
    assert np.array_equal(*rolls)
    for lane, roll in enumerate(rolls[0]):
        assert roll == (1, 2, None, 3)[bisect_right(begins, draw_word(SEED, lane, 0, draw.site)) - 1]
    for value, part in ((1, 3 / 4.75), (2, 0.5 / 4.75), (3, 1.25 / 4.75)):
        often = int((rolls[0] == value).sum())
        assert abs(often - 2000 * part) < 4 * np.sqrt(2000 * part * (1 - part))


def bits(env: Env) -> dict[str, torch.Tensor]:
    """All that an environment holds, floats as the integers of their bits."""
    arrays = {**env.state, **{f"report {name}": value for name, value in env.reports.items()}}
    return {name: a.clone().view(torch.int32) if a.is_floating_point() else a.clone() for name, a in arrays.items()}


def assert_same(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> None:
    assert left.keys() == right.keys()
    for name in left:
        assert torch.equal(left[name], right[name]), name


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_a_lane_draws_the_same_alone_and_among_others(dice: Module, backend: str) -> None:
    """In any order of worlds, in batches of any size; in one launch, in several, and by steps."""
    whole = hamlet.make(dice, worlds=300, agents=2, backend=backend, seed=SEED)
    whole.rollout(40)
    assert int(whole.state["episode"].max()) > 0
    for world, worlds in ((299, 1), (0, 1), (128, 60), (7, 2)):
        part = hamlet.make(dice, worlds=worlds, agents=2, backend=backend, seed=SEED, first_world=world)
        for ticks in (1, 2, 30, 7):
            part.rollout(ticks)
        for name, values in bits(part).items():
            per_world = 1 if values.shape[-1] == worlds else 2
            there = bits(whole)[name][..., world * per_world : (world + worlds) * per_world]
            assert torch.equal(values, there), name


def test_threads_do_not_matter(dice: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for threads in ("1", "3"):
        monkeypatch.setenv("HAMLET_THREADS", threads)
        env = hamlet.make(dice, worlds=1300, backend="c", seed=SEED)
        env.rollout(20)
        results.append(bits(env))
    assert_same(*results)


def test_a_checkpoint_goes_on_with_the_same_draws(dice: Module) -> None:
    """On the other backend, and where ticks wrap."""
    for begin in (0, (1 << 32) - 5):
        straight, broken = (hamlet.make(dice, worlds=50, backend="c", seed=3) for _ in range(2))
        for env in (straight, broken):
            env.load_state_dict({**env.state_dict(), "tick": begin})
        straight.rollout(17)
        broken.rollout(9)
        other = hamlet.make(dice, worlds=50, backend="interpreter", seed=99)
        other.load_state_dict(broken.state_dict())
        other.rollout(8)
        assert straight.tick == other.tick == (begin + 17) % (1 << 32)
        assert_same(bits(straight), bits(other))


def test_seeds_and_resets(dice: Module) -> None:
    env = hamlet.make(dice, worlds=200, backend="c", seed=3)
    env.rollout(5)
    first = bits(env)
    env.reset()
    env.rollout(5)
    assert not torch.equal(bits(env)["report roll"], first["report roll"])
    env.reset(seed=3)
    env.rollout(5)
    assert_same(bits(env), first)
    for seed in (4, 3 + (1 << 32)):
        env.reset(seed=seed)
        env.rollout(5)
        assert not torch.equal(bits(env)["report roll"], first["report roll"])


def test_draws_do_not_depend_on_other_constructs(dice: Module, tmp_path: Path) -> None:
    """Others above and below them in the file change nothing of their values."""
    source = tmp_path / "dice.hamlet"
    text = DICE.replace("meter luck", "report more: normal(0, 1) + uniform(0, 1)\nmeter luck")
    source.write_text(text.replace("observe", "report most: choice(1, 2, uniform(3, 4))\nobserve"))
    other = hamlet.compile(source, tmp_path / "dice")
    envs = [hamlet.make(module, worlds=64, backend="interpreter", seed=5) for module in (dice, other)]
    for env in envs:
        env.rollout(20)
    left, right = map(bits, envs)
    assert right.pop("report more").any()
    assert right.pop("report most").any()
    assert_same(left, right)


def test_sites_of_an_older_compiler_are_taken_as_they_are(dice: Module) -> None:
    """Packages from before 0.2.0 have draws that are numbered through the file."""
    numbers = {
        draw.site: number
        for number, draw in zip((0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13), draws(dice.universe), strict=True)
    }
    text = re.sub(r'"site": (\d+)', lambda found: f'"site": {numbers[int(found[1])]}', to_json(dice.universe))
    interpreter, shape = Interpreter(from_json(text), torch.device("cpu")), Shape(20, 3)
    buffers = allocate(interpreter.universe, shape, torch.device("cpu"), None)
    interpreter.reset(buffers, Stream(SEED, 0))
    interpreter.step(buffers, torch.zeros(shape.lanes, dtype=torch.int32), Stream(SEED, 0))
    row = report_names(dice.universe).index("roll")
    for lane in range(shape.lanes):
        assert buffers.outcome["reports"][row, lane] == F(-3) + share(draw_word(SEED, lane, 0, 6)) * F(8.5)
