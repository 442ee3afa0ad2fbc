"""The first files of strangers: `python tests/soak/strangers.py` tries as many as wanted."""

from __future__ import annotations

from strangers import READERS, fault, made

FEW = 10 * len(READERS)


def test_no_reader_ends_in_a_traceback_or_obeys_a_file() -> None:
    assert [found for number in range(FEW) if (found := fault(number)) is not None] == []
    assert {made(number)[0] for number in range(FEW)} == set(READERS)


def test_a_file_is_a_function_of_its_number() -> None:
    assert [made(number) for number in range(20)] == [made(number) for number in range(20)]
