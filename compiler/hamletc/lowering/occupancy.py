"""Which cells have an affordance: what observations of the grid ask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from hamlet import schema
from hamlet.frozen import dataclass
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output
from hamletc.ir.ops import I32, U32, Fold, Lookup, Value
from hamletc.lowering.expressions import is_there
from hamletc.lowering.lane import Lane
from hamletc.lowering.layouts import random_cell, random_index
from hamletc.lowering.places import Places, grid_of, rank
from hamletc.lowering.plan import Plan
from hamletc.lowering.space import place_of


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Where affordances stand.

    Attributes:
        at: gives for a cell's index (U32) whether one stands there (BOOL). Total: meaningless beyond the grid.
        words: those (U32) with a bit per cell, none set beyond the grid; `None` where cells are asked for one by one.
        stands: gives the cells (U32) that have one; `None` where these are too many to be found one after the other.
        asked, listed: how many operations `at` and `stands` take, about.
        count: of the cells that `stands` gives.
    """

    at: Callable[[Value], Value]
    words: tuple[Value, ...] | None = None
    stands: Callable[[], list[Value]] | None = None
    asked: int = 0
    listed: int = 0
    count: int = 0


LARGEST_MASK = 256
"""The largest product of words and affordances that are not at fixed cells with which a bit per cell is cheaper than
asking for each cell: by a permutation, or by comparing stored places."""

WORD = 32
"""Cells that a word has bits for."""
CELLS = "cells"
LAYOUT = f"{CELLS}.layout"
PERMUTED = 80
"""Operations of a permutation or its inverse, about."""
FEW = 8
"""So many permutations are unrolled at the most where there are no words."""
PER_ROW = 2
"""Affordances that a row of the loop marks: a GPU computes two permutations in the time of one."""
FEWEST = 5
"""Fewer affordances at random are marked without a loop."""


def occupancy(lane: Lane) -> Occupancy:
    """The cheapest way to ask: a bit mask of all cells, stored places, or the inverse permutation of each cell."""
    words = _words(lane.plan)
    count = len(lane.plan.places.random) if lane.plan.computed else len(lane.places)
    if words * max(count, 1) <= LARGEST_MASK:
        return _by_mask(lane, words)
    return _by_permutation(lane) if lane.plan.computed else _by_places(lane)


def loops(plan: Plan, function: Function) -> list[Function]:
    """The functions that this one needs to ask: the body of its loop, if it has one."""
    if any(isinstance(node.op, Fold) and node.op.function == CELLS for node in function.nodes):
        return [_cells_body(plan.places, _words(plan))]
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
    if lane.plan.computed and not lane.plan.cell_cache and len(where.random) >= FEWEST:
        marked = _marked_words(builder, where, lane.layout, words)
        mask = [builder.or_(bits, word) for bits, word in zip(mask, marked, strict=True)]
        cells: Iterable[Value] = ()
    else:
        cells = _random(lane) if lane.plan.computed else _stored(lane)
    for cell_of, there in zip(cells, _there(lane), strict=False):
        bit = _mark(builder, cell_of)
        bit = bit if there is None else builder.select(there, bit, builder.u32(0))
        mask = _joined(builder, builder.or_, mask, cell_of, bit)

    return Occupancy(lambda cell: has_bit(builder, mask, cell), tuple(mask))


def has_bit(builder: Builder, words: Sequence[Value], index: Value) -> Value:
    """Whether (BOOL) the bit of an index (U32) is set, tested by its mark: for rows, whose marks are known."""
    word = word_with(builder, words, index)
    return builder.not_(builder.equal(builder.and_(word, _mark(builder, index)), builder.u32(0)))


def word_with(builder: Builder, words: Sequence[Value], index: Value) -> Value:
    """The one of the words (U32) that has the bit of an index (U32)."""
    word_of = builder.shift_right(index, 5)
    word = words[0]
    for number, other in enumerate(words[1:], 1):
        word = builder.select(builder.equal(word_of, builder.u32(number)), other, word)
    return word


def _mark(builder: Builder, cell: Value) -> Value:
    """The bit (U32) of a cell (U32) in its word."""
    return builder.shift_left(builder.u32(1), builder.and_(cell, builder.u32(WORD - 1)))


def _joined(
    builder: Builder, join: Callable[[Value, Value], Value], words: list[Value], cell: Value, bit: Value
) -> list[Value]:
    """The words (U32) after a cell's bit is joined to the word that has it."""
    word_of, nothing = builder.shift_right(cell, 5), builder.u32(0)
    numbered = enumerate(words)
    return [join(word, builder.select(builder.equal(word_of, builder.u32(n)), bit, nothing)) for n, word in numbered]


