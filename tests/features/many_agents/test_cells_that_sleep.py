"""Kernels for CPUs leave out the rules of cells in worlds where no guard can hold: the same bits, with what all cells
come to, and with what a program writes into cells."""

from __future__ import annotations

from collections.abc import Callable

import torch

import hamlet
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from samples import universe_of

TEXT = """
universe sleepy
space grid 5 x 3
lifespan 9 ticks
param least = 2 in 0 .. 9
meter energy = 1 { decay 0.1 }
world {
    state bells: int in 0 .. 9 = 0
    rule rings: chance(0.4) -> bells = integer(0, 9)
    rule fades: bells -= 1
}
cells {
    meter moss = uniform(0, 1) in 0 .. 9
    meter dust = 0 in 0 .. 99
    rule grows: bells >= least and moss < 5 -> moss += 0.1 * (moss at (position x + 1, 1)) + 0.01 * neighbours(moss)
    rule falls: position x > 1 and bells == 1 and least > 1 -> dust += 1 + count(action == WAIT)
}
report moss_of_all: total(moss) over cells
report bells_now: bells + total(dust) over cells
reward energy
observe { cell  meters }
"""


def code(text: str) -> str:
    return build(universe_of(text), Options(targets=("c",)), Stopwatch())["c_kernels.c"].decode()


def test_worlds_sleep_where_all_guards_ask_the_world() -> None:
    assert "_awake(" in code(TEXT)
    assert "_awake(" not in code(TEXT.replace("and bells == 1 and least > 1", "and chance(0.1)"))


def test_cells_that_sleep_have_the_same_bits(compiled: Callable[[str], hamlet.Module]) -> None:
    module = compiled(TEXT)
    rows, woken = [], 0
    for backend in ("interpreter", "c"):
        env = hamlet.make(module, worlds=40, backend=backend, quiet=True)
        env.reset()
        found = []
        for tick in range(20):
            if tick == 7:
                env.meter("moss")[:] = 3.25
            before = env.meter("dust").clone()
            env.step(torch.full((40,), tick % 5, dtype=torch.int32))
            found += [env.reports[name].clone() for name in ("moss_of_all", "bells_now")]
            found += [env.meter(name).clone() for name in ("moss", "dust")]
            woken += int((env.meter("dust") > before).any())
        rows.append(found)
    assert woken > 4
    assert all(torch.equal(a, b) for a, b in zip(*rows, strict=True))
