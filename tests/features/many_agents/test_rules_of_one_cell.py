"""Kernels for CPUs run rules of cells for one cell, where guards name it, and rules of worlds once for each world; they
show a world's only agent on a grid from where it stands. All with the same bits as the interpreter."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from samples import universe_of

TEXT = """
universe stones
space grid 5 x 3 { starts anywhere }
lifespan 6 ticks
meter energy = 1 { decay 0.1 }
rule tires: energy -= 0.01
world {
    state turn: int in 0 .. 9 = 0
    meter column = uniform(-1, 5) in -9 .. 9
    state row: int in -1 .. 3 = 0
    rule turns {
        turn = mod(turn + 1, 10)
        column = if turn < 8 then integer(-1, 5) else 2.5
        row = integer(-1, 3)
    }
    rule piles: stone at (floor(column), row) > 1 and total(energy) > 0.5 -> turn += 1
}
cells {
    state stone: int in 0 .. 9 = 0
    meter dust = uniform(0, 1) in 0 .. 99
    rule falls: position x == column and row == position y and dust < 90 -> {
        stone += integer(1, 2)
        dust += 0.5 * previous(dust) + (stone at (floor(column) - 1, row))
    }
    rule blows: chance(0.5) and position y == row and position x == column -> dust = 0
}
report stones_of_all: total(stone) over cells
reward energy
observe { grid of stone  meters  grid of agents }
"""


def code(text: str) -> str:
    return build(universe_of(text), Options(targets=("c",)), Stopwatch())["c_kernels.c"].decode()


def test_guards_name_one_cell() -> None:
    assert "_only_cell(" in code(TEXT)
    assert "_only_cell(" not in code(TEXT.replace("chance(0.5) and position y == row and", "chance(0.5) and"))
    assert "_only_cell(" not in code(TEXT.replace("position x == column -> dust", "position x == 1 -> dust"))
    assert "_only_cell(" not in code(TEXT.replace("-> dust = 0", "-> dust = neighbours(stone)"))


@pytest.mark.parametrize("agents", [1, 2, 3])
def test_bits_are_those_of_the_interpreter(agents: int, compiled: Callable[[str], hamlet.Module]) -> None:
    module = compiled(TEXT)
    envs = [
        hamlet.make(module, worlds=150, agents=agents, backend=backend, seed=3, quiet=True)
        for backend in ("interpreter", "c")
    ]
    fallen = False
    for ticks in (1, 3, 8, 1):
        for env in envs:
            env.rollout(ticks, observe=True)
        expected, state = (env.state_dict()["state"] for env in envs)
        assert len(expected) > 8
        assert all(torch.equal(expected[name], state[name]) for name in expected)
        assert torch.equal(envs[0].observation, envs[1].observation)
        actions = torch.zeros(150 * agents, dtype=torch.int32)
        lasts = [env.step(actions)[4]["final_observation"] for env in envs]
        assert torch.equal(*lasts)
        fallen |= bool((envs[0].meter("stone") > 0).any())
    assert fallen


def test_the_only_agent_is_shown_where_it_stands() -> None:
    """Totals are joined to cells where the state is stored, or another cell than the row's own is read."""
    assert "(alone ? " in code(TEXT)
    assert "(agents > 1) || final)" in code(TEXT)
    assert "(agents > 1) || final)" not in code(
        TEXT.replace("grid of agents }", "grid of agents  window 1 of agents }")
    )
