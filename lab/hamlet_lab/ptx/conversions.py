"""cvt, and products of bf16. PTX ISA, "Data Movement and Conversion Instructions: cvt"."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hamlet_lab.ptx.floats import canonical
from hamlet_lab.ptx.types import B32, BF16, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64, Array, Operation, Scalar

ROUNDINGS: dict[str, Callable[[Array], Array]] = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
INTEGERS = (U8, U16, U32, U64, S8, S16, S32, S64)


def _cast(scalar: Scalar) -> Callable[[Array], Array]:
    """Convert to an integer, which cuts off or extends by the sign of the operand; or one to the nearest number."""
    return lambda a: a.astype(scalar.dtype)


def _widened(a: Array) -> Array:
    """A binary32 number, which binary64 has exactly."""
    return canonical(a.astype(np.float64))


def _narrowed(a: Array) -> Array:
    """The nearest binary32 number, ties to even."""
    return canonical(a.astype(np.float32))


def _integral(rounding: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Round to a whole number and keep the sign of a zero."""
    return lambda a: canonical(rounding(a))


def _to_integer(rounding: Callable[[Array], Array], scalar: Scalar) -> Callable[[Array], Array]:
    """Convert to the nearest integer that the type has, and NaN to 0."""
    bounds = np.iinfo(scalar.dtype)

    def convert(a: Array) -> Array:
        whole = rounding(a.astype(np.float64))
        # Both bounds are exact in binary64 for 32 bits and fewer.
        return np.clip(np.where(np.isnan(whole), 0.0, whole), bounds.min, bounds.max).astype(scalar.dtype)

    return convert


def _to_bf16(a: Array) -> Array:
    """Round f32 to bf16, to nearest even, and NaN to the canonical NaN of bf16."""
    bits = a.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> 16) & np.uint32(1))) >> 16
    return np.where(np.isnan(a), np.uint32(0x7FFF), rounded).astype(np.uint16)


def _to_bf16_pair(high: Array, low: Array) -> Array:
    return (_to_bf16(high).astype(np.uint32) << np.uint32(16)) | _to_bf16(low).astype(np.uint32)


def _rounded_to_bf16(exact: Array) -> Array:
    """Round binary64 to bf16, to nearest even and only once: on the way, in f32, it is rounded to odd."""
    near = exact.astype(np.float32)
    towards_zero = near.view(np.uint32) - (np.abs(near) > np.abs(exact)).astype(np.uint32)
    return _to_bf16((towards_zero | (near != exact).astype(np.uint32)).view(np.float32))


def _whole_to_bf16(a: Array) -> Array:
    """Convert an integer of 32 bits or fewer to bf16."""
    return _rounded_to_bf16(a.astype(np.float64))


def _bf16_product(a: Array, b: Array) -> Array:
    """The product of bf16 numbers, which binary64 has exactly."""
    wide = [(each.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64) for each in (a, b)]
    return _rounded_to_bf16(np.asarray(np.multiply(*wide)))


OPERATIONS: dict[str, Operation] = {
    "cvt.rn.bf16.f32": Operation(BF16, (F32,), _to_bf16),
    "cvt.rn.bf16x2.f32": Operation(B32, (F32, F32), _to_bf16_pair),
    "cvt.f64.f32": Operation(F64, (F32,), _widened),
    "cvt.rn.f32.f64": Operation(F32, (F64,), _narrowed),
    "mul.rn.bf16": Operation(BF16, (BF16, BF16), _bf16_product),
}
for _source in INTEGERS:
    for _target in (F32, F64):
        OPERATIONS[f"cvt.rn.{_target.name}.{_source.name}"] = Operation(_target, (_source,), _cast(_target))
    for _target in INTEGERS[1:4] + INTEGERS[5:]:
        OPERATIONS[f"cvt.{_target.name}.{_source.name}"] = Operation(_target, (_source,), _cast(_target))
for _source in (U8, U16, U32, S8, S16, S32):
    OPERATIONS[f"cvt.rn.bf16.{_source.name}"] = Operation(BF16, (_source,), _whole_to_bf16)
for _name, _rounding in ROUNDINGS.items():
    OPERATIONS[f"cvt.{_name}.f32.f32"] = Operation(F32, (F32,), _integral(_rounding))
    for _target in (U16, U32, S16, S32):
        OPERATIONS[f"cvt.{_name}.{_target.name}.f32"] = Operation(_target, (F32,), _to_integer(_rounding, _target))
