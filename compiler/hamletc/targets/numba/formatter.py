"""Expressions of the tick IR in numba's Python: one method per operation.

What each must avoid is said where it is: numba computes `a + b` of i32 or u32 in 64 bits, so that integers have
functions of their own; and a Python float is an f64, so that f32 constants are
typed. Each costs a line of Python a millisecond of compile time: integer literals are typed only where they must be.
"""

from __future__ import annotations

from functools import singledispatchmethod

from hamlet.numbers.binary32 import spell32
from hamletc.ir.ops import (
    Abs,
    Add,
    And,
    Binary,
    Const,
    Div,
    Equal,
    Fma,
    Fold,
    FromBits,
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
    Value,
    Xor,
)
from hamletc.ir.types import Type
from hamletc.targets.body import Body, identifier


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
        match self.body.op(value):
            case Not():
                return True
            case Add() | Sub() | Mul() | Div() | Less() | LessEqual() | Equal() | And() | Or() as op:
                return self.body.type(op.left) in (Type.F32, Type.BOOL)
            case Neg(operand=operand):
                return self.body.type(operand) is Type.F32
            case _:
                return False

    def _infix(self, op: Binary, sign: str) -> str:
        return f"{self.operand(op.left)} {sign} {self.operand(op.right)}"

    def _pair(self, left: Value, right: Value) -> str:
        """Two arguments of one type, at least one of them typed."""
        both = all(isinstance(self.body.op(value), Const) for value in (left, right))
        return f"{self.typed(left) if both else self.value(left)}, {self.value(right)}"

    def _call(self, function: str, left: Value, right: Value) -> str:
        return f"{function}({self._pair(left, right)})"

    def _compute(self, op: Binary, sign: str, function: str) -> str:
        if self.body.type(op.left) in (Type.F32, Type.BOOL):
            return self._infix(op, sign)
        return self._call(function, op.left, op.right)

    @singledispatchmethod
    def operation(self, op: Op) -> str:
        """The expression of an operation."""
        raise TypeError(f"no expression for {op}")

    @operation.register
    def _(self, op: Const) -> str:
        return literal(op)

    @operation.register
    def _(self, op: Lookup) -> str:
        return f"take({table_name(op.table)}, {self.typed(op.index)})"

    @operation.register
    def _(self, op: Add) -> str:
        return self._compute(op, "+", "add")

    @operation.register
    def _(self, op: Sub) -> str:
        return self._compute(op, "-", "subtract")

    @operation.register
    def _(self, op: Mul) -> str:
        return self._compute(op, "*", "multiply")

    @operation.register
    def _(self, op: MulHigh) -> str:
        return self._call("mulhigh", op.left, op.right)

    @operation.register
    def _(self, op: Div) -> str:
        return self._compute(op, "/", "divide")

    @operation.register
    def _(self, op: Fma) -> str:
        return f"fma({self.value(op.left)}, {self.value(op.right)}, {self.value(op.addend)})"

    @operation.register
    def _(self, op: Rem) -> str:
        return self._call("remainder", op.left, op.right)

    @operation.register
    def _(self, op: Neg) -> str:
        if self.body.type(op.operand) is Type.F32:
            return f"-{self.operand(op.operand)}"
        return f"subtract(0, {self.typed(op.operand)})"

    @operation.register
    def _(self, op: Abs) -> str:
        return f"absolute({self.typed(op.operand)})"

    @operation.register
    def _(self, op: Sqrt) -> str:
        return f"square_root({self.value(op.operand)})"

    @operation.register
    def _(self, op: Less) -> str:
        return self._compute(op, "<", "less")

    @operation.register
    def _(self, op: LessEqual) -> str:
        return self._compute(op, "<=", "less_equal")

    @operation.register
    def _(self, op: Equal) -> str:
        return self._compute(op, "==", "equal")

    @operation.register
    def _(self, op: And) -> str:
        return self._compute(op, "&", "bit_and")

    @operation.register
    def _(self, op: Or) -> str:
        return self._compute(op, "|", "bit_or")

    @operation.register
    def _(self, op: Xor) -> str:
        return self._call("bit_xor", op.left, op.right)

    @operation.register
    def _(self, op: Not) -> str:
        return f"~{self.operand(op.operand)}"

    @operation.register
    def _(self, op: ShiftLeft) -> str:
        return self._call("shift_left", op.left, op.right)

    @operation.register
    def _(self, op: ShiftRight) -> str:
        return self._call("shift_right", op.left, op.right)

    @operation.register
    def _(self, op: Select) -> str:
        return f"where({self.value(op.condition)}, {self._pair(op.then, op.otherwise)})"

    @operation.register
    def _(self, op: Fold) -> str:
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

    @operation.register
    def _(self, op: ToF32) -> str:
        return f"to_f32({self.typed(op.operand)})"

    @operation.register
    def _(self, op: ToU32) -> str:
        return f"to_u32({self.typed(op.operand)})"

    @operation.register
    def _(self, op: ToI32) -> str:
        return f"to_i32({self.typed(op.operand)})"

    @operation.register
    def _(self, op: ToBits) -> str:
        return f"to_bits({self.value(op.operand)})"

    @operation.register
    def _(self, op: FromBits) -> str:
        return f"from_bits({self.value(op.operand)})"


def table_name(table: str) -> str:
    """A table in generated text: an argument of kernels, or a constant. No local name begins like this."""
    return f"table_{identifier(table)}"
