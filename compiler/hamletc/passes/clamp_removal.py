"""Removal of clamps that cannot bind."""

from __future__ import annotations

from hamlet.frozen import dataclass
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function
from hamletc.ir.ops import Const, Op, Select, Type, Value
from hamletc.passes.ranges import Facts, Ranges, counts_of
from hamletc.passes.rewrite import rewrite


@dataclass(frozen=True, slots=True)
class ClampRemoval:
    """Decides comparisons by range analysis, and drops the selects they decide: half a clamp each.

    Whatever can only have one value becomes a constant.
    """

    facts: Facts
    name: str = "clamp_removal"

    def run(self, function: Function) -> Function:
        builder = Builder()
        ranges = Ranges(builder.nodes, self.facts, counts_of(function))

        def rule(op: Op, type_: Type) -> Value | None:
            match op:
                case Const():
                    return None
                case Select(condition=condition, then=then, otherwise=otherwise):
                    decided = builder.nodes[condition].op
                    if isinstance(decided, Const):
                        return then if decided.value else otherwise
                case _:
                    pass
            interval = ranges[builder.node(op, type_)]
            if interval.low != interval.high or interval.nan or interval.negative_zero:
                return None
            return _literal(builder, type_, interval.low)

        return rewrite(function, builder, rule)


def _literal(builder: Builder, type_: Type, value: float) -> Value | None:
    """A constant; `None` for an infinite one."""
    match type_:
        case Type.F32:
            return builder.f32(float(value)) if abs(value) < float("inf") else None
        case Type.BOOL:
            return builder.boolean(bool(value))
        case _:
            return builder.node(Const(type_, int(value)), type_)
