"""Step 1 of a tick: moves, custom actions, and what a move costs."""

from __future__ import annotations

from hamlet import schema
from hamlet.universe import Universe
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.statements import pay, run


def act(lane: Lane, action: Value) -> None:
    """Carry out the action (I32). At most one of the guards below holds, so their order does not matter."""
    builder, universe = lane.builder, lane.universe
    start = lane.position
    taken = _custom_actions(lane, action)
    with builder.at("space grid", universe.space.span.line):
        moves = [
            (builder.equal(action, builder.i32(number)), delta)
            for number, delta in enumerate(schema.move_deltas(universe))
        ]
        moves += [
            (guard, custom.move)
            for guard, custom in zip(taken, universe.actions, strict=True)
            if custom.move is not None
        ]
        lane.position = tuple(
            _displace(builder, universe, axis, coordinate, [(guard, delta[axis]) for guard, delta in moves])
            for axis, coordinate in enumerate(lane.position)
        )
    for guard, custom in zip(taken, universe.actions, strict=True):
        if custom.teleport is not None:
            with builder.at(f"action {custom.name}", custom.span.line):
                lane.position = tuple(
                    builder.select(guard, builder.i32(target), coordinate)
                    for target, coordinate in zip(custom.teleport, lane.position, strict=True)
                )
    _leave(lane, start)
    with builder.at("move", 0):
        moving = builder.less(action, builder.i32(schema.interact_action(universe)))
    for meter in universe.meters:
        if meter.move is not None:
            pay(lane, f"meter {meter.name} move", meter.span.line, meter.name, meter.move, moving)


def _custom_actions(lane: Lane, action: Value) -> list[Value]:
    """Run the statements of the custom actions; where each is taken and possible."""
    builder, universe = lane.builder, lane.universe
    first = schema.interact_action(universe) + 2
    taken = []
    for number, custom in enumerate(universe.actions, first):
        construct = f"action {custom.name}"
        with builder.at(construct, custom.span.line):
            guard = builder.equal(action, builder.i32(number))
            if custom.needs is not None:
                guard = builder.and_(guard, lower_expression(lane, custom.needs))
        run(lane, construct, custom.body, guard)
        taken.append(guard)
    return taken


def _displace(
    builder: Builder, universe: Universe, axis: int, coordinate: Value, moves: list[tuple[Value, int]]
) -> Value:
    """The coordinate after the displacement of the one guard that holds, if any, and after the edges."""
    size = universe.space.sizes[axis]
    wraps = universe.space.edges == "wrap"
    by = builder.i32(0)
    for guard, delta in moves:
        if delta:
            by = builder.select(guard, builder.i32(delta % size if wraps else delta), by)
    moved = builder.add(coordinate, by)
    zero, last, count = builder.i32(0), builder.i32(size - 1), builder.i32(size)
    match universe.space.edges:
        case "clamp":
            return builder.clamp(moved, zero, last)
        case "wrap":
            return builder.select(builder.less(moved, count), moved, builder.sub(moved, count))
        case "sticky":
            off = builder.or_(builder.less(moved, zero), builder.less_equal(count, moved))
            return builder.select(off, coordinate, moved)
        case "bounce":
            moved = builder.select(builder.less(moved, zero), builder.neg(moved), moved)
            mirrored = builder.sub(builder.i32(2 * (size - 1)), moved)
            return builder.clamp(builder.select(builder.less_equal(count, moved), mirrored, moved), zero, last)


def _leave(lane: Lane, start: tuple[Value, ...]) -> None:
    """An agent that is no longer where it began the tick gives up what it was engaged in."""
    if lane.engaged is None or lane.progress is None:
        return
    builder = lane.builder
    with builder.at("leave", 0):
        stayed = builder.all([builder.equal(a, b) for a, b in zip(lane.position, start, strict=True)])
        lane.engaged = builder.select(stayed, lane.engaged, builder.i32(schema.NOWHERE))
        lane.progress = builder.select(stayed, lane.progress, builder.i32(0))
