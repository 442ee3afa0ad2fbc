"""IEEE 754 binary32 numbers held in Python floats.

A universe keeps a binary32 number as the Python float nearest to its shortest decimal spelling: `0.3`, not
`0.30000001192092896`. Whoever computes with it rounds it first (`round32`, `numpy.float32`, `torch.float32`).
"""

import math
import struct
from functools import lru_cache

_BINARY32, _WORD = struct.Struct("<f"), struct.Struct("<I")
LARGEST = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]


def round32(value: float) -> float:
    """Round a binary64 number once to binary32 (nearest, ties to even); the result is exact in binary64.

    Raises:
        OverflowError: the number is too large for a finite binary32.
    """
    return float(_BINARY32.unpack(_BINARY32.pack(value))[0])


def bits32(value: float) -> int:
    """The 32 bits of a number rounded to binary32, as an unsigned integer."""
    return int(_WORD.unpack(_BINARY32.pack(value))[0])


def from_bits32(bits: int) -> float:
    """The binary32 number, infinity or NaN with these 32 bits."""
    return float(_BINARY32.unpack(_WORD.pack(bits))[0])


def spell32(value: float) -> str:
    """The shortest decimal that, read as binary64 and rounded to binary32, gives this number's bits back."""
    exact = round32(value)
    if math.isinf(exact) or math.isnan(exact):
        raise ValueError(f"{value!r} has no decimal spelling")
    return _spelled(bits32(exact))


@lru_cache(maxsize=1 << 12)
def _spelled(bits: int) -> str:
    """The shortest decimal of the number with these bits; a universe writes few numbers many times."""
    exact = from_bits32(bits)
    for digits in range(1, 18):
        text = repr(float(f"{exact:.{digits}g}"))
        if abs(float(text)) <= LARGEST and bits32(float(text)) == bits:
            return text
    raise AssertionError(f"17 digits always identify a binary64 number: {exact!r}")


def canonical32(value: float) -> float:
    """The Python float that stands for this number in a universe: the one with the shortest spelling."""
    return float(spell32(value))
