"""What an instruction computes: a function of values, thread by thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hamlet_lab.ptx.types import Array, Scalar


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
