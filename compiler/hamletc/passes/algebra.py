"""Algebra that keeps bits."""

from __future__ import annotations

from math import frexp, inf

from hamlet.frozen import dataclass
from hamletc.ir import ops
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function
from hamletc.ir.ops import Const, Op, Type, Value
from hamletc.passes.ranges import Facts, Ranges, counts_of
from hamletc.passes.rewrite import rewrite


@dataclass(frozen=True, slots=True)
class Algebra:
    """Identities that hold to the bit: neutral elements, powers of two, booleans, selects.

    `x + 0.0` is x only where x is never -0.0; `x + -0.0`, `x - 0.0`, `x * 1.0` and `x / 1.0` always are.
    """

    facts: Facts
    name: str = "algebra"

    def run(self, function: Function) -> Function:
        builder = Builder()
        return rewrite(function, builder, _Rules(builder, Ranges(builder.nodes, self.facts, counts_of(function))).apply)


class _Rules:
    def __init__(self, builder: Builder, ranges: Ranges) -> None:
        self.builder = builder
        self.ranges = ranges

    def constant(self, value: Value) -> float | int | bool | None:
        """The value of a constant; `None` for another node."""
        op = self.builder.nodes[value].op
        return op.value if isinstance(op, Const) else None

    def number(self, value: int, type_: Type) -> Value:
        """An integer constant, wrapped into the type."""
        return self.builder.u32(value) if type_ is Type.U32 else self.builder.i32((value + 2**31) % 2**32 - 2**31)

    def apply(self, op: Op, type_: Type) -> Value | None:
        match op:
            case ops.Select():
                return self.select(op)
            case ops.Not(operand=operand):
                inner = self.builder.nodes[operand].op
                return inner.operand if isinstance(inner, ops.Not) else None
            case ops.And() | ops.Or() if type_ is Type.BOOL:
                return self.boolean(op)
            case ops.Equal(left=left, right=right):
                return self.equal(left, right)
            case ops.Neg(operand=operand):
                inner = self.builder.nodes[operand].op
                return inner.operand if isinstance(inner, ops.Neg) else None
            case ops.Abs(operand=operand):
                inner = self.builder.nodes[operand].op
                if isinstance(inner, ops.Abs):
                    return operand
                return self.builder.abs(inner.operand) if isinstance(inner, ops.Neg) and type_ is Type.F32 else None
            case ops.ToU32(operand=operand) | ops.ToI32(operand=operand):
                inner = self.builder.nodes[operand].op
                return inner.operand if isinstance(inner, ops.ToU32 | ops.ToI32) else None
            case ops.Add() | ops.Mul() if self.constant(op.left) is not None and self.constant(op.right) is None:
                return self.arithmetic(type(op)(op.right, op.left), type_)
            case ops.Add() | ops.Sub() | ops.Mul() | ops.Div():
                return self.arithmetic(op, type_)
            case ops.MulHigh() | ops.Rem() | ops.And() | ops.Or() | ops.Xor() | ops.ShiftLeft() | ops.ShiftRight():
                return self.bits(op)
            case _:
                return None

    def arithmetic(self, op: ops.Add | ops.Sub | ops.Mul | ops.Div, type_: Type) -> Value | None:
        """On a constant at the right."""
        constant = self.constant(op.right)
        if constant is None:
            return None
        if type_ is Type.F32:
            return self.floats(op, float(constant))
        return self.integers(op, int(constant), type_)

    def floats(self, op: ops.Add | ops.Sub | ops.Mul | ops.Div, constant: float) -> Value | None:
        builder = self.builder
        match op:
            case ops.Add(left=left) if constant == 0.0:
                return left if str(constant) == "-0.0" or not self.ranges[left].negative_zero else None
            case ops.Sub(left=left) if constant == 0.0:
                return left if str(constant) == "0.0" or not self.ranges[left].negative_zero else None
            case ops.Mul(left=left, right=right) if str(constant) == "0.0" and self.zeroed(left):
                return right
            case ops.Mul(left=left) | ops.Div(left=left) if constant == 1.0:
                return left
            case ops.Mul(left=left) | ops.Div(left=left) if constant == -1.0:
                return builder.neg(left)
            case ops.Div(left=left) if frexp(abs(constant))[0] == 0.5 and 2.0**-126 <= abs(constant) <= 2.0**126:
                return builder.mul(left, builder.f32(1.0 / constant))
            case _:
                return None

    def zeroed(self, value: Value) -> bool:
        """Whether 0.0 times this number is always 0.0: it is no infinity, no NaN and nothing below zero, nor -0.0."""
        interval = self.ranges[value]
        return interval.low >= 0 and interval.high < inf and not interval.nan and not interval.negative_zero

    def integers(self, op: ops.Add | ops.Sub | ops.Mul | ops.Div, constant: int, type_: Type) -> Value | None:
        builder = self.builder
        left = builder.nodes[op.left].op
        match op:
            case ops.Add() | ops.Sub() if constant == 0:
                return op.left
            case ops.Mul() | ops.Div() if constant == 1:
                return op.left
            case ops.Mul() if constant == 0:
                return op.right
            case ops.Add() if isinstance(left, ops.Add) and (inner := self.constant(left.right)) is not None:
                return builder.add(left.left, self.number(int(inner) + constant, type_))
            case ops.Mul() if type_ is Type.U32 and _is_power_of_two(constant):
                return builder.shift_left(op.left, builder.u32(constant.bit_length() - 1))
            case ops.Div() if _is_power_of_two(constant):
                return builder.shift_right(op.left, constant.bit_length() - 1)
            case _:
                return None

    def bits(
        self, op: ops.MulHigh | ops.Rem | ops.And | ops.Or | ops.Xor | ops.ShiftLeft | ops.ShiftRight
    ) -> Value | None:
        """U32 operations with a constant at the right."""
        builder = self.builder
        constant = self.constant(op.right)
        if constant is None:
            return builder.u32(0) if isinstance(op, ops.Xor) and op.left == op.right else None
        number = int(constant)
        match op:
            case ops.Or() | ops.Xor() | ops.ShiftLeft() | ops.ShiftRight() if number == 0:
                return op.left
            case ops.And() | ops.MulHigh() if number == 0:
                return op.right
            case ops.And() if _is_power_of_two(number + 1) and self.ranges[op.left].high <= number:
                return op.left
            case ops.Rem() if self.ranges[op.left].high < number:
                return op.left
            case ops.Rem() if _is_power_of_two(number):
                return builder.and_(op.left, builder.u32(number - 1))
            case ops.MulHigh() if number == 1:
                return builder.u32(0)
            case ops.MulHigh() if _is_power_of_two(number):
                return builder.shift_right(op.left, 33 - number.bit_length())
            case _:
                return None

    def boolean(self, op: ops.And | ops.Or) -> Value | None:
        neutral = isinstance(op, ops.And)
        for one, other in ((op.left, op.right), (op.right, op.left)):
            constant = self.constant(one)
            if constant is not None:
                return other if constant is neutral else one
        return op.left if op.left == op.right else None

    def equal(self, left: Value, right: Value) -> Value | None:
        builder = self.builder
        constant = self.constant(right)
        if constant is None:
            return None
        if isinstance(constant, bool):
            return left if constant else builder.not_(left)
        # Equal(Select(c, 3, 5), 3) is c.
        op = builder.nodes[left].op
        if not isinstance(op, ops.Select):
            return None
        then, otherwise = self.constant(op.then), self.constant(op.otherwise)
        if then is None or otherwise is None:
            return None
        match then == constant, otherwise == constant:
            case True, True:
                return builder.boolean(True)
            case True, False:
                return op.condition
            case False, True:
                return builder.not_(op.condition)
            case _:
                return builder.boolean(False)

    def select(self, op: ops.Select) -> Value:
        builder = self.builder
        chosen = self.constant(op.condition)
        if chosen is not None:
            return op.then if chosen else op.otherwise
        condition = builder.nodes[op.condition].op
        if isinstance(condition, ops.Not):
            return self.select(ops.Select(condition.operand, op.otherwise, op.then))
        then, otherwise = self.choose(op.condition, op.then, True), self.choose(op.condition, op.otherwise, False)
        if then == otherwise:
            return then
        match self.constant(then), self.constant(otherwise):
            case True, False:
                return op.condition
            case False, True:
                return builder.not_(op.condition)
            case True, _ if builder.type_of(then) is Type.BOOL:
                return builder.or_(op.condition, otherwise)
            case _, False if builder.type_of(then) is Type.BOOL:
                return builder.and_(op.condition, then)
            case _:
                return builder.select(op.condition, then, otherwise)

    def choose(self, condition: Value, value: Value, holds: bool) -> Value:
        """The value where the condition holds, or where it does not."""
        op = self.builder.nodes[value].op
        while isinstance(op, ops.Select) and op.condition == condition:
            value = op.then if holds else op.otherwise
            op = self.builder.nodes[value].op
        return value


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0
