"""The first inputs of the soak: `make soak` tries a million."""

from __future__ import annotations

import json
from pathlib import Path

from inputs import KINDS, made
from run import LONGEST_SECONDS, MOST_BYTES, tried

FEW = 150
LEDGER = Path(__file__).parents[2] / "benchmarks" / "results" / "soak.json"


def test_nothing_ends_in_a_traceback() -> None:
    tally = tried(range(FEW))
    assert tally.faults == []
    assert set(tally.inputs) == set(KINDS)
    assert sum(tally.refused.values()) > FEW / 2
    assert len(tally.codes) > 10


def test_the_ledger_has_a_million_inputs_and_no_fault() -> None:
    ledger = json.loads(LEDGER.read_text(encoding="utf-8"))
    assert ledger["total"] == sum(ledger["inputs"].values()) == ledger["last"] + 1 == 1_000_000
    assert ledger["faults"] == []
    assert sum(ledger["accepted"].values()) + sum(ledger["refused"].values()) == ledger["total"]
    assert min(ledger["inputs"][kind] for kind in KINDS) > 30_000
    assert ledger["slowest"][0] < LONGEST_SECONDS
    assert ledger["megabytes"] < MOST_BYTES >> 20


def test_an_input_is_a_function_of_its_number() -> None:
    assert [made(number) for number in range(20)] == [made(number) for number in range(20)]
    assert len({str(made(number)) for number in range(200)}) > 190
