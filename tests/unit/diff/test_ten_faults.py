"""Each of ten seeded faults is located at the right operation, construct and line, or at the right phase."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import EFFORT, FAULTS, Fault

from hamlet_lab.diff.diff import diff


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault(fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = fault.sides(tmp_path, monkeypatch)
    report = diff(left, right, EFFORT, 0)
    assert not report.ok
    assert report.divergence is not None
    cause = report.divergence.cause
    assert cause is not None
    assert cause.left.value != cause.right.value
    text = report.render()
    print(text)
    for said in fault.says:
        assert said in text
