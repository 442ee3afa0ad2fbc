"""Expressions of the tick IR in numba's Python.

A plain operation on f32 or bool is written with its sign, if it has one; else it is called by its name: numba computes
`a + b` of i32 or u32 in 64 bits, so that integers have functions of their own (`hamlet.launch.cpu.ops.operations`). A
Python float is an f64, so that f32 constants are typed. Each costs a line of Python a millisecond of compile time:
integer literals are typed only where they must be.
"""

from __future__ import annotations

from hamlet.numbers.binary32 import spell32
from hamletc.ir.ops import (
    BOOL,
    F32,
    PLAIN,
    Const,
    Element,
    Fetch,
    Fold,
    Input,
    Lookup,
    Neg,
    Not,
    Op,
    Plain,
    Select,
    Type,
    Value,
    operands,
)
from hamletc.kernel.body import Body, table_name


def literal(constant: Const) -> str:
    """A constant whose type is decided by what it meets."""
    match constant.type, constant.value:
        case Type.F32, value:
            return f"f32({spell32(value)})"
        case Type.U32, int(value) if value >= 0x10000:
            return f"0x{value:08X}"
        case _, value:
            return repr(value)


def typed(constant: Const) -> str:
    """A constant of its type."""
    match constant.type:
        case Type.F32 | Type.BOOL:
            return literal(constant)
        case type_:
            return f"{type_.value}({literal(constant)})"


class NumbaFormatter:
    """Prints the values of one body. Tables that are `constants` are not passed to functions."""

    def __init__(self, body: Body, constants: frozenset[str] = frozenset()) -> None:
        self.body = body
        self.constants = constants

    def line(self, value: Value) -> str:
        """The right side of the line that defines a value."""
        return self.operation(self.body.op(value))

    def value(self, value: Value) -> str:
        """A value where something beside it decides its type: its name, or its expression without parentheses."""
        if value in self.body.names:
            return self.body.names[value]
        op = self.body.op(value)
        return literal(op) if isinstance(op, Const) else self.operation(op)

    def typed(self, value: Value) -> str:
        """A value on its own."""
        op = self.body.op(value)
        return typed(op) if isinstance(op, Const) else self.value(value)

    def operand(self, value: Value) -> str:
        """A value between operators, in parentheses where needed."""
        text = self.value(value)
        return text if value in self.body.names or not self._is_infix(value) else f"({text})"

    def _is_infix(self, value: Value) -> bool:
        op = self.body.op(value)
        return isinstance(op, Plain) and self._sign(op) != ""

    def _sign(self, op: Plain) -> str:
        """The sign with which an operation is written; empty where it is called."""
        return PLAIN[type(op)].sign if self.body.type(operands(op)[0]) in (F32, BOOL) else ""

    def _arguments(self, *values: Value) -> str:
        """Arguments of one type, at least one of them typed."""
        constant = all(isinstance(self.body.op(value), Const) for value in values)
        first = self.typed(values[0]) if constant else self.value(values[0])
        return ", ".join([first, *map(self.value, values[1:])])

    def operation(self, op: Op) -> str:
        """The expression of an operation."""
        match op:
            case Const():
                return literal(op)
            case Input() | Element():
                raise TypeError(f"no expression for {op}")
            case Lookup(table=table, index=index):
                return f"take({table_name(table)}, {self.typed(index)})"
            case Fetch(array=array, index=index):
                return f"take({table_name(array)}, {self.typed(index)})"
            case Select(condition=condition, then=then, otherwise=otherwise):
                return f"where({self.value(condition)}, {self._arguments(then, otherwise)})"
            case Fold():
                return self._fold(op)
            case Neg(operand=operand) if self.body.type(operand) is Type.I32:
                return f"subtract(0, {self.typed(operand)})"
            case Not(operand=operand) if isinstance(known := self.body.op(operand), Const):
                # In Python `~True` is -2.
                return repr(not known.value)
            case _:
                return self._plain(op, operands(op))

    def _plain(self, op: Plain, on: tuple[Value, ...]) -> str:
        match self._sign(op), on:
            case "", _:
                return f"{PLAIN[type(op)].call}({self._arguments(*on)})"
            case sign, (operand,):
                return f"{sign}{self.operand(operand)}"
            case sign, _:
                return f" {sign} ".join(map(self.operand, on))

    def _fold(self, op: Fold) -> str:
        # A loop needs its types from the beginning: constants become vectors where others are.
        other = next((value for value in op.initial if not isinstance(self.body.op(value), Const)), None)
        given = [
            self.typed(value)
            if other is None or not isinstance(self.body.op(value), Const)
            else f"alike({self.typed(value)}, {self.value(other)})"
            for value in op.initial
        ]
        given += [table_name(table) for table in op.tables if table not in self.constants]
        return f"_{op.function}_rows({', '.join(given)})"
