"""Windows of hexagons that turn with the heading, and what is in view there, as docs/semantics.md says."""

from __future__ import annotations

from cmath import pi, rect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.compile import check_file
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch
from hamletc.lowering import view_tables

Cell: TypeAlias = tuple[int, int]

ROWS = ("p.#....", ".##.#..", "....#.#", "#.#....", "..#..#.", "......#")
HEADINGS = ("east", "south_east", "south_west", "west", "north_west", "north_east")
"""To the right from one to the next, 60 degrees each."""
UNIVERSE = """universe {name}
space hexagons map {{ moves turning  edges {edges} }}
map {{ {rows}  {solid} "#"  region pond "p" }}
lifespan 50 ticks
{rest}
reward nothing
inert allowed
observe {{ {shown} }}
"""
CELLS = "cells { state stone = on rock  wall when stone }"
"""Walls of which cells decide."""


@pytest.fixture(scope="module")
def world(compiled: Callable[[str], Module]) -> Callable[..., Env]:
    """A world with one agent."""

    def made(shown: str, rest: str = "", edges: str = "clamp", backend: str = "interpreter", name: str = "comb") -> Env:
        drawn, solid = "  ".join(f'"{row}"' for row in ROWS), "region rock" if rest == CELLS else "wall"
        text = UNIVERSE.format(name=name, edges=edges, rows=drawn, solid=solid, rest=rest, shown=shown)
        return hamlet.make(compiled(text), worlds=1, backend=backend, quiet=True, seed=3)

    return made


def looked(env: Env, at: Cell, heading: str) -> list[float]:
    """What the agent observes on a cell, facing this way."""
    env.state["position"][:] = torch.tensor([at]).T
    env.set("heading", heading)
    env.observe()
    return [float(value) for value in env.observation[0]]


def middle(cell: Cell) -> complex:
    """The middle of a hexagon in the plane, y downwards, one cell beside the other at a distance of 1."""
    return cell[0] + cell[1] * rect(1, pi / 3)


def turned(offset: Cell, heading: str) -> Cell:
    """The hexagon so far from an agent that faces a way, where the offset says how it lies for one that faces
    north-west: turned in the plane."""
    there = middle(offset) * rect(1, (HEADINGS.index(heading) - HEADINGS.index("north_west")) * pi / 3)
    y = round(there.imag / rect(1, pi / 3).imag)
    return round(there.real - y / 2), y


def around(radius: int, ahead: bool = False) -> list[Cell]:
    """The hexagons at most so far away, row by row; or those of them to which steps ahead, half left or half right of
    it lead: at most 60 degrees to one side."""
    square = [(x, y) for y in range(-radius, radius + 1) for x in range(-radius, radius + 1)]
    near = [each for each in square if distance((0, 0), each) <= radius]
    if not ahead:
        return near
    facing = middle((0, -1)).conjugate()
    return [each for each in near if each == (0, 0) or (middle(each) * facing).real > 0.499 * abs(middle(each))]


def beside(cell: Cell) -> Iterator[Cell]:
    """The hexagons beside one."""
    for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)):
        yield cell[0] + x, cell[1] + y


def distance(one: Cell, other: Cell) -> int:
    """How many moves lead from one to another: no move is longer than 1 in the plane, and six directions are."""
    x, y = other[0] - one[0], other[1] - one[1]
    return max(abs(x), abs(y), abs(x + y))


def inside(cell: Cell) -> bool:
    """Whether it is one of the map."""
    return 0 <= cell[0] < len(ROWS[0]) and 0 <= cell[1] < len(ROWS)


def is_wall(cell: Cell) -> bool:
    """Whether a cell is a wall of the map, or beyond the edges."""
    return not inside(cell) or ROWS[cell[1]][cell[0]] == "#"


def in_view(at: Cell, radius: int) -> set[Cell]:
    """The cells to which as few moves lead through cells that are no walls as if there were none."""
    reached, last = {at}, {at}
    for away in range(1, radius + 1):
        through = {cell for cell in last if cell == at or not is_wall(cell)}
        last = {each for cell in through for each in beside(cell) if distance(at, each) == away}
        reached |= last
    return reached


OPEN = [(x, y) for y in range(len(ROWS)) for x in range(len(ROWS[0])) if not is_wall((x, y))]
LOOKS = [(at, HEADINGS[(number + turn) % 6]) for number, at in enumerate(OPEN) for turn in (0, 2, 3)]


