"""The cells of affordances, a byte each: those of many lanes are compared by one instruction."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from hamlet.launch.cpu.ops.chunks import LANES
from hamlet.launch.cpu.ops.machinery import intrinsic, types
from hamlet.launch.cpu.ops.vectors import Vector, splat

BYTES = 64
"""Lanes that are compared together."""

CACHE_TICKS = 4
"""The ticks of a rollout in which a cell cache pays for itself, also where it is not stored."""


def _bytes(builder: Any, chunk: Any, first: int) -> Any:
    """The address of the bytes of several lanes."""
    pointer = builder.gep(chunk, [ir.IntType(64)(first)])
    return builder.bitcast(pointer, ir.VectorType(ir.IntType(8), BYTES).as_pointer())


@intrinsic
def find(_context: Any, found: Any, standing: Any, cells: Any, count: Any) -> Any:
    """Write into `found` which of the `count` rows of `cells` has the number that `standing` has, or -1, for all lanes
    of a chunk. `count` is a literal; a lane has the same number in no two rows."""
    if not isinstance(count, types.IntegerLiteral):
        return None

    def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        found, standing, cells, _ = arguments
        vector = ir.VectorType(ir.IntType(8), BYTES)
        for first in range(0, LANES, BYTES):
            own = builder.load(_bytes(builder, standing, first), align=1)
            result = ir.Constant(vector, [-1] * BYTES)
            for row in range(count.literal_value):
                cell = builder.load(_bytes(builder, cells, row * LANES + first), align=1)
                same = builder.icmp_unsigned("==", own, cell)
                result = builder.select(same, ir.Constant(vector, [row] * BYTES), result)
            builder.store(result, _bytes(builder, found, first), align=1)
        return context.get_dummy_value()

    return types.void(found, standing, cells, count), codegen


@intrinsic
def scatter(_context: Any, values: Any, rows: Any, _lane: Any, count: Any) -> Any:
    """Write the first `count` numbers (u32) of a vector as bytes, each into the next of `rows`, for one lane."""
    if not isinstance(count, types.IntegerLiteral):
        return None

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, rows, lane, _ = arguments
        values = values if isinstance(signature.args[0], Vector) else splat(builder, values)
        for row in range(count.literal_value):
            value = builder.trunc(builder.extract_element(values, ir.IntType(32)(row)), ir.IntType(8))
            builder.store(value, builder.gep(rows, [builder.add(lane, ir.IntType(64)(row * LANES))]))
        return context.get_dummy_value()

    given = values if isinstance(values, Vector) else types.uint32
    return types.void(given, rows, types.intp, count), codegen
