"""Rows of observations, written to the memory of all lanes."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from hamlet.launch.numba_ops.chunks import Chunk
from hamlet.launch.numba_ops.machinery import cgutils, intrinsic, types
from hamlet.launch.numba_ops.vectors import WIDE, Vector, Wide, element, splat


@intrinsic
def put(_context: Any, row: Any, lane: Any, value: Any, written: Any, whole: Any) -> Any:
    """Write a value as elements of a row: those of the lanes that are `written`, which are all where `whole`."""
    if not isinstance(row, Chunk) or not isinstance(lane, Wide) or element(value) != types.float32:
        return None

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row, lane, value, written, whole = arguments
        if not isinstance(signature.args[2], Vector):
            value = splat(builder, value)
        value = _encoded(builder, value, signature.args[0].dtype)
        size = context.get_abi_sizeof(value.type.element)
        pointer = builder.bitcast(builder.gep(row, [lane]), value.type.as_pointer())
        kind = "f32" if value.type.element == ir.FloatType() else f"i{8 * size}"
        function = ir.FunctionType(ir.VoidType(), [value.type, pointer.type, ir.IntType(32), written.type])
        store = cgutils.get_or_insert_function(builder.module, function, f"llvm.masked.store.v{WIDE}{kind}.p0")
        # Stores without a mask are faster by a quarter.
        with builder.if_else(whole, likely=True) as (plain, masked):
            with plain:
                builder.store(value, pointer, align=size)
            with masked:
                builder.call(store, [value, pointer, ir.IntType(32)(size), written])
        return context.get_dummy_value()

    return types.void(row, lane, value if isinstance(value, Vector) else types.float32, written, types.boolean), codegen


@intrinsic
def encode(_context: Any, array: Any, value: Any) -> Any:
    """An f32 as an element of an array of f32, or of the bits (u16) of bf16: rounded to nearest even."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _encoded(builder, arguments[1], array.dtype)

    return array.dtype(array, value), codegen


def _encoded(builder: Any, number: Any, dtype: Any) -> Any:
    """Numbers (f32) as elements of an array of this type."""
    if dtype == types.float32:
        return number

    def like(kind: Any) -> Any:
        return ir.VectorType(kind, WIDE) if isinstance(number.type, ir.VectorType) else kind

    def each(value: int) -> Any:
        word = ir.IntType(32)
        return splat(builder, word(value)) if isinstance(number.type, ir.VectorType) else word(value)

    bits = builder.bitcast(number, like(ir.IntType(32)))
    odd = builder.and_(builder.lshr(bits, each(16)), each(1))
    rounded = builder.lshr(builder.add(builder.add(bits, each(0x7FFF)), odd), each(16))
    rounded = builder.select(builder.fcmp_unordered("uno", number, number), each(0x7FC0), rounded)
    return builder.trunc(rounded, like(ir.IntType(16)))
