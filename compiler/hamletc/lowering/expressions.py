"""Expressions, evaluated as the tree stands (docs/semantics.md, "Expressions")."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.binary32 import round32
from hamlet.universe import (
    Age,
    Binary,
    BinaryOp,
    Clamp,
    Deficit,
    Distance,
    Expression,
    Here,
    Hour,
    If,
    MeterValue,
    Number,
    ParamValue,
    Shortfall,
    Unary,
)
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import affordance_here, affordance_position


@dataclass(frozen=True, slots=True)
class Measured:
    """The source of a cascade at the moment when the cascade was tested, and its threshold."""

    source: Value
    threshold: Value


def lower_expression(lane: Lane, expression: Expression, measured: Measured | None = None) -> Value:
    """The value of an expression for the lane as it is now: F32, or BOOL for a condition.

    Args:
        measured: what `deficit` and `shortfall` refer to; given in a cascade.
    """
    builder = lane.builder

    def lower(part: Expression) -> Value:
        return lower_expression(lane, part, measured)

    match expression:
        case Number(value=value):
            return builder.lookup(lane.columns[int(value)], lane.row) if lane.columns else builder.f32(round32(value))
        case MeterValue(meter=meter):
            return lane.meters[meter]
        case ParamValue(param=param):
            return lane.params[param]
        case Deficit():
            source, threshold = _measured(measured)
            return builder.div(builder.sub(threshold, source), threshold)
        case Shortfall():
            source, threshold = _measured(measured)
            return builder.sub(threshold, source)
        case Hour():
            return builder.to_f32(clock_hour(lane))
        case Age():
            return builder.to_f32(lane.age)
        case Here(affordance=affordance):
            number = -1 if affordance is None else lane.plan.numbers[affordance]
            return builder.equal(affordance_here(lane), builder.i32(number))
        case Distance(affordance=affordance):
            return _distance(lane, lane.plan.numbers[affordance])
        case Unary(op="-", operand=operand):
            return builder.neg(lower(operand))
        case Unary(op="abs", operand=operand):
            return builder.abs(lower(operand))
        case Unary(operand=operand):
            return builder.not_(lower(operand))
        case Binary(op=op, left=left, right=right):
            return _binary(builder, op, lower(left), lower(right))
        case Clamp(operand=operand, low=low, high=high):
            return builder.clamp(lower(operand), lower(low), lower(high))
        case If(condition=condition, then=then, otherwise=otherwise):
            return builder.select(lower(condition), lower(then), lower(otherwise))


def clock_hour(lane: Lane) -> Value:
    """The hour (I32); the checker lets nothing refer to it in a universe without a clock."""
    if lane.hour is None:
        raise ValueError(f"universe {lane.universe.name} refers to the hour and has no clock")
    return lane.hour


def _measured(measured: Measured | None) -> tuple[Value, Value]:
    if measured is None:
        raise ValueError("`deficit` and `shortfall` have a meaning in a cascade only")
    return measured.source, measured.threshold


def _binary(builder: Builder, op: BinaryOp, left: Value, right: Value) -> Value:
    match op:
        case "+":
            return builder.add(left, right)
        case "-":
            return builder.sub(left, right)
        case "*":
            return builder.mul(left, right)
        case "/":
            return builder.div(left, right)
        case "min":
            return builder.minimum(left, right)
        case "max":
            return builder.maximum(left, right)
        case "<":
            return builder.less(left, right)
        case "<=":
            return builder.less_equal(left, right)
        case ">":
            return builder.less(right, left)
        case ">=":
            return builder.less_equal(right, left)
        case "==":
            return builder.equal(left, right)
        case "!=":
            return builder.not_(builder.equal(left, right))
        case "and":
            return builder.and_(left, right)
        case "or":
            return builder.or_(left, right)


def _distance(lane: Lane, number: int) -> Value:
    builder, space = lane.builder, lane.universe.space
    away = []
    for size, own, other in zip(space.sizes, lane.position, affordance_position(lane, number), strict=True):
        apart = builder.abs(builder.sub(own, other))
        if space.edges == "wrap":
            apart = builder.minimum(apart, builder.sub(builder.i32(size), apart))
        away.append(apart)
    match space.metric:
        case "manhattan":
            return builder.to_f32(_sum(builder, away))
        case "chebyshev":
            most = away[0]
            for apart in away[1:]:
                most = builder.maximum(most, apart)
            return builder.to_f32(most)
        case "euclidean":
            squared = _sum(builder, [builder.mul(apart, apart) for apart in away])
            return builder.sqrt(builder.to_f32(squared))


def _sum(builder: Builder, values: list[Value]) -> Value:
    total = values[0]
    for value in values[1:]:
        total = builder.add(total, value)
    return total
