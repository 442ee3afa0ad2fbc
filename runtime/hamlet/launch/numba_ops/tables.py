"""Tables: any, and those of so few numbers that registers hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from hamlet.launch.numba_ops.chunks import data
from hamlet.launch.numba_ops.machinery import Type, cgutils, extending, imputils, intrinsic, models, types
from hamlet.launch.numba_ops.vectors import WIDE, Vector, splat, supports

REGISTER = 16
"""Numbers in a register of AVX-512; a vector is several of them."""

DTYPES = {"f32": np.float32, "i32": np.int32, "u32": np.uint32}
TYPES = {"f32": types.float32, "i32": types.int32, "u32": types.uint32}


class Short:
    """A table that is part of the machine code: at most 64 numbers of a type, by name."""

    def __init__(self, dtype: str, values: tuple[float, ...]) -> None:
        self.type = ShortTable(TYPES[dtype], tuple(np.array(values, DTYPES[dtype]).tolist()))


class ShortTable(Type):  # type: ignore[misc]  # numba has no types
    """The type of one short table: its numbers."""

    def __init__(self, dtype: Any, values: tuple[float, ...]) -> None:
        self.dtype = dtype
        self.values = values
        super().__init__(name=f"ShortTable({dtype}, {values})")


extending.register_model(ShortTable)(models.OpaqueModel)


@extending.typeof_impl.register(Short)  # type: ignore[untyped-decorator]  # numba's
def _type_of(table: Short, _context: Any) -> Any:
    return table.type


@imputils.lower_constant(ShortTable)  # type: ignore[untyped-decorator]  # numba's
def _lower_constant(context: Any, _builder: Any, _type: Any, _value: Any) -> Any:
    return context.get_dummy_value()


def _registers(context: Any, table: ShortTable) -> list[Any]:
    """The table as constant vectors: one, two or four."""
    number = context.get_value_type(table.dtype)
    count = next(count for count in (1, 2, 4) if len(table.values) <= count * REGISTER)
    values = [*table.values, *[0] * (count * REGISTER - len(table.values))]
    return [
        ir.Constant(ir.VectorType(number, REGISTER), [number(value) for value in values[first : first + REGISTER]])
        for first in range(0, len(values), REGISTER)
    ]


def _permute(builder: Any, registers: list[Any], index: Any) -> Any:
    """What a table in registers has for each lane of one, by AVX-512: the lowest bits of the index count."""
    type_ = registers[0].type
    floats = type_.element == ir.FloatType()
    match registers:
        case [only]:
            name = f"llvm.x86.avx512.permvar.{'sf' if floats else 'si'}.512"
            function = ir.FunctionType(type_, [type_, index.type])
            return builder.call(cgutils.get_or_insert_function(builder.module, function, name), [only, index])
        case [low, high]:
            name = f"llvm.x86.avx512.vpermi2var.{'ps' if floats else 'd'}.512"
            function = ir.FunctionType(type_, [type_, index.type, type_])
            return builder.call(cgutils.get_or_insert_function(builder.module, function, name), [low, index, high])
        case _:
            half = len(registers) // 2
            bit = builder.and_(index, ir.Constant(index.type, [half * REGISTER] * REGISTER))
            second = builder.icmp_unsigned("!=", bit, ir.Constant(index.type, None))
            low, high = (_permute(builder, part, index) for part in (registers[:half], registers[half:]))
            return builder.select(second, high, low)


def _permuted(builder: Any, registers: list[Any], index: Any) -> Any:
    """Each lane's number of a table in registers."""
    nothing = ir.Constant(index.type, ir.Undefined)
    parts = [
        _permute(builder, registers, builder.shuffle_vector(index, nothing, _numbers(first, REGISTER)))
        for first in range(0, WIDE, REGISTER)
    ]
    while len(parts) > 1:
        both = _numbers(0, 2 * parts[0].type.count)
        parts = [builder.shuffle_vector(*pair, both) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def _numbers(first: int, count: int) -> Any:
    """So many numbers from the first on, to say what `shuffle_vector` takes."""
    return ir.Constant(ir.VectorType(ir.IntType(32), count), list(range(first, first + count)))


def _gather(builder: Any, pointer: Any, index: Any) -> Any:
    """Each lane's number of a table in memory."""
    wide = ir.VectorType(ir.IntType(64), WIDE)
    offsets = builder.mul(builder.sext(index, wide), ir.Constant(wide, [4] * WIDE))
    addresses = builder.add(splat(builder, builder.ptrtoint(pointer, ir.IntType(64))), offsets)
    pointers = builder.inttoptr(addresses, ir.VectorType(pointer.type, WIDE))
    lanes = ir.VectorType(ir.IntType(1), WIDE)
    number = ir.VectorType(pointer.type.pointee, WIDE)
    kind = "f32" if pointer.type.pointee == ir.FloatType() else "i32"
    function = ir.FunctionType(number, [pointers.type, ir.IntType(32), lanes, number])
    name = f"llvm.masked.gather.v{WIDE}{kind}.v{WIDE}p0"
    gather = cgutils.get_or_insert_function(builder.module, function, name)
    everyone = ir.Constant(lanes, [1] * WIDE)
    return builder.call(gather, [pointers, ir.IntType(32)(4), everyone, ir.Constant(number, ir.Undefined)])


def _address(context: Any, builder: Any, table: Any, value: Any) -> Any:
    """The address of the first number of a table."""
    if not isinstance(table, ShortTable):
        return data(context, builder, table, value)
    number = context.get_value_type(table.dtype)
    values = ir.Constant(ir.ArrayType(number, len(table.values)), [number(each) for each in table.values])
    return builder.bitcast(cgutils.global_constant(builder.module, "table", values), number.as_pointer())


@intrinsic
def take(_context: Any, table: Any, index: Any) -> Any:
    """The number of a table at an index (i32), which is in range."""
    vector = isinstance(index, Vector)

    def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        if vector and isinstance(table, ShortTable) and supports("avx512f"):
            return _permuted(builder, _registers(context, table), arguments[1])
        pointer = _address(context, builder, table, arguments[0])
        if vector:
            return _gather(builder, pointer, arguments[1])
        return builder.load(builder.gep(pointer, [builder.sext(arguments[1], ir.IntType(64))]))

    given = index if vector else types.int32
    return (Vector(table.dtype) if vector else table.dtype)(table, given), codegen
