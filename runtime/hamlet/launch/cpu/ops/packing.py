"""The numbers of some lanes, put close together."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from hamlet.launch.cpu.ops.machinery import cgutils, intrinsic, types
from hamlet.launch.cpu.ops.vectors import supports

WORD = 64
"""Lanes that are looked at together: a bit each."""

REGISTER = 64
"""Bytes of a register of AVX-512."""


@intrinsic
def lowest(_context: Any, _bits: Any) -> Any:
    """The number of the lowest bit of a u64 that is set; there is one."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.intp(types.uint64), codegen


@intrinsic
def without_lowest(_context: Any, _bits: Any) -> Any:
    """A u64 that is not zero without its lowest bit that is set."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.and_(arguments[0], builder.sub(arguments[0], ir.IntType(64)(1)))

    return types.uint64(types.uint64), codegen


@intrinsic
def pack(_context: Any, target: Any, _length: Any, source: Any, _start: Any, _bits: Any) -> Any:
    """Write those of the `WORD` numbers of a chunk from `start` on whose bit (u64) is set into `target`, from `length`
    on; the result is the length then. `target` has no wider numbers than `source`, and room for `WORD` more."""
    signature = types.intp(target, types.intp, source, types.intp, types.uint64)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if not supports("avx512vbmi2"):
            return context.compile_internal(builder, _pack_each, signature, arguments)
        target, length, source, start, bits = arguments
        number = target.type.pointee
        count = REGISTER * 8 // number.width
        vector = ir.VectorType(number, count)
        mask = ir.VectorType(ir.IntType(1), count)
        name = f"llvm.experimental.vector.compress.v{count}i{number.width}"
        function = ir.FunctionType(vector, [vector, mask, vector])
        compress = cgutils.get_or_insert_function(builder.module, function, name)
        for first in range(0, WORD, count):
            pointer = builder.gep(source, [builder.add(start, start.type(first))])
            given = ir.VectorType(source.type.pointee, count)
            values = builder.load(builder.bitcast(pointer, given.as_pointer()), align=1)
            chosen = builder.trunc(builder.lshr(bits, bits.type(first)), ir.IntType(count))
            packed = [builder.trunc(values, vector), builder.bitcast(chosen, mask), ir.Constant(vector, ir.Undefined)]
            pointer = builder.bitcast(builder.gep(target, [length]), vector.as_pointer())
            builder.store(builder.call(compress, packed), pointer, align=1)
            length = builder.add(length, builder.zext(builder.ctpop(chosen), length.type))
        return length

    return signature, codegen


def _pack_each(target: Any, length: Any, source: Any, start: Any, bits: Any) -> Any:
    """`pack` for a machine that has no instruction for it."""
    while bits != np.uint64(0):
        target[length] = source[start + lowest(bits)]
        length += 1
        bits = without_lowest(bits)
    return length
