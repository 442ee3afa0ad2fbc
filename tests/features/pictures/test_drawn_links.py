"""`links in grey when c`: a line between each two agents of whom the condition holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamlet.universe.codec import from_json, to_json
from hamletc.checking.check import check
from hamletc.language.parser import parse
from samples import universe_of

OFFICE = """
universe office
space grid 6 x 5
lifespan 30 ticks
role desk: 5 agents
meter power = 1 { decay 0.02  only falls }
state up = true
pairs {
    links wired { 0 - 1  2 -> 0  3 - 4 }
    state liked: real in 0 .. 1 = mod(agent, 2)
    rule warms: apart <= 1 -> liked += 0.1
}
rule fails: chance(0.05 * count(wired and not up)) -> up = false
dies when agent == 4 and age >= 3
reward 1 when up
observe { meters  state up liked }
draw {
    links in red when wired
    links when other and apart <= 2 and own(power) > 0.5 and liked >= 0
}
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_lines_lie_between_agents(backend: str, compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(OFFICE), worlds=2, seed=4, backend=backend, quiet=True)
    drawn = set()
    for _ in range(7):
        x, y = env.state["position"].reshape(2, 2, 5)[:, 1].tolist()
        places = list(zip(x, y, strict=True))
        alive = env.state["alive"].reshape(2, 5)[1].tolist()
        wired = [(a, b) for a, b in ((0, 1), (0, 2), (3, 4)) if alive[a] and alive[b]]
        near = [
            (a, b)
            for a in range(5)
            for b in range(a + 1, 5)
            if alive[a] and alive[b] and abs(x[a] - x[b]) + abs(y[a] - y[b]) <= 2
        ]
        lines = env.view(1).lines
        ends = [(line.begin, line.end) for line in lines if line.begin != line.end]
        assert ends == [(places[a], places[b]) for a, b in (*wired, *near) if places[a] != places[b]]
        assert all((line.colour is None) == (number >= len(wired)) for number, line in enumerate(lines))
        drawn.add(len(wired))
        env.step(torch.randint(0, env.num_actions, (10,)))
    assert drawn == {2, 3}
    assert env.render("rgb_array") is not None


def test_they_survive_their_package() -> None:
    """And so do tables that nothing else reads."""
    text = OFFICE.replace("draw {", "table reach { 1 2 1 2 3 }\ndraw { links when apart <= reach[agent]")
    universe = universe_of(text)
    assert from_json(to_json(universe)) == universe


@pytest.mark.parametrize(
    ("change", "item", "codes"),
    [
        (("", ""), "links in red when wired", []),
        (("", ""), "links in reed when wired", ["H026"]),
        (("", ""), "links when wierd", ["H020"]),
        (("", ""), "links when power", ["H027"]),
        (("", ""), "links when chance(0.5)", ["H068"]),
        (("", ""), "links when action == UP", ["H059"]),
        (("", ""), "links", ["H009"]),
        (("space grid 6 x 5", "space grid 30"), "links when wired", ["H291"]),
        (("space grid 6 x 5", "space graph { a - b - c }"), "links when wired", ["H045", "H291"]),
    ],
)
def test_what_is_no_link(change: tuple[str, str], item: str, codes: list[str]) -> None:
    head, _, _ = OFFICE.replace(*change).partition("draw {")
    file, found = parse(f"{head}draw {{ {item} }}\n")
    assert file is not None
    assert [each.code for each in found or check(file, ("office.hamlet",))[1]] == codes
