"""Binary32 and binary64 arithmetic: rounded once, to nearest even, subnormals kept. PTX ISA, "Floating Point
Instructions".

Numpy's + - * / and sqrt on both are IEEE 754's. A NaN that comes out of an operation is PTX's canonical one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hamlet_lab.ptx.types import B64, F32, F64, Array, Operation, like, packed

CANONICAL_NAN = np.uint32(0x7FFFFFFF)
CANONICAL: dict[int, Array] = {
    4: np.array(CANONICAL_NAN).view(np.float32),
    8: np.array((1 << 63) - 1, np.uint64).view(np.float64),
}
"""The canonical NaN of numbers of so many bytes."""
SIGN = np.uint32(0x80000000)


def canonical(values: Array) -> Array:
    """Every NaN replaced by the canonical one."""
    nan = np.isnan(values)
    if nan.any():
        return np.asarray(np.where(nan, CANONICAL[values.dtype.itemsize], values))
    return values


def _rounded(function: Callable[..., Array]) -> Callable[..., Array]:
    """A numpy operation with canonical NaNs."""
    return lambda *operands: canonical(function(*operands))


def _fma(a: Array, b: Array, c: Array) -> Array:
    """a * b + c, rounded once.

    The product is exact in binary64. Its sum with c is rounded to odd there (Boldo and Melquiond, "Emulation of FMA and
    correctly rounded sums", 2008), and so can be rounded again.
    """
    product = a.astype(np.float64) * b.astype(np.float64)
    addend = c.astype(np.float64)
    total = product + addend
    # The error of the sum, exactly (Knuth's two-sum).
    back = total - product
    error = (product - (total - back)) + (addend - back)
    bits = np.ascontiguousarray(total).view(np.int64)
    even = (bits & 1) == 0
    # Away from zero where the error has the sign of the sum, else towards it.
    odd = np.where((error > 0) == (total > 0), bits + 1, bits - 1)
    inexact = np.isfinite(total) & (error != 0) & even
    return canonical(np.where(inexact, odd, bits).view(np.float64).astype(np.float32))


def _minimum(a: Array, b: Array) -> Array:
    """-0 is less than +0; of a number and a NaN the number."""
    bits = f"u{a.dtype.itemsize}"
    either = (a.view(bits) | b.view(bits)).view(a.dtype)
    least = np.where(a < b, a, np.where(a == b, either, b))
    return canonical(np.where(np.isnan(a), b, np.where(np.isnan(b), a, least)))


def _maximum(a: Array, b: Array) -> Array:
    """+0 is greater than -0; of a number and a NaN the number."""
    bits = f"u{a.dtype.itemsize}"
    both = (a.view(bits) & b.view(bits)).view(a.dtype)
    greatest = np.where(a > b, a, np.where(a == b, both, b))
    return canonical(np.where(np.isnan(a), b, np.where(np.isnan(b), a, greatest)))


def _negative(a: Array) -> Array:
    return (a.view(np.uint32) ^ SIGN).view(np.float32)


def _absolute(a: Array) -> Array:
    return (a.view(np.uint32) & ~SIGN).view(np.float32)


def _copy_sign(sign: Array, magnitude: Array) -> Array:
    return ((sign.view(np.uint32) & SIGN) | (magnitude.view(np.uint32) & ~SIGN)).view(np.float32)


OPERATIONS: dict[str, Operation] = {
    "fma.rn.f32": like(F32, 3, _fma),
    "neg.f32": like(F32, 1, _negative),
    "abs.f32": like(F32, 1, _absolute),
    "copysign.f32": like(F32, 2, _copy_sign),
}
for _scalar in (F32, F64):
    OPERATIONS |= {
        f"add.rn.{_scalar.name}": like(_scalar, 2, _rounded(np.add)),
        f"sub.rn.{_scalar.name}": like(_scalar, 2, _rounded(np.subtract)),
        f"mul.rn.{_scalar.name}": like(_scalar, 2, _rounded(np.multiply)),
        f"div.rn.{_scalar.name}": like(_scalar, 2, _rounded(np.divide)),
        f"sqrt.rn.{_scalar.name}": like(_scalar, 1, _rounded(np.sqrt)),
        f"min.{_scalar.name}": like(_scalar, 2, _minimum),
        f"max.{_scalar.name}": like(_scalar, 2, _maximum),
    }
for _name in ("add", "sub", "mul", "fma"):
    OPERATIONS[f"{_name}.rn.f32x2"] = packed(B64, OPERATIONS[f"{_name}.rn.f32"])
