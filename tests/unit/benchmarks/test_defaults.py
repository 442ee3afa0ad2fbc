"""Verdicts of the table of what the default settings learn."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hamlet_train.certainty import Interval
from hamlet_train.gallery import Row

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def defaults(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The script; benchmarks is no package."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import defaults

    yield defaults
    for name in ("defaults", "zoo", "facts"):
        sys.modules.pop(name, None)


@pytest.fixture
def line(defaults: Any) -> Callable[..., Any]:
    """A line of these means."""

    def around(value: float) -> Interval:
        return Interval(value, value - 0.5, value + 0.5)

    def of(random: float, scripted: float, trained: float, tuned: float | None = None) -> Any:
        row = Row("u", "all", "return", around(random), scripted, "WAIT all the time", around(trained), None, "")
        return defaults.Line(row, None if tuned is None else defaults.Tuning(around(tuned), "horizon=16", 1000))

    return of


def test_a_verdict_goes_by_the_most_that_anybody_has(line: Callable[..., Any]) -> None:
    assert line(1, 5, 9).verdict == "learns"
    assert line(1, 11, 10).verdict == "learns"
    assert line(1, 11, 9).verdict == "learns a part"
    assert line(1, 11, 10, 20).verdict == "learns a part"
    assert line(1, 11, 1.5).verdict == "not beyond chance"
    assert line(3, 3, 3).verdict == "nothing to choose"
    assert line(1, 11, 10).share == 0.9


def test_the_table_has_a_row_for_each(defaults: Any, line: Callable[..., Any]) -> None:
    about = {"command": "python benchmarks/defaults.py", "machine": "a machine", "commit": "c0ffee"}
    page = defaults.table([line(1, 11, 9, 12), line(3, 3, 3)], about)
    assert "| u | 1 | 11 (WAIT all the time) | 9 (8.5 to 9.5) | 73% | learns a part | 12 by horizon=16 |" in page
    assert "learns a part: 1, nothing to choose: 1." in page
