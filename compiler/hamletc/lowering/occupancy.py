"""Which cells have an affordance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from hamlet import schema
from hamletc.ir.function import Function
from hamletc.ir.ops import U32, Fold, Value
from hamletc.lowering.cells_loop import CELLS, FEWEST, WORD, cells_body, mark, marked_words
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import grid_of, random_cell, random_index
from hamletc.lowering.places import rank
from hamletc.lowering.plan import Plan

Occupancy: TypeAlias = Callable[[Value], Value]
"""Gives for a cell's index (U32) whether an affordance stands there (BOOL). Total: meaningless beyond the grid."""

LARGEST_MASK = 256
"""Up to so many words times affordances that are not at fixed cells, a bit per cell is cheaper than asking for each
cell: by a permutation, or by comparing stored places."""


def occupancy(lane: Lane) -> Occupancy:
    """The way to ask that costs less: a bit mask of all cells, or the inverse permutation of each cell asked for."""
    words = _words(lane.plan)
    count = len(lane.plan.places.random) if lane.plan.computed else len(lane.places)
    if words * max(count, 1) <= LARGEST_MASK:
        return _by_mask(lane, words)
    return _by_permutation(lane) if lane.plan.computed else _by_places(lane)


def loops(plan: Plan, function: Function) -> list[Function]:
    """The functions that the way of asking in this one needs: the body of its loop."""
    if any(isinstance(node.op, Fold) and node.op.function == CELLS for node in function.nodes):
        return [cells_body(plan.places, _words(plan))]
    return []


def _words(plan: Plan) -> int:
    return -(-schema.cells(grid_of(plan.universe)) // WORD)


def _by_mask(lane: Lane, words: int) -> Occupancy:
    builder, where = lane.builder, lane.plan.places
    fixed = [0] * words
    if lane.plan.computed:
        for cell in where.taken:
            fixed[cell // WORD] |= 1 << cell % WORD
    mask = [builder.u32(bits) for bits in fixed]
    if lane.plan.computed and not lane.plan.kept and len(where.random) >= FEWEST:
        marked = marked_words(builder, where, lane.layout, words)
        mask = [builder.or_(bits, word) for bits, word in zip(mask, marked, strict=True)]
        cells: Iterable[Value] = ()
    else:
        cells = _random(lane) if lane.plan.computed else _stored(lane)
    for cell_of in cells:
        bit = mark(builder, cell_of)
        word_of = builder.shift_right(cell_of, 5)
        for number in range(words):
            in_word = builder.equal(word_of, builder.u32(number))
            mask[number] = builder.or_(mask[number], builder.select(in_word, bit, builder.u32(0)))

    def occupied(cell: Value) -> Value:
        word_of = builder.shift_right(cell, 5)
        word = mask[0]
        for number in range(1, words):
            word = builder.select(builder.equal(word_of, builder.u32(number)), mask[number], word)
        return builder.not_(builder.equal(builder.and_(word, mark(builder, cell)), builder.u32(0)))

    return occupied


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
