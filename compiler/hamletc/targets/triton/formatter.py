"""Expressions of the tick IR in Triton's Python: one method per operation.

What each must avoid is said where it is: Triton's `/`, `tl.sqrt` and `tl.fma` are not exact or not one rounding per
operation; an integer literal is an i32 where nothing else decides; a literal like 1e-40 becomes an f64.
"""

from __future__ import annotations

from functools import singledispatchmethod

from hamlet.binary32 import bits32, spell32
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
from hamletc.targets.body import Body

DTYPES = {Type.F32: "tl.float32", Type.I32: "tl.int32", Type.U32: "tl.uint32", Type.BOOL: "tl.int1"}
SMALLEST_LITERAL, LARGEST_LITERAL = 2.0**-126, 3.4028234e38
"""Triton takes a float literal for an f32 between these magnitudes (and for 0.0); others are written by their bits."""


def literal(constant: Const) -> str:
    """A constant, typed by what it meets."""
    match constant.type, constant.value:
        case Type.F32, value:
            text = spell32(value)
            if text == "0.0" or SMALLEST_LITERAL <= abs(float(text)) <= LARGEST_LITERAL:
                return text
            return f"tl.full((), 0x{bits32(value):08X}, tl.uint32).to(tl.float32, bitcast=True)"
        case Type.U32, int(value) if value >= 0x10000:
            return f"0x{value:08X}"
        case _, value:
            return repr(value)


def typed(constant: Const) -> str:
    """A constant where nothing beside it decides its type."""
    text = literal(constant)
    return text if text.startswith("tl.") else f"tl.full((), {text}, {DTYPES[constant.type]})"


class TritonFormatter:
    """Prints the values of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body

    def line(self, value: Value) -> str:
        """The right side of the line that defines a value."""
        return self.operation(self.body.op(value))

    def value(self, value: Value) -> str:
        """A value as an argument or on its own: its name, or its expression without parentheses."""
        if value in self.body.names:
            return self.body.names[value]
        op = self.body.op(value)
        return literal(op) if isinstance(op, Const) else self.operation(op)

    def tensor(self, value: Value) -> str:
        """A value where nothing beside it decides its type, without parentheses."""
        op = self.body.op(value)
        return typed(op) if isinstance(op, Const) else self.value(value)

    def operand(self, value: Value) -> str:
        """A value between operators, in parentheses where needed."""
        text = self.value(value)
        infix = (Add, Sub, Mul, Rem, Less, LessEqual, Equal, And, Or, Xor, Not, ShiftLeft, ShiftRight, Neg)
        op = self.body.op(value)
        bare = value in self.body.names or not (isinstance(op, infix) or self._whole_quotient(op))
        return text if bare else f"({text})"

    def primary(self, value: Value) -> str:
        """A value before a dot."""
        op = self.body.op(value)
        return typed(op) if isinstance(op, Const) else self.operand(value)

    def _whole_quotient(self, op: Op) -> bool:
        return isinstance(op, Div) and self.body.type(op.left) is not Type.F32

    def _constant(self, value: Value) -> bool:
        return isinstance(self.body.op(value), Const)

    def _infix(self, op: Binary, sign: str) -> str:
        # Of two constants one is typed, or Python would compute with them in its own arithmetic.
        left = self.primary(op.left) if self._constant(op.right) else self.operand(op.left)
        return f"{left} {sign} {self.operand(op.right)}"

    @singledispatchmethod
    def operation(self, op: Op) -> str:
        """The expression of an operation."""
        raise TypeError(f"no expression for {op}")

    @operation.register
    def _(self, op: Const) -> str:
        return typed(op)

    @operation.register
    def _(self, op: Lookup) -> str:
        return f"tl.load({table_name(op.table)} + {self.operand(op.index)})"

    @operation.register
    def _(self, op: Add) -> str:
        return self._infix(op, "+")

    @operation.register
    def _(self, op: Sub) -> str:
        return self._infix(op, "-")

    @operation.register
    def _(self, op: Mul) -> str:
        return self._infix(op, "*")

    @operation.register
    def _(self, op: MulHigh) -> str:
        return f"tl.umulhi({self.tensor(op.left)}, {self.tensor(op.right)})"

    @operation.register
    def _(self, op: Div) -> str:
        if self.body.type(op.left) is Type.F32:
            return f"tl.div_rn({self.tensor(op.left)}, {self.tensor(op.right)})"
        return f"{self.primary(op.left)} // {self.primary(op.right)}"

    @operation.register
    def _(self, op: Rem) -> str:
        return f"{self.primary(op.left)} % {self.primary(op.right)}"

    @operation.register
    def _(self, op: Neg) -> str:
        return f"-{self.primary(op.operand)}"

    @operation.register
    def _(self, op: Abs) -> str:
        return f"tl.abs({self.tensor(op.operand)})"

    @operation.register
    def _(self, op: Sqrt) -> str:
        return f"tl.sqrt_rn({self.tensor(op.operand)})"

    @operation.register
    def _(self, op: Less) -> str:
        return self._infix(op, "<")

    @operation.register
    def _(self, op: LessEqual) -> str:
        return self._infix(op, "<=")

    @operation.register
    def _(self, op: Equal) -> str:
        return self._infix(op, "==")

    @operation.register
    def _(self, op: And) -> str:
        return self._infix(op, "&")

    @operation.register
    def _(self, op: Or) -> str:
        return self._infix(op, "|")

    @operation.register
    def _(self, op: Xor) -> str:
        return self._infix(op, "^")

    @operation.register
    def _(self, op: Not) -> str:
        return f"~{self.primary(op.operand)}"

    @operation.register
    def _(self, op: ShiftLeft) -> str:
        return self._infix(op, "<<")

    @operation.register
    def _(self, op: ShiftRight) -> str:
        return self._infix(op, ">>")

    @operation.register
    def _(self, op: Select) -> str:
        # Two literals would be i32, or not agree: 0x9E3779B9 is a u32, 1 an i32.
        both = self._constant(op.then) and self._constant(op.otherwise)
        then = self.tensor(op.then) if both else self.value(op.then)
        otherwise = self.tensor(op.otherwise) if both and self.body.type(op.then) is Type.U32 else self.value(op.otherwise)
        return f"tl.where({self.tensor(op.condition)}, {then}, {otherwise})"

    @operation.register
    def _(self, op: ToF32) -> str:
        return f"{self.primary(op.operand)}.to(tl.float32)"

    @operation.register
    def _(self, op: ToU32) -> str:
        return f"{self.primary(op.operand)}.to(tl.uint32, bitcast=True)"

    @operation.register
    def _(self, op: ToI32) -> str:
        return f"{self.primary(op.operand)}.to(tl.int32, bitcast=True)"


def table_name(table: str) -> str:
    """The kernel argument of a table. No local name begins like this."""
    return f"table_{table}"
