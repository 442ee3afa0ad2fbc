"""The draws of a universe look random: small runs of benchmarks/randomness.py, whose outcome never changes."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

F = np.float32
BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture
def randomness(monkeypatch: pytest.MonkeyPatch) -> Any:
    """benchmarks is no package: it runs as a script."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import randomness

    yield randomness
    sys.modules.pop("randomness", None)


def test_draws_look_random(randomness: Any) -> None:
    findings, largest = randomness.run(lanes=16_384, ticks=6, seeds=1, backend="interpreter")
    assert len(findings) == 26
    assert all(finding.count >= 16_384 * 5 for finding in findings)
    strange = [finding for finding in findings if abs(finding.z) > 3.5]
    assert strange == []
    assert 4 < largest < 5.77


def test_the_tests_see_what_is_not_random(randomness: Any) -> None:
    """Otherwise the test above would show nothing."""
    generator = np.random.default_rng(1)
    values = generator.random(100_000, np.float32)
    even = np.bincount((values * 64).astype(np.int64), minlength=64)
    assert abs(randomness.evenness(even)) < 3
    assert randomness.evenness(even + (np.arange(64) == 3) * 400) > 5
    assert randomness.evenness(np.full(64, 1000)) < -5
    assert abs(randomness.z_of_farthest(randomness.farthest(even))) < 3
    assert randomness.z_of_farthest(randomness.farthest(even + 5 * np.arange(64))) > 5
    related = randomness.Related()
    related.add(values[:-1], F(0.9) * values[1:] + F(0.1) * values[:-1])
    assert all(abs(finding.z) > 5 for finding in related.findings("near"))
    apart = randomness.Related()
    apart.add(values[:-1], values[1:])
    assert all(abs(finding.z) < 3 for finding in apart.findings("apart"))


def test_the_statistics_are_the_published_ones(randomness: Any) -> None:
    """Quantiles from tables: chi-square with 63 degrees of freedom, Kolmogorov's distribution."""
    counts = np.full(64, 1000.0)
    counts[0], counts[1] = 1000 + math.sqrt(82.529 * 500), 1000 - math.sqrt(82.529 * 500)
    assert randomness.evenness(counts) == pytest.approx(1.6449, abs=0.01)
    assert randomness.z_of_farthest(1.3581) == pytest.approx(1.6449, abs=0.002)
    assert randomness.z_of_farthest(1.6276) == pytest.approx(2.3263, abs=0.002)
