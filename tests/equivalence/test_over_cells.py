"""What all cells of a world come to, against the cells themselves: the tree of docs/semantics.md, term by term."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamletc.checking.check import check
from hamletc.language.parser import parse
from samples import universe_of

CPU = torch.device("cpu")
FIELD = """
universe field
space grid map
map {
    "....#"
    ".#..."
    "....."
    wall "#"
}
lifespan 4 ticks
meter a = 1
cells {
    meter moss = uniform(-1, 1) in -2000 .. 2000
    rule grow: moss = 1.7 * moss
}
report all:   total(moss) over cells
report mean:  average(moss * 2) over cells
report least: lowest(moss) over cells
report most:  highest(position x - moss) over cells
report many:  count(moss > 0) over cells
report once:  previous(total(moss) over cells)
reward a
observe { meters }
"""
WALLS = (4, 6)


def tree(values: list[np.float32]) -> np.float32:
    """The total: halves of what is left are added, until one number is left."""
    half = 8
    while half:
        for place in range(half):
            if place + half < len(values):
                values[place] = values[place] + values[place + half]
        del values[half:]
        half //= 2
    return values[0]


def test_each_is_what_its_cells_come_to() -> None:
    """Also when an episode begins: `previous` in the first tick is of the cells that it began with."""
    universe = universe_of(FIELD)
    shape = Shape(3, 1)
    interpreter, buffers = Interpreter(universe, CPU), allocate(universe, shape, CPU, None)
    interpreter.reset(buffers, Stream(3, 0))
    for tick in range(6):
        before = buffers.state["cell_meters"].numpy().copy()
        interpreter.step(buffers, torch.zeros(3, dtype=torch.int32), Stream(3, tick))
        if tick == 3:
            continue  # a new episode has begun, so the cells are no more those of the reports
        found, after = buffers.outcome["reports"].numpy(), buffers.state["cell_meters"].numpy()
        for world in range(3):
            then, now = before[:, world], after[:, world]
            there = [cell for cell in range(15) if cell not in WALLS]
            expected = [
                tree(list(now)),
                tree([np.float32(0) if cell in WALLS else now[cell] * np.float32(2) for cell in range(15)])
                / np.float32(13),
                min(now[cell] for cell in there),
                max(np.float32(cell % 5) - now[cell] for cell in there),
                np.float32(sum(now[cell] > 0 for cell in there)),
                tree(list(then)),
            ]
            assert [float(value) for value in expected] == found[:, world].tolist(), (tick, world)
    assert np.float32(now.sum()) != found[0, world] or np.float32(now[::-1].sum()) != found[0, world]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("reward total(a) over cells", "H183"),
        ("reward total(2) over cells", "H244"),
        ("reward rank(true, moss) over cells", "H243"),
        ("reward total(total(moss) over cells) over cells", "H184"),
        ("reward total(chance(0.5)) over cells", "H184"),
        ("reward count(moss) over cells", "H027"),
        ("reward total(moss > 0) over cells", "H027"),
        ("reward total(moss * 1e35 * 100) over cells", "H051"),
        ("reward a + lag(highest(moss) over cells, 2)", None),
        ("meter b = total(moss) over cells { decay 0.1 }  reward b", "H083"),
    ],
)
def test_misuse(text: str, expected: str | None) -> None:
    file, problems = parse(FIELD.replace("reward a\n", f"{text}\nreward a\n"))
    found = problems if file is None or problems else check(file, ("field.hamlet",))[1]
    codes = {each.code for each in found if each.severity == "error"}
    assert codes == (set() if expected is None else {expected})
