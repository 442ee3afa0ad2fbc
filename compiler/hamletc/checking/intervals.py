"""Interval arithmetic on binary32: where a value lies, given where its operands lie.

Every operation of arithmetic is correctly rounded and monotone in each operand, so the ends of the result are the
rounded results of ends. Elementary functions are sequences of operations, of which neither is known: the ends of their
results are those of the true function, moved outwards by more than the sequences are off (docs/functions.md). All ends
are finite: an operation whose result can be infinite raises `OverflowError`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hamlet.numbers.binary32 import LARGEST, bits32, from_bits32, round32, spell32
from hamletc.checking.folding import Comparison


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from `low` to `high`, both included; both are binary32 numbers, held exactly."""

    low: float
    high: float

    def __str__(self) -> str:
        return spell(self.low) if self.low == self.high else f"{spell(self.low)} .. {spell(self.high)}"


def spell(value: float) -> str:
    """A number as an author would write it: `0`, not `0.0`."""
    return spell32(value).removesuffix(".0")


SMALLEST = 2.0**-149
"""The smallest binary32 number above zero."""
ANYTHING = Interval(-LARGEST, LARGEST)
ZERO = Interval(0.0, 0.0)
SHARE = Interval(0.0, 1 - 2.0**-24)
"""A random share of 1."""
NORMAL = Interval(-5.769999980926514, 5.769999980926514)
"""A random number of mean 0 and deviation 1: at most sqrt(48 log(2)) and a little from 0."""
SLACK = 2.0**-18
"""By how much of itself the result of an elementary function may be off: more than ten times what is proven
(docs/functions.md, "Bounds that are proven")."""
LAST_PLACES = 4
"""By how many of the smallest numbers it may be off besides, where it is subnormal."""
FARTHEST_ANGLE = 2.0**20
"""The largest angle whose sine and cosine are defined."""


def single(value: float) -> Interval:
    """One number, rounded to binary32."""
    exact = round32(value)
    return Interval(exact, exact)


def hull(a: Interval, b: Interval) -> Interval:
    """The smallest interval that holds both."""
    return Interval(min(a.low, b.low), max(a.high, b.high))


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


def divide(a: Interval, b: Interval) -> Interval:
    """`a / b`, where b does not hold zero."""
    return _rounded([x / y for x in (a.low, a.high) for y in (b.low, b.high)])


def root(a: Interval) -> Interval:
    """`sqrt(a)`, where a holds nothing below zero; correctly rounded."""
    return Interval(round32(math.sqrt(a.low)), round32(math.sqrt(a.high)))


def exponential(function: Callable[[float], float], a: Interval) -> Interval:
    """A function that grows and is positive, such as `exp`; `OverflowError` where the result can be too large."""
    return _near(function(a.low), function(a.high))


def logarithm(function: Callable[[float], float], a: Interval) -> Interval:
    """`log` or `log2`, where a holds nothing but numbers above zero."""
    return _near(function(a.low), function(a.high))


def squashed(function: Callable[[float], float], a: Interval, bounds: Interval) -> Interval:
    """A function that grows and stays within bounds: `tanh`, `sigmoid`."""
    return clamp(_near(function(a.low), function(a.high)), *map(_point, (bounds.low, bounds.high)))


def logistic(x: float) -> float:
    """1 / (1 + exp(-x)) in binary64, without overflow and without cancellation."""
    shrunk = math.exp(-abs(x))
    return (shrunk if x < 0 else 1.0) / (1.0 + shrunk)


def wave() -> Interval:
    """`sin` or `cos` of any angle."""
    return _near(-1.0, 1.0)


def power(a: Interval, b: Interval) -> Interval:
    """`pow(a, b)`, where a holds nothing below zero, and nothing but numbers above zero where b is not above zero. It
    is monotone in each operand, so its ends lie in corners; `OverflowError` where it can be too large."""
    corners = [_power(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return _near(min(corners), max(corners))


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
    match op:
        case "<":
            return _less(a, b)
        case "<=":
            return _not(_less(b, a))
        case ">":
            return _less(b, a)
        case ">=":
            return _not(_less(a, b))
        case "==":
            return _equal(a, b)
        case "!=":
            return _not(_equal(a, b))


def _less(a: Interval, b: Interval) -> bool | None:
    if a.high < b.low:
        return True
    return False if a.low >= b.high else None


def _equal(a: Interval, b: Interval) -> bool | None:
    if a.high < b.low or b.high < a.low:
        return False
    return True if a.low == a.high == b.low == b.high else None


def _not(decided: bool | None) -> bool | None:
    return None if decided is None else not decided


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
    return Interval(
        _downwards(max(least, 0.0) if low >= 0 else least),
        _upwards(min(most, 0.0) if high <= 0 else most),
    )


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
    if value == 0:
        return SMALLEST
    return _finite(from_bits32(bits32(value) + (1 if value > 0 else -1)))


def _finite(value: float) -> float:
    """The value, unless it is infinite or no number. Rounding raises for what is too large, but takes these."""
    if not math.isfinite(value):
        raise OverflowError(f"{value} is no end of an interval")
    return value


def _point(value: float) -> Interval:
    return Interval(value, value)


def _power(base: float, exponent: float) -> float:
    """In binary64, or infinite."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf
