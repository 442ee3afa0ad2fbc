"""Proofs of kernels with cells: all numbers of any cell, and planted faults, none of which is accepted or attested."""

from pathlib import Path

import pytest

from processes import Run

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")


def test_kernels_with_cells_are_proven_and_no_fault_is_accepted(run_program: Run) -> None:
    done = run_program(Path(__file__).with_name("prove_cells.py"), timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert (lines[0], lines[11]) == ("board, reset: 18 of 18, 18 attested", "hearth, reset: 36 of 36, 36 attested")
    assert all("; refused: " in line for line in (*lines[1:11],))
    lines = lines[12:]
    assert lines[:3] == [
        "wrap, step: 44 of 44, 44 attested",
        "clamp, step: 44 of 44, 44 attested",
        "clamp, reset: 17 of 17, 17 attested",
    ]
    verdicts = dict(line.split(": ", 1) for line in lines[3:])
    assert len(verdicts) == 11
    assert not [name for name, verdict in verdicts.items() if verdict.startswith(("accepted", "not proven"))]
    assert verdicts["a neighbour that another turn has written"].startswith("refuted")
    assert all("; refused: " in verdict for verdict in verdicts.values())
    assert sum(verdict.startswith("refuted") for verdict in verdicts.values()) >= 4


@pytest.mark.long
def test_faults_where_several_agents_take_cells_are_refused(run_program: Run) -> None:
    done = run_program(Path(__file__).with_name("prove_cells.py"), "several", timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 1 + 10 + 1 + 9
    for line in (*lines[1:11], *lines[12:]):
        assert ": not known: " in line or ": refuted" in line or ": not proven" in line, line
        assert "; refused: " in line, line
