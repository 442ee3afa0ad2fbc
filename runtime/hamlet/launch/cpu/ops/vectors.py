"""Vectors: the values of `WIDE` lanes side by side.

LLVM makes them of the widest registers that a machine has, of 512, 256 or 128 bits. An operation on a vector and a
number takes the number for every lane. Nothing is left to LLVM's vectoriser.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from llvmlite import ir

from hamlet.launch.cpu.ops.machinery import (
    AbstractTemplate,
    Type,
    extending,
    intrinsic,
    models,
    registry,
    signature,
    templates,
    types,
)


def supports(feature: str) -> bool:
    """Whether machine code may use what LLVM calls by this name."""
    _, _, features = registry.cpu_target.target_context.codegen().magic_tuple()
    return f"+{feature}" in features.split(",")


REGISTERS = {"avx512f": 16, "avx2": 8}
"""f32 in a register of a machine that has this; else 4."""

WIDE = 4 * next((width for feature, width in REGISTERS.items() if supports(feature)), 4)
"""Lanes in a vector: four registers, so that the machine has independent chains to work on. Two make a universe of many
meters, whose chains are long, slower by a third; eight do not fit where there are sixteen registers."""


class Vector(Type):  # type: ignore[misc]  # numba has no types
    """The numbers of `WIDE` lanes; of booleans a bit each."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"Vector({dtype})")


@extending.register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]  # numba has no types
    def __init__(self, manager: Any, vector: Any) -> None:
        super().__init__(manager, vector, ir.VectorType(manager.lookup(vector.dtype).get_value_type(), WIDE))


class Wide(Type):  # type: ignore[misc]  # numba has no types
    """The index of the first of `WIDE` lanes."""

    def __init__(self) -> None:
        super().__init__(name="Wide")


WIDE_INDEX = Wide()


@extending.register_model(Wide)
class _WideModel(models.PrimitiveModel):  # type: ignore[misc]  # numba has no types
    def __init__(self, manager: Any, wide: Any) -> None:
        super().__init__(manager, wide, manager.lookup(types.intp).get_value_type())


@intrinsic
def wide(_context: Any, _first: Any) -> Any:
    """The index of `WIDE` lanes from this one on."""

    def codegen(_context: Any, _builder: Any, _signature: Any, arguments: Any) -> Any:
        return arguments[0]

    return WIDE_INDEX(types.intp), codegen


@templates.infer_global(operator.add)
class _Further(AbstractTemplate):  # type: ignore[misc]  # numba has no types
    def generic(self, arguments: Any, _keywords: Any) -> Any:
        offset, index = arguments
        if isinstance(offset, types.Integer) and isinstance(index, Wide):
            return signature(index, types.intp, index)
        return None


def _further(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    return builder.add(*arguments)


extending.lower_builtin(operator.add, types.intp, Wide)(_further)


def element(type_: Any) -> Any:
    """The type of one lane of a vector, or of a number; a literal's own type is left out."""
    return type_.dtype if isinstance(type_, Vector) else types.unliteral(type_)


def like(dtype: Any, operands: Any) -> Any:
    """`dtype` for every lane where an operand is a vector."""
    return Vector(dtype) if any(isinstance(operand, Vector) for operand in operands) else dtype


def splat(builder: Any, value: Any, count: int = WIDE) -> Any:
    """The value in every lane."""
    vector = ir.VectorType(value.type, count)
    if isinstance(value, ir.Constant):
        return ir.Constant(vector, [value] * count)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), lanes)


def spread(builder: Any, given: Any, arguments: Any) -> list[Any]:
    """The arguments of these types, each a vector where one of them is."""
    if not any(isinstance(type_, Vector) for type_ in given):
        return list(arguments)
    return [
        argument if isinstance(type_, Vector) else splat(builder, argument)
        for type_, argument in zip(given, arguments, strict=True)
    ]


@intrinsic
def alike(_context: Any, number: Any, other: Any) -> Any:
    """The number for every lane, where another value is a vector; a vector as it is."""
    if not isinstance(other, Vector) or isinstance(number, Vector):
        return number(number, other), lambda _context, _builder, _signature, arguments: arguments[0]

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return splat(builder, arguments[0])

    return Vector(number)(number, other), codegen


@intrinsic
def ramp(_context: Any, _start: Any) -> Any:
    """The u32 `start`, `start` + 1, ... of `WIDE` lanes."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        word = ir.IntType(32)
        steps = ir.Constant(ir.VectorType(word, WIDE), list(range(WIDE)))
        return builder.add(splat(builder, arguments[0]), steps)

    return Vector(types.uint32)(types.uint32), codegen


# --- operators -------------------------------------------------------------------------------------------------------


Definition: TypeAlias = Callable[..., Any]
"""From a context and types to a signature and a generator of instructions, or `None` where types do not fit."""


def _binary(emit: Callable[[Any, Any, list[Any]], Any], compares: bool = False) -> Definition:
    """An operation on two vectors or numbers. `emit(builder, dtype, arguments)` gives what it computes."""

    def defined(_context: Any, left: Any, right: Any) -> Any:
        if element(left) != element(right):
            return None
        given = left, right

        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return emit(builder, element(left), spread(builder, given, arguments))

        return signature(like(types.boolean if compares else element(left), given), *given), generate

    return defined


def _unary(name: str) -> Definition:
    def defined(_context: Any, operand: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return getattr(builder, name)(*arguments)

        return signature(operand, operand), generate

    return defined


def _compute(name: str) -> Callable[[Any, Any, list[Any]], Any]:
    return lambda builder, _dtype, arguments: getattr(builder, name)(*arguments)


def _compare(sign: str) -> Callable[[Any, Any, list[Any]], Any]:
    def emit(builder: Any, dtype: Any, arguments: list[Any]) -> Any:
        return (
            builder.icmp_unsigned(sign, *arguments)
            if dtype == types.boolean
            else builder.fcmp_ordered(sign, *arguments)
        )

    return emit


OPERATORS = {
    operator.add: _binary(_compute("fadd")),
    operator.sub: _binary(_compute("fsub")),
    operator.mul: _binary(_compute("fmul")),
    operator.truediv: _binary(_compute("fdiv")),
    operator.and_: _binary(_compute("and_")),
    operator.or_: _binary(_compute("or_")),
    operator.lt: _binary(_compare("<"), compares=True),
    operator.le: _binary(_compare("<="), compares=True),
    operator.eq: _binary(_compare("=="), compares=True),
    operator.neg: _unary("fneg"),
    operator.not_: _unary("not_"),
}
"""What operators do with f32 and booleans."""


def _register(operation: Any, defined: Definition, *patterns: tuple[Any, ...]) -> None:
    """Let an operator take vectors."""

    @templates.infer_global(operation)
    class _Template(AbstractTemplate):  # type: ignore[misc]  # numba has no types
        def generic(self, arguments: Any, _keywords: Any) -> Any:
            if not any(isinstance(argument, Vector) for argument in arguments):
                return None
            found = defined(None, *arguments)
            return found and found[0]

    def lower(context: Any, builder: Any, given: Any, arguments: Any) -> Any:
        _, generate = defined(context, *given.args)
        return generate(context, builder, given, arguments)

    for pattern in patterns:
        extending.lower_builtin(operation, *pattern)(lower)


for _operation, _defined in OPERATORS.items():
    if _operation in (operator.neg, operator.not_):
        _register(_operation, _defined, (Vector,))
    else:
        _register(_operation, _defined, (Vector, Vector), (Vector, types.Any), (types.Any, Vector))
