"""Grids of affordances, terrains and expressions: all cells as they are, and what the agent shows of its own."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamletc.checking.check import check
from hamletc.language.parser import parse

BOARDS = """
universe boards
space grid map
map { "#####" "#a~.#" "#..~#"  wall "#"  region lake "~"  terrain height = 1 { lake -1 } }
lifespan 20 ticks
world { state late = false  rule grows_late: after 8 ticks -> late = true }
cells { state grass = chance(0.4)  rule grows: chance(0.1) -> grass = not grass }
meter food = 0 in 0 .. 9
affordance Bed at "a" { instantly { food += 1 } }
affordance Bar at (3, 1) { open when late  instantly { food += 1 } }
role hunter: 1 agent
role hare: 2 agents
reward food when grass
observe {
    image board as height width channels {
        grid of object: if here == Bed then 4 else if on lake then 3 else 1 when grass own 9
        grid of Bed
        grid of open Bar own -food
        grid of height
        grid of hares: count(hare)
    }
    group rest { window 1 of grass }
}
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_grids_show_all_cells(backend: str, compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(BOARDS), worlds=8, seed=5, backend=backend)
    assert env.observation_groups["board"].channels == (
        *("grid.object", "grid.Bed", "grid.open Bar", "grid.height", "grid.hares"),
    )
    low, high = env.observation_low.reshape(-1), env.observation_high.reshape(-1)
    bounds = [(float(low[15 * each]), float(high[15 * each])) for each in range(5)]
    assert bounds == [(0, 9), (0, 1), (-9, 1), (-1, 1), (0, 2)]
    fed = seen_late = 0
    for _ in range(16):
        env.step(torch.randint(0, env.num_actions, (env.num_lanes,)))
        board = env.grouped["board"].reshape(8, 3, 3, 5, 5)
        grass = env.meter("grass").T.reshape(8, 3, 5)
        lake = torch.tensor([[0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]).expand(8, 3, 5) > 0
        bed, bar = torch.zeros(3, 5), torch.zeros(3, 5)
        bed[1, 1], bar[1, 3] = 1, 1
        late = env.meter("late").reshape(8, 1, 1)
        plain = torch.where(bed.expand(8, 3, 5) > 0, 4.0, torch.where(lake, 3.0, grass))
        x, y = env.state["position"].reshape(2, 8, 3).long()
        hares = torch.zeros(8, 3, 5)
        for agent in (1, 2):
            hares[torch.arange(8), y[:, agent], x[:, agent]] += 1
        for agent in range(3):
            own = torch.zeros(8, 3, 5, dtype=torch.bool)
            own[torch.arange(8), y[:, agent], x[:, agent]] = True
            food = env.meter("food").reshape(8, 3)[:, agent].reshape(8, 1, 1)
            fed += int(food.sum())
            assert torch.equal(board[:, agent, ..., 0], torch.where(own, 9.0, plain))
            assert torch.equal(board[:, agent, ..., 1], bed.expand(8, 3, 5))
            assert torch.equal(board[:, agent, ..., 2], torch.where(own, -food, bar * late))
            assert torch.equal(board[:, agent, ..., 3], torch.where(lake, -1.0, 1.0))
            assert torch.equal(board[:, agent, ..., 4], hares)
        seen_late += int(late.sum())
    assert fed
    assert seen_late


@pytest.mark.parametrize(
    ("item", "codes"),
    [
        ("grid of Bed  grid of open Bar  grid of height  window 1 of grass", []),
        ("grid of Bed  grid of Bed  window 1 of grass", ["H024"]),
        ("grid of open Bed  window 1 of grass", ["H352"]),
        ("grid of open lake  window 1 of grass", ["H021"]),
        ("grid of Bedd  window 1 of grass", ["H020"]),
        ("grid of far: 3 * food  window 1 of grass", ["H183"]),
        ("grid of same: 3  window 1 of grass", ["H302"]),
        ("grid of grass own wall  window 1 of lake", ["H020"]),
        ("image a { grid of Bed  window 1 of height }  group b { window 1 of grass }", ["H282"]),
    ],
)
def test_what_is_no_grid(item: str, codes: list[str]) -> None:
    head, _, _ = BOARDS.partition("observe {")
    file, found = parse(f"{head}observe {{ {item} }}\n")
    assert file is not None
    assert [each.code for each in found or check(file, ("boards.hamlet",))[1]] == codes


EVERYWHERE = """
universe everywhere
space {space}
lifespan 9 ticks
meter food = 0.25 in 0 .. 9
cells {{ meter moss = 0.1 * position x  rule grows: moss += 0.01 }}
affordance Bed at {bed} {{ instantly {{ food += 1 }} }}
reward food
observe {{ grid of double: 2 * moss own food  grid of Bed  cell moss }}
"""


@pytest.mark.parametrize(
    ("space", "bed", "sizes", "there", "backend"),
    [
        ("grid 3 x 2 x 4", "(2, 0, 3)", (3, 2, 4), 20, "interpreter"),
        ("grid 3 x 2 x 4", "(2, 0, 3)", (3, 2, 4), 20, "c"),
        ("graph { home - road - mill - home }", "mill", (3,), 2, "interpreter"),
        ("grid 5", "(1)", (5,), 1, "interpreter"),
    ],
)
def test_grids_of_any_dimensions(
    space: str, bed: str, sizes: tuple[int, ...], there: int, backend: str, compiled: Callable[[str], Module]
) -> None:
    """Rows by the index of their cells, x fastest."""
    env = hamlet.make(compiled(EVERYWHERE.format(space=space, bed=bed)), worlds=2, seed=5, backend=backend)
    places = [",".join(map(str, each[::-1])) for each in product(*map(range, sizes[::-1]))]
    assert env.observation_names[: len(places)] == tuple(f"grid.double[{place}]" for place in places)
    env.step(torch.zeros(2, dtype=torch.long))
    doubled, beds = env.observation[:, : len(places)], env.observation[:, len(places) : 2 * len(places)]
    assert beds.nonzero().tolist() == [[0, there], [1, there]]
    for world, position in enumerate(env.state["position"].T.tolist()):
        moss = (np.float32(0.1) * (np.arange(len(places)) % sizes[0]).astype(np.float32) + np.float32(0.01)).tolist()
        own = places.index(",".join(str(int(x)) for x in position))
        food = float(env.meter("food")[world])
        assert doubled[world].tolist() == [food if cell == own else 2 * value for cell, value in enumerate(moss)]
        assert env.observation[world, -1] == moss[own]
