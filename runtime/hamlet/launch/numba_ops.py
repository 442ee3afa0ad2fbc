"""What generated numba kernels are made of: decorators, chunk-local arrays, and operations that LLVM vectorises.

A kernel works on chunks of `LANES` lanes. The state of a chunk lives in arrays on the stack of the kernel: LLVM knows
that those do not alias, so that a loop over the lanes of a chunk becomes vector code without checks. Operations here
have the types of their operands (numba would widen i32 to i64), have no branches, and never contract.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba.core.cgutils
import numba.core.typing.templates
import numba.extending
import numpy as np
from llvmlite import ir

from hamlet.elementary import ROUND
from hamlet.encoding import STEPS

# Numba annotates some of its functions, in each version others.
njit: Any = numba.njit
types: Any = numba.types
cgutils: Any = numba.core.cgutils
extending: Any = numba.extending
templates: Any = numba.core.typing.templates
models: Any = extending.models
signature: Any = templates.signature
Type: Any = types.Type
AbstractTemplate: Any = templates.AbstractTemplate

LANES = 256
"""Lanes in a chunk: a multiple of 64. The state of so many lanes fits into the level-1 cache."""

ALL = np.int64(-1)
"""Instead of a number of chosen lanes."""

AHEAD = 4 * LANES
"""Random words that a chunk draws at once, for four ticks."""

ALIGNMENT = 64
"""Bytes: a cache line, and the widest vector register."""

WORD = 64
"""Lanes whose flags are looked at together."""

_VERSION = sha256(Path(__file__).read_bytes()).hexdigest()[:16]

Compiled = TypeVar("Compiled", bound=Callable[..., Any])


def kernel(function: Compiled) -> Compiled:
    """Compile an entry point; the machine code is cached beside the module, or where the user's caches are."""
    # Numba names the cache after the function and checks the age of the module, but not of what the module imports.
    function.__qualname__ = f"{function.__name__}_{_VERSION}"
    options = {"error_model": "numpy", "nogil": True, "boundscheck": False}
    try:
        result: Compiled = njit(cache=True, **options)(function)
    except RuntimeError:
        # There is no folder to cache in: compile in every process.
        result = njit(**options)(function)
    return result


def intrinsic(function: Callable[..., Any]) -> Any:
    """Make an operation of a function from types to a signature and a generator of LLVM's instructions."""
    return numba.extending.intrinsic(function)


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


# --- arrays ----------------------------------------------------------------------------------------------------------


class Chunk(Type):  # type: ignore[misc]
    """Numbers in memory from some element on; in machine code it is a pointer only, which compiles much faster than
    numba's arrays. Indices count from 0 and are not checked."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"Chunk({dtype})")


@extending.register_model(Chunk)
class _ChunkModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, chunk: Any) -> None:
        super().__init__(manager, chunk, manager.lookup(chunk.dtype).get_data_type().as_pointer())


@templates.infer_global(operator.getitem)
class _GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, _keywords: Any) -> Any:
        chunk, index = arguments
        if isinstance(chunk, Chunk) and isinstance(index, types.Integer):
            return signature(chunk.dtype, chunk, types.intp)
        return None


@templates.infer_global(operator.setitem)
class _SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, _keywords: Any) -> Any:
        chunk, index, _ = arguments
        if isinstance(chunk, Chunk) and isinstance(index, types.Integer):
            return signature(types.none, chunk, types.intp, chunk.dtype)
        return None


def _get_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pointer = builder.gep(arguments[0], [arguments[1]])
    return context.data_model_manager[signature.return_type].load_from_data_pointer(builder, pointer)


def _set_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    pointer = builder.gep(arguments[0], [arguments[1]])
    context.pack_value(builder, signature.args[2], arguments[2], pointer)
    return context.get_dummy_value()


extending.lower_builtin(operator.getitem, Chunk, types.intp)(_get_item)
extending.lower_builtin(operator.setitem, Chunk, types.intp, types.Any)(_set_item)


def _data(context: Any, builder: Any, array: Any, value: Any) -> Any:
    """The address of the first element of an array or a chunk."""
    return value if isinstance(array, Chunk) else context.make_array(array)(context, builder, value).data


def _local(element: Any, size: int = 1) -> Any:
    """An intrinsic that makes a chunk on the stack; its argument is its constant length, in units of `size`."""

    def local(_context: Any, count: Any) -> Any:
        if not isinstance(count, types.IntegerLiteral):
            return None

        def codegen(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
            elements = ir.ArrayType(context.get_data_type(element), count.literal_value * size)
            pointer = cgutils.alloca_once(builder, elements)
            pointer.align = ALIGNMENT
            return builder.bitcast(pointer, context.get_data_type(element).as_pointer())

        return Chunk(element)(count), codegen

    return intrinsic(local)


local_f32 = _local(types.float32)
local_i32 = _local(types.int32)
local_u32 = _local(types.uint32)
local_bool = _local(types.boolean)
rows_f32 = _local(types.float32, LANES)
rows_i32 = _local(types.int32, LANES)
rows_bool = _local(types.boolean, LANES)


@intrinsic
def part(_context: Any, array: Any, _row: Any, _start: Any) -> Any:
    """The elements of an array [lanes], or of a row of an array [rows, lanes], from `start` on."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, offset = signature.args[0], arguments[2]
        if getattr(array, "ndim", 1) == 2:
            shape = context.make_array(array)(context, builder, arguments[0]).shape
            length = cgutils.unpack_tuple(builder, shape, 2)[1]
            offset = builder.add(offset, builder.mul(arguments[1], length))
        return builder.gep(_data(context, builder, array, arguments[0]), [offset])

    return Chunk(array.dtype)(array, types.intp, types.intp), codegen


