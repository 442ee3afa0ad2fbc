"""What the checker accepts is finite, ever: a slice of `make finite`, and the ledger that it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from edges import text
from finiteness import NotFiniteError, check_finite, resolved
from fuzz_finite import RANGES, examine

LEDGER = Path(__file__).parents[2] / "benchmarks" / "results" / "finite.json"
SLICE = 45


def test_little_universes_at_the_edges_are_finite_or_refused() -> None:
    found = examine(0, SLICE, compare=20)
    assert not found.failed
    assert found.seen == SLICE
    assert found.clean > SLICE / 3
    assert found.values > 1000 * found.clean
    assert found.compared
    # what is refused for its ranges mostly is infinite somewhere
    assert sum(found.loose.values()) > sum(found.strict.values()) > -1


def test_the_ledger_is_no_empty_comparison() -> None:
    ledger = json.loads(LEDGER.read_text(encoding="utf-8"))
    refused, strict, loose = (sum(ledger[name].values()) for name in ("refused", "strict", "loose"))
    assert ledger["failed"] == []
    assert ledger["last"] - ledger["first"] + 1 == ledger["clean"] + refused >= 5_000
    assert ledger["clean"] > 3_000
    assert ledger["compared"] > 100
    assert ledger["values"] > 10**7
    assert loose > 2 * strict
    assert set(ledger["loose"]) >= {"H050", "H051", "H080"}


POW = """
universe colder
space none
lifespan 500 ticks
meter cold = 1 in 0.001 .. 90 {{ decay 0.01 }}
meter rest = 0.5
rule warms: cold += 0.1 * rest
rule rests: rest -= 0.1 * cold
reward {}
observe {{ meters }}
"""


@pytest.mark.parametrize(
    "reward",
    ["pow(cold, 1e30)", "pow(cold, 2147483646) * pow(cold, -0.4)", "pow(cold, 20)", "exp(cold)", "1e36 * cold"],
)
def test_the_watch_finds_what_is_infinite(reward: str) -> None:
    """The comparison itself works: without the checker, the same values are found to be infinite."""
    universe, problems = resolved(POW.format(reward))
    assert universe is not None, problems
    with pytest.raises(NotFiniteError):
        check_finite(universe, seed=1)


def test_numbers_make_texts() -> None:
    assert text(7) == text(7) != text(8)
    assert "H051" in RANGES
