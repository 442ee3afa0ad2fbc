"""The constructs that came last, as PTX of a GPU executed on the CPU: worlds of a few agents, and of more than a warp.

Each case is a reset, steps from injected states, and a rollout (`tests/equivalence/cells_on_triton.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
PROGRAM = TESTS / "equivalence" / "cells_on_triton.py"
GALLERY = TESTS.parent / "universes" / "gallery"
NAMES = ("market", "bus", "lessons", "berries", "workshop", "hex", "kata")
"""Few priorities, what moves, stages, things that lie, things that are made, hexagons with cells, combinations."""

BUSHES = """
universe bushes
space grid 6 x 5 { starts anywhere }
lifespan 30 ticks
meter hunger = 0.5 { decay 0.01 }
affordance Bush: 5 copies at random apart 2 {
    meter berries = 4 in 0 .. 9
    rule grow: chance(0.3) -> berries += 1
    capacity 2 to lowest number
    open when berries >= 1
    rule picked: berries -= count(used == Bush)
    instantly { hunger += 0.3 }
}
affordance Cart { follows (1, 1), (4, 3) every 2 ticks  instantly { hunger += 0.1 } }
affordance Deer at random { wanders every 2 ticks  instantly { hunger += 0.2 } }
dies when hunger <= 0
reward hunger - 0.01 * berries of Bush
observe { grid  meters }
"""
"""Copies with states of their own, and affordances that follow a route and that wander."""


@pytest.mark.long
@pytest.mark.parametrize("name", [*NAMES, "bushes"])
def test_ptx_and_the_interpreter_agree(name: str, tmp_path: Path, run_program: Any) -> None:
    path = GALLERY / f"{name}.hamlet"
    if name == "bushes":
        path = tmp_path / "bushes.hamlet"
        path.write_text(BUSHES)
    done = run_program(PROGRAM, path, "sm_90", timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
