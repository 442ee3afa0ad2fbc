"""sin and cos of abs(x) <= 2^20: x = n pi / 2 + r, and one of sin and cos of r, by the quadrant n mod 4."""

from __future__ import annotations

from hamlet.numbers import elementary as e
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.functions.pieces import limit, nearest, polynomial


def sin(builder: Builder, x: Value) -> Value:
    """sin x; the quadrant is n."""
    return _wave(builder, x, 0)


def cos(builder: Builder, x: Value) -> Value:
    """cos x = sin(x + pi / 2): the quadrant is n + 1."""
    return _wave(builder, x, 1)


def _wave(builder: Builder, x: Value, quadrants: int) -> Value:
    x = limit(builder, x, -e.TURNS_MOST, e.TURNS_MOST)
    number, turns = nearest(builder, builder.fma(x, builder.f32(e.TWO_OVER_PI), builder.f32(e.ROUND)))
    rest, low = _rest(builder, x, number)
    quadrant = builder.add(turns, builder.u32(quadrants))
    odd = builder.not_(builder.equal(builder.and_(quadrant, builder.u32(1)), builder.u32(0)))
    negative = builder.not_(builder.equal(builder.and_(quadrant, builder.u32(2)), builder.u32(0)))
    value = builder.select(odd, _cos(builder, rest, low), _sin(builder, rest, low))
    return builder.select(negative, builder.neg(value), value)


def _rest(builder: Builder, x: Value, number: Value) -> tuple[Value, Value]:
    """x - n pi / 2 as a sum of two numbers, the second of which is below the last bit of the first."""
    first, middle, last = (builder.f32(part) for part in e.HALF_PI)
    away = builder.neg(number)
    rest = builder.fma(away, first, x)
    product = builder.mul(number, middle)
    product_lost = builder.fma(number, middle, builder.neg(product))
    high = builder.sub(rest, product)
    taken = builder.sub(high, rest)
    lost = builder.sub(builder.sub(rest, builder.sub(high, taken)), builder.add(product, taken))
    low = builder.fma(away, last, builder.sub(lost, product_lost))
    total = builder.add(high, low)
    return total, builder.add(builder.sub(high, total), low)


def _sin(builder: Builder, rest: Value, low: Value) -> Value:
    square = builder.mul(rest, rest)
    cubic = builder.mul(polynomial(builder, e.SIN, square), square)
    return builder.add(rest, builder.fma(cubic, rest, low))


def _cos(builder: Builder, rest: Value, low: Value) -> Value:
    one = builder.f32(1.0)
    square = builder.mul(rest, rest)
    quartic = builder.mul(square, square)
    turned = builder.mul(builder.neg(rest), low)
    small = builder.fma(quartic, polynomial(builder, e.COS, square), turned)
    half = builder.mul(builder.f32(0.5), square)
    largest = builder.sub(one, half)
    lost = builder.sub(builder.sub(one, largest), half)
    return builder.add(largest, builder.add(lost, small))
