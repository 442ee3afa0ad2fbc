"""The first inputs of the soak: `make soak` tries a million."""

from __future__ import annotations

from inputs import KINDS, made
from run import tried

FEW = 150


def test_nothing_ends_in_a_traceback() -> None:
    tally = tried(range(FEW))
    assert tally.faults == []
    assert set(tally.inputs) == set(KINDS)
    assert sum(tally.refused.values()) > FEW / 2
    assert len(tally.codes) > 10


def test_an_input_is_a_function_of_its_number() -> None:
    assert [made(number) for number in range(20)] == [made(number) for number in range(20)]
    assert len({str(made(number)) for number in range(200)}) > 190