def _bytes(context: Any, builder: Any, array: Any, count: Any) -> Any:
    return builder.mul(count, count.type(context.get_abi_sizeof(context.get_data_type(array.dtype))))


def _address(context: Any, builder: Any, array: Any, value: Any, index: Any) -> Any:
    data = _data(context, builder, array, value)
    return builder.bitcast(builder.gep(data, [index]), ir.IntType(8).as_pointer())


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
    """Write the first `count` lanes of a chunk to the beginning of an array."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, target, _ = signature.args
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


@helper
def put(values: Any, row: Any, count: Any, lanes: Any, chosen: Any, low: Any, scale: Any) -> None:
    """Write a row of an observation: all `count` lanes where `chosen` is `ALL`, else the first `chosen` of `lanes`.
    `low` and `scale` make bytes of them, see `hamlet.encoding`."""
    if chosen == ALL:
        for lane in range(count):
            row[lane] = encode(row, values[lane], low, scale)
    else:
        for index in range(chosen):
            row[lanes[index]] = encode(row, values[lanes[index]], low, scale)


@intrinsic
def encode(_context: Any, array: Any, value: Any, low: Any, scale: Any) -> Any:
    """An f32 as an element of an array of f32, of the bits (u16) of bf16, rounded to nearest even, or of bytes (u8)."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _, number, low, scale = arguments
        word = ir.IntType(32)
        if array.dtype == types.float32:
            return number
        if array.dtype == types.uint8:
            least, most, shift = (ir.Constant(ir.FloatType(), each) for each in (0.0, STEPS, ROUND))
            number = builder.fmul(builder.fsub(number, low), scale)
            number = builder.select(builder.fcmp_ordered("<", number, least), least, number)
            number = builder.select(builder.fcmp_ordered("<", most, number), most, number)
            return builder.trunc(builder.bitcast(builder.fadd(number, shift), word), ir.IntType(8))
        bits = builder.bitcast(number, word)
        odd = builder.and_(builder.lshr(bits, word(16)), word(1))
        rounded = builder.lshr(builder.add(builder.add(bits, word(0x7FFF)), odd), word(16))
        rounded = builder.select(builder.fcmp_unordered("uno", number, number), word(0x7FC0), rounded)
        return builder.trunc(rounded, ir.IntType(16))

    return array.dtype(array, value, low, scale), codegen


# --- tables of policies ----------------------------------------------------------------------------------------------


@helper
def look_up(action: Any, choices: Any, situation: Any, count: Any) -> None:
    """The action of each lane's situation; 0 beyond the lanes that there are."""
    for lane in range(count):
        action[lane] = choices[np.uint64(situation[lane])]
    for lane in range(count, LANES):
        action[lane] = 0


@helper
def draw(action: Any, thresholds: Any, columns: Any, situation: Any, count: Any) -> None:
    """Replace 30 random bits of each lane by an action: the number of its situation's thresholds that they reach."""
    for lane in range(count):
        row = np.int64(situation[lane]) * columns
        reached = 0
        for column in range(columns):
            reached += thresholds[np.uint64(row + column)] <= action[lane]
        action[lane] = reached
    for lane in range(count, LANES):
        action[lane] = 0


# --- operations ------------------------------------------------------------------------------------------------------


def _common(left: Any, right: Any) -> Any:
    """The type of two operands, one of which may be an integer literal, an i64 in numba; `None` where they differ."""
    candidates = {types.unliteral(operand) for operand in (left, right)} - {types.int64}
    return candidates.pop() if len(candidates) == 1 else None


