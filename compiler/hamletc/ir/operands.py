"""Operands of operations: which they are, and the type of the value that they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from operator import attrgetter

from hamletc.ir.ops import (
    BOOL,
    F32,
    I32,
    OPS,
    PLAIN,
    U32,
    Binary,
    Const,
    Element,
    Fetch,
    Fma,
    Fold,
    Input,
    Lookup,
    Op,
    Select,
    Type,
    Unary,
    Value,
)


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
    match op:
        case Unary() | Binary() | Fma():
            first = operand_types[0]
            result = PLAIN[type(op)].results.get(first)
            if result is not None and operand_types.count(first) == len(operand_types):
                return result
        case Const(type=type_) | Input(type=type_):
            return type_
        case Element():
            return I32
        case Lookup(table=table):
            if table not in table_types:
                raise TypingError(f"there is no table {table}")
            if operand_types == (I32,):
                return table_types[table]
        case Fetch():
            if operand_types == (I32,):
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
    types = ", ".join(type_.value for type_ in operand_types)
    raise TypingError(f"{type(op).__name__} does not take ({types})")


def _getter(names: tuple[str, ...]) -> Callable[[Op], tuple[Value, ...]]:
    """A function that returns these fields of an operation; programs ask for operands millions of times."""
    match names:
        case ():
            return lambda _: ()
        case (name,):
            one: Callable[[Op], Value] = attrgetter(name)
            return lambda op: (one(op),)
        case _:
            several: Callable[[Op], tuple[Value, ...]] = attrgetter(*names)
            return several


_OPERANDS: dict[type[Op], Callable[[Op], tuple[Value, ...]]] = {
    op: attrgetter("initial") if op is Fold else _getter(tuple(f.name for f in fields(op) if f.type == "Value"))
    for op in OPS
}


def operands(op: Op) -> tuple[Value, ...]:
    """The operands of an operation, in order."""
    return _OPERANDS[type(op)](op)


def with_operands(op: Op, values: tuple[Value, ...]) -> Op:
    """The same operation on other operands."""
    match op:
        case Unary() | Binary() | Fma():
            return type(op)(*values)
        case Const() | Input() | Element():
            return op
        case Lookup(table=table, along=along):
            return Lookup(table, values[0], along)
        case Fetch(array=array, along=along):
            return Fetch(array, values[0], along)
        case Fold():
            return replace(op, initial=values)
        case Select(order=order):
            condition, then, otherwise = values
            return Select(condition, then, otherwise, order)
