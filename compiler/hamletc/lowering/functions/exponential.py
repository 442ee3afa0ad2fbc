"""exp2, exp, and what is made of exp: tanh and sigmoid."""

from __future__ import annotations

from hamlet.numbers import elementary as e
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.functions.pieces import limit, nearest, polynomial, scale


def exp2(builder: Builder, x: Value) -> Value:
    """2^x = 2^n * 2^r with r = x - n, abs(r) <= 1/2."""
    x = limit(builder, x, e.EXP2_LEAST, e.EXP2_MOST)
    number, exponent = nearest(builder, builder.add(x, builder.f32(e.ROUND)))
    rest = builder.sub(x, number)
    return scale(builder, builder.fma(polynomial(builder, e.EXP2, rest), rest, builder.f32(1.0)), exponent)


def exp(builder: Builder, x: Value) -> Value:
    """e^x = 2^n * e^r with r = x - n log(2)."""
    x = limit(builder, x, e.EXP_LEAST, e.EXP_MOST)
    number, exponent = nearest(builder, builder.fma(x, builder.f32(e.LOG2_E_HIGH), builder.f32(e.ROUND)))
    away = builder.neg(number)
    rest = builder.fma(away, builder.f32(e.LN2_HIGH), x)
    rest = builder.fma(away, builder.f32(e.LN2_LOW), rest)
    less_one = builder.fma(builder.mul(polynomial(builder, e.EXP, rest), rest), rest, rest)
    return scale(builder, builder.add(less_one, builder.f32(1.0)), exponent)


def tanh(builder: Builder, x: Value) -> Value:
    """A polynomial for small x, otherwise 1 - 2 / (e^(2 abs(x)) + 1) with the sign of x."""
    size, one = builder.abs(x), builder.f32(1.0)
    square = builder.mul(size, size)
    small = builder.fma(builder.mul(polynomial(builder, e.TANH, square), square), size, size)
    most = builder.f32(e.TANH_MOST)
    limited = builder.select(builder.less(most, size), most, size)
    grown = exp(builder, builder.add(limited, limited))
    large = builder.sub(one, builder.div(builder.f32(2.0), builder.add(grown, one)))
    result = builder.select(builder.less(size, builder.f32(e.TANH_SMALL)), small, large)
    return builder.select(builder.less(x, builder.f32(0.0)), builder.neg(result), result)


def sigmoid(builder: Builder, x: Value) -> Value:
    """1 / (1 + e^-x) for x >= 0, e^x / (1 + e^x) for x < 0: nothing overflows."""
    one = builder.f32(1.0)
    shrunk = exp(builder, builder.neg(builder.abs(x)))
    above = builder.select(builder.less(x, builder.f32(0.0)), shrunk, one)
    return builder.div(above, builder.add(one, shrunk))
