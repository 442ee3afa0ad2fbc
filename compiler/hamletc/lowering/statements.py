"""Statements: writes to meters, each followed by a clamp to the meter's bounds, to velocities, and changes of where an
agent is (docs/semantics.md, "Statements")."""

from __future__ import annotations

from collections.abc import Sequence

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import (
    AnyMeter,
    Assign,
    AssignOp,
    Displace,
    Expression,
    Grid,
    Guarded,
    Let,
    Push,
    Span,
    Statement,
    Teleport,
    Together,
    pushes,
    relocations,
)
from hamlet.universe.space import has_momentum
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import Measured, lower_expression
from hamletc.lowering.functions import whole
from hamletc.lowering.lane import Lane
from hamletc.lowering.moves import displaced, limited
from hamletc.lowering.solid import held_back
from hamletc.lowering.walls import barred, stopped


def run(
    lane: Lane,
    construct: Construct,
    body: tuple[Statement, ...],
    guard: Value | None = None,
    measured: Measured | None = None,
) -> None:
    """Run statements one after the other; where the guard does not hold, meters keep their values, and agents stay.

    Args:
        construct: what the nodes' origin names; their place is the statement's.
        measured: see `lower_expression`.
    """
    before, velocity, position = dict(lane.meters), lane.velocity, lane.position
    walked, reached, around = lane.walked, lane.reached, dict(lane.locals)
    for statement in body:
        with lane.builder.at(construct, statement.span), lane.where(guard):
            match statement:
                case Assign():
                    _assign(lane, statement, measured)
                case Let():
                    _work_out(lane, statement, measured)
                case Push():
                    _push(lane, statement, measured)
                case Displace():
                    _displace(lane, statement, measured)
                case Teleport():
                    _teleport(lane, statement, measured)
                case Together(body=together):
                    for inner in together:
                        if isinstance(inner, Let):
                            with lane.builder.at(construct, inner.span):
                                _work_out(lane, inner, measured)
                        else:
                            _assign(lane, inner, measured)
                    for meter in written(together):
                        clamp(lane, meter)
                case Guarded(condition=condition, body=guarded, otherwise=otherwise):
                    holds = lower_expression(lane, condition, measured)
                    run(lane, construct, guarded, holds, measured)
                    if otherwise:
                        run(lane, construct, otherwise, lane.builder.not_(holds), measured)
    lane.locals = around
    if guard is not None:
        for meter, span in written(body).items():
            with lane.builder.at(construct, span):
                lane.meters[meter] = lane.builder.select(guard, lane.meters[meter], before[meter])
        axes = schema.axes(lane.universe)
        gone = tuple(relocations(body))
        pushed = {push.axis: push.span for push in pushes(body)}
        if has_momentum(lane.universe.space):
            pushed |= {
                axis: relocation.span for relocation in gone if isinstance(relocation, Displace) for axis in axes
            }
        for axis, span in pushed.items():
            with lane.builder.at(construct, span):
                number = axes.index(axis)
                set_velocity(lane, number, lane.builder.select(guard, lane.velocity[number], velocity[number]))
        if lane.position is not position:
            with lane.builder.at(construct, gone[-1].span):
                lane.position = _chosen(lane, guard, lane.position, position)
                if lane.walked is not None and lane.walked != walked:
                    met = lane.builder.and_(guard, lane.walked)
                    lane.walked = met if walked is None else lane.builder.or_(walked, met)
                    lane.reached = _chosen(lane, guard, lane.reached, reached or lane.reached)


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


def _work_out(lane: Lane, let: Let, measured: Measured | None) -> None:
    """Work out a local."""
    value = lane.locals[let.name] = lower_expression(lane, let.value, measured)
    lane.builder.local(let.name, value, lane.guards)


def _push(lane: Lane, push: Push, measured: Measured | None) -> None:
    value = lower_expression(lane, push.value, measured)
    axis = schema.axes(lane.universe).index(push.axis)
    written = applied(lane.builder, push.op, lane.velocity[axis], value)
    set_velocity(lane, axis, limited(lane.builder, lane.universe, written))


def _displace(lane: Lane, relocation: Displace, measured: Measured | None) -> None:
    """Displace the agent on every axis, as its space does it; with momentum push it."""
    builder, universe, position = lane.builder, lane.universe, lane.position
    numbers = _numbers(lane, relocation.by, measured)
    if has_momentum(universe.space):
        for axis, by in enumerate(numbers):
            set_velocity(lane, axis, limited(builder, universe, builder.add(lane.velocity[axis], by)))
        return
    if isinstance(universe.space, Grid) and universe.space.edges == "wrap":
        zero = builder.i32(0)
        numbers = tuple(
            builder.select(builder.less(by, zero), builder.add(by, builder.i32(size)), by)
            for by, size in zip(numbers, universe.space.sizes, strict=True)
        )
    ends = tuple(displaced(builder, universe, axis, position[axis], by) for axis, by in enumerate(numbers))
    there = _on_cell(lane, ends)
    wall = barred(lane, position, there)
    there = there if wall is None else _chosen(lane, wall, position, there)
    lane.position = held_back(lane, position, there)


def _teleport(lane: Lane, relocation: Teleport, measured: Measured | None) -> None:
    """Put the agent at a place, unless that is a wall."""
    there = _on_cell(lane, _numbers(lane, relocation.to, measured))
    wall = stopped(lane, there)
    lane.position = there if wall is None else _chosen(lane, wall, lane.position, there)


def _numbers(lane: Lane, values: tuple[Expression, ...], measured: Measured | None) -> tuple[Value, ...]:
    """A displacement or a place, of the type of positions."""
    numbers = tuple(lower_expression(lane, value, measured) for value in values)
    if schema.position_dtype(lane.universe) == "f32":
        return numbers
    return tuple(whole(lane.builder, number) for number in numbers)


def _on_cell(lane: Lane, place: tuple[Value, ...]) -> tuple[Value, ...]:
    """A place of the type of positions, which on a grid is a cell: the same, where the agent goes there."""
    grid = lane.universe.space
    if not lane.columns or not isinstance(grid, Grid):
        return place
    # A lane that does something else in this tick has its numbers here, which may name no cell; tables are read at it.
    builder = lane.builder
    ends = ((builder.i32(0), builder.i32(size - 1)) for size in grid.sizes)
    return tuple(builder.clamp(x, low, high) for x, (low, high) in zip(place, ends, strict=True))


def _chosen(lane: Lane, condition: Value, then: tuple[Value, ...], otherwise: tuple[Value, ...]) -> tuple[Value, ...]:
    """The one position where the condition (BOOL) holds, else the other."""
    return tuple(lane.builder.select(condition, a, b) for a, b in zip(then, otherwise, strict=True))


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
    of_pairs = () if lane.universe.pairs is None else lane.universe.pairs.meters
    meters: tuple[AnyMeter, ...] = (*lane.universe.meters, *of_world, *of_cells, *of_pairs)
    meter = next(meter for meter in meters if meter.name == name)
    low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
    lane.meters[name] = builder.clamp(lane.meters[name], low, high)
