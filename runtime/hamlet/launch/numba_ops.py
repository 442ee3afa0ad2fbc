"""What generated numba kernels are made of: decorators, chunk-local arrays, and operations that LLVM vectorises.

A kernel works on chunks of `LANES` lanes. The state of a chunk lives in arrays on the stack of the kernel: LLVM knows that
those do not alias, so that a loop over the lanes of a chunk becomes vector code without checks. Operations here have the
types of their operands (numba would widen i32 to i64), have no branches, and never contract.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

LANES = 256
"""Lanes in a chunk: a multiple of 64. The state of so many lanes fits into the level-1 cache."""

ALIGNMENT = 64
"""Bytes: a cache line, and the widest vector register."""

Compiled = TypeVar("Compiled", bound=Callable[..., Any])


def kernel(function: Compiled) -> Compiled:
    """Compile an entry point; the machine code is cached on disk beside the module."""
    result: Compiled = njit(error_model="numpy", nogil=True, boundscheck=False, cache=True)(function)
    return result


def helper(function: Compiled) -> Compiled:
    """Compile a function that kernels call."""
    result: Compiled = njit(error_model="numpy", nogil=True, boundscheck=False, no_cpython_wrapper=True)(function)
    return result


def inline(function: Compiled) -> Compiled:
    """Compile a function that becomes part of the loop that calls it."""
    result: Compiled = njit(
        error_model="numpy", nogil=True, boundscheck=False, no_cpython_wrapper=True, forceinline=True
    )(function)
    return result


def _local(element: types.Type, bytes_per_element: int) -> Any:
    """An intrinsic that makes an array on the stack: `local(LANES)` or `local(rows, LANES)`, with constant sizes."""

    def array(context: Any, builder: Any, result: types.Array, sizes: list[int]) -> Any:
        count = 1
        for size in sizes:
            count *= size
        pointer = cgutils.alloca_once(builder, ir.ArrayType(context.get_data_type(element), count))
        pointer.align = ALIGNMENT
        strides = [bytes_per_element]
        for size in reversed(sizes[1:]):
            strides.insert(0, strides[0] * size)

        def number(value: int) -> Any:
            return context.get_constant(types.intp, value)

        view = context.make_array(result)(context, builder)
        populate_array(
            view,
            data=builder.bitcast(pointer, view.data.type),
            shape=[number(size) for size in sizes],
            strides=[number(stride) for stride in strides],
            itemsize=number(bytes_per_element),
            meminfo=None,
        )
        return view._getvalue()

    def local(_context: Any, *sizes: Any) -> Any:
        if not all(isinstance(size, types.IntegerLiteral) for size in sizes[0]):
            return None
        result = types.Array(element, len(sizes[0]), "C")
        counts = [size.literal_value for size in sizes[0]]
        return result(types.StarArgTuple(sizes[0])), lambda c, b, _s, _a: array(c, b, result, counts)

    return intrinsic(local)
