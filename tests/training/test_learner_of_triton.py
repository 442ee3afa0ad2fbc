"""The learner on a GPU against the one in C, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from processes import Run

PROGRAM = Path(__file__).parent / "learn_on_triton.py"


@pytest.mark.parametrize(
    ("hidden", "agents", "updates", "norms"),
    [("16,20", 1, 2, "limited unlimited"), pytest.param("40", 2, 2, "limited", marks=pytest.mark.long)],
)
def test_an_update_has_the_bits_of_the_learner_in_c(
    run_program: Run, hidden: str, agents: int, updates: int, norms: str
) -> None:
    done = run_program(PROGRAM, hidden, str(agents), str(updates), TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
    seen = f"clipped dead episodes forbidden {norms}"
    assert done.stdout.splitlines() == [*["update"] * updates, seen]
