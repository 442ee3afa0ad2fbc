"""Expressions of the tick IR in numba's Python: one method per operation.

What each must avoid is said where it is: numba computes with i32 and u32 in 64 bits, which halves the lanes in a vector
register, and a Python literal is an i64 or f64. So constants are typed, and integer results are narrowed at once: LLVM
turns `i32(a + b)` into one 32-bit addition.
"""

from __future__ import annotations

from functools import singledispatchmethod

from hamlet.binary32 import spell32

from hamletc.ir.ops import (
    Abs,
    Add,
    And,
    Binary,
    Const,
    Div,
    Equal,
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
    ToF32,
    ToI32,
    ToU32,
    Value,
    Xor,
)
from hamletc.ir.types import Type
from hamletc.targets.body import Body, identifier


def literal(constant: Const) -> str:
    """A constant of its type."""
    match constant.type, constant.value:
        case Type.BOOL, value:
            return repr(value)
        case Type.F32, value:
            return f"f32({spell32(value)})"
        case Type.U32, int(value) if value >= 0x10000:
            return f"u32(0x{value:08X})"
        case type_, value:
            return f"{type_.value}({value!r})"


class NumbaFormatter:
    """Prints the values of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def line(self, value: Value) -> str:
        """The right side of the line that defines a value."""
        return self.operation(self.body.op(value))

    def value(self, value: Value) -> str:
        """A value as an argument or on its own: its name, or its expression without parentheses."""
        return self.body.names.get(value) or self.operation(self.body.op(value))

    def operand(self, value: Value) -> str:
        """A value between operators, in parentheses where needed."""
        text = self.value(value)
        bare = value in self.body.names or not self._is_infix(value)
        return text if bare else f"({text})"

    def _is_infix(self, value: Value) -> bool:
        match self.body.op(value):
            case Less() | LessEqual() | Equal() | Not():
                return True
            case Add() | Sub() | Mul() | Div() | Neg():
                return self.body.type(value) is Type.F32
            case And() | Or():
                return self.body.type(value) is Type.BOOL
            case _:
                return False

    def _compare(self, op: Binary, sign: str) -> str:
        return f"{self.operand(op.left)} {sign} {self.operand(op.right)}"

    def _compute(self, op: Binary, sign: str) -> str:
        text = self._compare(op, sign)
        match self.body.type(op.left):
            case Type.F32 | Type.BOOL:
                return text
            case type_:
                return f"{type_.value}({text})"

    @singledispatchmethod
    def operation(self, op: Op) -> str:
        """The expression of an operation."""
        raise TypeError(f"no expression for {op}")

    @operation.register
    def _(self, op: Const) -> str:
        return literal(op)

    @operation.register
    def _(self, op: Lookup) -> str:
        # An unsigned index: numba counts a negative one from the end, with a branch.
        return f"{table_name(op.table)}[u32({self.value(op.index)})]"

    @operation.register
    def _(self, op: Add) -> str:
        return self._compute(op, "+")

    @operation.register
    def _(self, op: Sub) -> str:
        return self._compute(op, "-")

    @operation.register
    def _(self, op: Mul) -> str:
        return self._compute(op, "*")

    @operation.register
    def _(self, op: MulHigh) -> str:
        return f"mulhigh({self.value(op.left)}, {self.value(op.right)})"

    @operation.register
    def _(self, op: Div) -> str:
        if self.body.type(op.left) is Type.F32:
            return self._compute(op, "/")
        return f"divide({self.value(op.left)}, {self.value(op.right)})"

    @operation.register
    def _(self, op: Rem) -> str:
        return f"remainder({self.value(op.left)}, {self.value(op.right)})"

    @operation.register
    def _(self, op: Neg) -> str:
        text = f"-{self.operand(op.operand)}"
        return text if self.body.type(op.operand) is Type.F32 else f"i32({text})"

    @operation.register
    def _(self, op: Abs) -> str:
        text = f"abs({self.value(op.operand)})"
        return text if self.body.type(op.operand) is Type.F32 else f"i32({text})"

    @operation.register
    def _(self, op: Sqrt) -> str:
        return f"square_root({self.value(op.operand)})"

    @operation.register
    def _(self, op: Less) -> str:
        return self._compare(op, "<")

    @operation.register
    def _(self, op: LessEqual) -> str:
        return self._compare(op, "<=")

    @operation.register
    def _(self, op: Equal) -> str:
        return self._compare(op, "==")

    @operation.register
    def _(self, op: And) -> str:
        return self._compute(op, "&")

    @operation.register
    def _(self, op: Or) -> str:
        return self._compute(op, "|")

    @operation.register
    def _(self, op: Xor) -> str:
        return self._compute(op, "^")

    @operation.register
    def _(self, op: Not) -> str:
        return f"not {self.operand(op.operand)}"

    @operation.register
    def _(self, op: ShiftLeft) -> str:
        return self._compute(op, "<<")

    @operation.register
    def _(self, op: ShiftRight) -> str:
        return self._compute(op, ">>")

    @operation.register
    def _(self, op: Select) -> str:
        return f"where({self.value(op.condition)}, {self.value(op.then)}, {self.value(op.otherwise)})"

    @operation.register
    def _(self, op: ToF32) -> str:
        return f"f32({self.value(op.operand)})"

    @operation.register
    def _(self, op: ToU32) -> str:
        return f"u32({self.value(op.operand)})"

    @operation.register
    def _(self, op: ToI32) -> str:
        return f"i32({self.value(op.operand)})"


def table_name(table: str) -> str:
    """The kernel argument of a table. No local name begins like this."""
    return f"table_{identifier(table)}"
