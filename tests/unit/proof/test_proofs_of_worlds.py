"""Proofs of kernels for worlds whose agents meet: all words of all agents, and planted faults, none is accepted."""

from pathlib import Path

import pytest

from processes import Run

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")


def test_worlds_whose_agents_meet_are_proven_and_no_fault_is_accepted(run_program: Run) -> None:
    done = run_program(Path(__file__).with_name("prove_worlds.py"), timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "step: 84 of 84, 84 attested",
        "reset: 11 of 11, 11 attested",
        "observe: 10 of 10, 10 attested",
    ]
    verdicts = dict(line.split(": ", 1) for line in lines[3:])
    assert len(verdicts) == 16
    assert not [name for name, verdict in verdicts.items() if verdict.startswith(("accepted", "not proven"))]
    assert all("; refused: " in verdict for verdict in verdicts.values())
    assert sum(verdict.startswith("refuted") for verdict in verdicts.values()) >= 7
    for name, reason in {
        "a shuffle asks another world": "what the thread of another world has is not known",
        "a shuffle without some threads": "not all threads take part",
        "all agents write what is the world's": "two threads may store to world_meters[0]",
        "threads part, and do something together": "threads may part",
        "a vote of more than one": "a vote on what is not chosen between 1 and 0",
        "what the world has is loaded after it was stored": "another thread may have stored what is loaded",
    }.items():
        assert reason in verdicts[name].split("; refused: ")[1]
