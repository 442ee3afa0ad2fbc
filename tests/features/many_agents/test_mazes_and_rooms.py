"""Mazes and rooms: connected by construction, drawn as the page says, the same on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
import torch

import hamlet
from samples import universe_of

Compiled: TypeAlias = "Callable[[str], hamlet.Module]"
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])
LAYOUT = """
universe laid_out
space grid {width} x {height}
lifespan 3 ticks
meter energy = 1 {{ decay 0.1 }}
cells {{
    state stone = {layout}
    wall when stone
}}
affordance Goal at random {{ instantly {{ energy += 0.1 }} }}
reward energy
observe {{ position absolute  window 1 of wall }}
"""


def stones(text: str, compiled: Compiled, worlds: int, backend: str = "interpreter") -> torch.Tensor:
    """Where the stones of each world are, bool [worlds, height, width]."""
    universe = universe_of(text)
    width, height = universe.space.sizes
    env = hamlet.make(compiled(text), worlds=worlds, backend=backend, seed=5, quiet=True)
    env.reset()
    drawn = env.meter("stone").T.bool().reshape(worlds, height, width)
    x, y = env.state["position"].long()
    assert not bool(drawn[torch.arange(worlds), y, x].any()), "nobody begins on a stone"
    return drawn


def reached(stone: list[list[bool]]) -> int:
    """How many cells are reached from the first that is no stone."""
    free = {(x, y) for y, row in enumerate(stone) for x, each in enumerate(row) if not each}
    pending = [min(free)]
    met = set(pending)
    while pending:
        x, y = pending.pop()
        for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if there in free and there not in met:
                met.add(there)
                pending.append(there)
    return len(met)


@BACKENDS
@pytest.mark.parametrize(("width", "height"), [(5, 5), (9, 7), (5, 21)])
def test_a_maze_is_a_tree_of_ways(width: int, height: int, backend: str, compiled: Compiled) -> None:
    drawn = stones(LAYOUT.format(width=width, height=height, layout="maze"), compiled, 60, backend)
    ways = (width // 2) * (height // 2)
    for stone in drawn.tolist():
        free = sum(not each for row in stone for each in row)
        assert free == 2 * ways - 1
        assert reached(stone) == free
    assert bool(drawn[:, 0].all() & drawn[:, -1].all() & drawn[:, :, 0].all() & drawn[:, :, -1].all())


def test_each_way_of_a_maze_opens_east_or_south(compiled: Compiled) -> None:
    drawn = stones(LAYOUT.format(width=9, height=9, layout="maze"), compiled, 2000)
    east, south = ~drawn[:, 1:7:2, 2:8:2], ~drawn[:, 2:8:2, 1:7:2]
    assert bool((east ^ south).all())
    assert float((east.float().mean(dim=0) - 0.5).abs().max()) < 5 * 0.5 / 2000**0.5
    pairs = east.flatten(1).float() - 0.5
    assert float((pairs.T @ pairs / 500 - torch.eye(9)).abs().max()) < 0.13, "they are independent"


def test_a_wide_maze_has_several_words_for_a_row(compiled: Compiled) -> None:
    drawn = stones(LAYOUT.format(width=101, height=7, layout="maze"), compiled, 8)
    for stone in drawn.tolist():
        assert reached(stone) == sum(not each for row in stone for each in row) == 2 * 50 * 3 - 1


@BACKENDS
def test_rooms_are_those_of_four_rooms(backend: str, compiled: Compiled) -> None:
    """As MiniGrid's FourRooms draws them: walls in the middle, and one doorway in each of four parts, wherever."""
    drawn = stones(LAYOUT.format(width=19, height=19, layout="rooms(2, 2)"), compiled, 400, backend)
    for stone in drawn.tolist():
        assert reached(stone) == sum(not each for row in stone for each in row)
    inside = drawn[:, 1:-1, 1:-1]
    parts = [inside[:, :8, 8], inside[:, 9:, 8], inside[:, 8, :8], inside[:, 8, 9:]]
    for part in parts:
        assert bool(((~part).sum(dim=1) == 1).all())
        counted = (~part).sum(dim=0)
        assert float(((counted - 50) ** 2 / 50).sum()) < 7 + 5 * 14**0.5
    walls = torch.zeros(17, 17, dtype=torch.bool)
    walls[8], walls[:, 8] = True, True
    assert not bool((inside & ~walls).any())
    assert bool(inside[:, 8, 8].all())


def test_more_rooms_and_other_conditions(compiled: Compiled) -> None:
    text = LAYOUT.format(width=13, height=7, layout="rooms(3, 2) and not (position x == 4 and position y == 1)")
    for stone in stones(text, compiled, 50).tolist():
        assert reached(stone) == sum(not each for row in stone for each in row)
        assert not stone[1][4]


def test_two_mazes_are_two_draws(compiled: Compiled) -> None:
    text = LAYOUT.format(width=9, height=9, layout="maze").replace("wall when", "state other = maze\n    wall when")
    text = text.replace("observe {", "observe { window 1 of other")
    env = hamlet.make(compiled(text), worlds=20, quiet=True)
    env.reset()
    assert not torch.equal(env.meter("stone"), env.meter("other"))


def test_pictures_show_walls_and_not_what_draws_them(compiled: Compiled) -> None:
    env = hamlet.make(compiled(LAYOUT.format(width=9, height=9, layout="rooms(2, 2)")), quiet=True)
    env.reset()
    picture = env.render()
    assert "energy" in picture
    assert "of layout" not in picture


@pytest.mark.parametrize("word", ["let maze = 0.5", "state maze = chance(0.5)", "let rooms(a, b) = a * b"])
def test_declarations_of_these_names_go_on_meaning_what_they_did(word: str) -> None:
    text = LAYOUT.format(width=8, height=8, layout="chance(maze)" if word == "let maze = 0.5" else "chance(0.5)")
    used = {"let maze = 0.5": "", "state maze = chance(0.5)": "report m: 1 when maze\n"}.get(
        word, "report m: rooms(2, age)\n"
    )
    assert universe_of(text.replace("reward energy", f"{word}\n{used}reward energy")).cells is not None
