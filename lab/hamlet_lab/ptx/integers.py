"""Integer arithmetic. Numpy's integers wrap, as PTX's do. PTX ISA, "Integer Arithmetic Instructions"."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hamlet_lab.ptx.types import (
    B32,
    S16,
    S32,
    S64,
    SCALARS,
    SIGNED,
    U64,
    UNSIGNED,
    Array,
    Operation,
    Scalar,
    like,
    packed,
)


def _wide(a: Array, b: Array) -> Array:
    """The whole product, of twice the width."""
    dtype = np.dtype(f"{a.dtype.kind}{2 * a.dtype.itemsize}")
    return np.asarray(np.multiply(a.astype(dtype), b.astype(dtype)))


def _high(a: Array, b: Array) -> Array:
    """The upper half of the whole product."""
    return np.asarray((_wide(a, b) >> (8 * a.dtype.itemsize)).astype(a.dtype))


def _high_u64(a: Array, b: Array) -> Array:
    """The upper half of the whole product of 64-bit numbers, by halves of 32 bits."""
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    middle = a1 * b0 + (a0 * b0 >> half)
    return np.asarray(a1 * b1 + (middle >> half) + (a0 * b1 + (middle & low) >> half))


def _high_s64(a: Array, b: Array) -> Array:
    """The same of signed numbers: each that is negative is 2**64 less than its bits."""
    first, second, zero = a.view(np.uint64), b.view(np.uint64), np.uint64(0)
    high = _high_u64(first, second) - np.where(a < 0, second, zero) - np.where(b < 0, first, zero)
    return np.asarray(high.view(np.int64))


def _quotient(a: Array, b: Array) -> Array:
    """Towards zero; all bits set where b is 0, since PTX does not say. The least integer by -1 wraps."""
    safe = np.where(b == 0, b.dtype.type(1), b)
    floor = a // safe
    if a.dtype.kind == "i":
        exact = np.equal(a, floor * safe)
        floor = np.where(~exact & ((a < 0) != (safe < 0)), floor + safe.dtype.type(1), floor)
    return np.asarray(np.where(b == 0, ~np.zeros_like(floor), floor))


def _remainder(a: Array, b: Array) -> Array:
    """With the sign of a: a - quotient * b."""
    return np.subtract(a, np.multiply(_quotient(a, b), b))


def _typed(scalar: Scalar) -> dict[str, Operation]:
    """The operations that numbers of all widths have."""
    name = scalar.name
    return {
        f"add.{name}": like(scalar, 2, np.add),
        f"sub.{name}": like(scalar, 2, np.subtract),
        f"mul.lo.{name}": like(scalar, 2, np.multiply),
        f"mad.lo.{name}": like(scalar, 3, lambda a, b, c: a * b + c),
        f"min.{name}": like(scalar, 2, np.minimum),
        f"max.{name}": like(scalar, 2, np.maximum),
    }


def _narrow(scalar: Scalar) -> dict[str, Operation]:
    """The operations that need a type of twice the width."""
    name, pair = scalar.name, (scalar, scalar)
    wide = SCALARS[f"{name[0]}{2 * scalar.bits}"]
    return {
        f"mul.hi.{name}": Operation(scalar, pair, _high),
        f"mul.wide.{name}": Operation(wide, pair, _wide),
        f"mad.hi.{name}": like(scalar, 3, lambda a, b, c: _high(a, b) + c),
        f"mad.wide.{name}": Operation(wide, (*pair, wide), lambda a, b, c: _wide(a, b) + c),
        f"div.{name}": like(scalar, 2, _quotient),
        f"rem.{name}": like(scalar, 2, _remainder),
    }


def _not_negative(scalar: Scalar, function: Callable[..., Array]) -> Operation:
    """A function of two numbers, with 0 in the place of a negative result."""
    return like(scalar, 2, lambda a, b: np.maximum(function(a, b), a.dtype.type(0)))


OPERATIONS: dict[str, Operation] = {}
for _scalar in (*UNSIGNED, *SIGNED):
    OPERATIONS |= _typed(_scalar)
for _name in ("u16", "u32", "s16", "s32"):
    OPERATIONS |= _narrow(SCALARS[_name])
OPERATIONS["mul.hi.u64"] = like(U64, 2, _high_u64)
OPERATIONS["mul.hi.s64"] = like(S64, 2, _high_s64)
OPERATIONS["div.s64"] = like(S64, 2, _quotient)
for _name in ("add.u16", "add.s16", "min.u16", "min.s16", "max.u16", "max.s16"):
    OPERATIONS[f"{_name}x2"] = packed(B32, OPERATIONS[_name])
for _name, _function in (("min", np.minimum), ("max", np.maximum)):
    OPERATIONS[f"{_name}.relu.s32"] = _not_negative(S32, _function)
    # PTX has no such operation on a single number of 16 bits.
    OPERATIONS[f"{_name}.relu.s16x2"] = packed(B32, _not_negative(S16, _function))
for _scalar in SIGNED:
    # The least integer stays as it is.
    OPERATIONS |= {
        f"neg.{_scalar.name}": like(_scalar, 1, np.negative),
        f"abs.{_scalar.name}": like(_scalar, 1, np.abs),
    }
