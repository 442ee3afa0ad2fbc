"""Expressions of the tick IR in Triton's Python.

A plain operation is called as `CALLS` or converted as `CONVERSIONS` says, and otherwise written with its sign. Not used
because they are not exact: `/`, `tl.sqrt`; `tl.fma` only where the IR has one; `tl.minimum` and `tl.maximum` only where
they are exact. A literal takes the type of the block it meets; where it meets none (a constant, a seed) it is an i32 or
f32 unless it is written with its type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from hamlet.numbers.binary32 import bits32, spell32
from hamletc.ir import ops
from hamletc.ir.ops import PLAIN, Const, Op, Order, Plain, Type, Value
from hamletc.kernel.body import Body, table_name
from hamletc.targets.triton.columns import LANES, Column, is_shared, shared

DTYPES = {Type.F32: "tl.float32", Type.I32: "tl.int32", Type.U32: "tl.uint32", Type.BOOL: "tl.int1"}
SMALLEST_LITERAL, LARGEST_LITERAL = 2.0**-126, 3.4028234e38
"""Triton takes a float literal for an f32 between these magnitudes (and for 0.0); others are written by their bits."""


CALLS: Mapping[type[Op], str] = {
    ops.MulHigh: "tl.umulhi",
    ops.Div: "tl.div_rn",
    ops.Abs: "tl.abs",
    ops.Sqrt: "tl.sqrt_rn",
}
"""Functions that are exact. Of u32 `Div` has a sign."""

CONVERSIONS: Mapping[type[Op], str] = {
    ops.ToF32: "to(tl.float32)",
    ops.ToU32: "to(tl.uint32, bitcast=True)",
    ops.ToI32: "to(tl.int32, bitcast=True)",
    ops.ToBits: "to(tl.uint32, bitcast=True)",
    ops.FromBits: "to(tl.float32, bitcast=True)",
}


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
    """Prints the values of one body."""

    def __init__(self, body: Body, columns: Mapping[str, Sequence[Column]] = MappingProxyType({})) -> None:
        """`columns`: of the tables that warps hold, by their names."""
        self.body = body
        self.columns = columns
        self.scalar = shared(body.function)

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
        bare = value in self.body.names or not self._sign(self.body.op(value))
        return text if bare else f"({text})"

    def primary(self, value: Value) -> str:
        """A value before a dot."""
        op = self.body.op(value)
        return typed(op) if isinstance(op, Const) else self.operand(value)

    def _sign(self, op: Op) -> str:
        """The sign with which an operation is written; empty where it has none, or is called."""
        if isinstance(op, ops.Div):
            return "" if self.body.type(op.left) is Type.F32 else "//"
        return PLAIN[type(op)].sign if isinstance(op, Plain) else ""

    def _constant(self, value: Value) -> bool:
        return isinstance(self.body.op(value), Const)

    def _scalar(self, value: Value) -> bool:
        """Whether all lanes share the value, which then decides no literal's type."""
        return self.scalar[value]

    def _meeting(self, value: Value, other: Value) -> str:
        """An argument whose type must be that of the other one: a literal only where a block decides its type."""
        return self.tensor(value) if self._scalar(other) else self.value(value)

    def operation(self, op: Op) -> str:
        """The expression of an operation."""
        match op:
            case Const():
                return typed(op)
            case ops.Input() | ops.Element():
                raise TypeError(f"no expression for {op}")
            case ops.Lookup(table=table, index=index) if table in self.columns:
                return self._take(self.columns[table], index)
            case ops.Lookup(table=table, index=index):
                return f"tl.load({table_name(table)} + {self.operand(index)})"
            case ops.Fetch(array=array, index=index):
                return f"tl.load({table_name(array)} + {self.operand(index)})"
            case ops.Select():
                return self._select(op)
            case ops.Fold(function=function, initial=initial, tables=tables):
                return f"_{function}_rows({', '.join([*map(self._block, initial), *map(table_name, tables)])})"
            case ops.Neg(operand=operand) if self.body.type(operand) is Type.F32:
                # Before Triton 3.9 the negative of a number is 0 minus it, which loses the sign of 0.
                return f"{self.primary(operand)} * -1.0"
            case ops.Div(left=left, right=right) | ops.Rem(left=left, right=right) if sign := self._sign(op):
                # Triton refuses a quotient of u32 and i32.
                divisor = self.primary(right) if self._scalar(left) else self.operand(right)
                return f"{self.primary(left)} {sign} {divisor}"
            case ops.Fma(left=left, right=right, addend=addend):
                return f"tl.fma({self.tensor(left)}, {self.value(right)}, {self.value(addend)})"
            case ops.Unary(operand=operand):
                return self._unary(op, operand)
            case ops.Binary(left=left, right=right):
                return self._binary(op, left, right)

    def _unary(self, op: ops.Unary, operand: Value) -> str:
        if function := CALLS.get(type(op)):
            return f"{function}({self.tensor(operand)})"
        if conversion := CONVERSIONS.get(type(op)):
            return f"{self.primary(operand)}.{conversion}"
        if sign := self._sign(op):
            return f"{sign}{self.primary(operand)}"
        raise TypeError(f"no expression for {op}")

    def _binary(self, op: ops.Binary, left: Value, right: Value) -> str:
        if function := CALLS.get(type(op)):
            return f"{function}({self._meeting(left, right)}, {self._meeting(right, left)})"
        if sign := self._sign(op):
            # Of two constants one is typed, or Python would compute with them in its own arithmetic.
            first = self.primary(left) if self._constant(right) else self.operand(left)
            return f"{first} {sign} {self.operand(right)}"
        raise TypeError(f"no expression for {op}")

    def _select(self, op: ops.Select) -> str:
        test = self.body.op(op.condition)
        match test:
            case ops.Less() if op.order in (Order.NUMBERS, Order.UNIT):
                return self._extreme(op, test)
            case ops.Less() | ops.LessEqual() if op.order is Order.ZEROS:
                return self._one_of_zeros(op, test)
            case _:
                pass
        then, otherwise = self.value(op.then), self.value(op.otherwise)
        if self.body.type(op.then) is Type.U32:
            then, otherwise = self._meeting(op.then, op.otherwise), self._meeting(op.otherwise, op.then)
        return f"tl.where({self.tensor(op.condition)}, {then}, {otherwise})"

    def _extreme(self, op: ops.Select, test: ops.Less) -> str:
        least = op.then == test.left
        if op.order is Order.UNIT:
            return f"tl.minimum(tl.maximum({self.value(test.right if least else test.left)}, 0.0), 1.0)"
        return f"tl.{'minimum' if least else 'maximum'}({self.value(test.left)}, {self.value(test.right)})"

    def _one_of_zeros(self, op: ops.Select, test: ops.Less | ops.LessEqual) -> str:
        """A select that LLVM must not take for a minimum or a maximum, which would give another zero."""
        then, otherwise = self.value(op.then), self.value(op.otherwise)
        strict = isinstance(test, ops.Less)
        if self._zero(test.right):
            # Bits of numbers below 0 are those above the bits of -0; of the others, and 0, they increase from 0 on.
            bits = f"{self.primary(test.left)}.to(tl.{'uint32' if strict else 'int32'}, bitcast=True)"
            return f"tl.where({bits} {'> 0x80000000' if strict else '<= 0'}, {then}, {otherwise})"
        if self._zero(test.left):
            bits = f"{self.primary(test.right)}.to(tl.{'int32' if strict else 'uint32'}, bitcast=True)"
            return f"tl.where({bits} {'> 0' if strict else '<= 0x80000000'}, {then}, {otherwise})"
        left, right = self.operand(test.left), self.operand(test.right)
        chosen = f"tl.where({self.tensor(op.condition)}, {then}, {otherwise})"
        return f"tl.where({left} == {right}, {otherwise if strict else then}, {chosen})"

    def _zero(self, value: Value) -> bool:
        op = self.body.op(value)
        return isinstance(op, Const) and op.value == 0

    def _take(self, columns: Sequence[Column], index: Value) -> str:
        if len(columns) == 1:
            return f"_take({columns[0].name}, {self.value(index)})"
        row = self.operand(index)
        first, second = (f"_take({column.name}, {row} & {LANES - 1})" for column in columns)
        return f"tl.where({row} < {LANES}, {first}, {second})"

    def _block(self, value: Value) -> str:
        """A value with which a loop begins: it needs the type of its values from the beginning, a block."""
        if not self._scalar(value):
            return self.value(value)
        lanes = next(parameter.name for parameter in self.body.parameters if not is_shared(parameter.input))
        return f"tl.full({lanes}.shape, {self.value(value)}, {DTYPES[self.body.type(value)]})"
