"""Chunk-local arrays: memory of the lanes that a kernel works on, by the number of a lane or of the first of several.

The state of a chunk lives in arrays on the stack of the kernel, of which LLVM knows that they do not alias; in a single
tick of a whole chunk it stays where the state of all lanes is.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import Any

from llvmlite import ir

from hamlet.launch.cpu.ops.functions import helper
from hamlet.launch.cpu.ops.machinery import (
    AbstractTemplate,
    Type,
    cgutils,
    extending,
    intrinsic,
    models,
    signature,
    templates,
    types,
)
from hamlet.launch.cpu.ops.vectors import WIDE, Vector, Wide, splat

LANES = 256
"""Lanes in a chunk: a multiple of 64, at most 256. Their state fits into the level-1 cache."""

AHEAD = 4 * LANES
"""Random words that a chunk draws at once, for four ticks."""

ALIGNMENT = 64
"""Bytes: a cache line, and the widest vector register."""


WIDENED = {types.int8: types.int32, types.uint8: types.uint32}
"""What is made of bytes in memory."""


class Chunk(Type):  # type: ignore[misc]  # numba has no types
    """Numbers in memory from some element on; in machine code it is a pointer only, which compiles much faster than
    numba's arrays. Indices count from 0 and are not checked."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"Chunk({dtype})")


@extending.register_model(Chunk)
class _ChunkModel(models.PrimitiveModel):  # type: ignore[misc]  # numba has no types
    def __init__(self, manager: Any, chunk: Any) -> None:
        super().__init__(manager, chunk, manager.lookup(chunk.dtype).get_data_type().as_pointer())


def _element(chunk: Any, index: Any) -> Any:
    """The index type and the type of what it selects; `None` where it is none."""
    if isinstance(chunk, Chunk) and isinstance(index, types.Integer):
        return types.intp, WIDENED.get(chunk.dtype, chunk.dtype)
    if isinstance(chunk, Chunk) and isinstance(index, Wide):
        return index, Vector(WIDENED.get(chunk.dtype, chunk.dtype))
    return None


@templates.infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]  # numba has no types
    def generic(self, arguments: Any, _keywords: Any) -> Any:
        chunk, index = arguments
        found = _element(chunk, index)
        return found and signature(found[1], chunk, found[0])


@templates.infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]  # numba has no types
    def generic(self, arguments: Any, _keywords: Any) -> Any:
        chunk, index, value = arguments
        found = _element(chunk, index)
        if found is None:
            return None
        return signature(types.none, chunk, found[0], value if isinstance(value, Vector) else chunk.dtype)


def _widened(builder: Any, dtype: Any, value: Any, wanted: Any) -> Any:
    """What is made of numbers of this type in memory."""
    if dtype not in WIDENED:
        return value
    return builder.sext(value, wanted) if dtype.signed else builder.zext(value, wanted)


def _get_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    dtype = signature.args[0].dtype
    value = context.data_model_manager[dtype].load_from_data_pointer(builder, builder.gep(arguments[0], [arguments[1]]))
    return _widened(builder, dtype, value, context.get_value_type(signature.return_type))


def _set_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pointer = builder.gep(arguments[0], [arguments[1]])
    context.pack_value(builder, signature.args[2], arguments[2], pointer)
    return context.get_dummy_value()


@cache
def bytes_of(context: Any, memory: Any) -> int:
    """Bytes of a type in memory. Numba asks LLVM anew every time, by a module of text."""
    size: int = context.get_abi_sizeof(memory)
    return size


def _memory(context: Any, builder: Any, dtype: Any, arguments: Any) -> tuple[Any, int]:
    """The address of a vector in memory, and its alignment in bytes."""
    memory = context.get_data_type(dtype)
    pointer = builder.gep(arguments[0], [arguments[1]])
    return builder.bitcast(pointer, ir.VectorType(memory, WIDE).as_pointer()), bytes_of(context, memory)


