"""Statements: each computes a meter's new value in all lanes and keeps it in those lanes that run it."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from hamlet.interpreter.expressions import Measured, evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.space import clamp
from hamlet.universe import Assign, Expression, Meter, Span, Statement, Together, WorldMeter


def run(
    statements: Sequence[Statement], lanes: Lanes, who: Tensor, construct: str, measured: Measured | None = None
) -> None:
    """Run statements one after the other in the lanes `who`, bool [worlds, agents]."""
    for statement in statements:
        match statement:
            case Assign():
                assign(statement, lanes, who, construct, measured)
            case Together(body=body, span=span):
                for inner in body:
                    assign(inner, lanes, who, construct, measured)
                clamp_written(body, lanes, who, construct, span)


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


def subtract(meter: str, amount: Expression, lanes: Lanes, who: Tensor, construct: str, span: Span) -> None:
    """`meter -= amount` as a statement: how `decay`, `move` and `interact` are charged."""
    assign(Assign(meter, "-=", amount, True, span), lanes, who, construct, None)


def within_bounds(meter: str, value: Tensor, lanes: Lanes) -> Tensor:
    """A value clamped to a meter's bounds."""
    of_world = () if lanes.universe.world is None else lanes.universe.world.meters
    known: tuple[Meter | WorldMeter, ...] = (*lanes.universe.meters, *of_world)
    (declared,) = (item for item in known if item.name == meter)
    return clamp(value, lanes.constant(declared.low), lanes.constant(declared.high))
