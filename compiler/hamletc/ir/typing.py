"""The typing rules of the operations: which operand types each takes, and the type of its result."""

from __future__ import annotations

from collections.abc import Mapping

from hamletc.ir.ops import (
    Abs,
    Add,
    And,
    Const,
    Div,
    Element,
    Equal,
    Fma,
    Fold,
    FromBits,
    Input,
    Less,
    LessEqual,
    Lookup,
    Mul,
    MulHigh,
    Neg,
    Not,
    Op,
    Or,
    Rem,
    Select,
    ShiftLeft,
    ShiftRight,
    Sqrt,
    Sub,
    ToBits,
    ToF32,
    ToI32,
    ToU32,
    Xor,
)
from hamletc.ir.types import Type

F32, I32, U32, BOOL = Type.F32, Type.I32, Type.U32, Type.BOOL

_NUMBERS = (F32, I32, U32)
_SAME = None

_RULES: dict[type[Op], tuple[tuple[Type, ...], Type | None]] = {
    Add: (_NUMBERS, _SAME),
    Sub: (_NUMBERS, _SAME),
    Mul: (_NUMBERS, _SAME),
    MulHigh: ((U32,), _SAME),
    Div: ((F32, U32), _SAME),
    Rem: ((U32,), _SAME),
    Neg: ((F32, I32), _SAME),
    Abs: ((F32, I32), _SAME),
    Sqrt: ((F32,), _SAME),
    Less: (_NUMBERS, BOOL),
    LessEqual: (_NUMBERS, BOOL),
    Equal: ((F32, I32, U32, BOOL), BOOL),
    And: ((BOOL, U32), _SAME),
    Or: ((BOOL, U32), _SAME),
    Xor: ((U32,), _SAME),
    Not: ((BOOL,), _SAME),
    ShiftLeft: ((U32,), _SAME),
    ShiftRight: ((U32,), _SAME),
    ToF32: ((I32,), F32),
    ToU32: ((I32,), U32),
    ToI32: ((U32,), I32),
    ToBits: ((F32,), U32),
    FromBits: ((U32,), F32),
}
"""Operations whose operands all have one type: the types allowed, and the result (`None`: the operands' type)."""


class TypingError(Exception):
    """An operation on operands of types that it does not take."""


def result_type(op: Op, operand_types: tuple[Type, ...], table_types: Mapping[str, Type]) -> Type:
    """The type of an operation's value.

    Args:
        operand_types: the types of `operands(op)`, in order.
        table_types: the element type of every table, by name.

    Raises:
        TypingError: the operand types do not fit, or the table does not exist.
    """
    rule = _RULES.get(type(op))
    if rule is not None:
        allowed, result = rule
        first = operand_types[0]
        if first in allowed and operand_types[-1] is first:
            return first if result is None else result
    match op:
        case Const(type=type_) | Input(type=type_):
            return type_
        case Element():
            return I32
        case Lookup(table=table):
            if table not in table_types:
                raise TypingError(f"there is no table {table}")
            if operand_types == (I32,):
                return table_types[table]
        case Fma():
            if operand_types == (F32, F32, F32):
                return F32
        case Fold(tables=tables):
            if missing := [table for table in tables if table not in table_types]:
                raise TypingError(f"there is no table {missing[0]}")
            if set(operand_types) in ({F32}, {U32}):
                return operand_types[0]
        case Select():
            condition, then, otherwise = operand_types
            if condition is BOOL and then is otherwise:
                return then
        case _:
            pass  # `_RULES` has all others, and refused these types
    given = ", ".join(type_.value for type_ in operand_types)
    raise TypingError(f"{type(op).__name__} does not take ({given})")
