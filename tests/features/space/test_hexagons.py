"""Grids of hexagons: distances, moves, neighbours and windows against what can be counted, and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.schema.grid import between as cells_between
from hamlet.universe import Grid, Universe
from hamletc.arrangements import away
from hamletc.checking.check import check
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import I32
from hamletc.language.parser import parse
from hamletc.lowering.space import between
from samples import universe_of

CPU = torch.device("cpu")
COMB = """
universe comb
space hexagons 5 x 4 {properties}
lifespan 9 ticks
meter a = 1
cells {{
    meter moss = position x + 5 * position y in 0 .. 100
    meter near = 0 in 0 .. 1000
    rule sums: near = neighbours(moss + 1)
}}
affordance Hive at (4, 0) {{ instantly {{ a += 0.1 }} }}
report far: distance to Hive
report ways: walking distance to Hive
reward a + 0.001 * near
observe {{ window 1 of moss }}
"""
SIX = ((-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1))


def comb(edges: str) -> tuple[Universe, Grid]:
    universe = universe_of(COMB.format(properties=f"{{ edges {edges} }}"))
    assert isinstance(universe.space, Grid)
    return universe, universe.space


def beside(cell: tuple[int, int], wraps: bool) -> Iterator[tuple[int, int]]:
    """The neighbours of a cell, in the order in which they are summed."""
    for right, down in SIX:
        x, y = cell[0] + right, cell[1] + down
        if wraps:
            yield x % 5, y % 4
        elif 0 <= x < 5 and 0 <= y < 4:
            yield x, y


def steps(start: tuple[int, int], wraps: bool) -> dict[tuple[int, int], int]:
    """How many moves lead from a cell to each other one, counted by going there."""
    found, front = {start: 0}, [start]
    for cell in front:
        for there in beside(cell, wraps):
            if there not in found:
                found[there] = found[cell] + 1
                front.append(there)
    return found


@pytest.mark.parametrize("edges", ["clamp", "wrap"])
def test_distances_are_the_fewest_moves(edges: str) -> None:
    """In the interpreter, in the compiler's arrangements and in the tick IR."""
    _, grid = comb(edges)
    builder = Builder("act")
    own = [builder.input(I32, name) for name in ("x", "y")]
    there = [builder.input(I32, name) for name in ("to_x", "to_y")]
    function = builder.finish("far", (Output("far", between(builder, grid, own, there)),))
    for number in range(20):
        start = number % 5, number // 5
        known = steps(start, edges == "wrap")
        assert len(known) == 20
        for (x, y), count in known.items():
            cell = [torch.tensor([value]) for value in (*start, x, y)]
            assert int(cells_between(cell[:2], cell[2:], grid)) == count
            assert away(grid, number, x + 5 * y) == count
            given = {
                name: value.numpy().astype("int32")
                for name, value in zip(("x", "y", "to_x", "to_y"), cell, strict=True)
            }
            assert float(evaluate(function, given, (), ())["far"][0]) == count


@pytest.mark.parametrize("edges", ["clamp", "wrap"])
def test_cells_have_six_neighbours(edges: str) -> None:
    universe, _ = comb(edges)
    interpreter, buffers = Interpreter(universe, CPU), allocate(universe, Shape(1, 1), CPU, None)
    interpreter.reset(buffers, Stream(1, 0))
    interpreter.step(buffers, torch.tensor([7], dtype=torch.int32), Stream(1, 0))
    near = buffers.state["cell_meters"][20:, 0].tolist()
    for number in range(20):
        expected = sum(x + 5 * y + 1 for x, y in beside((number % 5, number // 5), edges == "wrap"))
        assert near[number] == expected, number


def test_moves_windows_and_masks() -> None:
    universe, _ = comb("clamp")
    names = [move.name for move in universe.moves]
    assert names == ["EAST", "WEST", "NORTH_EAST", "NORTH_WEST", "SOUTH_EAST", "SOUTH_WEST"]
    interpreter, buffers = Interpreter(universe, CPU), allocate(universe, Shape(1, 1), CPU, torch.float32)
    interpreter.reset(buffers, Stream(1, 0))
    buffers.state["position"].copy_(torch.tensor([[2], [0]]))
    interpreter.observe(buffers)
    assert buffers.observation is not None
    # Row by row: nothing is above; then the cells 1, 2 and 3, and below them 6 and 7.
    assert buffers.observation[:, 0].tolist() == [0, 0, 1, 2, 3, 6, 7]
    interpreter.step(buffers, torch.tensor([names.index("SOUTH_WEST")], dtype=torch.int32), Stream(1, 0))
    assert buffers.state["position"][:, 0].tolist() == [1, 1]
    assert buffers.outcome["reports"][:, 0].tolist() == [3, 3]


def test_each_row_of_a_picture_begins_further_right(tmp_path: Path) -> None:
    path = tmp_path / "comb.hamlet"
    path.write_text(COMB.format(properties=""))
    env = hamlet.make(hamlet.compile(path, path.with_suffix("")), worlds=1, backend="interpreter", quiet=True)
    text = env.render("ansi")
    board = [line.partition("  ")[0] if line.startswith("+") else line for line in str(text).splitlines()[1:7]]
    assert [len(line) - len(line[1:].lstrip()) - 1 for line in board[1:5]] == [0, 1, 2, 3]
    assert env.render("rgb_array").ndim == 3


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("distance to Hive\nreport ways", "straight distance to Hive\nreport ways", "H245"),
        ("window 1 of moss", "window 1 in sight", "H245"),
        ("5 x 4 ", "5 x 1 ", "H033"),
        ("5 x 4 ", "5 x 4 x 3 ", "H009"),
        ("{properties}", "{{ distance chebyshev }}", "H026"),
        ("{properties}", "{{ moves diagonal }}", "H026"),
    ],
)
def test_misuse(old: str, new: str, expected: str) -> None:
    assert old in COMB
    file, problems = parse(COMB.replace(old, new).format(properties=""))
    found = problems if file is None or problems else check(file, ("comb.hamlet",))[1]
    assert {each.code for each in found if each.severity == "error"} == {expected}
