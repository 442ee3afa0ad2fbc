"""Rows of observations, written to the memory of all lanes."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from hamlet.launch.cpu.entry import LINE
from hamlet.launch.cpu.ops.chunks import Chunk, part
from hamlet.launch.cpu.ops.functions import helper
from hamlet.launch.cpu.ops.machinery import cgutils, intrinsic, types
from hamlet.launch.cpu.ops.vectors import WIDE, Vector, Wide, element, splat
from hamlet.numbers.elementary import ROUND
from hamlet.schema.observed import STEPS


@intrinsic
def put(
    _context: Any, row: Any, lane: Any, value: Any, written: Any, _whole: Any, _streamed: Any, _low: Any, _scale: Any
) -> Any:
    """Write a value as elements of a row: those of the lanes that are `written`, which are all where `whole`; where
    they are `streamed`, too, to memory that begins a cache line, past the caches.
    `low` and `scale` make bytes of numbers, see `hamlet.schema.observed`."""
    if not isinstance(row, Chunk) or not isinstance(lane, Wide) or element(value) != types.float32:
        return None

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row, lane, value, written, whole, streamed, low, scale = arguments
        if not isinstance(signature.args[2], Vector):
            value = splat(builder, value)
        value = _encoded(builder, value, signature.args[0].dtype, low, scale)
        size = context.get_abi_sizeof(value.type.element)
        pointer = builder.bitcast(builder.gep(row, [lane]), value.type.as_pointer())
        kind = "f32" if value.type.element == ir.FloatType() else f"i{8 * size}"
        function = ir.FunctionType(ir.VoidType(), [value.type, pointer.type, ir.IntType(32), written.type])
        store = cgutils.get_or_insert_function(builder.module, function, f"llvm.masked.store.v{WIDE}{kind}.p0")
        # Stores without a mask are faster by a quarter.
        with builder.if_else(whole, likely=True) as (plain, masked):
            with plain, builder.if_else(streamed) as (past_caches, through_caches):
                with past_caches:
                    stored = builder.store(value, pointer, align=min(size * WIDE, LINE))
                    stored.set_metadata("nontemporal", builder.module.add_metadata([ir.IntType(32)(1)]))
                with through_caches:
                    builder.store(value, pointer, align=size)
            with masked:
                builder.call(store, [value, pointer, ir.IntType(32)(size), written])
        return context.get_dummy_value()

    return types.void(
        row,
        lane,
        value if isinstance(value, Vector) else types.float32,
        written,
        types.boolean,
        types.boolean,
        types.float32,
        types.float32,
    ), codegen


@helper
def store_last(last: Any, flags: Any, first: Any, array: Any, start: Any, rows: Any) -> None:
    """Write what the flagged lanes of a vector, from `first` on, observe last, `rows` rows of `WIDE`, to their lines in
    an array [lanes, rows], in which the chunk begins at line `start`."""
    for lane in range(first, first + WIDE):
        if flags[lane]:
            line = part(array, start + lane, 0)
            for row in range(rows):
                line[row] = last[row * WIDE + lane - first]


@intrinsic
def drain(_context: Any) -> Any:
    """Wait until other threads see what was streamed."""

    def codegen(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def encode(_context: Any, array: Any, value: Any, low: Any, scale: Any) -> Any:
    """An f32 as an element of an array of f32, of the bits (u16) of bf16, rounded to nearest even, or of bytes (u8)."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _, number, low, scale = arguments
        return _encoded(builder, number, array.dtype, low, scale)

    return array.dtype(array, value, low, scale), codegen


def _encoded(builder: Any, number: Any, dtype: Any, low: Any, scale: Any) -> Any:
    """Numbers (f32) as elements of an array of this type."""
    if dtype == types.float32:
        return number
    vector = isinstance(number.type, ir.VectorType)
    word = ir.IntType(32)

    def like(kind: Any) -> Any:
        return ir.VectorType(kind, WIDE) if vector else kind

    def each(value: Any) -> Any:
        return splat(builder, value) if vector else value

    if dtype == types.uint8:
        least, most, shift = (each(ir.Constant(ir.FloatType(), value)) for value in (0.0, STEPS, ROUND))
        number = builder.fmul(builder.fsub(number, each(low)), each(scale))
        number = builder.select(builder.fcmp_ordered("<", number, least), least, number)
        number = builder.select(builder.fcmp_ordered("<", most, number), most, number)
        return builder.trunc(builder.bitcast(builder.fadd(number, shift), like(word)), like(ir.IntType(8)))
    bits = builder.bitcast(number, like(word))
    odd = builder.and_(builder.lshr(bits, each(word(16))), each(word(1)))
    rounded = builder.lshr(builder.add(builder.add(bits, each(word(0x7FFF))), odd), each(word(16)))
    rounded = builder.select(builder.fcmp_unordered("uno", number, number), each(word(0x7FC0)), rounded)
    return builder.trunc(rounded, like(ir.IntType(16)))
