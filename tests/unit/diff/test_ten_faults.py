"""Each of ten seeded faults is located at the right operation, construct and line, or at the right phase."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import EFFORT, FAULTS, Fault

from hamlet_lab.diff.diff import diff

COMPILED_AGAIN = ("wrong RNG counter", "lost autoreset")
"""Faults of kernels, each of which a compiler takes a while for; other faults are such, too."""


@pytest.mark.parametrize(
    "fault",
    [pytest.param(each, marks=[pytest.mark.long] if each.name in COMPILED_AGAIN else []) for each in FAULTS],
    ids=lambda fault: fault.name,
)
def test_fault(fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if fault.name == "contraction on":
        # It is an optimisation of the full level.
        monkeypatch.setenv("HAMLET_CC", "cc -O2")
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
