"""The share of a verification that is done: it begins at 0, moves on, and comes to the end."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from hamlet.interpreter import Interpreter
from hamlet_lab.divergence.events import CPU
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.cli import progress
from samples import sample

EFFORT = Effort(7, 5, 16)


def test_the_share_moves_to_the_end() -> None:
    universe, shares = sample("first_meal"), list[float]()
    verify(universe, [Candidate(Interpreter(universe, CPU), CPU)], EFFORT, 0, shares.append)
    assert shares[0] == 0
    assert shares[-1] == pytest.approx(1, abs=0.02)
    assert all(before <= after for before, after in pairwise(shares))
    assert len(set(shares)) > 40
    assert max(after - before for before, after in pairwise(shares)) < 0.2


def test_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 1000, 2))
    monkeypatch.setattr(progress, "monotonic", lambda: float(next(now)))
    with progress.progress_of("comparing") as tell:
        for share in range(10):
            tell(share / 10)
    captured = capsys.readouterr()
    assert captured.out == ""
    first, *lines = captured.err.splitlines()
    assert first == "comparing"
    assert lines == ["comparing: 20% after 6 s", "comparing: 50% after 12 s", "comparing: 80% after 18 s"]


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with progress.progress_of("comparing") as tell:
        tell(0.37)
    shown = re.sub(r"\x1b\[[\d;?]*\w", "", capsys.readouterr().err)
    assert "comparing" in shown
    assert "37%" in shown
