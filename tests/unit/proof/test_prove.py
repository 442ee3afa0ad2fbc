"""Proofs of what Triton compiled: all words of a small universe, and planted faults, none of which is accepted."""

from pathlib import Path

import pytest

from processes import Run

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")


def test_a_small_universe_is_proven_and_no_fault_is_accepted(run_program: Run) -> None:
    program = Path(__file__).with_name("prove_faults.py")
    done = run_program(program, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    first, by, *faults = done.stdout.splitlines()
    assert first == "as it is: 32 of 32"
    assert (
        by == "by; bounds; choice; clamp of a clamp; division; extreme; order; sign of a product; sign of a sum; "
        "sums; two cases; widened"
    )
    verdicts = dict(line.split(": ", 1) for line in faults)
    assert len(verdicts) == 13
    assert {name for name, verdict in verdicts.items() if verdict == "accepted"} == set()
    assert list(verdicts.values()).count("refuted") >= 9