def _get_vector(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    dtype, vector = signature.args[0].dtype, context.get_value_type(signature.return_type)
    pointer, align = _memory(context, builder, dtype, arguments)
    value = builder.load(pointer, align=align)
    if dtype == types.boolean:
        return builder.icmp_unsigned("!=", value, ir.Constant(value.type, None))
    return _widened(builder, dtype, value, vector)


def _set_vector(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    dtype, value = signature.args[0].dtype, arguments[2]
    if not isinstance(signature.args[2], Vector):
        value = splat(builder, value)
    pointer, align = _memory(context, builder, dtype, arguments)
    if dtype == types.boolean:
        value = builder.zext(value, pointer.type.pointee)
    elif dtype in WIDENED and isinstance(signature.args[2], Vector):
        value = builder.trunc(value, pointer.type.pointee)
    builder.store(value, pointer, align=align)
    return context.get_dummy_value()


extending.lower_builtin(operator.getitem, Chunk, types.intp)(_get_item)
extending.lower_builtin(operator.setitem, Chunk, types.intp, types.Any)(_set_item)
extending.lower_builtin(operator.getitem, Chunk, Wide)(_get_vector)
extending.lower_builtin(operator.setitem, Chunk, Wide, types.Any)(_set_vector)


def data(context: Any, builder: Any, array: Any, value: Any) -> Any:
    """The address of the first element of an array or a chunk."""
    return value if isinstance(array, Chunk) else member(context, builder, array, value, "data")


def member(context: Any, builder: Any, array: Any, value: Any, name: str) -> Any:
    """A member of an array's structure, without a copy of all of it in memory, as numba would make."""
    return context.data_model_manager[array].get(builder, value, name)


def _local(element: Any, size: int = 1, zeroed: bool = True) -> Any:
    """An intrinsic that makes a chunk on the stack; its argument is its constant length, in units of `size`."""

    def local(_context: Any, count: Any) -> Any:
        if not isinstance(count, types.IntegerLiteral):
            return None

        def codegen(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
            number, length = context.get_data_type(element), count.literal_value * size
            with builder.goto_entry_block():
                pointer = builder.alloca(number, length)
                pointer.align = ALIGNMENT
                if zeroed:
                    # Numba's `alloca_once` stores zeros as one value, of which LLVM makes one store per number.
                    cgutils.memset(builder, pointer, ir.IntType(64)(length * bytes_of(context, number)), 0)
            return pointer

        return Chunk(element)(count), codegen

    return intrinsic(local)


local_f32 = _local(types.float32)
local_i32 = _local(types.int32)
local_u32 = _local(types.uint32)
local_bool = _local(types.boolean)
local_i8 = _local(types.int8)
local_u8 = _local(types.uint8)
local_u16 = _local(types.uint16)
unset_f32 = _local(types.float32, zeroed=False)
unset_i32 = _local(types.int32, zeroed=False)
unset_u32 = _local(types.uint32, zeroed=False)
unset_bool = _local(types.boolean, zeroed=False)
rows_u8 = _local(types.uint8, LANES)
rows_f32 = _local(types.float32, LANES)
rows_i32 = _local(types.int32, LANES)
rows_u32 = _local(types.uint32, LANES)
rows_bool = _local(types.boolean, LANES)


def _room(element: Any) -> Any:
    """An intrinsic that makes a chunk of zeros with more elements than the stack holds."""

    def room(_context: Any, _count: Any) -> Any:
        def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            memory, size = _allocated(context, builder, element, arguments[0])
            cgutils.memset(builder, memory, size, 0)
            return builder.bitcast(memory, context.get_data_type(element).as_pointer())

        return Chunk(element)(types.intp), codegen

    return intrinsic(room)


def _allocated(context: Any, builder: Any, element: Any, count: Any) -> tuple[Any, Any]:
    """Memory for so many elements that is not on the stack, and its size in bytes."""
    word, byte = ir.IntType(64), ir.IntType(8).as_pointer()
    size = builder.mul(count, word(bytes_of(context, context.get_data_type(element))))
    # `aligned_alloc` takes whole multiples of the alignment.
    size = builder.and_(builder.add(size, word(ALIGNMENT - 1)), word(-ALIGNMENT))
    allocate = ir.FunctionType(byte, [word, word])
    function = cgutils.get_or_insert_function(builder.module, allocate, "aligned_alloc")
    return builder.call(function, [word(ALIGNMENT), size]), size


@intrinsic
def room_like(_context: Any, array: Any, _count: Any) -> Any:
    """A chunk, with any contents, of so many elements like those of an array."""

    def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        memory, _ = _allocated(context, builder, array.dtype, arguments[1])
        return builder.bitcast(memory, context.get_data_type(array.dtype).as_pointer())

    return Chunk(array.dtype)(array, types.intp), codegen


room_f32 = _room(types.float32)
room_i32 = _room(types.int32)
room_u32 = _room(types.uint32)
room_bool = _room(types.boolean)
room_i8 = _room(types.int8)


@intrinsic
def give_back(_context: Any, chunk: Any) -> Any:
    """The end of a chunk that a room was made for."""

    def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        free = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), [byte]), "free")
        builder.call(free, [builder.bitcast(arguments[0], byte)])
        return context.get_dummy_value()

    return types.void(chunk), codegen


