"""Each port that is timed is there, with the original and the rivals that it names."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """benchmarks is no package: its files run as scripts."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import ports

    yield ports
    for name in ("ports", "rivals", "facts"):
        sys.modules.pop(name, None)


def test_subjects_are_ports(times: Any) -> None:
    assert len(times.SUBJECTS) > 4
    assert set(times.SUBJECTS) <= {path.stem for path in times.PORTS.glob("*.hamlet")}


def test_originals_and_rivals_are_of_interfaces_that_it_knows(times: Any) -> None:
    for subject in times.SUBJECTS.values():
        project, _, name = subject.original.partition(" ")
        assert project in ("gymnasium", "minigrid", "pettingzoo", "mpe2", "")
        if project == "gymnasium":
            assert gymnasium.spec(name)
        assert {project for project, _ in subject.rivals} <= set(times.rivals.PROJECTS)


def test_rates_are_compared_within_rounds(times: Any) -> None:
    calls: list[str] = []
    rates = times.in_turns({"ours": lambda: calls.append("o"), "it": lambda: calls.append("i")}, 10, 3, 0)
    assert "".join(calls) == "oi" * 5
    assert rates["ours"]["ours_over_it"]["clock"] == {"median": 1, "least": 1, "most": 1}
    assert rates["it"]["clock"]["least"] <= rates["it"]["clock"]["median"] <= rates["it"]["clock"]["most"]
