"""`window 2 of moss in sight`: what cells have is 0 where a wall is between."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compilation import Compilation
from samples import universe_of

YARD = """
universe yard
space grid map
map {
    "#####"
    "#.#.#"
    "#...#"
    "#####"
    wall "#"
}
lifespan 9 ticks
cells {
    state moss = true
    rule withers: moss = moss and not chance(0.01)
}
reward nothing
observe { window 2 of moss in sight  window 2 of wall in sight }
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_what_is_behind_a_wall_is_not_seen(compiled: Callable[[str], Module], backend: str) -> None:
    env = hamlet.make(compiled(YARD), worlds=1, seed=1, backend=backend, quiet=True)
    env.set("position", (1, 1))
    assert env.observation is not None
    moss = env.observation[0, :25].reshape(5, 5)
    assert moss.nonzero().tolist() == [[2, 2], [3, 2], [3, 3]]
    env.set("position", (2, 2))
    assert env.observation[0, :25].reshape(5, 5).nonzero().tolist() == [[1, 1], [1, 3], [2, 1], [2, 2], [2, 3]]


@pytest.mark.parametrize("edges", ["clamp", "wrap"])
def test_what_lies_beyond_the_edges_is_read_nowhere(edges: str) -> None:
    """The program reads walls of cells that there are, and leaves what the interpreter leaves."""
    text = YARD.replace("#####", ".#...").replace("#.#.#", "..#..").replace("map\n", f"map {{ edges {edges} }}\n", 1)
    stone = "state stone = chance(0.2)\n    wall when stone\n    rule crumbles: stone = stone and not chance(0.1)"
    text = text.replace("cells {", f"cells {{\n    {stone}")
    universe = universe_of(text)
    executed = Executed(universe, Compilation.begin(universe).program, "ir")
    report = verify(universe, [Candidate(executed, torch.device("cpu"))], Effort(worlds=9, ticks=4, rounds=3))
    assert report.equal, report.render()
    assert report.compared > 0
