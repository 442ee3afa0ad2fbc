"""Exact sums of binary32 numbers, as integers: no order shows in them, and sums of parts add up to the sum of all.

A binary32 number is a whole multiple of 2**-149. Numbers are added apart by the upper bits of their exponents, in
`WORDS` integers of which word w counts multiples of 2**(8 w - 149). This is the accumulator of U. Kulisch (Computer
Arithmetic and Validity, 2008), with room for 2**32 numbers instead of carries.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORDS = 32
SHIFTS = 3
"""Bits of the exponent by which a number is shifted inside its word."""
LEAST = 149
"""The smallest binary32 number is 2**-149."""
BLOCK = 1 << 20
"""Numbers that are added in binary64, which holds sums of so many exactly."""


_KINDS = np.arange(1 << 9)
"""Every sign with every exponent."""
_PLACES = np.maximum(_KINDS & 0xFF, 1) - 1
_LEADING = np.where(_KINDS & 0xFF, float(1 << 23), 0.0)
_SCALES = np.ldexp(np.where(_KINDS >> 8, -1.0, 1.0), _PLACES & ((1 << SHIFTS) - 1))
_WORD = _PLACES >> SHIFTS


def words_of(values: NDArray[np.float32]) -> NDArray[np.int64]:
    """The exact sum of finite numbers, [WORDS] i64."""
    words = np.zeros(WORDS, np.int64)
    for first in range(0, len(values), BLOCK):
        words += _block(values[first : first + BLOCK])
    return words


def _block(values: NDArray[np.float32]) -> NDArray[np.int64]:
    bits = np.ascontiguousarray(values).view(np.uint32)
    # Sign and exponent say the word and the scale; subnormal numbers have those of the smallest normal ones.
    fraction = (bits & 0x7FFFFF).astype(np.float64)
    kind = (bits >> 23).astype(np.intp)
    fraction += _LEADING[kind]
    fraction *= _SCALES[kind]
    sums: NDArray[Any] = np.bincount(_WORD[kind], weights=fraction, minlength=WORDS)
    return sums.astype(np.int64)


def sum_of(words: NDArray[np.int64]) -> Fraction:
    """The sum that the words hold."""
    total = sum(int(word) << (index << SHIFTS) for index, word in enumerate(words.tolist()))
    return Fraction(total, 1 << LEAST)
