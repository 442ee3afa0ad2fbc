"""The learner on a GPU against the one in C, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from processes import Run

PROGRAM, TRAINS = (Path(__file__).parent / name for name in ("learn_on_triton.py", "train_on_triton.py"))
DRIFT = Path("tests/samples/universes/environments/drift.hamlet").resolve()


@pytest.mark.parametrize(
    ("hidden", "agents", "updates", "drawn", "memory", "ticks", "seen"),
    [
        ("16,20", 1, 2, 0, 0, 9, "clipped dead episodes forbidden limited unlimited"),
        ("16", 1, 1, 3, 0, 9, "bounded clipped dead episodes forbidden free limited"),
        ("80,24,70", 1, 1, 1, 0, 9, "clipped dead episodes forbidden free limited"),
        ("32,20", 1, 2, 1, 32, 9, "begun clipped dead episodes forbidden free limited"),
        pytest.param("40", 2, 2, 0, 0, 9, "clipped dead episodes forbidden limited", marks=pytest.mark.long),
        pytest.param("64,33", 2, 1, 0, 64, 40, "begun clipped dead episodes forbidden limited", marks=pytest.mark.long),
        pytest.param("32,16", 1, 1, 0, 64, 1, "begun clipped dead episodes forbidden limited", marks=pytest.mark.long),
    ],
)
def test_an_update_has_the_bits_of_the_learner_in_c(
    run_program: Run, hidden: str, agents: int, updates: int, drawn: int, memory: int, ticks: int, seen: str
) -> None:
    sizes = map(str, (agents, updates, drawn, memory, ticks))
    done = run_program(PROGRAM, hidden, *sizes, TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [*["update"] * updates, seen]


def test_roles_with_controls_have_the_lines_of_the_learner_in_c(run_program: Run) -> None:
    done = run_program(TRAINS, DRIFT, "1", TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
    apart = ["lead same ended", "tail same ended"]
    on = ["lead same going on", "tail same going on"]
    known = [*on * 2, "past known"]
    fixed = ["tail same going on", "lead 1 remembers", "tail same ended", "lead 1 remembers"]
    lasting = [*on, *apart]
    assert done.stdout.splitlines() == [*apart * 2, "tail same ended", *lasting * 2, *known, *fixed, *apart]
