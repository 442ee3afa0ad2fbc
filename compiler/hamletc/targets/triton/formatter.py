"""Expressions of the tick IR in Triton's Python: one method per operation.

Not used because they are not exact: `/`, `tl.sqrt`; `tl.fma` only where the IR has one; `tl.minimum` and `tl.maximum`
only where they are exact. A literal takes the type of the block it meets; where it meets none (a constant, a seed) it
is an i32 or f32 unless it is written with its type.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatchmethod

from hamlet.numbers.binary32 import bits32, spell32
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
    Value,
    Xor,
    operands,
)
from hamletc.ir.types import Type
from hamletc.passes.interval import Interval
from hamletc.targets.body import Body, identifier

DTYPES = {Type.F32: "tl.float32", Type.I32: "tl.int32", Type.U32: "tl.uint32", Type.BOOL: "tl.int1"}
SMALLEST_LITERAL, LARGEST_LITERAL = 2.0**-126, 3.4028234e38
"""Triton takes a float literal for an f32 between these magnitudes (and for 0.0); others are written by their bits."""
ZERO, ONE = Const(Type.F32, 0.0), Const(Type.F32, 1.0)
SHARED = ("seed_low", "seed_high", "tick", "row", "stride", "scale", "top")
"""Kinds of inputs that all lanes share; with them, values that depend on no lane are scalars in Triton, not blocks."""


def _shared(name: str) -> bool:
    return name.partition(".")[0] in SHARED


def literal(constant: Const) -> str:
    """A constant, typed by what it meets."""
    match constant.type, constant.value:
        case Type.F32, value:
            text = spell32(value)
            if text == "0.0" or SMALLEST_LITERAL <= abs(float(text)) <= LARGEST_LITERAL:
                return text
            return f"_f32(0x{bits32(value):08X})"
        case Type.U32, int(value) if value >= 0x10000:
            return f"0x{value:08X}"
        case _, value:
            return repr(value)


def typed(constant: Const) -> str:
    """A constant where nothing beside it decides its type."""
    text = literal(constant)
    return text if text.startswith("_f32(") else f"tl.full((), {text}, {DTYPES[constant.type]})"


class TritonFormatter:
    """Prints the values of one body. `ranges` are the intervals of the function's values."""

    def __init__(self, body: Body, ranges: Sequence[Interval]) -> None:
        self.body = body
        self.ranges = ranges
        self.scalar: list[bool] = []
        for node in body.function.nodes:
            shared = [self.scalar[operand] for operand in operands(node.op)]
            self.scalar.append(_shared(node.op.name) if isinstance(node.op, Input) else all(shared))

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

    def _scalar(self, value: Value) -> bool:
        """Whether all lanes share the value, which then decides no literal's type."""
        return self.scalar[value]

    def _ordered(self, left: Value, right: Value) -> bool:
        """Whether Triton's minimum and maximum are the select: without NaN and zeros of both signs, one instruction."""
        a, b = self.ranges[left], self.ranges[right]
        one_zero = not (a.zero and b.zero) or not (a.negative_zero or b.negative_zero)
        constants = self._constant(left) and self._constant(right)
        return self.body.type(left) is Type.F32 and one_zero and not (a.nan or b.nan or constants)

    def _minimum(self, left: Value, right: Value) -> str:
        if self.body.op(left) == ONE and self.ranges[right].low >= 0 and not self.ranges[right].negative_zero:
            return self._saturated(right)
        return f"tl.minimum({self.value(left)}, {self.value(right)})"

    def _maximum(self, left: Value, right: Value) -> str:
        if self.body.op(right) == ZERO and self.ranges[left].high <= 1:
            return self._saturated(left)
        return f"tl.maximum({self.value(left)}, {self.value(right)})"

    def _saturated(self, value: Value) -> str:
        """An addition on a GPU can limit its result to 0 .. 1 at no cost, but not to one of them alone: where the other
        limit cannot bind, it is written all the same."""
        return f"tl.minimum(tl.maximum({self.value(value)}, 0.0), 1.0)"

    def _meeting(self, value: Value, other: Value) -> str:
        """An argument whose type must be that of the other one: a literal only where a block decides its type."""
        return self.tensor(value) if self._scalar(other) else self.value(value)

    def _infix(self, op: Binary, sign: str) -> str:
        # Of two constants one is typed, or Python would compute with them in its own arithmetic.
        left = self.primary(op.left) if self._constant(op.right) else self.operand(op.left)
        return f"{left} {sign} {self.operand(op.right)}"

    def _whole(self, op: Div | Rem, sign: str) -> str:
        # Triton refuses a quotient of u32 and i32.
        right = self.primary(op.right) if self._scalar(op.left) else self.operand(op.right)
        return f"{self.primary(op.left)} {sign} {right}"

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
        return f"tl.umulhi({self._meeting(op.left, op.right)}, {self._meeting(op.right, op.left)})"

    @operation.register
    def _(self, op: Div) -> str:
        if self.body.type(op.left) is Type.F32:
            return f"tl.div_rn({self._meeting(op.left, op.right)}, {self._meeting(op.right, op.left)})"
        return self._whole(op, "//")

    @operation.register
    def _(self, op: Fma) -> str:
        return f"tl.fma({self.tensor(op.left)}, {self.value(op.right)}, {self.value(op.addend)})"

    @operation.register
    def _(self, op: Rem) -> str:
        return self._whole(op, "%")

    @operation.register
    def _(self, op: Neg) -> str:
        # Before Triton 3.9 the negative of a number is 0 minus it, which loses the sign of 0.
        operand = self.primary(op.operand)
        return f"{operand} * -1.0" if self.body.type(op.operand) is Type.F32 else f"-{operand}"

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
        test = self.body.op(op.condition)
        if isinstance(test, Less) and self._ordered(test.left, test.right):
            if (op.then, op.otherwise) == (test.left, test.right):
                return self._minimum(test.left, test.right)
            if (op.then, op.otherwise) == (test.right, test.left):
                return self._maximum(test.left, test.right)
        then, otherwise = self.value(op.then), self.value(op.otherwise)
        if self.body.type(op.then) is Type.U32:
            then, otherwise = self._meeting(op.then, op.otherwise), self._meeting(op.otherwise, op.then)
        return f"tl.where({self.tensor(op.condition)}, {then}, {otherwise})"

    @operation.register
    def _(self, op: Fold) -> str:
        given = [*map(self._block, op.initial), *map(table_name, op.tables)]
        return f"_{op.function}_rows({', '.join(given)})"

    def _block(self, value: Value) -> str:
        """A value with which a loop begins: it needs the type of its values from the beginning, a block."""
        if not self._scalar(value):
            return self.value(value)
        lanes = next(parameter.name for parameter in self.body.parameters if not _shared(parameter.input))
        return f"tl.full({lanes}.shape, {self.value(value)}, {DTYPES[self.body.type(value)]})"

    @operation.register
    def _(self, op: ToF32) -> str:
        return f"{self.primary(op.operand)}.to(tl.float32)"

    @operation.register
    def _(self, op: ToU32) -> str:
        return f"{self.primary(op.operand)}.to(tl.uint32, bitcast=True)"

    @operation.register
    def _(self, op: ToI32) -> str:
        return f"{self.primary(op.operand)}.to(tl.int32, bitcast=True)"

    @operation.register
    def _(self, op: ToBits) -> str:
        return f"{self.primary(op.operand)}.to(tl.uint32, bitcast=True)"

    @operation.register
    def _(self, op: FromBits) -> str:
        return f"{self.primary(op.operand)}.to(tl.float32, bitcast=True)"


def table_name(table: str) -> str:
    """The kernel argument of a table: `table_time_sin` of `time.sin`."""
    return f"table_{identifier(table)}"
