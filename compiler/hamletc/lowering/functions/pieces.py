"""What several functions are made of."""

from __future__ import annotations

from hamlet.numbers import elementary as e
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value


def polynomial(builder: Builder, coefficients: tuple[float, ...], x: Value) -> Value:
    """Horner's rule with fma, from the highest coefficient on."""
    result = builder.f32(coefficients[0])
    for coefficient in coefficients[1:]:
        result = builder.fma(result, x, builder.f32(coefficient))
    return result


def limit(builder: Builder, x: Value, least: float, most: float) -> Value:
    """x within these bounds."""
    return builder.clamp(x, builder.f32(least), builder.f32(most))


def nearest(builder: Builder, shifted: Value) -> tuple[Value, Value]:
    """Of x + ROUND: the integer nearest to x, as F32 and as U32 (two's complement)."""
    number = builder.sub(shifted, builder.f32(e.ROUND))
    return number, builder.sub(builder.to_bits(shifted), builder.u32(e.ROUND_BITS))


def scale(builder: Builder, x: Value, exponent: Value) -> Value:
    """x * 2^exponent, rounded once; the exponent (U32, two's complement) is -512 .. 254."""
    shifted = builder.shift_right(builder.add(exponent, builder.u32(512)), 1)
    half = builder.sub(shifted, builder.u32(256))
    for part in (half, builder.sub(exponent, half)):
        biased = builder.add(part, builder.u32(127))
        x = builder.mul(x, builder.from_bits(builder.shift_left(biased, builder.u32(23))))
    return x


def split(builder: Builder, x: Value) -> tuple[Value, Value]:
    """Of x > 0 the exponent n (F32) and v, x = 2^n * (1 + v) with sqrt(1/2) <= 1 + v < sqrt(2)."""
    subnormal = builder.less(x, builder.f32(e.SMALLEST_NORMAL))
    normal = builder.select(subnormal, builder.mul(x, builder.f32(e.SUBNORMAL_SCALE)), x)
    bits = builder.to_bits(normal)
    biased = builder.shift_right(builder.add(bits, builder.u32(e.SQRT2_BIAS)), 23)
    exponent = builder.shift_left(builder.sub(biased, builder.u32(127)), builder.u32(23))
    significand = builder.from_bits(builder.sub(bits, exponent))
    bias = builder.select(subnormal, builder.f32(150.0), builder.f32(127.0))
    number = builder.sub(builder.to_f32(builder.to_i32(biased)), bias)
    return number, builder.sub(significand, builder.f32(1.0))


def tail(builder: Builder, v: Value) -> Value:
    """log(1 + v) - v."""
    square = builder.mul(v, v)
    half = builder.mul(builder.f32(-0.5), square)
    return builder.fma(builder.mul(square, v), polynomial(builder, e.LOG, v), half)
