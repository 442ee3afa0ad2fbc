"""State and outcomes in memory: how a chunk of lanes gets them, and how they get back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hamletc.kernel.code import (
    Code,
    Do,
    Expression,
    Function,
    Name,
    Operand,
    call,
    do,
    expression,
    function,
    loop,
    names,
)
from hamletc.targets.numba.slots import Chunk

LANES = Name("LANES")
row, start, world, agents, count = names("row start world agents count")


def memory(outcomes: Sequence[Chunk]) -> list[Function]:
    """The functions that load and store."""
    return [_store_outcome(outcomes)]


def part(array: Operand, row: Operand, begin: Operand) -> Expression:
    """An array from an element of a row on."""
    return call("part", array, row, begin)


def _view(chunk: Chunk) -> Expression:
    """The lanes of a chunk, in the row of a loop where it has several."""
    return Name(chunk.variable) if chunk.rows == 1 else part(chunk.variable, 0, row * LANES)


def each_row(chunk: Chunk, body: Do) -> Code:
    """A statement for each row of a chunk."""
    return body if chunk.rows == 1 else loop(row, chunk.rows, body=[body])


def stored(chunk: Chunk) -> Code:
    """A chunk copied back."""
    number = expression(chunk.row) if chunk.rows == 1 else row
    if chunk.field.per == "lane":
        return each_row(chunk, do("store_lanes", _view(chunk), part(chunk.array, number, start), count))
    return each_row(chunk, do("store_worlds", _view(chunk), part(chunk.array, number, world), agents, count))


def _store_outcome(outcomes: Sequence[Chunk]) -> Function:
    def body() -> Iterator[Code]:
        for chunk in outcomes:
            yield stored(chunk)

    variables, arrays = ([chunk.variable for chunk in outcomes], dict.fromkeys(chunk.array for chunk in outcomes))
    return function(
        "_store_outcome", [*variables, *arrays, "start", "count"], "Write what happened in a tick.", body(), "inline"
    )
