"""Statements: writes to meters, each followed by a clamp to the meter's bounds (docs/semantics.md, "Statements")."""

from __future__ import annotations

from hamlet.binary32 import round32
from hamlet.universe import Assign, AssignOp, Expression, Statement, Together
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import Measured, lower_expression
from hamletc.lowering.lane import Lane


def run(
    lane: Lane,
    construct: str,
    body: tuple[Statement, ...],
    guard: Value | None = None,
    measured: Measured | None = None,
) -> None:
    """Run statements one after the other; where the guard does not hold, meters keep their values.

    Args:
        construct: what the nodes' origin names; their line is the statement's.
        measured: see `lower_expression`.
    """
    before = dict(lane.meters)
    lines: dict[str, int] = {}
    for statement in body:
        with lane.builder.at(construct, statement.span.line):
            match statement:
                case Assign(meter=meter, op=op, value=value, clamped=clamped):
                    write(lane, meter, op, lower_expression(lane, value, measured), clamped)
                    lines[meter] = statement.span.line
                case Together(body=assigns):
                    for assign in assigns:
                        write(lane, assign.meter, assign.op, lower_expression(lane, assign.value, measured), False)
                        lines[assign.meter] = assign.span.line
                    for meter in dict.fromkeys(assign.meter for assign in assigns):
                        _clamp(lane, meter)
    if guard is not None:
        for meter, line in lines.items():
            with lane.builder.at(construct, line):
                lane.meters[meter] = lane.builder.select(guard, lane.meters[meter], before[meter])


def pay(lane: Lane, construct: str, line: int, meter: str, cost: Expression, guard: Value | None) -> None:
    """`meter -= cost` as a statement, where the guard holds."""
    with lane.builder.at(construct, line):
        before = lane.meters[meter]
        write(lane, meter, "-=", lower_expression(lane, cost), True)
        if guard is not None:
            lane.meters[meter] = lane.builder.select(guard, lane.meters[meter], before)


def write(lane: Lane, meter: str, op: AssignOp, value: Value, clamped: bool) -> None:
    """One assignment, with or without the clamp that follows it."""
    builder = lane.builder
    match op:
        case "+=":
            lane.meters[meter] = builder.add(lane.meters[meter], value)
        case "-=":
            lane.meters[meter] = builder.sub(lane.meters[meter], value)
        case "=":
            lane.meters[meter] = value
    if clamped:
        _clamp(lane, meter)


def _clamp(lane: Lane, name: str) -> None:
    builder = lane.builder
    meter = next(meter for meter in lane.universe.meters if meter.name == name)
    low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
    lane.meters[name] = builder.clamp(lane.meters[name], low, high)
