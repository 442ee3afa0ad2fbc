"""Elementary functions that networks need, as the sequences of operations of docs/functions.md."""

from __future__ import annotations

from typing import Any

from hamlet.launch.cpu.ops.machinery import types
from hamlet.launch.cpu.ops.operations import (
    absolute,
    add,
    bit_and,
    fma,
    from_bits,
    shift_left,
    shift_right,
    subtract,
    to_bits,
    to_f32,
    to_i32,
    where,
)
from hamlet.launch.cpu.ops.tracing import traced
from hamlet.numbers import elementary as e

f32 = types.float32


@traced
def exp(x: Any) -> Any:
    """e^x = 2^n * e^r."""
    x = where(x < f32(e.EXP_LEAST), f32(e.EXP_LEAST), x)
    x = where(f32(e.EXP_MOST) < x, f32(e.EXP_MOST), x)
    shifted = fma(x, f32(e.LOG2_E_HIGH), f32(e.ROUND))
    n = shifted - f32(e.ROUND)
    exponent = subtract(to_bits(shifted), e.ROUND_BITS)
    r = fma(-n, f32(e.LN2_HIGH), x)
    r = fma(-n, f32(e.LN2_LOW), r)
    polynomial = f32(e.EXP[0])
    for coefficient in e.EXP[1:]:
        polynomial = fma(polynomial, r, f32(coefficient))
    result = fma(polynomial * r, r, r) + f32(1.0)
    half = subtract(shift_right(add(exponent, 512), 1), 256)
    result = result * from_bits(shift_left(add(half, 127), 23))
    return result * from_bits(shift_left(add(subtract(exponent, half), 127), 23))


@traced
def log_from_1(x: Any) -> Any:
    """n log(2) + log(1 + v) of numbers from 1 on, of which none is subnormal."""
    word = to_bits(x)
    biased = bit_and(shift_right(add(word, e.SQRT2_BIAS), 23), 0x1FF)
    n = to_f32(to_i32(biased)) - f32(127.0)
    v = from_bits(subtract(word, shift_left(subtract(biased, 127), 23))) - f32(1.0)
    square = v * v
    polynomial = f32(e.LOG[0])
    for coefficient in e.LOG[1:]:
        polynomial = fma(polynomial, v, f32(coefficient))
    tail = fma(square * v, polynomial, f32(-0.5) * square)
    rest = fma(n, f32(e.LN2_LOW), tail)
    largest = fma(n, f32(e.LN2_HIGH), v)
    lost = fma(n, f32(e.LN2_HIGH), -largest) + v
    return largest + (rest + lost)


@traced
def tanh(x: Any) -> Any:
    """A polynomial near 0, else 1 - 2 / (e^(2 abs(x)) + 1), with the sign of x."""
    size = absolute(x)
    square = size * size
    polynomial = f32(e.TANH[0])
    for coefficient in e.TANH[1:]:
        polynomial = fma(polynomial, square, f32(coefficient))
    small = fma(polynomial * square, size, size)
    limited = where(f32(e.TANH_MOST) < size, f32(e.TANH_MOST), size)
    large = f32(1.0) - f32(2.0) / (exp(limited + limited) + f32(1.0))
    result = where(size < f32(e.TANH_SMALL), small, large)
    return where(x < f32(0.0), -result, result)
