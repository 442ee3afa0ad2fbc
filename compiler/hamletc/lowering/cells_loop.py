"""The loop over the affordances at random that marks their cells: its body, a function of its own, and its result."""

from __future__ import annotations

from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import I32, U32, Fold, Lookup, Value
from hamletc.lowering.layout import random_cell
from hamletc.lowering.places import Places

CELLS = "cells"
LAYOUT = f"{CELLS}.layout"
WORD = 32
"""Cells that a word has bits for."""
PER_ROW = 2
"""Affordances that a row marks: a GPU computes two permutations in the time of one."""
FEWEST = 5
"""Fewer affordances at random are marked without a loop."""


def marked_words(builder: Builder, where: Places, layout: Value, words: int) -> list[Value]:
    """The words (U32) with a bit for every cell; those of affordances at random are set."""
    # Words begin at a value that is no constant, and it is taken away again: loops need a type from the beginning.
    names = _names(words)
    read = dict.fromkeys(node.op.table for node in cells_body(where, words).nodes if isinstance(node.op, Lookup))
    folds = (Fold(CELLS, name, _rows(where), names, tuple(read), (layout,) * len(names)) for name in names[1:])
    return [builder.xor(builder.node(fold, U32), layout) for fold in folds]


def cells_body(where: Places, words: int) -> Function:
    """What a row does: it flips the bits of its affordances' cells, no two of which are the same."""
    builder, names = Builder(), _names(words)
    with builder.at("layout", None):
        row, layout, *marked = builder.input(I32, "row"), *(builder.input(U32, name) for name in names)
        for turn in range(PER_ROW):
            index = builder.add(builder.mul(builder.to_u32(row), builder.u32(PER_ROW)), builder.u32(turn))
            cell = random_cell(builder, where, layout, index)
            bit = mark(builder, cell)
            if (_rows(where) - 1) * PER_ROW + turn >= len(where.random):
                # The last row has no such affordance.
                there = builder.less(index, builder.u32(len(where.random)))
                bit = builder.select(there, bit, builder.u32(0))
            word_of = builder.shift_right(cell, 5)
            for number in range(words):
                in_word = builder.equal(word_of, builder.u32(number))
                marked[number] = builder.xor(marked[number], builder.select(in_word, bit, builder.u32(0)))
    outputs = zip(names, [layout, *marked], strict=True)
    return builder.finish(CELLS, tuple(Output(name, value) for name, value in outputs))


def mark(builder: Builder, cell: Value) -> Value:
    """The bit (U32) of a cell (U32) in its word."""
    return builder.shift_left(builder.u32(1), builder.and_(cell, builder.u32(WORD - 1)))


def _rows(where: Places) -> int:
    return -(-len(where.random) // PER_ROW)


def _names(words: int) -> tuple[str, ...]:
    """What the body calls its values."""
    return (LAYOUT, *(f"{CELLS}.word{number}" for number in range(words)))
