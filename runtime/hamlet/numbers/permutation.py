"""The shape of the keyed permutation of the cells that places affordances and agents (docs/semantics.md, "Layouts").

Only numbers here: the interpreter (torch) and the lowering (IR) each compute the permutation in their own way.
"""

from __future__ import annotations

from hamlet.frozen import dataclass

ROUNDS = 8
"""Rounds of the permutation: with 8, the joint cells of two indices are even to a few percent on 3 x 3 and to 1% on
8 x 8 cells."""
GOLDEN = 0x9E3779B9
ROUND_MULTIPLIERS = (0x9E3779B1, 0x85EBCA77)
MIX_MULTIPLIERS = (0x7FEB352D, 0x846CA68B)
"""Multipliers of the 32-bit finalizer `mix32`: x ^= x >> 16; x *= m0; x ^= x >> 15; x *= m1; x ^= x >> 16."""
SEED_SALT = 0x68616D6C
DRAW_MULTIPLIER = 0x85EBCA77
MOST_PERMUTED = 1 << 24
"""The most cells that can be permuted."""


@dataclass(frozen=True, slots=True)
class Domain:
    """A rectangle `low * high >= size` that a Feistel network permutes; its last `ghosts` elements are no cells."""

    size: int
    low: int
    high: int

    @property
    def ghosts(self) -> int:
        return self.low * self.high - self.size


def domain(size: int) -> Domain:
    """The rectangle for `size` elements: fewest ghosts, then the most balanced, of those with low <= high <= 4 low.
    With more than 6 elements low >= 3, since a side of 2 mixes badly.

    Raises:
        ValueError: size is not in 1 .. 2**24.
    """
    if not 1 <= size <= MOST_PERMUTED:
        raise ValueError(f"a permutation needs 1 to 2**24 elements, not {size}")
    best = Domain(size, 1, size)
    if size < 3:
        return best
    suited = False
    low = 2 if size <= 6 else 3
    while low * low <= size + low:
        high = max(-(-size // low), low)
        candidate = Domain(size, low, high)
        if high <= 4 * low and (not suited or candidate.ghosts <= best.ghosts):
            best, suited = candidate, True
        low += 1
    return best


def permuted_axes(sizes: tuple[int, ...]) -> int:
    """How many axes of a grid, from the first on, a layout permutes the cells of; it draws the other coordinates."""
    count, cells = 1, sizes[0]
    while count < len(sizes) and cells * sizes[count] <= MOST_PERMUTED:
        cells *= sizes[count]
        count += 1
    return count
