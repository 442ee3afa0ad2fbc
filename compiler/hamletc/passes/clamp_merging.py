"""Removal of clamps that a later clamp repeats.

Where an amount is not negative, `low(low(x) - amount)` is `low(x - amount)`, with low(x) = L where x < L, else x: an x
below L gives L on both sides, since rounding is monotonic and so x - amount is below L, and L - amount is not above it.
Likewise `high(high(x) + amount)` is `high(x + amount)`. So a meter that several cascades lower is clamped once.
"""

from __future__ import annotations

from hamlet.frozen import dataclass
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.operands import operands, with_operands
from hamletc.ir.ops import Add, Const, Less, Op, Select, Sub, Type, Value
from hamletc.passes.ranges import Facts, Ranges, counts_of


@dataclass(frozen=True, slots=True)
class ClampMerging:
    """Leaves out a half clamp whose only use is a step to the same half clamp that cannot lead back from its bound."""

    facts: Facts
    name: str = "clamp_merging"

    def run(self, function: Function) -> Function:
        if not any(isinstance(node.op, Select) for node in function.nodes):
            return function
        uses = _uses(function)
        builder = Builder()
        ranges = Ranges(builder.nodes, self.facts, counts_of(function))
        new: list[Value] = []
        changed = False
        for node in function.nodes:
            builder.origin = node.origin
            op = with_operands(node.op, tuple([new[value] for value in operands(node.op)])) if changed else node.op
            half = _half_clamp(builder, op) if node.type is Type.F32 else None
            if half is not None and isinstance(node.op, Select):
                step = function.nodes[node.op.otherwise].op
                if isinstance(step, Add | Sub) and uses[step.left] == 1 and (shorter := _skip(builder, ranges, half)):
                    op, changed = shorter, True
            new.append(builder.node(op, node.type) if changed else builder.keep(node))
        if not changed:
            return function
        outputs = [Output(output.name, new[output.value], output.count) for output in function.outputs]
        return builder.finish(function.name, tuple(outputs))


@dataclass(frozen=True, slots=True)
class _HalfClamp:
    """The bound where the operand is below it (`low`) or above it, else the operand."""

    operand: Value
    bound: Value
    low: bool


def _uses(function: Function) -> list[int]:
    """How often each value is used."""
    uses = [0] * len(function.nodes)
    for node in function.nodes:
        for value in operands(node.op):
            uses[value] += 1
    for output in function.outputs:
        uses[output.value] += 1
    return uses


def _half_clamp(builder: Builder, op: Op) -> _HalfClamp | None:
    if not isinstance(op, Select):
        return None
    bound = builder.nodes[op.then].op
    # A bound of -0.0 could be told from the +0.0 that a step from it gives.
    if not isinstance(bound, Const) or str(bound.value) == "-0.0":
        return None
    condition = builder.nodes[op.condition].op
    if condition == Less(op.otherwise, op.then):
        return _HalfClamp(op.otherwise, op.then, True)
    if condition == Less(op.then, op.otherwise):
        return _HalfClamp(op.otherwise, op.then, False)
    return None


def _skip(builder: Builder, ranges: Ranges, outer: _HalfClamp) -> Op | None:
    """The outer half clamp without the one that its operand is a step from, if that is one like it."""
    step = builder.nodes[outer.operand].op
    if not isinstance(step, Add | Sub):
        return None
    inner = _half_clamp(builder, builder.nodes[step.left].op)
    amount = ranges[step.right]
    downwards = amount.low >= 0 if isinstance(step, Sub) else amount.high <= 0
    upwards = amount.high <= 0 if isinstance(step, Sub) else amount.low >= 0
    away = downwards if outer.low else upwards
    if inner is None or (inner.bound, inner.low) != (outer.bound, outer.low) or amount.nan or not away:
        return None
    total = builder.emit(type(step)(inner.operand, step.right))
    test = Less(total, outer.bound) if outer.low else Less(outer.bound, total)
    return Select(builder.emit(test), outer.bound, total)
