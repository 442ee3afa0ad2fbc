"""Expressions: numbers are f32 tensors, conditions bool tensors; shapes broadcast to [worlds, agents]."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.places import coordinates
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
    UnaryOp,
)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a cascade measured when it was tested."""

    deficit: Tensor
    shortfall: Tensor


def evaluate(expression: Expression, lanes: Lanes, measured: Measured | None = None) -> Tensor:
    """The value of an expression in every lane, also in lanes that will not use it."""
    match expression:
        case Number(value=value):
            return lanes.constant(value)
        case MeterValue(meter=meter):
            return lanes.meters[meter]
        case ParamValue(param=param):
            return lanes.params[param]
        case Hour():
            return lanes.hour.to(torch.float32)
        case Age():
            return lanes.age.to(torch.float32)
        case Here(affordance=None):
            return nowhere(lanes)
        case Here(affordance=affordance) if affordance is not None:
            return lanes.here(affordance)
        case Distance(affordance=affordance):
            return distance(affordance, lanes)
        case Unary(op=op, operand=operand):
            return unary(op, evaluate(operand, lanes, measured))
        case Binary(op=op, left=left, right=right):
            return binary(op, evaluate(left, lanes, measured), evaluate(right, lanes, measured))
        case Clamp(operand=operand, low=low, high=high):
            return clamp(*(evaluate(part, lanes, measured) for part in (operand, low, high)))
        case If(condition=condition, then=then, otherwise=otherwise):
            where = evaluate(condition, lanes, measured)
            return torch.where(where, evaluate(then, lanes, measured), evaluate(otherwise, lanes, measured))
        case Deficit() | Shortfall():
            if measured is None:
                raise ValueError(f"{type(expression).__name__.lower()} outside a cascade, line {expression.span.line}")
            return measured.deficit if isinstance(expression, Deficit) else measured.shortfall
    raise TypeError(f"not an expression: {expression!r}")


def unary(op: UnaryOp, value: Tensor) -> Tensor:
    """The value of a unary operation."""
    match op:
        case "-":
            return -value
        case "abs":
            return value.abs()
        case "not":
            return ~value


def binary(op: BinaryOp, left: Tensor, right: Tensor) -> Tensor:
    """The value of a binary operation; arithmetic is rounded once."""
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case "min":
            return torch.where(left < right, left, right)
        case "max":
            return torch.where(right < left, left, right)
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "==":
            return left == right
        case "!=":
            return ~(left == right)
        case "and":
            return left & right
        case "or":
            return left | right


def clamp(value: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """`low` where value < low, then `high` where high is below that."""
    raised = torch.where(value < low, low, value)
    return torch.where(high < raised, high, raised)


def nowhere(lanes: Lanes) -> Tensor:
    """Who stands on no affordance."""
    somewhere = torch.zeros_like(lanes.alive)
    for affordance in lanes.places:
        somewhere = somewhere | lanes.here(affordance)
    return ~somewhere


def distance(affordance: str, lanes: Lanes) -> Tensor:
    """The distance to an affordance by the metric of the space, f32."""
    space = lanes.universe.space
    steps = []
    for x, there, size in zip(
        lanes.position, coordinates(lanes.places[affordance], space.sizes), space.sizes, strict=True
    ):
        step = (x - there).abs()
        steps.append(torch.minimum(step, size - step) if space.edges == "wrap" else step)
    match space.metric:
        case "manhattan":
            return torch.stack(steps).sum(dim=0, dtype=torch.int32).to(torch.float32)
        case "chebyshev":
            return torch.stack(steps).amax(dim=0).to(torch.float32)
        case "euclidean":
            squares = torch.stack([step * step for step in steps]).sum(dim=0, dtype=torch.int32)
            # torch.sqrt of f32 is not correctly rounded on CPU; that of f64, rounded to f32, is
            return squares.to(torch.float32).double().sqrt().float()
