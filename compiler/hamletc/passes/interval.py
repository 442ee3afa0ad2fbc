"""Intervals of values, and what arithmetic does to them.

Ends of F32 intervals are binary32 numbers or infinities. Rounding is monotonic, so the rounded ends of the exact
interval hold every rounded result; and a sum, product, quotient or root of binary32 numbers that is computed in
binary64 and then rounded is the correctly rounded one (double rounding is innocuous from 2 * 24 + 2 bits on).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from math import inf, isinf, nextafter, sqrt

from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32


@dataclass(frozen=True, slots=True)
class Interval:
    """low <= value <= high; or a NaN, only where `nan`. A zero is -0.0 only where `negative_zero`. BOOL is 0 and 1.

    Ends are ints for I32, U32 and BOOL. The rest is about F32: where `whole`, a value that is finite is a whole number.
    """

    low: float
    high: float
    nan: bool = False
    negative_zero: bool = False
    whole: bool = False

    @property
    def zero(self) -> bool:
        """Whether the value may be a zero of either sign."""
        return self.low <= 0 <= self.high

    @property
    def unbounded(self) -> bool:
        """Whether the value may be infinite."""
        return isinf(self.low) or isinf(self.high)

    def within(self, other: Interval) -> bool:
        """Whether every value of this interval is one of the other; it need not be known to be whole."""
        return (
            other.low <= self.low
            and self.high <= other.high
            and self.nan <= other.nan
            and self.negative_zero <= other.negative_zero
        )


ALL_WHOLE = 2.0**23
"""From here on, and from its negative on downwards, all binary32 numbers are whole."""

ANY_F32 = Interval(-inf, inf, True, True)
ANY_I32 = Interval(-(2**31), 2**31 - 1)
ANY_U32 = Interval(0, 2**32 - 1)
ANY_BOOL = Interval(0, 1)


def to_binary32(value: float) -> float:
    """Round to binary32; too large becomes infinite."""
    try:
        return round32(value)
    except OverflowError:
        return inf if value > 0 else -inf


def fused32(left: float, right: float, addend: float) -> float:
    """left * right + addend of binary32 numbers, rounded once; too large becomes infinite.

    Like `hamletc.ir.evaluate`: the sum is rounded to odd, so that rounding to binary32 sees what was lost.
    """
    product = left * right
    total = product + addend
    # The product is exact, and so is what the sum lost (Knuth, The Art of Computer Programming 2, 4.2.2, theorem B).
    share = total - product
    lost = (product - (total - share)) + (addend - share)
    if lost and _is_even(total):
        total = nextafter(total, inf if lost > 0 else -inf)
    return to_binary32(total)


def _is_even(value: float) -> bool:
    """Whether the last bit of a binary64 number is zero."""
    return struct.pack("<d", value)[0] & 1 == 0


def join(a: Interval, b: Interval) -> Interval:
    """The values of either."""
    negative_zero, whole = a.negative_zero or b.negative_zero, a.whole and b.whole
    return Interval(min(a.low, b.low), max(a.high, b.high), a.nan or b.nan, negative_zero, whole)


def meet(a: Interval, b: Interval) -> Interval:
    """The values of both; one of them where nothing is left, for then nothing is ever computed with it."""
    low, high = max(a.low, b.low), min(a.high, b.high)
    if low > high:
        return a
    negative_zero = a.negative_zero and b.negative_zero and low <= 0 <= high
    return Interval(low, high, a.nan and b.nan, negative_zero, a.whole or b.whole)


def add(a: Interval, b: Interval) -> Interval:
    if a.unbounded or b.unbounded:
        return Interval(-inf, inf, True, a.negative_zero and b.negative_zero)
    # An exact zero sum is +0.0 unless both are -0.0, and sums do not underflow.
    negative_zero = a.negative_zero and b.negative_zero
    low, high = to_binary32(a.low + b.low), to_binary32(a.high + b.high)
    # A sum of whole numbers stays whole when it is rounded; adding a large number is how others are rounded.
    whole = (a.whole and b.whole) or low >= ALL_WHOLE or high <= -ALL_WHOLE
    return Interval(low, high, a.nan or b.nan, negative_zero, whole)


def negate(a: Interval) -> Interval:
    return Interval(-a.high, -a.low, a.nan, a.zero, a.whole)


def subtract(a: Interval, b: Interval) -> Interval:
    return add(a, negate(b))


def multiply(a: Interval, b: Interval) -> Interval:
    return _by_ends(a, b, lambda x, y: x * y, a.unbounded or b.unbounded, a.whole and b.whole)


def divide(a: Interval, b: Interval) -> Interval:
    if b.zero:
        return ANY_F32
    return _by_ends(a, b, lambda x, y: x / y, a.unbounded or b.unbounded, False)


def _by_ends(
    a: Interval, b: Interval, operation: Callable[[float, float], float], unbounded: bool, whole: bool
) -> Interval:
    """The result of an operation that is monotonic in each operand, from its values at the four corners."""
    if unbounded:
        return ANY_F32
    corners = [operation(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = to_binary32(min(corners)), to_binary32(max(corners))
    # A tiny product or quotient rounds to a zero that keeps its sign.
    signless = a.low >= 0 and b.low >= 0 and not a.negative_zero and not b.negative_zero
    return Interval(low, high, a.nan or b.nan, low <= 0 <= high and not signless, whole)


def fused(a: Interval, b: Interval, c: Interval) -> Interval:
    """left * right + addend, rounded once."""
    if a.unbounded or b.unbounded or c.unbounded:
        return ANY_F32
    corners = [(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    low = min(fused32(x, y, c.low) for x, y in corners)
    high = max(fused32(x, y, c.high) for x, y in corners)
    return Interval(low, high, a.nan or b.nan or c.nan, low <= 0 <= high, a.whole and b.whole and c.whole)


def absolute(a: Interval) -> Interval:
    low = 0 if a.zero else min(abs(a.low), abs(a.high))
    return Interval(low, max(abs(a.low), abs(a.high)), a.nan, whole=a.whole)


def root(a: Interval) -> Interval:
    low = to_binary32(sqrt(max(a.low, 0.0)))
    high = to_binary32(sqrt(max(a.high, 0.0))) if a.high < inf else inf
    return Interval(low, high, a.nan or a.low < 0, a.negative_zero)
