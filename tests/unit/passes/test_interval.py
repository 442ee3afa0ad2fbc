"""Arithmetic of intervals, and the fused multiplication and addition that constants are folded with."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from hamletc.passes.interval import ANY_F32, Interval, divide, fused32, multiply, to_binary32


def rounded(value: Fraction) -> float:
    """The nearest binary32 number, ties to even."""
    if not value:
        return 0.0
    exponent = max(value.numerator.bit_length() - value.denominator.bit_length() - 1, -126)
    while abs(value) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    place = Fraction(2) ** (exponent - 23)
    return float(round(value / place) * place)


def test_a_fused_operation_is_rounded_once() -> None:
    generator = np.random.default_rng(3)
    twice = 0
    for bits in generator.integers(0x3F000000, 0x40800000, (20_000, 3), dtype=np.uint32):
        left, right, addend = (float(number) for number in bits.view(np.float32))
        exact = Fraction(left) * Fraction(right) - Fraction(addend)
        assert fused32(left, right, -addend) == rounded(exact)
        twice += to_binary32(to_binary32(left * right) - addend) != rounded(exact)
    assert twice > 5_000


@pytest.mark.parametrize(
    ("sign", "addend", "expected"),
    [(1, 2.0**-76, 1 + 2.0**-23), (1, -(2.0**-76), 1.0), (-1, 2.0**-76, -1.0), (-1, -(2.0**-76), -1 - 2.0**-23)],
)
def test_next_to_a_tie(sign: int, addend: float, expected: float) -> None:
    """97 * 172961 * 2**-24 is 1 + 2**-24: a tie, which an addend decides that binary64 does not see."""
    assert fused32(sign * 97.0, 172961.0 * 2.0**-24, addend) == expected


@pytest.mark.parametrize("operation", [multiply, divide])
@pytest.mark.parametrize("ends", [(1.0, inf), (-inf, -1.0)])
def test_nothing_is_known_of_products_with_infinity(operation: object, ends: tuple[float, float]) -> None:
    assert callable(operation)
    unbounded, known = Interval(*ends), Interval(1.0, 2.0)
    assert operation(unbounded, known) == operation(known, unbounded) == ANY_F32
