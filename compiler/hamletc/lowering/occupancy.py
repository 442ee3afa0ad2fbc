"""Which cells have an affordance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from hamlet import schema
from hamletc.ir.ops import Value
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import random_cell, random_index
from hamletc.lowering.places import Places, rank

Occupancy: TypeAlias = Callable[[Value], Value]
"""Gives for a cell's index (U32) whether an affordance stands there (BOOL). Total: meaningless beyond the grid."""

WORD = 32
LARGEST_MASK = 256
"""Up to so many words times random affordances, a bit per cell is cheaper than a permutation per cell that is asked."""


def occupancy(lane: Lane) -> Occupancy:
    """The way to ask that costs less: a bit mask of all cells, or the inverse permutation of each cell asked for."""
    where = lane.plan.places
    words = -(-schema.cells(lane.universe) // WORD)
    if words * max(len(where.random), 1) <= LARGEST_MASK:
        return _by_mask(lane, where, words)
    return _by_permutation(lane, where)


def _by_mask(lane: Lane, where: Places, words: int) -> Occupancy:
    builder = lane.builder
    fixed = [0] * words
    for cell, _ in where.fixed:
        fixed[cell // WORD] |= 1 << cell % WORD
    mask = [builder.u32(bits) for bits in fixed]
    for index in range(len(where.random)):
        cell_of = random_cell(builder, where, lane.layout, builder.u32(index))
        bit = _bit(lane, cell_of)
        word_of = builder.shift_right(cell_of, 5)
        for number in range(words):
            in_word = builder.equal(word_of, builder.u32(number))
            mask[number] = builder.or_(mask[number], builder.select(in_word, bit, builder.u32(0)))

    def occupied(cell: Value) -> Value:
        word_of = builder.shift_right(cell, 5)
        word = mask[0]
        for number in range(1, words):
            word = builder.select(builder.equal(word_of, builder.u32(number)), mask[number], word)
        return builder.not_(builder.equal(builder.and_(word, _bit(lane, cell)), builder.u32(0)))

    return occupied


def _bit(lane: Lane, cell: Value) -> Value:
    builder = lane.builder
    return builder.shift_left(builder.u32(1), builder.and_(cell, builder.u32(WORD - 1)))


def _by_permutation(lane: Lane, where: Places) -> Occupancy:
    builder = lane.builder

    def occupied(cell: Value) -> Value:
        if where.searched is None:
            found = [builder.equal(cell, builder.u32(fixed)) for fixed, _ in where.fixed]
        else:
            cells, own = where.searched.cells, builder.to_i32(cell)
            found = [builder.equal(builder.lookup(cells, rank(builder, cells, own)), own)]
        if where.random:
            index = random_index(builder, where, lane.layout, cell)
            # The rank of a fixed cell among the free ones is another cell's: it may say yes, and so does the cell.
            found.append(builder.less(index, builder.u32(len(where.random))))
        return builder.any(found)

    return occupied
