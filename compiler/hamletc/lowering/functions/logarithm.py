"""log and log2 of x > 0: x = 2^n (1 + v)."""

from __future__ import annotations

from hamlet.numbers import elementary as e
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.functions.pieces import split, tail


def log(builder: Builder, x: Value) -> Value:
    """n log(2) + log(1 + v); the largest part, n log(2) + v, is kept with what rounding it loses."""
    number, v = split(builder, x)
    high, low = builder.f32(e.LN2_HIGH), builder.f32(e.LN2_LOW)
    rest = builder.fma(number, low, tail(builder, v))
    largest = builder.fma(number, high, v)
    lost = builder.add(builder.fma(number, high, builder.neg(largest)), v)
    return builder.add(largest, builder.add(rest, lost))


def log2(builder: Builder, x: Value) -> Value:
    """n + log(1 + v) log2(e); the largest part, n + v log2(e), is kept with what rounding it loses."""
    number, v = split(builder, x)
    high, low = builder.f32(e.LOG2_E_HIGH), builder.f32(e.LOG2_E_LOW)
    product = builder.mul(v, high)
    lost = builder.fma(v, high, builder.neg(product))
    rest = builder.fma(tail(builder, v), high, builder.fma(v, low, lost))
    largest = builder.add(number, product)
    lost = builder.add(builder.sub(number, largest), product)
    return builder.add(largest, builder.add(lost, rest))
