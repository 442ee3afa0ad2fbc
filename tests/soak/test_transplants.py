"""Universes made of parts of others are refused in a line, or played."""

from __future__ import annotations

from transplants import fault, made

from hamlet.universe.codec import CodecError, from_json


def read(number: int) -> bool:
    try:
        from_json(made(number))
    except CodecError:
        return False
    return True


def test_what_is_read_is_played() -> None:
    assert [found for number in range(60) if (found := fault(number)) is not None] == []
    assert sum(map(read, range(60))) > 10
