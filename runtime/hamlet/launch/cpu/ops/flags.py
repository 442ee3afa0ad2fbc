"""Lanes with an event."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from hamlet.launch.cpu.ops.chunks import LANES, Chunk, data
from hamlet.launch.cpu.ops.functions import inline
from hamlet.launch.cpu.ops.machinery import cgutils, intrinsic, types
from hamlet.launch.cpu.ops.packing import WORD, pack
from hamlet.launch.cpu.ops.vectors import WIDE

CHOSEN = LANES + WORD
"""Room for the numbers of chosen lanes."""


@intrinsic
def flags_of(_context: Any, array: Any, _start: Any) -> Any:
    """The flags of the `WORD` lanes from `start` on as the bits of a u64."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = data(context, builder, signature.args[0], arguments[0])
        vector = ir.VectorType(ir.IntType(8), WORD)
        pointer = builder.bitcast(builder.gep(source, [arguments[1]]), vector.as_pointer())
        flags = builder.icmp_unsigned("!=", builder.load(pointer, align=1), ir.Constant(vector, [0] * WORD))
        return builder.bitcast(flags, ir.IntType(WORD))

    return types.uint64(array, types.intp), codegen


@inline
def all_set(flags: Any) -> Any:
    """Whether the flags of all lanes of a chunk are set."""
    bits = flags_of(flags, 0)
    for start in range(WORD, LANES, WORD):
        bits = bits & flags_of(flags, start)
    return bits == np.uint64(0xFFFFFFFFFFFFFFFF)


@intrinsic
def any_set(_context: Any, flags: Any) -> Any:
    """Whether a flag of a vector is set."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        bits = builder.bitcast(arguments[0], ir.IntType(WIDE))
        return builder.icmp_unsigned("!=", bits, ir.IntType(WIDE)(0))

    return types.boolean(flags), codegen


@intrinsic
def _numbers(_context: Any) -> Any:
    """The numbers of the lanes of a chunk, a byte each."""

    def codegen(_context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        numbers = ir.Constant(ir.ArrayType(ir.IntType(8), LANES), bytearray(range(LANES)))
        return builder.bitcast(cgutils.global_constant(builder.module, "lanes", numbers), ir.IntType(8).as_pointer())

    return Chunk(types.uint8)(), codegen


@inline
def choose_lanes(flags: Any, lanes: Any) -> Any:
    """Write the numbers of the lanes whose flag is set into `lanes`, in order; the result is how many there are."""
    chosen = 0
    for start in range(0, LANES, WORD):
        chosen = pack(lanes, chosen, _numbers(), start, flags_of(flags, start))
    return chosen
