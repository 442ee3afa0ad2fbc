"""The scalar types of PTX, how numpy holds them, and what an instruction computes on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""One value per thread, or a single one that all threads share."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type.

    Attributes:
        name: as written in PTX, without the dot.
        bits: its width; a predicate has 1.
        dtype: of values as operations see them.
        raw: of registers that hold it.
    """

    name: str
    bits: int
    dtype: np.dtype[Any]
    raw: np.dtype[Any]


def _scalar(name: str, bits: int, dtype: type[np.generic]) -> Scalar:
    return Scalar(name, bits, np.dtype(dtype), np.dtype(bool if bits == 1 else f"u{bits // 8}"))


PRED = _scalar("pred", 1, np.bool_)
B8 = _scalar("b8", 8, np.uint8)
B16 = _scalar("b16", 16, np.uint16)
B32 = _scalar("b32", 32, np.uint32)
B64 = _scalar("b64", 64, np.uint64)
U8 = _scalar("u8", 8, np.uint8)
U16 = _scalar("u16", 16, np.uint16)
U32 = _scalar("u32", 32, np.uint32)
U64 = _scalar("u64", 64, np.uint64)
S8 = _scalar("s8", 8, np.int8)
S16 = _scalar("s16", 16, np.int16)
S32 = _scalar("s32", 32, np.int32)
S64 = _scalar("s64", 64, np.int64)
F32 = _scalar("f32", 32, np.float32)
F64 = _scalar("f64", 64, np.float64)
BF16 = _scalar("bf16", 16, np.uint16)
"""Only its bits: numpy has no such numbers."""

BITS = (B16, B32, B64)
UNSIGNED = (U16, U32, U64)
SIGNED = (S16, S32, S64)
SCALARS = {scalar.name: scalar for scalar in (PRED, B8, *BITS, U8, *UNSIGNED, S8, *SIGNED, F32, F64, BF16)}
"""All types by name."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A function from operands of these types to a result of that type.

    Attributes:
        function: takes arrays of the operands' dtypes that broadcast, gives one of the result's dtype. It must be
            defined for all values: threads that do not execute the instruction take part, and are dropped.
    """

    result: Scalar
    operands: tuple[Scalar, ...]
    function: Callable[..., Array]


def like(scalar: Scalar, count: int, function: Callable[..., Array]) -> Operation:
    """An operation whose operands have the type of its result."""
    return Operation(scalar, (scalar,) * count, function)


def packed(scalar: Scalar, half: Operation) -> Operation:
    """An operation on two values at once, in the halves of a register of this type."""

    def both(*operands: Array) -> Array:
        pairs = [np.ascontiguousarray(operand).view(half.result.dtype).reshape(-1, 2) for operand in operands]
        return np.ascontiguousarray(half.function(*pairs)).view(scalar.dtype).reshape(-1)

    return like(scalar, len(half.operands), both)
