"""Which cells have an affordance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from hamlet import schema
from hamletc.ir.ops import Value
from hamletc.ir.typing import U32
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import grid_of, random_cell, random_index
from hamletc.lowering.places import rank

Occupancy: TypeAlias = Callable[[Value], Value]
"""Gives for a cell's index (U32) whether an affordance stands there (BOOL). Total: meaningless beyond the grid."""

WORD = 32
LARGEST_MASK = 256
"""Up to so many words times affordances that are not at fixed cells, a bit per cell is cheaper than asking for each
cell: by a permutation, or by comparing stored places."""


def occupancy(lane: Lane) -> Occupancy:
    """The way to ask that costs less: a bit mask of all cells, or the inverse permutation of each cell asked for."""
    words = -(-schema.cells(grid_of(lane.universe)) // WORD)
    count = len(lane.plan.places.random) if lane.plan.computed else len(lane.places)
    if words * max(count, 1) <= LARGEST_MASK:
        return _by_mask(lane, words)
    return _by_permutation(lane) if lane.plan.computed else _by_places(lane)


def _by_mask(lane: Lane, words: int) -> Occupancy:
    builder, where = lane.builder, lane.plan.places
    fixed = [0] * words
    if lane.plan.computed:
        for cell in where.taken:
            fixed[cell // WORD] |= 1 << cell % WORD
    mask = [builder.u32(bits) for bits in fixed]
    for cell_of in _random(lane) if lane.plan.computed else _stored(lane):
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


def _random(lane: Lane) -> Iterator[Value]:
    """The cell (U32) of each affordance at random."""
    where = lane.plan.places
    for index in range(len(where.random)):
        if lane.plan.kept:
            yield lane.builder.input(U32, f"cell.{index}")
        else:
            yield random_cell(lane.builder, where, lane.layout, lane.builder.u32(index))


def _stored(lane: Lane) -> list[Value]:
    """The cell (U32) of each affordance, which one word holds."""
    cells = []
    for place in lane.places:
        (word,) = place
        cells.append(lane.builder.to_u32(word))
    return cells


def _by_places(lane: Lane) -> Occupancy:
    builder, cells = lane.builder, _stored(lane)
    return lambda cell: builder.any([builder.equal(cell, other) for other in cells])


def _by_permutation(lane: Lane) -> Occupancy:
    builder, where = lane.builder, lane.plan.places

    def occupied(cell: Value) -> Value:
        if where.searched is None:
            found = [builder.equal(cell, builder.u32(fixed)) for fixed in where.taken]
        else:
            cells, own = where.searched.cells, builder.to_i32(cell)
            found = [builder.equal(builder.lookup(cells, rank(builder, cells, own)), own)]
        if where.random:
            index = random_index(builder, where, lane.layout, cell)
            # The rank of a fixed cell among the free ones is another cell's: it may say yes, and so does the cell.
            found.append(builder.less(index, builder.u32(len(where.random))))
        return builder.any(found)

    return occupied
