"""Tables: any, and those of so few numbers that registers hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from hamlet.launch.cpu.ops.chunks import data
from hamlet.launch.cpu.ops.machinery import Type, cgutils, extending, imputils, intrinsic, models, types
from hamlet.launch.cpu.ops.vectors import REGISTERS, WIDE, Vector, splat, supports

MOST_REGISTERS = 4
"""A table of more is looked up in memory."""

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


def _width(table: Any) -> int | None:
    """Numbers in a register of this machine, if few registers hold the table and it can look each up by another."""
    width = next((width for feature, width in REGISTERS.items() if supports(feature)), None)
    fits = width is not None and isinstance(table, ShortTable) and len(table.values) <= MOST_REGISTERS * width
    return width if fits else None


def _registers(context: Any, table: ShortTable, width: int) -> list[Any]:
    """The table as constant vectors: one, two or four."""
    number = context.get_value_type(table.dtype)
    count = next(count for count in (1, 2, 4) if len(table.values) <= count * width)
    values = [*table.values, *[0] * (count * width - len(table.values))]
    return [
        ir.Constant(ir.VectorType(number, width), [number(value) for value in values[first : first + width]])
        for first in range(0, len(values), width)
    ]


def _permute(builder: Any, registers: list[Any], index: Any) -> Any:
    """What a table in registers has for each lane of one: the lowest bits of the index count."""
    type_ = registers[0].type
    floats, width = type_.element == ir.FloatType(), type_.count
    match registers:
        case [only]:
            names = ("avx512.permvar.sf.512", "avx512.permvar.si.512") if width == 16 else ("avx2.permps", "avx2.permd")
            return _call(builder, names[not floats], type_, only, index)
        case [low, high] if width == 16:
            return _call(builder, f"avx512.vpermi2var.{'ps' if floats else 'd'}.512", type_, low, index, high)
        case _:
            half = len(registers) // 2
            bit = builder.and_(index, ir.Constant(index.type, [half * width] * width))
            second = builder.icmp_unsigned("!=", bit, ir.Constant(index.type, None))
            low, high = (_permute(builder, part, index) for part in (registers[:half], registers[half:]))
            return builder.select(second, high, low)


def _call(builder: Any, name: str, type_: Any, *arguments: Any) -> Any:
    """An instruction of x86 by LLVM's name for it."""
    function = ir.FunctionType(type_, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, function, f"llvm.x86.{name}"), arguments)


def _permuted(builder: Any, registers: list[Any], index: Any) -> Any:
    """Each lane's number of a table in registers."""
    nothing, width = ir.Constant(index.type, ir.Undefined), registers[0].type.count
    parts = [
        _permute(builder, registers, builder.shuffle_vector(index, nothing, _numbers(first, width)))
        for first in range(0, WIDE, width)
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
        if vector and (width := _width(table)) is not None:
            return _permuted(builder, _registers(context, table, width), arguments[1])
        pointer = _address(context, builder, table, arguments[0])
        if vector:
            return _gather(builder, pointer, arguments[1])
        return builder.load(builder.gep(pointer, [builder.sext(arguments[1], ir.IntType(64))]))

    given = index if vector else types.int32
    return (Vector(table.dtype) if vector else table.dtype)(table, given), codegen