@intrinsic
def where(_context: Any, _condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the condition holds, else `otherwise`: without a branch."""
    type_ = _common(then, otherwise)
    if type_ is None:
        return None

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    return type_(types.boolean, type_, type_), codegen


def _operation(name: str) -> Any:
    """An intrinsic on two i32 or two u32 with a result of their type, in 32 bits. One of them may be a literal."""

    def operation(_context: Any, left: Any, right: Any) -> Any:
        type_ = _common(left, right)
        if type_ not in (types.int32, types.uint32):
            return None

        def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return getattr(builder, name)(*arguments)

        return type_(type_, type_), codegen

    return intrinsic(operation)


add = _operation("add")
subtract = _operation("sub")
multiply = _operation("mul")
divide = _operation("udiv")
remainder = _operation("urem")
bit_and = _operation("and_")
bit_or = _operation("or_")
bit_xor = _operation("xor")
shift_left = _operation("shl")
shift_right = _operation("lshr")


def _comparison(sign: str) -> Any:
    """An intrinsic that compares two i32 or two u32 in 32 bits. One of them may be a literal."""

    def comparison(_context: Any, left: Any, right: Any) -> Any:
        type_ = _common(left, right)
        if type_ not in (types.int32, types.uint32):
            return None

        def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            compare = builder.icmp_signed if type_ == types.int32 else builder.icmp_unsigned
            return compare(sign, *arguments)

        return types.boolean(type_, type_), codegen

    return intrinsic(comparison)


equal = _comparison("==")
less = _comparison("<")
less_equal = _comparison("<=")


@intrinsic
def mulhigh(_context: Any, _left: Any, _right: Any) -> Any:
    """The high 32 bits of the product of two u32."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(64)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        return builder.trunc(builder.lshr(product, wide(32)), ir.IntType(32))

    return types.uint32(types.uint32, types.uint32), codegen


@intrinsic
def square_root(_context: Any, _operand: Any) -> Any:
    """The correctly rounded square root of an f32."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        root = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.FloatType(), [ir.FloatType()]), "llvm.sqrt.f32"
        )
        return builder.call(root, arguments)

    return types.float32(types.float32), codegen


@intrinsic
def fma(_context: Any, _left: Any, _right: Any, _addend: Any) -> Any:
    """left * right + addend of f32, rounded once."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        number = ir.FloatType()
        fused = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, [number] * 3), "llvm.fma.f32")
        return builder.call(fused, arguments)

    return types.float32(types.float32, types.float32, types.float32), codegen


@intrinsic
def to_bits(_context: Any, _operand: Any) -> Any:
    """The bits of an f32 as a u32."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.uint32(types.float32), codegen


@intrinsic
def from_bits(_context: Any, _operand: Any) -> Any:
    """The f32 that has the bits of a u32."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.uint32), codegen


# --- lanes with an event ---------------------------------------------------------------------------------------------


@intrinsic
def _flags(_context: Any, array: Any, _start: Any) -> Any:
    """The flags of the `WORD` lanes from `start` on as the bits of a u64."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = _data(context, builder, signature.args[0], arguments[0])
        vector = ir.VectorType(ir.IntType(8), WORD)
        pointer = builder.bitcast(builder.gep(source, [arguments[1]]), vector.as_pointer())
        flags = builder.icmp_unsigned("!=", builder.load(pointer, align=1), ir.Constant(vector, [0] * WORD))
        return builder.bitcast(flags, ir.IntType(WORD))

    return types.uint64(array, types.intp), codegen


@intrinsic
def _lowest(_context: Any, _bits: Any) -> Any:
    """The number of the lowest bit of a u64 that is set; there is one."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.intp(types.uint64), codegen


@intrinsic
def _without_lowest(_context: Any, _bits: Any) -> Any:
    """A u64 that is not zero without its lowest bit that is set."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.and_(arguments[0], builder.sub(arguments[0], ir.IntType(64)(1)))

    return types.uint64(types.uint64), codegen


@inline
def choose_lanes(flags: Any, lanes: Any) -> Any:
    """Write the numbers of the lanes whose flag is set into `lanes`, in order; the result is how many there are."""
    chosen = 0
    for start in range(0, LANES, WORD):
        bits = _flags(flags, start)
        while bits != 0:
            lanes[chosen] = start + _lowest(bits)
            chosen += 1
            bits = _without_lowest(bits)
    return chosen


# --- arrays that stand for nothing -----------------------------------------------------------------------------------

NO_ACTIONS = np.zeros((0, 0), np.int32)
NO_BOOL = np.zeros(0, np.bool_)
NO_F32 = np.zeros(0, np.float32)
NO_I32 = np.zeros(0, np.int32)
NO_I64 = np.zeros(0, np.int64)
NO_REPORTS = np.zeros((0, 0), np.float32)
