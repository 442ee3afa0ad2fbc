"""Constant folding."""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import inf, isfinite, nan, sqrt
from typing import Any, TypeAlias

from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import bits32, from_bits32
from hamletc.ir import ops
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function
from hamletc.ir.operands import operands
from hamletc.ir.ops import BOOL, F32, U32, Const, Op, Type, Value
from hamletc.passes.interval import fused32, to_binary32
from hamletc.passes.rewrite import rewrite

Literal: TypeAlias = float | int | bool


@dataclass(frozen=True, slots=True)
class ConstantFolding:
    """Computes operations on constants, each rounded to binary32. What would be infinite or a NaN is left alone."""

    name: str = "constant_folding"

    def run(self, function: Function) -> Function:
        builder = Builder()

        def rule(op: Op, type_: Type) -> Value | None:
            literals: list[Literal] = []
            for value in operands(op):
                operand = builder.nodes[value].op
                if not isinstance(operand, Const):
                    return None
                literals.append(operand.value)
            folded = fold(op, type_, literals)
            return None if folded is None else builder.node(Const(type_, folded), type_)

        return rewrite(function, builder, rule)


def fold(op: Op, type_: Type, on: list[Literal]) -> Literal | None:
    """The value of an operation on these literals; `None` where it is none that a constant may have, or unknown."""
    meaning = _MEANINGS.get(type(op))
    if meaning is None:
        return None
    result = meaning(*on)
    if type_ is F32:
        rounded = to_binary32(result)
        return rounded if isfinite(rounded) else None
    if type_ is BOOL:
        return bool(result)
    wrapped = int(result) & 0xFFFFFFFF
    return wrapped if type_ is U32 or wrapped < 1 << 31 else wrapped - (1 << 32)


def _quotient(left: Any, right: Any) -> Any:
    if isinstance(left, float):
        return left / right if right else inf
    return left // right


_MEANINGS: dict[type[Op], Callable[..., Any]] = {
    ops.Add: operator.add,
    ops.Sub: operator.sub,
    ops.Mul: operator.mul,
    ops.MulHigh: lambda left, right: left * right >> 32,
    ops.Div: _quotient,
    ops.Rem: operator.mod,
    ops.Fma: fused32,
    ops.Neg: operator.neg,
    ops.Abs: operator.abs,
    ops.Sqrt: lambda operand: sqrt(operand) if operand >= 0 else nan,
    ops.Less: operator.lt,
    ops.LessEqual: operator.le,
    ops.Equal: operator.eq,
    ops.And: operator.and_,
    ops.Or: operator.or_,
    ops.Xor: operator.xor,
    ops.Not: operator.not_,
    ops.ShiftLeft: operator.lshift,
    ops.ShiftRight: operator.rshift,
    ops.Select: lambda condition, then, otherwise: then if condition else otherwise,
    ops.ToF32: float,
    ops.ToU32: int,
    ops.ToI32: int,
    ops.ToBits: bits32,
    ops.FromBits: from_bits32,
}
"""Operations on numbers, before the result is rounded or wrapped into its type."""
