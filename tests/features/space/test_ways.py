"""Diagonal moves, distances on foot, and what walls hide: against search and geometry done by hand."""

from __future__ import annotations

from collections import deque
from functools import cache
from pathlib import Path

import pytest
import torch
from test_maps import codes, steps, universe_of

import hamlet
from hamlet.env.environment import Env
from hamletc.language.formatter import format_source

PARTS = 120
"""Of a line of up to six cells: a whole number of them lies between any two ends of cells along it."""
ROWS = ("..#...#", ".##.#.#", "....#..", "##.##.#", "...#...")
MAZE = """
universe maze

space grid map {{ edges {edges}{more} }}
map {{
{rows}
    wall "#"
    starts "."
}}
lifespan 9 ticks
meter energy = 1 {{ decay 0.01 }}
affordance Bed at (0, 0) {{ instantly {{ energy += 0.5 }} }}
affordance Bath at (6, 4) {{ instantly {{ energy += 0.5 }} }}
{moves}
reward walking distance to Bed
report bath: walking distance to Bath
report left: energy
observe {{ position absolute  window 3 of wall in sight  window 4 in sight }}
"""
DIAGONAL = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, -1), (-1, 1), (1, 1))
LEAPS = ((1, 0), (-2, 1), (0, -1), (0, 0))
WRITTEN = "moves { EAST (1, 0) LEAP (-2, 1) NORTH (0, -1) STAY (0, 0) }"


def made(tmp_path: Path, edges: str, more: str, moves: str) -> Env:
    rows = "\n".join(f'    "{row}"' for row in ROWS)
    path = tmp_path / "made.hamlet"
    path.write_text(MAZE.format(edges=edges, more=more, moves=moves, rows=rows))
    module = hamlet.compile(path, tmp_path / "package")
    return hamlet.make(module, worlds=4, agents=22, backend="interpreter", quiet=True)


def leads(cell: tuple[int, int], by: tuple[int, int], edges: str) -> tuple[int, int]:
    """Where a move leads."""
    there = []
    for x, step, size in zip(cell, by, (7, 5), strict=True):
        to = x + step
        if edges == "wrap":
            to %= size
        elif edges == "sticky":
            to = to if 0 <= to < size else x
        elif edges == "bounce":
            to = abs(to)
            to = to if to < size else 2 * (size - 1) - to
        there.append(min(max(to, 0), size - 1))
    return cell if ROWS[there[1]][there[0]] == "#" else (there[0], there[1])


def search(cell: tuple[int, int], to: tuple[int, int], moves: tuple[tuple[int, int], ...], edges: str) -> int:
    """The fewest moves, breadth first; 35 where none lead there."""
    seen, queue = {cell}, deque([(cell, 0)])
    while queue:
        here, far = queue.popleft()
        if here == to:
            return far
        for by in moves:
            there = leads(here, by, edges)
            if there not in seen:
                seen.add(there)
                queue.append((there, far + 1))
    return 35


@pytest.mark.parametrize(
    ("edges", "more", "moves", "by"),
    [
        ("clamp", "", "", DIAGONAL[:4]),
        ("wrap", "", "", DIAGONAL[:4]),
        ("clamp", "  moves diagonal", "", DIAGONAL),
        ("wrap", "  moves diagonal", "", DIAGONAL),
        ("sticky", "", WRITTEN, LEAPS),
        ("bounce", "  places stored", WRITTEN, LEAPS),
    ],
)
def test_walks_are_the_shortest_ways(
    edges: str, more: str, moves: str, by: tuple[tuple[int, int], ...], tmp_path: Path
) -> None:
    env = made(tmp_path, edges, more, moves)
    observation, _ = env.reset()
    wait = torch.full((88,), env.action_names.index("WAIT"), dtype=torch.int32)
    observation, reward, *_ = env.step(wait)
    cells = [(int(x), int(y)) for x, y in observation[:, :2].tolist()]
    assert len(set(cells)) == 22
    assert reward.tolist() == [search(cell, (0, 0), by, edges) for cell in cells]
    far = [search(cell, (6, 4), by, edges) for cell in cells]
    assert env.reports["bath"].tolist() == far
    assert len(set(far)) > 3, "the maze tells something"


@cache
def sees(cell: tuple[int, int], there: tuple[int, int]) -> bool:
    """Whether no wall's inside meets the line from middle to middle: by the ends of what lies within the wall."""
    for y in range(-9, 15):
        for x in range(-9, 17):
            inside = 0 <= x < 7 and 0 <= y < 5
            if (x, y) in (cell, there) or (inside and ROWS[y][x] != "#"):
                continue
            first, last = 0, PARTS
            for start, to, middle in ((cell[0], there[0], x), (cell[1], there[1], y)):
                if start == to:
                    if start != middle:
                        first = 2 * PARTS
                    continue
                part = PARTS // (2 * (to - start))
                ends = sorted((2 * middle + side - 2 * start) * part for side in (-1, 1))
                first, last = max(first, ends[0]), min(last, ends[1])
            if first < last:
                return False
    return True