def test_hexagons_turn_around_the_agent_and_lie_ahead(world: Callable[..., Env]) -> None:
    env = world("window 2 turned of wall  window 3 ahead of place: 1 + position x + 10 * position y")
    assert env.observation_names[0] == "turned.wall[0,-2]"
    assert len(around(3, ahead=True)) == 16
    for at, heading in LOOKS:
        there = [(at[0] + x, at[1] + y) for x, y in (turned(each, heading) for each in around(2))]
        far = [(at[0] + x, at[1] + y) for x, y in (turned(each, heading) for each in around(3, ahead=True))]
        expected = [float(is_wall(cell)) for cell in there]
        expected += [1.0 + x + 10 * y if inside((x, y)) else 0.0 for x, y in far]
        assert looked(env, at, heading) == expected, (at, heading)


def test_the_hexagon_ahead_is_the_one_that_a_step_leads_to(world: Callable[..., Env]) -> None:
    env = world("window 1 ahead of place: position x + 10 * position y  state", edges="wrap")
    ahead = env.observation_names.index("ahead.place[0,-1]")
    moved = 0
    for heading in HEADINGS:
        seen = looked(env, (3, 3), heading)[ahead]
        env.step(torch.tensor([env.action_names.index("FORWARD")]))
        x, y = env.state["position"][:, 0].tolist()
        moved += (x, y) != (3, 3)
        assert seen == x + 10 * y or (x, y) == (3, 3)
    assert moved == 3


@pytest.mark.parametrize(
    ("walls", "backend"),
    [
        *(("of the map", backend) for backend in ("interpreter", "c")),
        # Kernels alone have tables, which are too large for it.
        ("of a large map", "c"),
        *(("of cells", backend) for backend in ("interpreter", "c")),
    ],
)
def test_what_is_in_view_spreads_past_walls(
    world: Callable[..., Env], monkeypatch: pytest.MonkeyPatch, backend: str, walls: str
) -> None:
    if walls == "of a large map":
        monkeypatch.setattr(view_tables, "MOST_SEEN", 0)
    shown = "window 3 turned of all: 1 + position x in view  window 4 ahead of some: 1 + position y in view"
    env = world(shown, CELLS if walls == "of cells" else "", backend=backend, name=f"comb_{walls.replace(' ', '_')}")
    hidden = 0
    for at, heading in LOOKS:
        expected = []
        for radius, ahead, axis in ((3, False, 0), (4, True, 1)):
            seen = in_view(at, radius)
            cells = [(at[0] + x, at[1] + y) for x, y in (turned(each, heading) for each in around(radius, ahead))]
            hidden += sum(inside(cell) and cell not in seen for cell in cells)
            expected += [1.0 + cell[axis] if cell in seen and inside(cell) else 0.0 for cell in cells]
        assert looked(env, at, heading) == expected, (at, heading)
    assert hidden > 100


def test_windows_that_do_not_turn_show_expressions_and_what_is_in_view(world: Callable[..., Env]) -> None:
    env = world("window 2 of place: 1 + position x + 10 * position y in view")
    for at, heading in LOOKS:
        seen = in_view(at, 2)
        cells = [(at[0] + x, at[1] + y) for x, y in around(2)]
        expected = [1.0 + x + 10 * y if (x, y) in seen and inside((x, y)) else 0.0 for x, y in cells]
        assert looked(env, at, heading) == expected, (at, heading)


@pytest.mark.parametrize(
    ("shown", "code"),
    [
        ("window 3 x 3 ahead", "H300"),
        ("window 3 x 3 turned", "H300"),
        ("window 2 turned in sight", "H245"),
        ("window 9 turned of wall in view", "H301"),
        ("image view { window 2 turned of wall }", "H282"),
    ],
)
def test_windows_that_hexagons_do_not_have_are_told(shown: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "made.hamlet"
    text = 'universe told\nspace hexagons map { moves turning }\nmap { "...." "..#." wall "#" }\nlifespan 9 ticks\n'
    path.write_text(f"{text}meter energy = 1 {{ decay 0.1 }}\nreward energy\nobserve {{ {shown} }}\n", encoding="utf-8")
    with pytest.raises(SourceError) as told:
        check_file(path, Stopwatch())
    assert next(found.code for group in told.value.found for found in group.diagnostics) == code
