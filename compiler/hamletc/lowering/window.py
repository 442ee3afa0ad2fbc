"""The window of an observation as bits, found once for a lane: whether an affordance stands on the cell of each row.

Where occupancy has a bit per cell, those of a window are at known distances from that of its first cell, whatever its
place. So that string of bits is shifted once, and what is left is to close the gaps between the *lines* of the window,
its rows along the first axis, and to clear what is beyond the sides of the grid. Along the last axis nothing is:
there is nothing before the first word of the string and behind the last.

On a large grid of few affordances each marks the row that it is in, if there is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from math import prod

from hamlet.frozen import dataclass
from hamletc.ir.builder import Builder
from hamletc.ir.ops import ShiftLeft, ShiftRight, Value
from hamletc.lowering.lane import Lane
from hamletc.lowering.occupancy import WORD, Occupancy
from hamletc.lowering.places import cell_index, cell_position, grid_of

PIECE = WORD - 1
"""The most rows of a line that are looked at together: amounts of shifts stay below a word's bits."""


MOST_LINES = 64
"""The most lines of a window whose gaps are closed, each by some operations."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rows of a line, one after the other.

    Attributes:
        row: of the window, the first.
        distance: of its cell from the first cell of the window, in cells.
        offset: along the first axis, from 0 on.
        count: of rows.
        others: the offsets along the axes between the first and the last.
    """

    row: int
    distance: int
    offset: int
    count: int
    others: tuple[int, ...]


def lines(sizes: tuple[int, ...], radius: int) -> int:
    """The lines of a window of this radius on a grid of these sizes."""
    return prod([2 * radius + 1] * (len(sizes) - 1))


def _rows(sizes: tuple[int, ...], radius: int) -> int:
    return prod([2 * radius + 1] * len(sizes))


def window_words(lane: Lane, radius: int, occupied: Occupancy) -> list[Value]:
    """Words (U32) with a bit per row of a window; none where each row asks for its cell."""
    builder, sizes = lane.builder, grid_of(lane.universe).sizes
    if radius in lane.plan.around:
        return []
    if _rows(sizes, radius) > lane.plan.limits.window_rows:
        return []
    if occupied.words is not None:
        few = lines(sizes, radius) <= MOST_LINES
        return shifted(builder, sizes, radius, lane.position, occupied.words) if few else []
    if occupied.stands is not None and _marks_pay(sizes, radius, occupied):
        return marked(builder, sizes, radius, lane.position, occupied.stands())
    return []


def _marks_pay(sizes: tuple[int, ...], radius: int, occupied: Occupancy) -> bool:
    """Whether that is about as many operations as asking for each row, or fewer."""
    rows = _rows(sizes, radius)
    mark = 12 * len(sizes) + 3 * (1 + _words(rows))
    return occupied.listed + occupied.count * mark <= rows * (occupied.asked + 10 * len(sizes))


def _words(rows: int) -> int:
    return -(-rows // WORD)


def marked(
    builder: Builder, sizes: tuple[int, ...], radius: int, position: tuple[Value, ...], cells: list[Value]
) -> list[Value]:
    """Words (U32) with a bit per row of a window on these cells (U32); the position of the agent is I32 per axis."""
    side, nothing = 2 * radius + 1, builder.u32(0)
    words = [nothing] * _words(_rows(sizes, radius))
    for cell in cells:
        row, inside = nothing, []
        for axis, (there, own) in enumerate(zip(cell_position(builder, sizes, cell), position, strict=True)):
            offset = builder.to_u32(builder.add(builder.sub(there, own), builder.i32(radius)))
            inside.append(builder.less(offset, builder.u32(side)))
            row = builder.add(builder.mul(offset, builder.u32(side**axis)), row)
        bit = builder.shift_left(builder.u32(1), builder.and_(row, builder.u32(WORD - 1)))
        bit = builder.select(builder.all(inside), bit, nothing)
        number = builder.shift_right(row, WORD.bit_length() - 1)
        for word, others in enumerate(words):
            mine = bit
            if len(words) > 1:
                mine = builder.select(builder.equal(number, builder.u32(word)), bit, nothing)
            words[word] = builder.or_(mine, others)
    return words


def shifted(
    builder: Builder, sizes: tuple[int, ...], radius: int, position: tuple[Value, ...], cells: tuple[Value, ...]
) -> list[Value]:
    """Words (U32) with a bit per row of a window.

    Args:
        position: of the agent, I32 per axis.
        cells: words (U32) with a bit per cell of the grid, none set beyond it.
    """
    before = radius * sum(prod(sizes[:axis]) for axis in range(len(sizes)))
    ahead = -(-before // WORD)
    index = builder.to_u32(cell_index(builder, sizes, position))
    start = builder.add(index, builder.u32(ahead * WORD - before))
    words = (*[builder.u32(0)] * ahead, *cells)
    string = _Shifted(builder, words, start, prod(sizes) - 1 + ahead * WORD - before)

    pieces = list(_pieces(sizes, radius))
    inside = {piece.others: _inside(builder, sizes, radius, position, piece.others) for piece in pieces}
    result = [builder.u32(0)] * _words(_rows(sizes, radius))
    for (to, others, source, amount), mask in _moves(pieces).items():
        bits = builder.and_(_moved(builder, string.word(source), amount), builder.u32(mask))
        if (condition := inside[others]) is not None:
            bits = builder.select(condition, bits, builder.u32(0))
        result[to] = builder.or_(bits, result[to])
    if len(sizes) == 1:
        return result
    sides = _sides(builder, sizes[0], radius, position[0], pieces)
    return [builder.and_(word, rows) for word, rows in zip(result, sides, strict=True)]


def _pieces(sizes: tuple[int, ...], radius: int) -> Iterator[_Piece]:
    """The pieces of a window, in the order of its rows."""
    side = 2 * radius + 1
    strides = [prod(sizes[:axis]) for axis in range(1, len(sizes))]
    for line, reverse in enumerate(product(range(side), repeat=len(strides))):
        offsets = reverse[::-1]
        distance = sum(offset * stride for offset, stride in zip(offsets, strides, strict=True))
        for first in range(0, side, PIECE):
            yield _Piece(line * side + first, distance + first, first, min(side - first, PIECE), offsets[:-1])


def _moves(pieces: list[_Piece]) -> dict[tuple[int, tuple[int, ...], int, int], int]:
    """Moves of bits from the words of the string to those of the window: for a word of the window, the offsets on which
    a condition depends, a word of the string and an amount to shift it (to the left if positive) the bits to take.
    """
    masks: dict[tuple[int, tuple[int, ...], int, int], int] = defaultdict(int)
    for piece in pieces:
        for number in range(piece.count):
            to, bit = divmod(piece.row + number, WORD)
            source, at = divmod(piece.distance + number, WORD)
            masks[to, piece.others, source, bit - at] |= 1 << bit
    return masks


def _moved(builder: Builder, word: Value, amount: int) -> Value:
    if amount > 0:
        return builder.shift_left(word, builder.u32(amount))
    return builder.shift_right(word, -amount) if amount else word


def _inside(
    builder: Builder, sizes: tuple[int, ...], radius: int, position: tuple[Value, ...], others: tuple[int, ...]
) -> Value | None:
    """Whether (BOOL) cells at these offsets are on the grid as far as axes between the first and the last say; `None`
    where that is certain."""
    conditions = []
    for size, coordinate, offset in zip(sizes[1:], position[1:], others, strict=False):
        if offset != radius:
            place = builder.to_u32(builder.add(coordinate, builder.i32(offset - radius)))
            conditions.append(builder.less(place, builder.u32(size)))
    return builder.all(conditions) if conditions else None


def _sides(builder: Builder, size: int, radius: int, x: Value, pieces: list[_Piece]) -> list[Value]:
    """For each word of a window the bits of rows between the sides of the grid along the first axis."""
    words: dict[int, Value] = defaultdict(lambda: builder.u32(0))
    factors: dict[tuple[int, Value], int] = defaultdict(int)
    for piece in pieces:
        word, bit = divmod(piece.row, WORD)
        inside = _between(builder, size, radius, x, piece)
        factors[word, inside] |= 1 << bit
        if bit + piece.count > WORD:
            words[word + 1] = builder.or_(builder.shift_right(inside, WORD - bit), words[word + 1])
    for (word, inside), factor in factors.items():
        words[word] = builder.or_(builder.mul(inside, builder.u32(factor)), words[word])
    return [words[number] for number in sorted(words)]


def _between(builder: Builder, size: int, radius: int, x: Value, piece: _Piece) -> Value:
    """The bits (U32) of the rows of a piece that are not beyond the first or the last cell of the first axis."""
    all_rows = (1 << piece.count) - 1
    if piece.offset == 0 and size + radius <= WORD:
        grid = builder.u32(((1 << size) - 1) << radius)
        return builder.and_(builder.emit(ShiftRight(grid, builder.to_u32(x))), builder.u32(all_rows))
    none, most = builder.i32(0), builder.i32(PIECE)
    below = builder.clamp(builder.sub(builder.i32(radius - piece.offset), x), none, most)
    last = piece.offset + piece.count - 1 - radius
    above = builder.clamp(builder.add(x, builder.i32(last - (size - 1))), none, most)
    rows = builder.u32(all_rows)
    from_first = builder.emit(ShiftLeft(rows, builder.to_u32(below)))
    return builder.and_(from_first, builder.emit(ShiftRight(rows, builder.to_u32(above))))


class _Shifted:
    """A string of bits from a bit on that each lane decides; behind its end there is nothing."""

    def __init__(self, builder: Builder, words: tuple[Value, ...], start: Value, last: int) -> None:
        """`start`: the bit (U32) that becomes the first one, `last` at the most."""
        self._builder = builder
        self._words = words
        self._start = start
        self._stages = (last // WORD).bit_length()
        self._words_of: dict[tuple[int, int], Value] = {}

    def word(self, number: int) -> Value:
        """A word of the shifted string."""
        builder, nothing = self._builder, self._builder.u32(0)
        low, high = self._whole(number, 0), self._whole(number + 1, 0)
        amount = builder.and_(self._start, builder.u32(WORD - 1))
        if low != nothing:
            low = builder.emit(ShiftRight(low, amount))
        if high == nothing:
            return low
        # 32 less the amount would be 32 for an amount of 0.
        rest = builder.xor(amount, builder.u32(WORD - 1))
        high = builder.shift_left(builder.shift_left(high, builder.u32(1)), rest)
        return high if low == nothing else builder.or_(low, high)

    def _whole(self, number: int, stage: int) -> Value:
        """A word of the string after it is shifted by whole words, as many as the bits of the start from a stage on
        say."""
        builder = self._builder
        if stage == self._stages:
            return self._words[number] if number < len(self._words) else builder.u32(0)
        if (number, stage) not in self._words_of:
            stays, moves = self._whole(number, stage + 1), self._whole(number + (1 << stage), stage + 1)
            bit = builder.and_(self._start, builder.u32(WORD << stage))
            unset = builder.equal(bit, builder.u32(0))
            self._words_of[number, stage] = stays if stays == moves else builder.select(unset, stays, moves)
        return self._words_of[number, stage]
