"""Statements: writes to meters, each followed by a clamp to the meter's bounds (docs/semantics.md, "Statements")."""

from __future__ import annotations

from collections.abc import Sequence

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import (
    AnyMeter,
    Assign,
    AssignOp,
    Expression,
    Guarded,
    Push,
    Span,
    Statement,
    Together,
    pushes,
)
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import Measured, lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.moves import limited


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
    before, velocity = dict(lane.meters), lane.velocity
    for statement in body:
        with lane.builder.at(construct, statement.span):
            match statement:
                case Assign():
                    _assign(lane, statement, measured)
                case Push():
                    _push(lane, statement, measured)
                case Together(body=together):
                    for assign in together:
                        _assign(lane, assign, measured)
                    for meter in written(together):
                        clamp(lane, meter)
                case Guarded(condition=condition, body=guarded):
                    run(lane, construct, guarded, lower_expression(lane, condition, measured), measured)
    if guard is not None:
        for meter, span in written(body).items():
            with lane.builder.at(construct, span):
                lane.meters[meter] = lane.builder.select(guard, lane.meters[meter], before[meter])
        axes = schema.axes(lane.universe)
        for axis, span in {push.axis: push.span for push in pushes(body)}.items():
            with lane.builder.at(construct, span):
                number = axes.index(axis)
                set_velocity(lane, number, lane.builder.select(guard, lane.velocity[number], velocity[number]))


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


def _push(lane: Lane, push: Push, measured: Measured | None) -> None:
    value = lower_expression(lane, push.value, measured)
    axis = schema.axes(lane.universe).index(push.axis)
    written = applied(lane.builder, push.op, lane.velocity[axis], value)
    set_velocity(lane, axis, limited(lane.builder, lane.universe, written))


def set_velocity(lane: Lane, axis: int, value: Value) -> None:
    """Replace the velocity (F32) on one axis."""
    lane.velocity = (*lane.velocity[:axis], value, *lane.velocity[axis + 1 :])


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
    world, cells = lane.universe.world, lane.universe.cells
    of_world, of_cells = () if world is None else world.meters, () if cells is None else cells.meters
    meters: tuple[AnyMeter, ...] = (*lane.universe.meters, *of_world, *of_cells)
    meter = next(meter for meter in meters if meter.name == name)
    low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
    lane.meters[name] = builder.clamp(lane.meters[name], low, high)
