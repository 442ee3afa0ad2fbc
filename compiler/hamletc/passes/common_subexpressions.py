"""Common subexpression elimination."""

from __future__ import annotations

from hamlet.frozen import dataclass
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function
from hamletc.ir.ops import Add, And, Binary, Equal, Mul, MulHigh, Op, Or, Type, Value, Xor
from hamletc.passes.rewrite import rewrite

_COMMUTATIVE = frozenset((Add, Mul, MulHigh, Equal, And, Or, Xor))


@dataclass(frozen=True, slots=True)
class CommonSubexpressionElimination:
    """Computes the same operation on the same operands once; the order of commutative operands does not matter."""

    name: str = "common_subexpressions"

    def run(self, function: Function) -> Function:
        builder = Builder()

        def rule(op: Op, _: Type) -> Value | None:
            return builder.find(type(op)(op.right, op.left)) if isinstance(op, Binary) else None

        return rewrite(function, builder, rule, _COMMUTATIVE)
