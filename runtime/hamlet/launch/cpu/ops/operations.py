"""Operations on the numbers of a lane or the vectors of several: of the types of their operands (numba would widen i32
to i64), without branches, never contracted."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from hamlet.launch.cpu.ops.machinery import cgutils, intrinsic, types
from hamlet.launch.cpu.ops.vectors import Vector, element, like, splat, spread

INTEGERS = (types.int32, types.uint32)


def _common(left: Any, right: Any) -> Any:
    """The type of two operands, one of which may be an integer literal, an i64 in numba; `None` where they differ."""
    candidates = {element(operand) for operand in (left, right)} - {types.int64}
    return candidates.pop() if len(candidates) == 1 else None


def _as(dtype: Any, operand: Any) -> Any:
    """The type as which an operand is taken: a literal as a number of this type."""
    return operand if isinstance(operand, Vector) else dtype


@intrinsic
def where(_context: Any, condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` where the condition holds, else `otherwise`: without a branch."""
    dtype = _common(then, otherwise)
    if dtype is None or element(condition) != types.boolean:
        return None
    condition = _as(types.boolean, condition)
    given = condition, _as(dtype, then), _as(dtype, otherwise)

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        if isinstance(condition, Vector):
            return builder.select(*spread(builder, given, arguments))
        return builder.select(arguments[0], *spread(builder, given[1:], arguments[1:]))

    return like(dtype, given)(*given), codegen


def _operation(name: str) -> Any:
    """An intrinsic on two i32 or two u32 with a result of their type, in 32 bits. One of them may be a literal."""

    def operation(_context: Any, left: Any, right: Any) -> Any:
        dtype = _common(left, right)
        if dtype not in INTEGERS:
            return None
        given = _as(dtype, left), _as(dtype, right)

        def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return getattr(builder, name)(*spread(builder, given, arguments))

        return like(dtype, given)(*given), codegen

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
        dtype = _common(left, right)
        if dtype not in INTEGERS:
            return None
        given = _as(dtype, left), _as(dtype, right)

        def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            compare = builder.icmp_signed if dtype == types.int32 else builder.icmp_unsigned
            return compare(sign, *spread(builder, given, arguments))

        return like(types.boolean, given)(*given), codegen

    return intrinsic(comparison)


equal = _comparison("==")
less = _comparison("<")
less_equal = _comparison("<=")


@intrinsic
def mulhigh(_context: Any, left: Any, right: Any) -> Any:
    """The high 32 bits of the product of two u32."""
    given = _as(types.uint32, left), _as(types.uint32, right)

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        arguments = spread(builder, given, arguments)
        vector = isinstance(arguments[0].type, ir.VectorType)
        wide = ir.VectorType(ir.IntType(64), arguments[0].type.count) if vector else ir.IntType(64)
        half = splat(builder, ir.IntType(64)(32)) if vector else ir.IntType(64)(32)
        product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
        return builder.trunc(builder.lshr(product, half), arguments[0].type)

    return like(types.uint32, given)(*given), codegen


def _function(name: str) -> Any:
    """An intrinsic for a function of LLVM on f32."""

    def codegen(_context: Any, builder: Any, given: Any, arguments: Any) -> Any:
        arguments = spread(builder, given.args, arguments)
        type_ = arguments[0].type
        suffix = f"v{type_.count}f32" if isinstance(type_, ir.VectorType) else "f32"
        kind = ir.FunctionType(type_, [type_] * len(arguments))
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"{name}.{suffix}"), arguments)

    return codegen


@intrinsic
def square_root(_context: Any, operand: Any) -> Any:
    """The correctly rounded square root of an f32."""
    given = _as(types.float32, operand)
    return given(given), _function("llvm.sqrt")


@intrinsic
def fma(_context: Any, left: Any, right: Any, addend: Any) -> Any:
    """left * right + addend of f32, rounded once."""
    given = tuple(_as(types.float32, operand) for operand in (left, right, addend))
    return like(types.float32, given)(*given), _function("llvm.fma")


@intrinsic
def absolute(_context: Any, operand: Any) -> Any:
    """The absolute value of an f32, or of an i32 but -2**31."""
    dtype = element(operand)
    given = _as(dtype, operand)
    if dtype == types.float32:
        return given(given), _function("llvm.fabs")

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        (value,) = arguments
        zero = ir.Constant(value.type, None)
        return builder.select(builder.icmp_signed("<", value, zero), builder.sub(zero, value), value)

    return given(given), codegen


def _conversion(source: Any, target: Any, name: str) -> Any:
    """An intrinsic that makes a number of another type of one."""

    def conversion(_context: Any, operand: Any) -> Any:
        given = _as(source, operand)

        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, name)(arguments[0], context.get_value_type(signature.return_type))

        return like(target, (given,))(given), codegen

    return intrinsic(conversion)


to_f32 = _conversion(types.int32, types.float32, "sitofp")
to_u32 = _conversion(types.int32, types.uint32, "bitcast")
to_i32 = _conversion(types.uint32, types.int32, "bitcast")
to_bits = _conversion(types.float32, types.uint32, "bitcast")
from_bits = _conversion(types.uint32, types.float32, "bitcast")
