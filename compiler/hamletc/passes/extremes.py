"""Marks selects that GPUs compute in one instruction: the smaller or the larger of two ordered numbers.

`Select(Less(a, b), a, b)` is a minimum of its own kind: with a NaN, and with zeros of both signs, it gives b. Where
ranges prove that neither meets, the machine's minimum gives the same bits. Where zeros of both signs may meet, the mark
says that too: LLVM in Triton 3.6 and 3.7 makes a minimum of such a select, and with it another zero. An addition on a
GPU limits its result to 0 .. 1 at no cost, but not to one of the limits alone: where the other limit cannot bind, the
mark says so.
"""

from __future__ import annotations

from dataclasses import replace

from hamlet.frozen import dataclass
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function
from hamletc.ir.ops import Const, Less, LessEqual, Op, Order, Select, Type, Value
from hamletc.passes.ranges import Facts, Ranges, counts_of
from hamletc.passes.rewrite import rewrite

ZERO, ONE = Const(Type.F32, 0.0), Const(Type.F32, 1.0)


@dataclass(frozen=True, slots=True)
class Extremes:
    """Sets `Select.order` where the ranges of the compared numbers prove it."""

    facts: Facts
    name: str = "extremes"

    def run(self, function: Function) -> Function:
        builder = Builder()
        ranges = Ranges(builder.nodes, self.facts, counts_of(function))

        def rule(op: Op, type_: Type) -> Value | None:
            if type_ is not Type.F32 or not isinstance(op, Select):
                return None
            order = _order(op, builder, ranges)
            return None if order is op.order else builder.node(replace(op, order=order), type_)

        return rewrite(function, builder, rule, (Select,))


def _order(op: Select, builder: Builder, ranges: Ranges) -> Order:
    test = builder.nodes[op.condition].op
    if not isinstance(test, Less | LessEqual) or {op.then, op.otherwise} != {test.left, test.right}:
        return Order.UNKNOWN
    left, right = ranges[test.left], ranges[test.right]
    constants = all(isinstance(builder.nodes[value].op, Const) for value in (test.left, test.right))
    both_zeros = left.zero and right.zero and (left.negative_zero or right.negative_zero)
    if left.nan or right.nan or constants:
        return Order.UNKNOWN
    if both_zeros:
        return Order.ZEROS
    if isinstance(test, LessEqual):
        return Order.UNKNOWN
    if op.then == test.left:
        unit = builder.nodes[test.left].op == ONE and right.low >= 0 and not right.negative_zero
    else:
        unit = builder.nodes[test.right].op == ZERO and left.high <= 1
    return Order.UNIT if unit else Order.NUMBERS
