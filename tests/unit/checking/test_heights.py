"""Texts of as many levels as an author may write are checked, lowered, written and read; others are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from checking_cases import checked

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet.universe.codec import from_json, to_json
from hamletc.compile import lower
from hamletc.expansion.stages import MOST_IN_A_CHAIN, MOST_SWITCHES
from hamletc.language.formatter import format_source

HEAD = """universe steps
space {space}
lifespan 600 ticks
meter energy = 0.5 {{ decay 0.0001 }}
dies when energy <= 0
observe {{ meters  here }}
"""
GRID = HEAD.format(space="grid 16 x 16")
FED = "affordance Meal at random { instantly { energy += 0.1 } }\nreward energy\n"
NODES = [f"N{number}" for number in range(256)]


def calls(count: int, inner: str, other: str = "energy") -> str:
    """An expression with `2 * count` levels of calls."""
    return "".join(f"max(0.{number}, min({other}, " for number in range(count)) + inner + "))" * count


def stages(count: int, last: str) -> str:
    switches = [f"S{number} -> S{number + 1} when chance(0.5)" for number in range(count - 1)]
    lines = "\n".join([*switches, f"S{count - 1} -> S{count} when {last}"])
    return f"stages {{\n{lines}\n}}\nreward 1 when stage == S1\n"


def made(text: str, worlds: int) -> Env:
    universe, found = checked(text)
    assert universe is not None, found
    return hamlet.make(Module(Path(universe.name), universe, "", {}), worlds=worlds, backend="interpreter", quiet=True)


WORLD = "world { meter w = 0 in 0 .. 1  rule w: w = 0.5 }\n"
HIGH = {
    "calls in a rule of an affordance": f"let high = {calls(45, 'calm', 'w')}\nlet higher = {calls(45, 'high', 'w')}\n"
    "affordance Pool at random { meter calm = 0 in 0 .. 1  rule calms: calm = higher  instantly { energy += calm } }\n"
    f"{WORLD}reward energy\n",
    "stages": f"{FED}{WORLD}{stages(MOST_IN_A_CHAIN, calls(40, 'w', 'w') + ' > 0.9')}",
}
REFUSED = {
    "switches": (f"{FED}{stages(MOST_SWITCHES + 1, 'chance(0.5)')}", "H033"),
    "arguments in arguments": (
        f"{FED}template A(x) {{ reward {calls(45, 'x')} }}\ntemplate B(x) {{ use A({calls(45, 'x')}) }}\n"
        f"template C(x) {{ use B({calls(45, 'x')}) }}\nuse C({calls(45, 'energy')})\n",
        "H015",
    ),
}


@pytest.mark.parametrize("name", HIGH)
def test_high_expressions_go_all_the_way(name: str) -> None:
    text = GRID + HIGH[name]
    universe, found = checked(text)
    assert universe is not None, found
    assert lower(universe).program
    assert from_json(to_json(universe)) == universe
    assert format_source(text)[0]


@pytest.mark.parametrize("name", REFUSED)
def test_too_high_ones_are_refused(name: str) -> None:
    text, code = REFUSED[name]
    universe, (error, *others) = checked(GRID + text)
    assert (universe, error.code, others) == (None, code, [])


def test_a_route_may_have_a_stop_on_each_of_256_cells() -> None:
    stops = [(number % 16, number // 16) for number in range(256)]
    route = ", ".join(f"({x}, {y})" for x, y in stops)
    text = f"{GRID}affordance Bus {{ follows {route} every 1 ticks  instantly {{ energy += 0.1 }} }}\nreward energy\n"
    env = made(text, worlds=1)
    meters = [env.meter(f"position {axis} of Bus") for axis in "xy"]
    seen = []
    for _ in stops:
        seen.append(tuple(int(meter[0]) for meter in meters))
        env.step([0])
    assert seen == stops


def test_what_wanders_on_a_graph_of_256_nodes_goes_along_its_edges() -> None:
    ring = " - ".join([*NODES, NODES[0]])
    space = HEAD.format(space=f"graph {{ {ring}  starts N0 }}")
    text = f"{space}affordance Dog at random {{ wanders  instantly {{ energy += 0.1 }} }}\nreward energy\n"
    env = made(text, worlds=64)
    where = env.meter("position x of Dog")
    for _ in range(20):
        before = where.clone()
        env.step([0] * 64)
        assert set(((where - before) % 256).tolist()) == {1, 255}