def test_walls_hide_what_is_behind_them(tmp_path: Path) -> None:
    env = made(tmp_path, "clamp", "", "")
    observation, _ = env.reset()
    hidden = 0
    for row in observation[:22].tolist():
        cell, seen = (int(row[0]), int(row[1])), row[2:]
        offsets = [(right, down) for down in range(-3, 4) for right in range(-3, 4)]
        walls = []
        for right, down in offsets:
            x, y = cell[0] + right, cell[1] + down
            wall = not (0 <= x < 7 and 0 <= y < 5) or ROWS[y][x] == "#"
            visible = sees(cell, (x, y))
            hidden += wall and not visible
            walls.append(float(wall and visible))
        assert seen[:49] == walls
        offsets = [(right, down) for down in range(-4, 5) for right in range(-4, 5)]
        beds = [(cell[0] + right, cell[1] + down) in ((0, 0), (6, 4)) for right, down in offsets]
        known = [bed and sees(cell, (cell[0] + x, cell[1] + y)) for bed, (x, y) in zip(beds, offsets, strict=True)]
        hidden += sum(beds) - sum(known)
        assert seen[49:] == [float(one) for one in known]
    assert hidden > 50


def test_a_line_of_sight_goes_both_ways() -> None:
    open_cells = [(x, y) for y in range(5) for x in range(7) if ROWS[y][x] == "."]
    assert all(sees(one, other) == sees(other, one) for one in open_cells for other in open_cells)


def test_diagonal_moves_go_around_corners_and_along_edges(tmp_path: Path) -> None:
    text = """
universe corner

space grid map { moves diagonal }
map {
    "a#"
    "#."
    wall "#"
    starts "a"
}
lifespan 9 ticks
meter energy = 1 { move 0.125 }
reward energy
observe { position absolute }
inert allowed
"""
    assert steps(text, tmp_path, "RIGHT DOWN_RIGHT DOWN_LEFT UP_LEFT UP_RIGHT UP_LEFT") == [
        (0, 0), (1, 1), (1, 1), (0, 0), (0, 0), (0, 0)
    ]  # fmt: skip
    names = [move.name for move in universe_of(text, tmp_path).moves]
    assert names == ["UP", "DOWN", "LEFT", "RIGHT", "UP_LEFT", "UP_RIGHT", "DOWN_LEFT", "DOWN_RIGHT"]


SMALL = """
universe small

space grid 4 x 4 { moves diagonal }
lifespan 9 ticks
meter energy = 1 { decay 0.01 }
affordance Bed at random { instantly { energy += 0.5 } }
reward energy - walking distance to Bed
observe { meters }
"""


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("4 x 4 {", "4 x 4 x 4 {", ["H042"]),
        ("moves diagonal", "moves slanted", ["H026"]),
        ("lifespan", "moves { EAST (1, 0) }\nlifespan", ["H064"]),
        ("4 x 4", "33 x 33", ["H190"]),
        ("4 x 4", "300 x 300", ["H190"]),
        ("space grid 4 x 4 { moves diagonal }", "space none", ["H055"]),
        ("walking distance to Bed", "walking distance to Bad", ["H020"]),
        ("{ meters }", "{ meters  window 1 in sight }", ["H191"]),
    ],
)
def test_what_is_wrong_is_said(old: str, new: str, found: list[str], tmp_path: Path) -> None:
    assert SMALL.count(old) == 1
    text = SMALL.replace(old, new)
    text = text.replace("at random", "") if "none" in new else text
    assert codes(text, tmp_path) == found


def test_sizes_that_fit_are_taken(tmp_path: Path) -> None:
    assert codes(SMALL, tmp_path) == []
    assert codes(SMALL.replace("4 x 4", "32 x 32"), tmp_path) == []
    assert codes(SMALL.replace("4 x 4", "256 x 256").replace("at random", "at (3, 200)"), tmp_path) == []


def test_ways_are_formatted() -> None:
    text = """universe ways

space grid 4 x 4 { moves   diagonal }
reward   walking   distance   to Bed
observe { window 2   in   sight   window 3 of wall   in sight }
"""
    formatted, _ = format_source(text)
    assert formatted is not None
    assert "space grid 4 x 4 { moves diagonal }\n" in formatted
    assert "reward walking distance to Bed\n" in formatted
    assert "observe { window 2 in sight  window 3 of wall in sight }\n" in formatted
