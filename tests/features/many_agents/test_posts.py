"""Agents write cells: the one on which they stand, and others by their coordinates (docs/semantics.md, "Posts")."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch

import hamlet
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compilation import Compilation
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from samples import universe_of

Compiled = Callable[[str], "hamlet.Module"]
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])

TEXT = """
universe row
space grid 5 x 1 { starts anywhere }
lifespan 9 ticks
actions NOTHING SIGN EAT AHEAD FAR GIVE TAKE PUSHED BOTH
meter m = 1 { decay 0.01  only falls }
meter fed = 0
cells {
    state grass = true
    state by: int in 0 .. 100 = 0
    state paint: none red blue = none
    meter heap = 0.5
}
action NOTHING { m -= 0 }
action SIGN { by = 10 + agent  paint = if agent > 2 then red else blue }
action EAT { fed += 1 when grass  grass = false }
action AHEAD { grass at (position x + 1, position y) = agent < 3 }
action FAR { grass at (position x + 2, 0) = false }
action GIVE { heap += 0.2 * (1 + agent) }
action TAKE { heap -= 0.25 }
action PUSHED { by = 1 }
action BOTH { by = 7  by += 1 }
rule wind: action == PUSHED -> move (1, 0)
dies when m <= 0
reward m
observe { cell  meters }
""".replace("action NOTHING { m -= 0 }", "action NOTHING { }")
"""All begin somewhere; the tests say where they stand."""


class Row:
    """Two worlds that are alike, whose agents stand at these places."""

    def __init__(self, module: hamlet.Module, backend: str, places: Sequence[int]) -> None:
        self.env = hamlet.make(module, worlds=2, agents=len(places), backend=backend, quiet=True)
        self.env.reset()
        self.env.state["position"][0].copy_(torch.tensor([*places] * 2))

    def act(self, *names: str) -> None:
        actions = TEXT.split("actions ")[1].split("\n")[0].split()
        self.env.step(torch.tensor([actions.index(name) for name in names] * 2, dtype=torch.int32))

    def has(self, name: str) -> list[float]:
        """What the cells of both worlds have."""
        first, second = self.env.meter(name).T.tolist()
        assert first == second
        return [round(value, 4) for value in first]


@pytest.fixture(params=["interpreter", "c"])
def row(request: pytest.FixtureRequest, compiled: Compiled) -> Callable[..., Row]:
    return lambda *places, text=TEXT: Row(compiled(text), request.param, places)


def test_of_several_agents_the_last_one_stays_written(row: Callable[..., Row]) -> None:
    cells = row(1, 1, 3, 1)
    cells.act("SIGN", "SIGN", "SIGN", "NOTHING")
    assert cells.has("by") == [0, 11, 0, 12, 0]
    assert cells.has("paint") == [0, 2, 0, 2, 0]
    cells.act("NOTHING", "NOTHING", "NOTHING", "SIGN")
    assert cells.has("by") == [0, 13, 0, 12, 0]
    assert cells.has("paint") == [0, 1, 0, 2, 0]


def test_agents_read_what_the_tick_began_with(row: Callable[..., Row]) -> None:
    cells = row(4, 4)
    cells.act("EAT", "EAT")
    assert cells.env.meter("fed").tolist() == [1, 1, 1, 1]
    assert cells.has("grass") == [1, 1, 1, 1, 0]
    cells.act("EAT", "EAT")
    assert cells.env.meter("fed").tolist() == [1, 1, 1, 1]


def test_sums_are_brought_within_the_bounds_once(row: Callable[..., Row]) -> None:
    cells = row(0, 0, 0, 2)
    cells.act("GIVE", "GIVE", "TAKE", "GIVE")  # 0.5 + (0.2 + 0.4), then - 0.25; the last one adds 0.8
    assert cells.has("heap") == [0.75, 0.5, 1, 0.5, 0.5]
    cells.act("TAKE", "TAKE", "TAKE", "NOTHING")
    assert cells.has("heap") == [0, 0.5, 1, 0.5, 0.5]


def test_other_cells_are_written_and_none_beyond_the_edges(row: Callable[..., Row]) -> None:
    cells = row(0, 4, 3, 3)
    cells.act("FAR", "FAR", "AHEAD", "AHEAD")
    assert cells.has("grass") == [1, 1, 0, 1, 0]
    cells = row(0, 4, 3, 3, text=TEXT.replace("starts anywhere", "starts anywhere  edges wrap"))
    cells.act("FAR", "FAR", "NOTHING", "NOTHING")
    assert cells.has("grass") == [1, 0, 0, 1, 1]


def test_who_is_moved_has_written_where_it_was(row: Callable[..., Row]) -> None:
    cells = row(1)
    cells.act("PUSHED")
    assert cells.env.state["position"][0].tolist() == [2, 2]
    assert cells.has("by") == [0, 1, 0, 0, 0]


def test_statements_are_taken_up_one_after_the_other(row: Callable[..., Row]) -> None:
    cells = row(1, 1)
    cells.act("BOTH", "SIGN")
    assert cells.has("by") == [0, 8, 0, 0, 0]  # the statements of SIGN come first


def test_who_does_not_run_writes_nothing(row: Callable[..., Row]) -> None:
    cells = row(1, 3, text=TEXT.replace("dies when m <= 0", "dies when m <= 0 or agent == 1 and age == 1"))
    cells.act("NOTHING", "NOTHING")
    cells.act("NOTHING", "SIGN")
    assert cells.has("by") == [0, 0, 0, 11, 0]
    cells.env.meter("by").zero_()
    cells.act("NOTHING", "SIGN")
    assert cells.has("by") == [0, 0, 0, 0, 0]


def test_walls_of_a_map_are_not_written(compiled: Compiled) -> None:
    text = TEXT.replace("space grid 5 x 1 { starts anywhere }", 'space grid map map { ".#.." wall "#" }')
    env = hamlet.make(compiled(text), worlds=1, backend="c", quiet=True)
    env.reset()
    env.state["position"][0].zero_()
    env.step(torch.tensor([TEXT.split("actions ")[1].split().index("AHEAD")], dtype=torch.int32))
    assert env.meter("grass").flatten().tolist() == [1, 0, 1, 1]


def test_cells_sleep_until_somebody_writes() -> None:
    def code(text: str) -> str:
        return build(universe_of(text), Options(targets=("c",)), Stopwatch())["c_kernels.c"].decode()

    assert "_awake(" in code(TEXT)
    assert "_awake(" not in code(TEXT.replace("meter heap = 0.5", "meter heap = 0.5  rule grows: heap += 0.1"))


def test_a_program_has_the_bits_of_the_interpreter() -> None:
    universe = universe_of(TEXT)
    executed = Executed(universe, Compilation.begin(universe).program, "ir")
    report = verify(universe, [Candidate(executed, torch.device("cpu"))], Effort(worlds=5, ticks=5, rounds=4))
    assert report.equal, report.render()
    assert report.compared > 0
