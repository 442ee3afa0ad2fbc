"""Statements: writes to meters, each followed by a clamp to the meter's bounds (docs/semantics.md, "Statements")."""

from __future__ import annotations

from collections.abc import Sequence

from hamlet.numbers.binary32 import round32
from hamlet.universe import Assign, AssignOp, Expression, Meter, Span, Statement, Together, WorldMeter
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import Measured, lower_expression
from hamletc.lowering.lane import Lane


def run(
    lane: Lane,
    construct: Construct,
    body: tuple[Statement, ...],
    guard: Value | None = None,
    measured: Measured | None = None,
) -> None:
    """Run statements one after the other; where the guard does not hold, meters keep their values.

    Args:
        construct: what the nodes' origin names; their place is the statement's.
        measured: see `lower_expression`.
    """
    before = dict(lane.meters)
    for statement in body:
        with lane.builder.at(construct, statement.span):
            match statement:
                case Assign():
                    _assign(lane, statement, measured)
                case Together(body=together):
                    for assign in together:
                        _assign(lane, assign, measured)
                    for meter in written(together):
                        clamp(lane, meter)
    if guard is not None:
        for meter, span in written(body).items():
            with lane.builder.at(construct, span):
                lane.meters[meter] = lane.builder.select(guard, lane.meters[meter], before[meter])


def written(body: Sequence[Statement]) -> dict[str, Span]:
    """The meters that statements write, in the order of first appearance, and where each is last written."""
    return {meter: span for statement in body for meter, span in statement.writes.items()}


def pay(lane: Lane, construct: Construct, span: Span, meter: str, cost: Expression, guard: Value | None) -> None:
    """`meter -= cost` as a statement, where the guard holds."""
    run(lane, construct, (Assign(meter, "-=", cost, True, span),), guard)


def _assign(lane: Lane, assign: Assign, measured: Measured | None) -> None:
    value = lower_expression(lane, assign.value, measured)
    lane.meters[assign.meter] = applied(lane.builder, assign.op, lane.meters[assign.meter], value)
    if assign.clamped:
        clamp(lane, assign.meter)


def applied(builder: Builder, op: AssignOp, current: Value, value: Value) -> Value:
    """The value that an assignment gives a meter with this current value, not yet clamped."""
    match op:
        case "+=":
            return builder.add(current, value)
        case "-=":
            return builder.sub(current, value)
        case "=":
            return value


def clamp(lane: Lane, name: str) -> None:
    """Bring a meter between its bounds."""
    builder = lane.builder
    world = lane.universe.world
    meters: tuple[Meter | WorldMeter, ...] = (*lane.universe.meters, *(() if world is None else world.meters))
    meter = next(meter for meter in meters if meter.name == name)
    low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
    lane.meters[name] = builder.clamp(lane.meters[name], low, high)
