"""x^y = 2^(y log2(x)) of x >= 0, where log2(x) and the product have twice the bits of binary32."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.numbers import elementary as e
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.functions.pieces import limit, nearest, polynomial, scale, split


@dataclass(frozen=True, slots=True)
class _Pair:
    """high + low."""

    high: Value
    low: Value


def power(builder: Builder, x: Value, y: Value) -> Value:
    """x^y; 0 where x is not above 0."""
    logarithm = _log2(builder, x)
    most = builder.f32(e.POW_MOST)
    product = builder.mul(y, logarithm.high)
    high = limit(builder, product, -e.POW_MOST, e.POW_MOST)
    low = builder.fma(y, logarithm.low, builder.fma(y, logarithm.high, builder.neg(high)))
    low = builder.select(builder.less(builder.abs(product), most), low, builder.f32(0.0))
    number, exponent = nearest(builder, builder.add(high, builder.f32(e.ROUND)))
    part = builder.sub(high, number)
    rest = builder.add(part, low)
    lost = builder.add(builder.sub(part, rest), low)
    less_one = builder.fma(polynomial(builder, e.EXP2, rest), rest, builder.mul(lost, builder.f32(e.LN2_HIGH)))
    result = scale(builder, builder.add(builder.f32(1.0), less_one), exponent)
    return builder.select(builder.less(builder.f32(0.0), x), result, builder.f32(0.0))


def _log2(builder: Builder, x: Value) -> _Pair:
    """n + 2 log2(e) atanh(s) with x = 2^n (1 + v), s = v / (2 + v)."""
    number, v = split(builder, x)
    angle = _atanh(builder, _quotient(builder, v))
    factor_high, factor_low = builder.f32(e.TWICE_LOG2_E_HIGH), builder.f32(e.TWICE_LOG2_E_LOW)
    product = builder.mul(angle.high, factor_high)
    lost = builder.fma(angle.high, factor_high, builder.neg(product))
    lost = builder.fma(angle.high, factor_low, builder.fma(angle.low, factor_high, lost))
    total = _sum(builder, number, product)
    return _sum(builder, total.high, builder.add(total.low, lost))


def _sum(builder: Builder, larger: Value, smaller: Value) -> _Pair:
    """The sum and what rounding it loses (Dekker's fast two-sum)."""
    total = builder.add(larger, smaller)
    return _Pair(total, builder.add(builder.sub(larger, total), smaller))


def _quotient(builder: Builder, v: Value) -> _Pair:
    two = builder.f32(2.0)
    divisor = builder.add(two, v)
    divisor_low = builder.sub(v, builder.sub(divisor, two))
    quotient = builder.div(v, divisor)
    left = builder.fma(builder.neg(quotient), divisor, v)
    return _Pair(quotient, builder.div(builder.sub(left, builder.mul(quotient, divisor_low)), divisor))


def _atanh(builder: Builder, s: _Pair) -> _Pair:
    """s + s^3 (1/3 + s^2 P(s^2))."""
    square = builder.mul(s.high, s.high)
    square_low = builder.fma(s.high, s.high, builder.neg(square))
    square_low = builder.fma(builder.add(s.high, s.high), s.low, square_low)
    cube = builder.mul(square, s.high)
    cube_low = builder.fma(square, s.high, builder.neg(cube))
    cube_low = builder.fma(square, s.low, builder.fma(square_low, s.high, cube_low))
    series = builder.mul(square, polynomial(builder, e.ATANH, square))
    factor = _sum(builder, builder.f32(e.THIRD_HIGH), series)
    factor_low = builder.add(factor.low, builder.f32(e.THIRD_LOW))
    term = builder.mul(cube, factor.high)
    term_low = builder.fma(cube, factor.high, builder.neg(term))
    term_low = builder.fma(cube, factor_low, builder.fma(cube_low, factor.high, term_low))
    total = _sum(builder, s.high, term)
    return _Pair(total.high, builder.add(total.low, builder.add(s.low, term_low)))
