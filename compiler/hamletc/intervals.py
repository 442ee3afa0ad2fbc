"""Interval arithmetic on binary32: where a value lies, given where its operands lie.

Every operation of arithmetic is correctly rounded and monotone in each operand, so the ends of the result are the
rounded results of ends. Elementary functions are sequences of operations, of which neither is known: the ends of their
results are those of the true function, moved outwards by more than the sequences are off (docs/functions.md). All ends
are finite: an operation whose result can be infinite raises `OverflowError`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import LARGEST, bits32, from_bits32, round32, spell32
from hamlet.universe.functions import Function

Comparison: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]


LESS, EQUAL, GREATER = 1, 2, 4
ANY_ORDER = LESS | EQUAL | GREATER
ORDERS: Mapping[Comparison, int] = {
    "<": LESS,
    "<=": LESS | EQUAL,
    ">": GREATER,
    ">=": GREATER | EQUAL,
    "==": EQUAL,
    "!=": LESS | GREATER,
}
"""The ways in which two numbers may be ordered where a comparison holds."""
TURNED = {order: (order & EQUAL) | (order & LESS) << 2 | (order & GREATER) >> 2 for order in range(8)}
"""The same with the sides exchanged."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from `low` to `high`, both included; both are binary32 numbers, held exactly."""

    low: float
    high: float

    @property
    def is_single(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high

    def __str__(self) -> str:
        return spell(self.low) if self.is_single else f"{spell(self.low)} .. {spell(self.high)}"

    @property
    def lies(self) -> str:
        """In a sentence: `is 3`, or `is in 3 .. 4`."""
        return f"is {'' if self.is_single else 'in '}{self}"


def spell(value: float) -> str:
    """A number as an author would write it: `0`, not `0.0`."""
    return spell32(value).removesuffix(".0")


SMALLEST = 2.0**-149
"""The smallest binary32 number above zero."""
ANYTHING = Interval(-LARGEST, LARGEST)
ZERO = Interval(0.0, 0.0)
SHARE = Interval(0.0, 1 - 2.0**-24)
"""A random share of 1."""
ROUNDED_OFTEN = Interval(1 - 2.0**-19, 1 + 2.0**-19)
"""By how much the mean of 1,024 numbers is off, each sum and the quotient rounded: eleven times half a last place."""
NORMAL = Interval(-5.769999980926514, 5.769999980926514)
"""A random number of mean 0 and deviation 1: at most sqrt(48 log(2)) and a little from 0."""
SLACK = 2.0**-18
"""By how much of itself the result of an elementary function may be off: more than ten times what is proven
(docs/functions.md, "Bounds that are proven")."""
LAST_PLACES = 4
"""By how many of the smallest numbers it may be off besides, where it is subnormal."""
MOST_QUOTIENT = 2.0**46
"""The largest quotient whose remainder is defined."""


def single(value: float) -> Interval:
    """One number, rounded to binary32."""
    exact = round32(value)
    return Interval(exact, exact)


def hull(a: Interval, b: Interval) -> Interval:
    """The smallest interval that holds both."""
    return Interval(min(a.low, b.low), max(a.high, b.high))


def hull_of(intervals: Iterable[Interval | None]) -> Interval | None:
    """The smallest interval that holds all of these; `None` where one of them is unknown, or there is none."""
    whole: Interval | None = None
    for where in intervals:
        if where is None:
            return None
        whole = where if whole is None or where is whole else hull(whole, where)
    return whole


def inside(a: Interval, bounds: Interval) -> Interval:
    """The numbers of `a` after a clamp to these bounds."""
    return Interval(min(max(a.low, bounds.low), bounds.high), min(max(a.high, bounds.low), bounds.high))


def negate(a: Interval) -> Interval:
    """`-a`."""
    return Interval(-a.high, -a.low)


def absolute(a: Interval) -> Interval:
    """`abs(a)`."""
    if a.low >= 0:
        return a
    return negate(a) if a.high <= 0 else Interval(0.0, max(-a.low, a.high))


def minimum(a: Interval, b: Interval) -> Interval:
    """`min(a, b)`."""
    return Interval(min(a.low, b.low), min(a.high, b.high))


def maximum(a: Interval, b: Interval) -> Interval:
    """`max(a, b)`."""
    return Interval(max(a.low, b.low), max(a.high, b.high))


def clamp(a: Interval, low: Interval, high: Interval) -> Interval:
    """`clamp(a, low, high)`."""
    return minimum(maximum(a, low), high)


def add(a: Interval, b: Interval) -> Interval:
    """`a + b`. Like the operations below, it raises `OverflowError` where the result can be too large."""
    return _rounded([a.low + b.low, a.high + b.high])


def subtract(a: Interval, b: Interval) -> Interval:
    """`a - b`."""
    return _rounded([a.low - b.high, a.high - b.low])


def multiply(a: Interval, b: Interval) -> Interval:
    """`a * b`."""
    return _rounded([x * y for x in (a.low, a.high) for y in (b.low, b.high)])


def square(a: Interval) -> Interval:
    """`a * a`, of a number and itself."""
    size = absolute(a)
    return multiply(size, size)


def divide(a: Interval, b: Interval) -> Interval:
    """`a / b`, where b does not hold zero."""
    return _rounded([x / y for x in (a.low, a.high) for y in (b.low, b.high)])


def modulo(a: Interval, b: Interval) -> Interval:
    """`mod(a, b)`, where b holds nothing but numbers above zero."""
    if a.low >= 0 and a.high < b.low:
        return a
    below = -above(-b.high)
    return Interval(0.0, below if a.low < 0 else min(a.high, below))


def call(function: Function, operands: Sequence[Interval]) -> Interval:
    """A function whose course is known, of numbers in its domain; `OverflowError` where it can be too large."""
    match function.course:
        case "even":
            low, high = function.exact(absolute(operands[0]).low), function.exact(absolute(operands[0]).high)
        case "bounded":
            low, high = function.bounds
        case _:
            low, high = (function.exact(*ends) for ends in zip(*((a.low, a.high) for a in operands), strict=True))
    if function.rounded:
        return Interval(round32(low), round32(high))
    return _near(low, high) if function.course == "bounded" else inside(_near(low, high), Interval(*function.bounds))


def power(a: Interval, b: Interval) -> Interval:
    """`pow(a, b)`, where a holds nothing below zero, and nothing but numbers above zero where b is not above zero. It
    is monotone in each operand, so its ends lie in corners; `OverflowError` where it can be too large."""
    corners = [_power(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return _near(min(corners), max(corners))


def whole_power(a: Interval, exponent: float) -> Interval:
    """`pow(a, n)` with a whole n, which is above 0 where a holds zero: the power of the size, with the sign of the base
    where n is odd."""
    of_exponent = single(exponent)
    size = power(absolute(a), of_exponent)
    if exponent % 2 == 0 or a.low >= 0:
        return size
    if a.high <= 0:
        return negate(size)
    below, over = (power(Interval(0.0, end), of_exponent) for end in (-a.low, a.high))
    return Interval(-below.high, over.high)


def length(extents: list[float]) -> float:
    """The most that the length of a vector can be whose components are at most this far from zero."""
    squares = math.fsum(extent * extent for extent in extents)
    if squares == 0:
        return 0.0
    # Each square and each sum is rounded: by a part of itself, or among the smallest numbers.
    total = math.sqrt(squares + len(extents) * SMALLEST)
    return round32(total * (1 + len(extents) * 2.0**-23))


def decide(op: Comparison, a: Interval, b: Interval) -> bool | None:
    """Whether the comparison always holds (true), never holds (false), or can do either."""
    possible = orders(a, b)
    return True if not possible & ~ORDERS[op] else False if not possible & ORDERS[op] else None


def common(a: Interval, b: Interval) -> Interval | None:
    """The numbers in both."""
    low, high = max(a.low, b.low), min(a.high, b.high)
    return Interval(low, high) if low <= high else None


def orders(a: Interval, b: Interval) -> int:
    """The orders that numbers in these intervals can have."""
    less, greater = LESS if a.low < b.high else 0, GREATER if a.high > b.low else 0
    return less | greater | (EQUAL if a.low <= b.high and b.low <= a.high else 0)


def narrowed(a: Interval, b: Interval, allowed: int) -> Interval | None:
    """Where a lies, given where b lies and how the two may be ordered."""
    low, high = a.low, a.high
    if not allowed & GREATER:
        high = min(high, b.high if allowed & EQUAL else -above(-b.high))
    if not allowed & LESS:
        low = max(low, b.low if allowed & EQUAL else above(b.low))
    if not allowed & EQUAL and b.low == b.high:
        low, high = (above(low) if low == b.low else low), (-above(-high) if high == b.low else high)
    return Interval(low, high) if low <= high else None


def _rounded(corners: list[float]) -> Interval:
    # Rounding the binary64 result again gives the binary32 result: 53 bits are more than twice 24 and two.
    low, high = min(corners), max(corners)
    return Interval(_finite(round32(low)), _finite(round32(high)))


def _near(low: float, high: float) -> Interval:
    """Where an elementary function lies whose true values lie in low .. high, computed in binary64.

    A result has the sign of the true value, or is 0: so no end moves across 0.
    """
    least = low * (1 - SLACK if low > 0 else 1 + SLACK) - LAST_PLACES * SMALLEST
    most = high * (1 + SLACK if high > 0 else 1 - SLACK) + LAST_PLACES * SMALLEST
    return Interval(_downwards(max(least, 0.0) if low >= 0 else least), _upwards(min(most, 0.0) if high <= 0 else most))


def _downwards(value: float) -> float:
    """The largest binary32 number that is not above the value."""
    nearest = _finite(round32(value))
    return -_next(-nearest) if nearest > value else nearest


def _upwards(value: float) -> float:
    """The least binary32 number that is not below the value."""
    nearest = _finite(round32(value))
    return _next(nearest) if nearest < value else nearest


def _next(value: float) -> float:
    """The least binary32 number above this one; of the largest, `OverflowError`."""
    return _finite(above(value))


def above(value: float) -> float:
    """The least binary32 number above this one; above the largest one, infinity."""
    if value == 0:
        return SMALLEST
    return from_bits32(bits32(value) + (1 if value > 0 else -1)) if value < LARGEST else math.inf


def _finite(value: float) -> float:
    """The value, unless it is infinite or no number. Rounding raises for what is too large, but takes these."""
    if not math.isfinite(value):
        raise OverflowError(f"{value} is no end of an interval")
    return value


def _power(base: float, exponent: float) -> float:
    """In binary64, or infinite."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf
