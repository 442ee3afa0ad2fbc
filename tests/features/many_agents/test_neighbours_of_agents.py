"""Sums over the cells around an agent: `neighbours(e)`, with diagonals, and within a radius."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamletc.checking.check import check
from hamletc.language.parser import parse

FOREST = """
universe forest
space grid map
map { "....." ".#.~." "...~." "....."  wall "#"  region lake "~"  terrain height = 1 { lake 2 } }
lifespan 30 ticks
world { state mild = true  rule turns: mild = chance(0.5) }
cells { state wood: int in 0 .. 5 = integer(0, 5)  rule grows: chance(0.2) -> wood = integer(0, 5) }
role ant: 2 agents
meter fed = 0 in 0 .. 9
action EAT { needs neighbours(wood) > 5  fed += 1 }
rule crowded: count(neighbours(wood) > 17) > 0 -> fed = 9
reward neighbours(wood, diagonal)
observe {
    near: neighbours(wood)
    round: neighbours(wood, diagonal)
    hill: neighbours(wood * height when mild, within 2)
    shore: neighbours(1 when on lake) > 0
    state mild
    meters
}
"""


def around(x: int, y: int, reach: Callable[[int, int], bool]) -> Iterator[tuple[int, int]]:
    """The cells around one that are no wall."""
    for down in range(4):
        for right in range(5):
            across, along = abs(right - x), abs(down - y)
            if (across or along) and reach(across, along) and (right, down) != (1, 1):
                yield right, down


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_agents_sum_over_cells(backend: str, compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(FOREST), worlds=6, seed=8, backend=backend)
    ate, may = env.action_names.index("EAT"), set()
    for tick in range(12):
        _, reward, *_ = env.step(torch.randint(0, env.num_actions, (12,)))
        assert env.observation is not None
        wood = env.meter("wood").T.reshape(6, 4, 5)
        for lane in range(12):
            x, y = env.state["position"][:, lane].long().tolist()
            mine = wood[lane // 2]
            near = sum(float(mine[b, a]) for a, b in around(x, y, lambda i, j: i + j <= 1))
            whole = sum(float(mine[b, a]) for a, b in around(x, y, lambda i, j: max(i, j) <= 1))
            hill = [
                float(mine[b, a]) * (1 + (a == 3 and b in (1, 2))) for a, b in around(x, y, lambda i, j: i + j <= 2)
            ]
            shore = any(a == 3 and b in (1, 2) for a, b in around(x, y, lambda i, j: i + j <= 1))
            seen = env.observation[lane].tolist()
            assert seen[:4] == [near, whole, sum(hill) if seen[4] else 0, shore], tick
            assert float(reward[lane]) == whole
            may.add(bool(env.action_mask[lane, ate]))
            assert bool(env.action_mask[lane, ate]) == (near > 5)
    assert may == {True, False}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("reward neighbours(wood, within 1)", []),
        ("reward neighbours(fed)", ["H183"]),
        ("reward neighbours(count(fed > 1))", ["H182"]),
        ("reward neighbours(wood, within 9)", ["H264"]),
        ("reward neighbours(neighbours(wood))", ["H184"]),
        ("reward neighbours(chance(0.5))", ["H184"]),
        ("reward previous(neighbours(wood))", ["H182"]),
        ("reward fed\nworld ends when neighbours(wood) > 1", ["H182"]),
    ],
)
def test_what_has_no_sum(text: str, codes: list[str]) -> None:
    file, found = parse(FOREST.replace("reward neighbours(wood, diagonal)", text))
    assert file is not None
    assert [each.code for each in found or check(file, ("forest.hamlet",))[1]] == codes
