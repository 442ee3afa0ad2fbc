"""Statements: each computes a new value of a meter, a velocity or a position in all lanes and keeps it in those lanes
that run it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import torch
from torch import Tensor

from hamlet import schema
from hamlet.interpreter import coverage
from hamlet.interpreter.expressions import Measured, evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.solid import go as displaces
from hamlet.interpreter.space import clamp, has_walls, meets_wall, push, within_limit
from hamlet.universe import (
    Assign,
    Displace,
    Expression,
    Guarded,
    Let,
    Push,
    Span,
    Statement,
    Teleport,
    Together,
)
from hamlet.universe.space import has_momentum


def run(
    statements: Sequence[Statement], lanes: Lanes, who: Tensor, construct: str, measured: Measured | None = None
) -> None:
    """Run statements one after the other in the lanes `who`, bool [worlds, agents]. Their locals end with them."""
    around = dict(lanes.locals)
    for statement in statements:
        match statement:
            case Assign():
                assign(statement, lanes, who, construct, measured)
            case Let():
                work_out(statement, lanes, who, construct, measured)
            case Push():
                write_velocity(statement, lanes, who, construct, measured)
            case Displace() | Teleport():
                go(statement, lanes, who, construct, measured)
            case Together(body=body, span=span):
                run(body, lanes, who, construct, measured)
                clamp_written(body, lanes, who, construct, span)
            case Guarded(condition=condition, body=guarded, otherwise=otherwise):
                holds = evaluate(condition, lanes, measured)[:, : who.shape[1]]
                lanes.count(coverage.guarded(statement), who & holds)
                run(guarded, lanes, who & holds, construct, measured)
                if otherwise:
                    lanes.count(coverage.otherwise(statement), who & ~holds)
                    run(otherwise, lanes, who & ~holds, construct, measured)
    lanes.locals = around


def work_out(let: Let, lanes: Lanes, who: Tensor, construct: str, measured: Measured | None) -> None:
    """Work out what a local is for the statements behind it."""
    value = evaluate(let.value, lanes, measured)
    lanes.locals[let.name] = value
    if lanes.trace is not None:
        lanes.trace.record(construct, let.span, let.name, value.to(torch.float32).expand(who.shape), who)


def clamp_written(statements: Sequence[Statement], lanes: Lanes, who: Tensor, construct: str, span: Span) -> None:
    """Clamp each meter that unclamped statements write once, in the order in which they first appear."""
    for meter in dict.fromkeys(meter for statement in statements for meter in statement.writes):
        lanes.write(meter, within_bounds(meter, lanes.meters[meter], lanes), who, construct, span)


def assign(statement: Assign, lanes: Lanes, who: Tensor, construct: str, measured: Measured | None) -> None:
    """Run one assignment."""
    value = evaluate(statement.value, lanes, measured)
    match statement.op:
        case "+=":
            value = lanes.meters[statement.meter] + value
        case "-=":
            value = lanes.meters[statement.meter] - value
        case "=":
            pass
    if statement.clamped:
        value = within_bounds(statement.meter, value, lanes)
    lanes.write(statement.meter, value, who, construct, statement.span)


def write_velocity(push: Push, lanes: Lanes, who: Tensor, construct: str, measured: Measured | None) -> None:
    """Give the agents `who` another velocity on an axis, within its limit."""
    value = evaluate(push.value, lanes, measured)
    axis = schema.axes(lanes.universe).index(push.axis)
    old = lanes.velocity[axis]
    match push.op:
        case "+=":
            value = old + value
        case "-=":
            value = old - value
        case "=":
            pass
    new = torch.where(who, within_limit(value, lanes), old)
    lanes.velocity = (*lanes.velocity[:axis], new, *lanes.velocity[axis + 1 :])
    if lanes.trace is not None:
        lanes.trace.record(construct, push.span, f"velocity {push.axis}", new, who)


def go(relocation: Displace | Teleport, lanes: Lanes, who: Tensor, construct: str, measured: Measured | None) -> None:
    """Displace the agents `who`, with momentum push them, or put them at a place that is no wall."""
    values = [evaluate(value, lanes, measured) for value in relocation.coordinates]
    before, dtype = lanes.position, lanes.position[0].dtype
    numbers = [value.to(dtype).expand(lanes.age.shape) for value in values]
    match relocation:
        case Displace() if has_momentum(lanes.universe.space):
            push(lanes, numbers, who)
        case Displace():
            displaces(lanes, numbers, who)
        case Teleport():
            goes = who & ~meets_wall(lanes, numbers) if has_walls(lanes) else who
            lanes.position = tuple(torch.where(goes, to, x) for to, x in zip(numbers, before, strict=True))
    if lanes.coverage is not None:
        changed = who if lanes.position is before else reduce(torch.logical_or, map(torch.ne, before, lanes.position))
        lanes.count(coverage.relocated(relocation), changed)
    if lanes.trace is not None and lanes.position is not before:
        for axis, x in zip(schema.axes(lanes.universe), lanes.position, strict=True):
            lanes.trace.record(construct, relocation.span, f"position {axis}", x, who)


def subtract(meter: str, amount: Expression, lanes: Lanes, who: Tensor, construct: str, span: Span) -> None:
    """`meter -= amount` as a statement: how `decay`, `move` and `interact` are charged."""
    assign(Assign(meter, "-=", amount, True, span), lanes, who, construct, None)


def within_bounds(meter: str, value: Tensor, lanes: Lanes) -> Tensor:
    """A value clamped to a meter's bounds."""
    return clamp(value, *lanes.constant.bounds(meter))
