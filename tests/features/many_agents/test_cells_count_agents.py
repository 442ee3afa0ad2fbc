"""Agents that rules of cells count see the world as agents do: before its rules, which have run by then."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compilation import Compilation
from samples import universe_of

TEXT = """
universe counted
space grid 3
lifespan 20 ticks
meter m = 1 { decay 0.1  only falls }
world {
    state n: int in 0 .. 100 = 0
    rule up: n += 1
}
cells {
    state seen: int in 0 .. 100 = 0
    state now: int in 0 .. 100 = 0
    rule counts { seen = total(n)  now = n }
}
report most: highest(seen) over cells
report newest: highest(now) over cells
reward m
observe { cell }
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_agents_on_a_cell_see_the_world_before_its_rules(
    backend: str, compiled: Callable[[str], hamlet.Module]
) -> None:
    env = hamlet.make(compiled(TEXT), worlds=3, backend=backend, quiet=True)
    env.reset()
    for tick in range(4):
        env.step(torch.full((3,), 3, dtype=torch.int32))
        assert env.reports["most"].tolist() == [tick] * 3
        assert env.reports["newest"].tolist() == [tick + 1] * 3


def test_its_program_has_the_bits_of_the_interpreter() -> None:
    universe = universe_of(TEXT)
    executed = Executed(universe, Compilation.begin(universe).program, "ir")
    report = verify(universe, [Candidate(executed, torch.device("cpu"))], Effort(worlds=5, ticks=3, rounds=4))
    assert report.equal, report.render()
    assert report.compared > 0


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize("agents", [1, 3])
def test_cells_read_how_many_agents_there_are(
    compiled: Callable[[str], hamlet.Module], agents: int, backend: str
) -> None:
    text = "universe graze\nspace grid 2 x 2\nlifespan 9 ticks\ncells { meter grass = 0.125 * agents  "
    text += "rule grows: grass += 0.0625 * agents }\nmeter food = 1 { decay 0.1 }\nreward food\nobserve { cell }\n"
    env = hamlet.make(compiled(text), worlds=2, agents=agents, backend=backend, quiet=True)
    env.reset()
    assert env.meter("grass").unique().tolist() == [0.125 * agents]
    env.rollout(2)
    assert env.meter("grass").unique().tolist() == [0.25 * agents]
