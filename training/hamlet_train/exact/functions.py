"""The elementary functions of docs/functions.md on vectors of kernels, operation by operation."""

from __future__ import annotations

from typing import Any

import numpy as np

from hamlet.launch.cpu.ops import (
    absolute,
    add,
    bit_and,
    equal,
    fma,
    from_bits,
    helper,
    inline,
    shift_left,
    shift_right,
    square_root,
    subtract,
    to_bits,
    to_f32,
    to_i32,
    where,
)
from hamlet.numbers import elementary as e

ZERO, HALF, ONE, TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
ROUND, ROUND_BITS, SQRT2_BIAS = np.float32(e.ROUND), e.ROUND_BITS, e.SQRT2_BIAS
EXP_LEAST, EXP_MOST = np.float32(e.EXP_LEAST), np.float32(e.EXP_MOST)
LOG2_E, LN2_HIGH, LN2_LOW = np.float32(e.LOG2_E_HIGH), np.float32(e.LN2_HIGH), np.float32(e.LN2_LOW)
TANH_MOST, TANH_SMALL = np.float32(e.TANH_MOST), np.float32(e.TANH_SMALL)
SMALLEST_NORMAL, SUBNORMAL_SCALE = np.float32(e.SMALLEST_NORMAL), np.float32(e.SUBNORMAL_SCALE)
BIAS, SUBNORMAL_BIAS = np.float32(127.0), np.float32(150.0)
TURNS_MOST, TWO_OVER_PI, TWICE_PI = np.float32(e.TURNS_MOST), np.float32(e.TWO_OVER_PI), np.float32(e.TWICE_PI)
HALF_PI_HIGH, HALF_PI_MIDDLE, HALF_PI_LOW = (np.float32(each) for each in e.HALF_PI)
S0, S1, S2, S3 = (np.float32(each) for each in e.SIN)
C0, C1, C2, C3 = (np.float32(each) for each in e.COS)
E0, E1, E2, E3, E4, E5 = (np.float32(each) for each in e.EXP)
L0, L1, L2, L3, L4, L5, L6, L7, L8 = (np.float32(each) for each in e.LOG)
T0, T1, T2, T3, T4, T5 = (np.float32(each) for each in e.TANH)


@inline
def exp(x: Any) -> Any:
    """e^x = 2^n * e^r."""
    x = where(x < EXP_LEAST, EXP_LEAST, x)
    x = where(EXP_MOST < x, EXP_MOST, x)  # noqa: SIM300  (vectors have no >)
    shifted = fma(x, LOG2_E, ROUND)
    n = shifted - ROUND
    r = fma(-n, LN2_LOW, fma(-n, LN2_HIGH, x))
    p = fma(fma(fma(fma(fma(E0, r, E1), r, E2), r, E3), r, E4), r, E5)
    value = fma(p * r, r, r) + ONE
    # Halves of the exponent, biased so that a logical shift rounds down.
    exponent = add(subtract(to_bits(shifted), ROUND_BITS), 1024)
    half = shift_right(exponent, 1)
    rest = subtract(exponent, half)
    scaled = value * from_bits(shift_left(subtract(half, 385), 23))
    return scaled * from_bits(shift_left(subtract(rest, 385), 23))


@inline
def log(x: Any) -> Any:
    """n log(2) + log(1 + v), of x > 0."""
    subnormal = x < SMALLEST_NORMAL
    word = to_bits(where(subnormal, x * SUBNORMAL_SCALE, x))
    biased = bit_and(shift_right(add(word, SQRT2_BIAS), 23), 0x1FF)
    v = from_bits(subtract(word, shift_left(subtract(biased, 127), 23))) - ONE
    n = to_f32(to_i32(biased)) - where(subnormal, SUBNORMAL_BIAS, BIAS)
    square = v * v
    p = fma(fma(fma(fma(fma(fma(fma(fma(L0, v, L1), v, L2), v, L3), v, L4), v, L5), v, L6), v, L7), v, L8)
    tail = fma(square * v, p, -HALF * square)
    rest = fma(n, LN2_LOW, tail)
    largest = fma(n, LN2_HIGH, v)
    lost = fma(n, LN2_HIGH, -largest) + v
    return largest + (rest + lost)


@inline
def tanh(x: Any) -> Any:
    """A polynomial near 0, else 1 - 2 / (e^(2 abs(x)) + 1), with the sign of x."""
    size = absolute(x)
    square = size * size
    p = fma(fma(fma(fma(fma(T0, square, T1), square, T2), square, T3), square, T4), square, T5)
    small = fma(p * square, size, size)
    limited = where(TANH_MOST < size, TANH_MOST, size)  # noqa: SIM300
    large = ONE - TWO / (exp(limited + limited) + ONE)
    result = where(size < TANH_SMALL, small, large)
    return where(x < ZERO, -result, result)


@inline
def cos(x: Any) -> Any:
    """The polynomial of sine or cosine at the rest of x by pi / 2, which is a sum of two numbers."""
    x = where(x < -TURNS_MOST, -TURNS_MOST, x)
    x = where(TURNS_MOST < x, TURNS_MOST, x)  # noqa: SIM300
    shifted = fma(x, TWO_OVER_PI, ROUND)
    n = shifted - ROUND
    start = fma(-n, HALF_PI_HIGH, x)
    product = n * HALF_PI_MIDDLE
    product_lost = fma(n, HALF_PI_MIDDLE, -product)
    high = start - product
    taken = high - start
    lost = (start - (high - taken)) - (product + taken)
    low = fma(-n, HALF_PI_LOW, lost - product_lost)
    r = high + low
    r_low = (high - r) + low
    square = r * r
    sine = r + fma(fma(fma(fma(S0, square, S1), square, S2), square, S3) * square, r, r_low)
    p = fma(fma(fma(C0, square, C1), square, C2), square, C3)
    small = fma(square * square, p, -r * r_low)
    half = square * HALF
    largest = ONE - half
    cosine = largest + (((ONE - largest) - half) + small)
    quadrant = add(subtract(to_bits(shifted), ROUND_BITS), 1)
    value = where(equal(bit_and(quadrant, 1), 1), cosine, sine)
    return where(equal(bit_and(quadrant, 2), 2), -value, value)


@helper
def share(word: Any, above: Any) -> Any:
    """(word >> 8) + `above` in units of 2^-24, f32, of a word u32."""
    return np.float32(np.int64(word >> np.uint32(8)) + above) * np.float32(2.0**-24)


@inline
def normal(first: Any, second: Any) -> Any:
    """A normally distributed number (Box and Muller 1958) of two uniform ones: 0 < `first` <= 1, 0 <= `second` < 1."""
    return square_root(log(first) * -TWO) * cos(second * TWICE_PI)