@intrinsic
def fetch(_context: Any, chunk: Any, _offset: Any, index: Any) -> Any:
    """The element of a chunk at an index, or those of several lanes, behind an offset."""
    found = _element(chunk, index)
    if found is None:
        return None
    get = _get_vector if isinstance(index, Wide) else _get_item

    def codegen(context: Any, builder: Any, given: Any, arguments: Any) -> Any:
        where = builder.add(arguments[1], arguments[2])
        return get(context, builder, signature(given.return_type, chunk, found[0]), (arguments[0], where))

    return found[1](chunk, types.intp, found[0]), codegen


@intrinsic
def write(_context: Any, chunk: Any, _offset: Any, index: Any, value: Any) -> Any:
    """Write that element, or those."""
    found = _element(chunk, index)
    if found is None:
        return None
    put = _set_vector if isinstance(index, Wide) else _set_item
    given = value if isinstance(value, Vector) else chunk.dtype

    def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        where = builder.add(arguments[1], arguments[2])
        signed = signature(types.none, chunk, found[0], given)
        return put(context, builder, signed, (arguments[0], where, arguments[3]))

    return types.void(chunk, types.intp, found[0], given), codegen


@intrinsic
def part(_context: Any, array: Any, _row: Any, _start: Any) -> Any:
    """The elements of an array [lanes], or of a row of an array [rows, lanes], from `start` on."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, offset = signature.args[0], arguments[2]
        if getattr(array, "ndim", 1) == 2:
            length = builder.extract_value(member(context, builder, array, arguments[0], "shape"), 1)
            offset = builder.add(offset, builder.mul(arguments[1], length))
        return builder.gep(data(context, builder, array, arguments[0]), [offset])

    return Chunk(array.dtype)(array, types.intp, types.intp), codegen


def _bytes(context: Any, builder: Any, array: Any, count: Any) -> Any:
    return builder.mul(count, count.type(bytes_of(context, context.get_data_type(array.dtype))))


def _address(context: Any, builder: Any, array: Any, value: Any, index: Any) -> Any:
    first = data(context, builder, array, value)
    return builder.bitcast(builder.gep(first, [index]), ir.IntType(8).as_pointer())


@intrinsic
def load_lanes(_context: Any, chunk: Any, array: Any, _count: Any) -> Any:
    """Fill a chunk with the first `count` elements of an array and zeros."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, source, _ = signature.args
        size = _bytes(context, builder, source, arguments[2])
        rest = builder.sub(_bytes(context, builder, source, arguments[2].type(LANES)), size)
        zero = arguments[2].type(0)
        cgutils.raw_memcpy(
            builder,
            _address(context, builder, target, arguments[0], zero),
            _address(context, builder, source, arguments[1], zero),
            size,
            1,
        )
        cgutils.memset(builder, _address(context, builder, target, arguments[0], arguments[2]), rest, 0)
        return context.get_dummy_value()

    return types.void(chunk, array, types.intp), codegen


@intrinsic
def store_lanes(_context: Any, chunk: Any, array: Any, _count: Any) -> Any:
    """Write the first `count` lanes of a chunk to the beginning of an array, which may have wider numbers."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, target, _ = signature.args
        sizes = {bytes_of(context, context.get_data_type(array.dtype)) for array in (source, target)}
        if len(sizes) > 1:
            return context.compile_internal(builder, _store_each, signature, arguments)
        zero = arguments[2].type(0)
        cgutils.raw_memcpy(
            builder,
            _address(context, builder, target, arguments[1], zero),
            _address(context, builder, source, arguments[0], zero),
            _bytes(context, builder, source, arguments[2]),
            1,
        )
        return context.get_dummy_value()

    return types.void(chunk, array, types.intp), codegen


def _store_each(chunk: Any, array: Any, count: Any) -> None:
    for lane in range(count):
        array[lane] = chunk[lane]


@helper
def load_worlds(chunk: Any, array: Any, agents: Any, agent: Any, count: Any) -> None:
    """Fill a chunk, whose first lane is agent `agent` of the first world of an array, with what its worlds hold."""
    if agents == 1:
        load_lanes(chunk, array, count)
        return
    world = 0
    for lane in range(count):
        chunk[lane] = array[world]
        agent += 1
        if agent == agents:
            agent = 0
            world += 1
    for lane in range(count, LANES):
        chunk[lane] = 0


@helper
def store_worlds(chunk: Any, array: Any, agents: Any, count: Any) -> None:
    """Write what the lanes of a chunk agree on to the beginning of an array of worlds."""
    if agents == 1:
        store_lanes(chunk, array, count)
        return
    for world in range((count + agents - 1) // agents):
        array[world] = chunk[world * agents]
