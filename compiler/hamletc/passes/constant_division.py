"""Division by a constant as a multiplication and a fused multiplication and addition.

    x / c  =  fma(x, high, x * low),    high = round(1 / c),  low = round(1 / c - high)

N. Brisebarre, J.-M. Muller, S. K. Raina, "Accelerating correctly rounded floating-point division when the divisor is
known in advance", IEEE Transactions on Computers 53(8), 2004. The sequence is correctly rounded for most divisors, not
for all: `_is_exact` proves it for a divisor and every numerator, with integers. Without the proof a division stays.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import frexp, inf, ldexp

from hamlet.frozen import dataclass
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function
from hamletc.ir.ops import Abs, Add, Const, Div, Neg, Op, Select, Sub, ToF32, Type, Value
from hamletc.passes.ranges import Facts, Ranges, counts_of
from hamletc.passes.rewrite import rewrite

PRECISION = 24
FIRST, BEYOND = 1 << PRECISION - 1, 1 << PRECISION
"""The significands of normal numbers are the integers FIRST <= n < BEYOND."""
SMALLEST, LARGEST = 2.0**-38, 2.0**38
"""Divisors and numerators between these keep all that the sequence computes from underflow and overflow: `low` is at
least 2**-48 times `high`."""
DEPTH = 8
"""How many selects and signs are looked through for the least magnitude of a numerator."""


@dataclass(frozen=True, slots=True)
class ConstantDivision:
    """Replaces divisions by constants where the numerator is zero or of a moderate magnitude, and never -0.0."""

    facts: Facts
    name: str = "constant_division"

    def run(self, function: Function) -> Function:
        builder = Builder()
        ranges = Ranges(builder.nodes, self.facts, counts_of(function))

        def rule(op: Op, type_: Type) -> Value | None:
            if type_ is not Type.F32 or not isinstance(op, Div):
                return None
            divisor = builder.nodes[op.right].op
            if not isinstance(divisor, Const) or not _is_moderate(builder, ranges, op.left):
                return None
            parts = reciprocal(float(divisor.value))
            if parts is None:
                return None
            high, low = (builder.f32(part) for part in parts)
            return builder.fma(op.left, high, builder.mul(op.left, low))

        return rewrite(function, builder, rule, (Div,))


def _is_moderate(builder: Builder, ranges: Ranges, numerator: Value) -> bool:
    """Whether a numerator is +0.0 or of a magnitude between SMALLEST and LARGEST."""
    interval = ranges[numerator]
    if interval.nan or interval.negative_zero or max(-interval.low, interval.high) > LARGEST:
        return False
    return _least(builder, ranges, numerator, DEPTH) >= SMALLEST


def _least(builder: Builder, ranges: Ranges, value: Value, depth: int) -> float:
    """A magnitude below which the value is a zero only."""
    interval = ranges[value]
    if interval.low > 0 or interval.high < 0:
        return min(abs(interval.low), abs(interval.high))
    match builder.nodes[value].op:
        case Const():
            return inf
        case ToF32():
            return 1.0
        case Add(left=left, right=right) | Sub(left=left, right=right):
            # Numbers that nearly cancel are multiples of the last place of the smaller one, at least half the larger.
            constants = [op for one in (left, right) if isinstance(op := builder.nodes[one].op, Const) and op.value]
            return min((_last_place(float(op.value)) / 2 for op in constants), default=0.0)
        case Neg(operand=operand) | Abs(operand=operand) if depth:
            return _least(builder, ranges, operand, depth - 1)
        case Select(then=then, otherwise=otherwise) if depth:
            return min(_least(builder, ranges, one, depth - 1) for one in (then, otherwise))
        case _:
            return 0.0


def _last_place(value: float) -> float:
    """The value of the last bit of a binary32 number; of a subnormal one more."""
    return ldexp(1.0, frexp(value)[1] - PRECISION)


@lru_cache(maxsize=1024)
def reciprocal(divisor: float) -> tuple[float, float] | None:
    """`high` and `low` for a binary32 divisor; `None` where the sequence is not proven to be exact.

    A power of two has none: its reciprocal is one number. Nor has a negative divisor, with which +0.0 could go wrong.
    """
    if not SMALLEST <= divisor <= LARGEST:
        return None
    fraction, exponent = frexp(divisor)
    significand = int(ldexp(fraction, PRECISION))
    if significand == FIRST or not _is_exact(significand):
        return None
    high, low = _parts(significand)
    scale = ldexp(1.0, PRECISION - exponent)
    return float(high) * scale, float(low) * scale


def _parts(significand: int) -> tuple[Fraction, Fraction]:
    """1 / significand as a sum of two numbers of 24 bits."""
    exact = Fraction(1, significand)
    high = _rounded(exact)
    return high, _rounded(exact - high)


def _is_exact(divisor: int) -> bool:
    """Whether the sequence gives the correctly rounded quotient of every significand x by this one.

    Before the last rounding, the sequence is off by at most x * error. That matters only where a midpoint of two
    binary32 numbers is as near to x / divisor. Midpoints are odd multiples of 2**-shift: k / (divisor * 2**shift) away,
    where 2**shift * x = divisor + k modulo 2 * divisor, and k is not zero. So few x are left, and all are tried.
    """
    high, low = _parts(divisor)
    error = abs(high + low - Fraction(1, divisor)) + abs(low) / BEYOND
    for shift, begin, end in ((PRECISION, divisor, BEYOND), (PRECISION + 1, FIRST, divisor)):
        nearest = int(end * error * divisor * 2**shift)
        for k in range(-nearest, nearest + 1):
            for x in _solutions(2**shift, divisor + k, 2 * divisor, begin, end) if k else ():
                if _rounded(x * high + _rounded(x * low)) != _rounded(Fraction(x, divisor)):
                    return False
    return True


def _solutions(factor: int, remainder: int, modulus: int, begin: int, end: int) -> range:
    """The x in begin <= x < end with factor * x = remainder modulo the modulus; the factor is a power of two."""
    common = min(factor, modulus & -modulus)
    if remainder % common:
        return range(0)
    period = modulus // common
    first = remainder // common * pow(factor // common, -1, period) % period
    return range(begin + (first - begin) % period, end, period)


def _rounded(value: Fraction) -> Fraction:
    """The nearest number of 24 bits, ties to even; the exponent has no bounds."""
    if not value:
        return value
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    last_place = Fraction(2) ** (exponent - PRECISION + 1)
    return round(value / last_place) * last_place
