"""The axes of a large grid on which layouts draw coordinates, as the rows of a table that a loop goes through."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from hamlet import schema
from hamlet.numbers.permutation import ROUND_MULTIPLIERS
from hamlet.universe import Grid
from hamletc.ir.function import Table
from hamletc.ir.ops import I32


@dataclass(frozen=True, slots=True)
class DrawTable:
    """Tables with a row per axis that is drawn.

    Attributes:
        words: the number of words of a cell.
        salt: what the axis adds to the draw (32 bits).
        size: of the axis.
        word: that the coordinate is part of.
        stride: what a step on the axis adds to that word.
    """

    words: int
    salt: Table
    size: Table
    word: Table
    stride: Table

    @property
    def tables(self) -> tuple[Table, ...]:
        """All of them."""
        return (self.salt, self.size, self.word, self.stride)


def draw_table(grid: Grid, permuted: int) -> DrawTable:
    """The axes from `permuted` on."""
    words = schema.cell_words(grid)
    rows = []
    for word, (begin, end) in enumerate(words):
        for axis in range(max(begin, permuted), end):
            salt = (axis + 1) * ROUND_MULTIPLIERS[1] % 2**32
            signed = salt - 2**32 if salt >= 2**31 else salt
            rows.append((signed, grid.sizes[axis], word, prod(grid.sizes[begin:axis])))
    salts, sizes, numbers, strides = zip(*rows, strict=True)
    return DrawTable(
        len(words),
        Table("draws.salt", I32, salts),
        Table("draws.size", I32, sizes),
        Table("draws.word", I32, numbers),
        Table("draws.stride", I32, strides),
    )
