"""Rules of cells that count agents on the cells around them, against counts by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
import torch

import hamlet
from hamletc.errors import CompileError
from samples import universe_of

Compiled: TypeAlias = "Callable[[str], hamlet.Module]"
Near: TypeAlias = "Callable[[int, int], bool]"
WIDTH, HEIGHT, AGENTS, WORLDS = 5, 4, 7, 3
MEADOW = """
universe meadow
space {kind} 5 x 4 {{ edges {edges}{distance}  starts anywhere }}
lifespan 40 ticks
meter weight = uniform(0.5, 1) {{ decay 0.001  only falls }}
cells {{
    meter grass = position x in 0 .. 10
    meter trodden = 0 in 0 .. 10000
    meter load = 0 in 0 .. 10000
    rule treads: trodden = neighbours({asked}{which})
    rule loads: load = neighbours(grass * total(weight){which})
}}
reward weight
observe {{ cell  grid of trodden  grid of load }}
"""
CASES: list[tuple[str, str, str, Near]] = [
    ("grid", "manhattan", "", lambda x, y: abs(x) + abs(y) == 1),
    ("grid", "manhattan", ", diagonal", lambda x, y: max(abs(x), abs(y)) == 1),
    ("grid", "euclidean", ", within 2", lambda x, y: 0 < x * x + y * y <= 4),
    ("hexagons", "", "", lambda x, y: max(abs(x), abs(y), abs(x + y)) == 1),
]


def around(number: int, near: Near, wraps: bool) -> list[int]:
    """The cells around one, as often as they are."""
    x, y = number % WIDTH, number // WIDTH
    found = []
    for down in range(-3, 4):
        for right in range(-3, 4):
            if near(right, down):
                u, v = x + right, y + down
                if wraps:
                    u, v = u % WIDTH, v % HEIGHT
                if 0 <= u < WIDTH and 0 <= v < HEIGHT:
                    found.append(u + WIDTH * v)
    return found


@pytest.mark.parametrize(("backend", "edges"), [("interpreter", "clamp"), ("interpreter", "wrap"), ("c", "wrap")])
@pytest.mark.parametrize(("kind", "distance", "which", "near"), CASES)
def test_agents_around_are_counted(
    kind: str, distance: str, which: str, near: Near, edges: str, backend: str, compiled: Compiled
) -> None:
    said = f"  distance {distance}" if distance else ""
    text = MEADOW.format(kind=kind, edges=edges, distance=said, which=which, asked="1 when count(action != WAIT) > 1")
    env = hamlet.make(compiled(text), worlds=WORLDS, agents=AGENTS, backend=backend, seed=4, quiet=True)
    env.reset()
    wait, crowded = list(env.action_names).index("WAIT"), 0
    for tick in range(6):
        torch.manual_seed(tick)
        actions = torch.randint(0, len(env.action_names), (WORLDS * AGENTS,), dtype=torch.int32)
        env.step(actions)
        x, y = env.state["position"].view(2, WORLDS, AGENTS)
        standing = (x + WIDTH * y).tolist()
        acted = (actions != wait).view(WORLDS, AGENTS).tolist()
        for world in range(WORLDS):
            busy = [cell for cell, acts in zip(standing[world], acted[world], strict=True) if acts]
            for cell in range(WIDTH * HEIGHT):
                expected = sum(busy.count(each) > 1 for each in around(cell, near, edges == "wrap"))
                crowded += expected > 0
                assert env.meter("trodden")[cell, world] == expected
    assert crowded > 20


def test_numbers_of_agents_around_meet_those_of_their_cells(compiled: Compiled) -> None:
    text = MEADOW.format(kind="grid", edges="clamp", distance="", which="", asked="count(weight > 0)")
    text = text.replace("cells {", "cells {\n    rule rich: grass = 2").replace('"', "")
    env = hamlet.make(compiled(text), worlds=1, agents=1, backend="interpreter", quiet=True)
    env.reset()
    env.set("position", torch.tensor([[2, 1]]))
    env.step(torch.tensor([list(env.action_names).index("WAIT")], dtype=torch.int32))
    weight = env.meter("weight")[0]
    # What cells hold is as it was before the rules of cells; what agents have is as their rules left it.
    loaded = {int(cell): float(load) for cell, load in enumerate(env.meter("load")[:, 0]) if load}
    assert loaded == {2 + 5 * 1 + by: float(2.0 * weight) for by in (-5, -1, 1, 5)}


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_a_cell_counts_agents_so_far_away(backend: str, compiled: Compiled) -> None:
    text = """
universe row
space grid 6 x 2 { starts anywhere }
lifespan 9 ticks
meter a = 1 { decay 0.1  only falls }
cells {
    meter east = 0 in 0 .. 100
    meter up = 0 in 0 .. 100
    meter own = 0 in 0 .. 100
    rule counts: east = count(true) at (position x + 2, position y)
    rule adds: up = total(agent) at (position x, position y - 1)
    rule itself: own = count(true) at (position x, position y)
}
reward a
observe { cell }
"""
    env = hamlet.make(compiled(text), worlds=1, agents=4, backend=backend, quiet=True)
    env.reset()
    env.set("position", torch.tensor([[2, 0], [2, 0], [5, 1], [1, 1]]))
    env.step(torch.full((4,), list(env.action_names).index("WAIT"), dtype=torch.int32))
    assert env.meter("east")[:, 0].tolist() == [2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]
    assert env.meter("up")[:, 0].tolist() == [0] * 8 + [1] + [0] * 3
    assert env.meter("own")[:, 0].tolist() == [0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("neighbours(count(weight > 0.5) + neighbours(grass))", "H184"),
        ("count(true) at (2, 1)", "H312"),
        ("count(true) at (position y, position x)", "H312"),
        ("neighbours(rank(weight > 0.5, weight))", "H183"),
    ],
)
def test_misuse(asked: str, code: str) -> None:
    text = MEADOW.format(kind="grid", edges="clamp", distance="", which="", asked="grass")
    with pytest.raises(CompileError) as raised:
        universe_of(text.replace("neighbours(grass)", asked))
    assert {each.code for each in raised.value.diagnostics if each.severity == "error"} == {code}