def _random(lane: Lane) -> Iterator[Value]:
    """The cell (U32) of each affordance at random."""
    where = lane.plan.places
    for index in range(len(where.random)):
        if lane.plan.cell_cache:
            yield lane.builder.input(U32, f"cell.{index}")
        else:
            yield random_cell(lane.builder, where, lane.layout, lane.builder.u32(index))


def _stored(lane: Lane) -> list[Value]:
    """The cell (U32) of each affordance, which one word holds."""
    cells = []
    for number in range(len(lane.universe.affordances)):
        (word,) = place_of(lane, number)
        cells.append(lane.builder.to_u32(word))
    return cells


def _there(lane: Lane) -> list[Value | None]:
    """Whether (BOOL) each of the affordances that are marked is there; `None` of those that always are."""
    if lane.plan.computed:
        return [None] * len(lane.plan.places.random)
    return [is_there(lane, number) for number in range(len(lane.universe.affordances))]


def _by_places(lane: Lane) -> Occupancy:
    builder, cells = lane.builder, _stored(lane)
    # To mark the row of each of them, a GPU would wait for one load of a place after the other.
    standing = list(zip(cells, _there(lane), strict=True))

    def occupied(cell: Value) -> Value:
        stands = [(builder.equal(cell, other), there) for other, there in standing]
        return builder.any([same if there is None else builder.and_(same, there) for same, there in stands])

    return Occupancy(occupied)


def _by_permutation(lane: Lane) -> Occupancy:
    builder, where = lane.builder, lane.plan.places

    def occupied(cell: Value) -> Value:
        if where.searched is None:
            conditions = [builder.equal(cell, builder.u32(fixed)) for fixed in where.taken]
        else:
            cells, own = where.searched.cells, builder.to_i32(cell)
            conditions = [builder.equal(builder.lookup(cells, rank(builder, cells, own)), own)]
        if where.random:
            index = random_index(builder, where, lane.layout, cell)
            # The rank of a fixed cell among the free ones is another cell's: it may say yes, and so does the cell.
            conditions.append(builder.less(index, builder.u32(len(where.random))))
        return builder.any(conditions)

    def stands() -> list[Value]:
        return [*map(builder.u32, where.taken), *_random(lane)]

    few = where.searched is None and len(where.random) <= FEW
    asked, count = PERMUTED + 2 * len(where.taken), len(where.taken) + len(where.random)
    return Occupancy(occupied, None, stands if few else None, asked, asked * len(where.random), count)


# --- a loop over the affordances at random, which marks their cells ---------------------------------------------------


def _marked_words(builder: Builder, where: Places, layout: Value, words: int) -> list[Value]:
    """The words (U32) with a bit for every cell; those of affordances at random are set."""
    # Seed the words with a non-constant so that the loop has a type; xor it away afterwards.
    names = _names(words)
    read = dict.fromkeys(node.op.table for node in _cells_body(where, words).nodes if isinstance(node.op, Lookup))
    folds = (Fold(CELLS, name, _rows(where), names, tuple(read), (layout,) * len(names)) for name in names[1:])
    return [builder.xor(builder.node(fold, U32), layout) for fold in folds]


def _cells_body(where: Places, words: int) -> Function:
    """The body of the loop: a row flips the bits of its affordances' cells, no two of which are the same."""
    builder, names = Builder("observe"), _names(words)
    with builder.at(Construct("layout"), None):
        row, layout, *marked = builder.input(I32, "row"), *(builder.input(U32, name) for name in names)
        for turn in range(PER_ROW):
            index = builder.add(builder.mul(builder.to_u32(row), builder.u32(PER_ROW)), builder.u32(turn))
            cell = random_cell(builder, where, layout, index)
            bit = _mark(builder, cell)
            if (_rows(where) - 1) * PER_ROW + turn >= len(where.random):
                # The last row has no such affordance.
                there = builder.less(index, builder.u32(len(where.random)))
                bit = builder.select(there, bit, builder.u32(0))
            marked = _joined(builder, builder.xor, marked, cell, bit)
    outputs = zip(names, [layout, *marked], strict=True)
    return builder.finish(CELLS, tuple(Output(name, value) for name, value in outputs))


def _rows(where: Places) -> int:
    return -(-len(where.random) // PER_ROW)


def _names(words: int) -> tuple[str, ...]:
    """The names of the layout and the words in the body."""
    return (LAYOUT, *(f"{CELLS}.word{number}" for number in range(words)))
