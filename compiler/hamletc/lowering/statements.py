"""Statements: writes to meters, each followed by a clamp to the meter's bounds (docs/semantics.md, "Statements")."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet.numbers.binary32 import round32
from hamlet.universe import Assign, AssignOp, Expression, Span, Statement, Together
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
        construct: what the nodes' origin names; their place is the statement's.
        measured: see `lower_expression`.
    """
    before = dict(lane.meters)
    spans: dict[str, Span] = {}
    for statement in body:
        with lane.builder.at(construct, statement.span):
            match statement:
                case Assign(meter=meter, op=op, value=value, clamped=clamped):
                    write(lane, meter, op, lower_expression(lane, value, measured), clamped)
                    spans[meter] = statement.span
                case Together(body=assigns):
                    for assign in assigns:
                        write(lane, assign.meter, assign.op, lower_expression(lane, assign.value, measured), False)
                        spans[assign.meter] = assign.span
                    for meter in dict.fromkeys(assign.meter for assign in assigns):
                        _clamp(lane, meter)
    if guard is not None:
        for meter, span in spans.items():
            with lane.builder.at(construct, span):
                lane.meters[meter] = lane.builder.select(guard, lane.meters[meter], before[meter])


def run_tick(
    lane: Lane,
    construct: str,
    span: Span,
    each_tick: tuple[Statement, ...],
    on_completion: tuple[Statement, ...],
    together: bool,
    guard: Value,
    completing: Value,
) -> None:
    """A tick at an affordance that lasts, where the guard holds; `completing` implies it.

    Args:
        together: the meters that any of the statements writes, which are unclamped, are clamped after all of them.
    """
    if not together:
        run(lane, construct, each_tick, guard)
        run(lane, construct, on_completion, completing)
        return
    before = dict(lane.meters)
    run(lane, construct, each_tick)
    run(lane, construct, on_completion, completing)
    for meter in dict.fromkeys(_written((*each_tick, *on_completion))):
        with lane.builder.at(construct, span):
            _clamp(lane, meter)
            lane.meters[meter] = lane.builder.select(guard, lane.meters[meter], before[meter])


def _written(body: tuple[Statement, ...]) -> Iterator[str]:
    """The meters that statements write, in order."""
    for statement in body:
        match statement:
            case Assign(meter=meter):
                yield meter
            case Together(body=together):
                yield from _written(together)


def pay(lane: Lane, construct: str, span: Span, meter: str, cost: Expression, guard: Value | None) -> None:
    """`meter -= cost` as a statement, where the guard holds."""
    with lane.builder.at(construct, span):
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
