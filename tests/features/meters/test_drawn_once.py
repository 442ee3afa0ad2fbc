"""`let task = once integer(0, 11)`: one draw for an episode, of each agent, of a role, of the world."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamlet.universe import StateType
from hamletc.checking.check import check
from hamletc.language.parser import parse

TEXT = """
universe drawn
space grid 3 x 3
lifespan 6 ticks
param wage = 0.25 in 0 .. 1
let span = 2 * 3
let lucky = once chance(0.3)
let task = once integer(0, 11)
let dose = once uniform(0, span) + wage
let rest = once 11 - task
let both = once lucky and rest > 4
world {
    let sky = once choice(1, 2, 5)
    let high = once sky * 2
    meter price = 0.1 * sky
    rule dearer: price += 0.01 when high > 3
}
template Twin(name) {
    let seed = once uniform(0, 1)
    meter name = seed { decay 0.01  only falls }
}
use Twin(left)
use Twin(right)
role wolf: 1 agents {
    let fear = once uniform(0, 1)
    meter calm = 1 - fear { only falls }
    rule worries: calm -= 0.01 * fear
}
role sheep: others
state n: int in 0 .. 20 = task
action GO { n += rest }
allow GO when both or sky > 1
reward dose + left - right + price + calm + (1 when lucky)
report asked: task
observe { meters  state task n  lucky: lucky  sky: sky  again: task }
"""


@pytest.fixture(scope="module")
def module(compiled: Callable[[str], Module]) -> Module:
    return compiled(TEXT)


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_one_draw_is_read_everywhere(module: Module, backend: str) -> None:
    env = hamlet.make(module, worlds=40, agents=2, backend=backend, seed=3, quiet=True)
    seen: set[float] = set()
    for episode in range(3):
        env.reset()
        task, n, rest = (env.meter(name).clone() for name in ("task", "n", "rest"))
        seen |= set(task.tolist())
        assert torch.equal(n, task)
        assert torch.equal(rest, 11 - task)
        assert torch.equal(env.meter("both") > 0, (env.meter("lucky") > 0) & (rest > 4))
        assert torch.equal(env.meter("left"), env.meter("left_seed"))
        assert not torch.equal(env.meter("left_seed"), env.meter("right_seed"))
        assert torch.equal(env.meter("wolf.calm"), 1 - env.meter("wolf.fear"))
        assert torch.equal(env.meter("high"), 2 * env.meter("sky"))
        assert (env.meter("sky").unique(return_counts=True)[1] > 3).all(), episode
        assert env.observation is not None
        names = list(env.observation_names)
        assert torch.equal(env.observation[:, names.index("state.task")], task)
        assert torch.equal(env.observation[:, names.index("sky")], env.meter("sky").repeat_interleave(2))
        for _ in range(4):
            env.step(torch.zeros(80, dtype=torch.int32))
            assert torch.equal(env.meter("task"), task)
            assert torch.equal(env.reports["asked"], task)
    assert len(seen) == 12


def test_what_it_holds_follows_from_what_it_is_drawn_from(module: Module) -> None:
    assert module.universe.world is not None
    meters = (*module.universe.meters, *module.universe.world.meters)
    held = {meter.name: (meter.type, meter.low, meter.high) for meter in meters}
    whole, real, condition = StateType("int", ()), StateType("real", ()), StateType("bool", ())
    assert held["task"] == (whole, 0.0, 11.0)
    assert held["rest"] == (whole, 0.0, 11.0)
    assert held["high"] == (whole, 2.0, 10.0)
    assert held["lucky"] == held["both"] == (condition, 0.0, 1.0)
    assert held["dose"][0] == real
    assert 6.9 < held["dose"][2] <= 7


def test_it_is_a_state_that_begins_so(compiled: Callable[[str], Module], module: Module) -> None:
    """To the bit, with the same draws; a checkpoint has it, and a program sets it."""
    text = TEXT.replace("let task = once", "state task: int in 0 .. 11 =").replace("state task n", "state task n")
    one, other = (hamlet.make(each, worlds=9, agents=2, seed=5, quiet=True) for each in (module, compiled(text)))
    for env in (one, other):
        env.rollout(40)
    for name, values in one.state.items():
        assert torch.equal(values, other.state[name]), name
    one.set("task", 7, worlds=[1])
    saved, again = one.state_dict(), hamlet.make(module, worlds=9, agents=2, seed=6, quiet=True)
    again.load_state_dict(saved)
    assert again.meter("task")[2:4].tolist() == [7, 7]


HEAD = "universe o\nspace none\nlifespan 9 ticks\nmeter a = 1 { decay 0.1 }\nreward a\nobserve { meters }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let x = once uniform(0, 1)  rule r: a += x", set()),
        ("let x = once 5  rule r: a += x", {"H271"}),
        ("let x = once age  rule r: a += x", {"H083"}),
        ("let x = once uniform(0, 1)  rule r: x = a", {"H272"}),
        ("world { let x = once chance(0.5)  rule r: x = true }  rule q: a += 1 when x", {"H272"}),
        ("let x = once b  meter b = uniform(0, 1) { only read }  rule r: a += x", {"H270"}),
        ("let x = once x + uniform(0, 1)  rule r: a += x", {"H270"}),
        ("let x = once uniform(0, 1)  world { meter w = 0  rule r: w = x }  rule q: a += w", {"H092"}),
        ("let x = once uniform(0, 1)", {"H060"}),
        ("let x = once chance(0.5)  rule r: a += x", {"H027"}),
        ("let x = once 1 / uniform(0, 1)  rule r: a += 0.1 when x > 2", {"H050"}),
        ("cells { let x = once uniform(0, 1) }", {"H009"}),
        # A declaration of that name comes first.
        ("meter once = 0.5 { only read }  let y = once - 1  rule r: a -= y", set()),
        ("param once = 0.5 in 0 .. 1  let y = once  rule r: a += y", set()),
        ("let once = 2  let y = 0.1 * once  rule r: a += y", set()),
        # A function is a condition where its text with these arguments is one.
        ("let odd(n) = mod(n, 2) == 1  let x = once odd(agent)  rule r: x -> a += 0.1", set()),
        ("let twice(n) = 2 * n  let x = once twice(uniform(0, 1))  rule r: a += 0.1 * x", set()),
        ("let pick(p, q) = if chance(0.5) then p else q  let x = once pick(1, 3)  rule r: a += 0.1 * x", set()),
        ("let same(c) = c  let c = 2  let x = once same(chance(0.5))  rule r: x -> a += 0.1 * c", set()),
        ("let `let` = once uniform(0, 1)  rule r: a += `let`", set()),
    ],
)
def test_misuse_and_names(text: str, expected: set[str]) -> None:
    file, problems = parse(HEAD + text + "\n")
    found = problems if file is None or problems else check(file, ("o.hamlet",))[1]
    assert {each.code for each in found if each.severity == "error"} == expected
