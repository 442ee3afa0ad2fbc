"""Step 1 of a tick: moves, custom actions, and what a move costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeAlias

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import Action, Continuous, Grid, NoSpace, Space, Statement, leading
from hamlet.universe.space import has_momentum
from hamletc.ir.function import Construct
from hamletc.ir.ops import F32, Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.moves import displaced, displacement, drifted, fixed_position, leads, limited, literal
from hamletc.lowering.pushing import unstuck
from hamletc.lowering.solid import held_back
from hamletc.lowering.space import length
from hamletc.lowering.statements import pay, run, set_velocity
from hamletc.lowering.walls import barred, stopped

BLOCKED = "blocked"
"""The name of the reduction that counts who is in an agent's way."""
Taken: TypeAlias = list[tuple[Value, Action]]
"""Own actions, each with whether (BOOL) the agent takes it and its `needs` holds."""


def act(lane: Lane, action: Value) -> None:
    """Carry out the action (I32). At most one of the guards below holds, so their order does not matter."""
    start = lane.position
    taken = _glide(lane, action) if has_momentum(lane.universe.space) else _walk(lane, action)
    _teleport(lane, action, taken)
    _disengage(lane, start, action)
    builder, universe = lane.builder, lane.universe
    paying = [(meter, meter.move) for meter in universe.meters if meter.move is not None]
    if paying:
        with builder.at(Construct("move"), None):
            charged = _charged(lane, action)
        for meter, cost in paying:
            pay(lane, Construct("meter", meter.name), meter.span, meter.name, cost, charged)


def _walk(lane: Lane, action: Value) -> Taken:
    """Without momentum the action displaces the agent. Gives what `_custom_actions` does."""
    builder, universe, start = lane.builder, lane.universe, lane.position
    taken, of_space = _go(lane, action, _custom_actions(lane, action))
    held = universe.blocking or universe.pushing
    if held is not None:
        with builder.at(Construct(f"agents {'block' if universe.blocking else 'push'}"), held.span):
            stays = lane.stays = builder.less(builder.f32(0.0), builder.input(F32, f"among.{BLOCKED}"))
            ways = zip(start, lane.position, strict=True)
            lane.position = tuple(builder.select(stays, before, there) for before, there in ways)
    with builder.at(_space_construct(universe.space), universe.space.span):
        _set_velocity(lane, start, of_space)
    return taken


def destination(lane: Lane, action: Value) -> tuple[Value, ...]:
    """The cell (I32 per axis) to which the action (I32) would lead if nobody were in the way. Of the statements of own
    actions those run that decide it: what agents have together, which others may ask for, is not known yet."""
    _go(lane, action, _custom_actions(lane, action, _leading))
    return lane.position


def _leading(action: Action) -> tuple[Statement, ...]:
    """The statements of an own action that decide where it leads."""
    return leading(action.body)


def _all(action: Action) -> tuple[Statement, ...]:
    """All statements that an own action runs before it moves."""
    return action.body


def _go(lane: Lane, action: Value, taken: Taken) -> tuple[Taken, Value | None]:
    """Displace the agent by the action, when the statements of own ones have run. Gives what `_custom_actions` and
    `_of_space` do."""
    builder, universe, plan = lane.builder, lane.universe, lane.plan
    acted = lane.position
    with builder.at(_space_construct(universe.space), universe.space.span):
        of_space = _of_space(lane, action)
        steps = []
        if plan.moves is None and plan.leads is None:
            steps += [(builder.equal(action, builder.i32(n)), move.by) for n, move in schema.moves_of(universe)]
        if plan.actions is None:
            steps += [(guard, custom.move) for guard, custom in taken if custom.move is not None]
        moves = [(guard, displacement(universe, by)) for guard, by in steps]
        moving = [guard for guard, custom in taken if custom.move is not None]
        displaces = None if of_space is None else builder.any([of_space, *moving])
        by_table = builder.any(moving) if plan.actions is not None and moving else None
        lane.position = tuple(_displace(lane, axis, action, moves, by_table, displaces) for axis in range(len(acted)))
        wall = barred(lane, acted, lane.position)
        if wall is not None:
            ways = zip(acted, lane.position, strict=True)
            lane.position = tuple(builder.select(wall, before, there) for before, there in ways)
    lane.position = held_back(lane, acted, lane.position)
    if lane.before is not None:
        lane.position = unstuck(lane, lane.before.position, lane.position)
    return taken, of_space


def _glide(lane: Lane, action: Value) -> Taken:
    """With momentum the action pushes the agent, which then goes on with its velocity. Gives what `_custom_actions`
    does."""
    builder, universe, table = lane.builder, lane.universe, lane.plan.actions
    construct, span = _space_construct(universe.space), universe.space.span
    axes = range(len(lane.position))
    with builder.at(construct, span):
        moves: list[tuple[Value, tuple[float, ...]]] = []
        if lane.plan.moves is None:
            moves += [(builder.equal(action, builder.i32(n)), move.by) for n, move in schema.moves_of(universe)]
        for axis in axes:
            by = builder.f32(0.0)
            if lane.plan.moves is not None:
                by = builder.lookup(lane.plan.moves.axes[axis], action)
            for guard, delta in moves:
                if delta[axis]:
                    by = builder.select(guard, builder.f32(round32(delta[axis])), by)
            set_velocity(lane, axis, limited(builder, universe, builder.add(lane.velocity[axis], by)))
    taken = _custom_actions(lane, action)
    with builder.at(construct, span):
        for guard, custom in taken:
            if custom.move is None:
                continue
            for axis in axes:
                own = builder.f32(round32(custom.move[axis]))
                step = own if table is None else builder.lookup(table.steps[axis], action)
                pushed = limited(builder, universe, builder.add(lane.velocity[axis], step))
                set_velocity(lane, axis, builder.select(guard, pushed, lane.velocity[axis]))
        ways = [drifted(builder, universe, axis, lane.position[axis], lane.velocity[axis]) for axis in axes]
        lane.position, lane.velocity = tuple(there for there, _ in ways), tuple(turned for _, turned in ways)
    return taken


def _space_construct(space: Space) -> Construct:
    """The construct that origins give for nodes of the space."""
    match space:
        case Grid():
            return Construct("space grid")
        case Continuous():
            return Construct("space continuous")
        case NoSpace():
            return Construct("space none")


def _of_space(lane: Lane, action: Value) -> Value | None:
    """Whether (BOOL) the action is a move, INTERACT or WAIT; `None` where that makes no difference."""
    universe = lane.universe
    # On a grid a displacement of 0 changes nothing. Elsewhere even that one rounds.
    if not universe.actions or not (lane.velocity or isinstance(universe.space, Continuous)):
        return None
    own = {number for number, _ in schema.own_actions(universe)}
    return _is_one_of(lane, action, [n for n in range(len(schema.action_names(universe))) if n not in own])


def _is_one_of(lane: Lane, action: Value, numbers: Sequence[int]) -> Value:
    """Whether (BOOL) the action is one of these, which are compared in runs."""
    builder, runs = lane.builder, []
    for _, pairs in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        alike = [number for _, number in pairs]
        if alike[0] == 0:
            runs.append(builder.less(action, builder.i32(len(alike))))
        elif len(alike) == 1:
            runs.append(builder.equal(action, builder.i32(alike[0])))
        else:
            from_first = builder.less_equal(builder.i32(alike[0]), action)
            runs.append(builder.and_(from_first, builder.less(action, builder.i32(alike[-1] + 1))))
    return builder.any(runs)


def _custom_actions(lane: Lane, action: Value, runs: Callable[[Action], tuple[Statement, ...]] = _all) -> Taken:
    """Run the statements of the custom actions, or those that `runs` gives of each. Gives each action, or each kind of
    a table, with whether (BOOL) the agent takes it and its `needs` holds."""
    builder, universe, table = lane.builder, lane.universe, lane.plan.actions
    before, taken = lane.velocity, []
    momentum = has_momentum(universe.space)
    with builder.at(Construct("action"), None):
        if not momentum:
            # A custom action sets the velocity to 0 before it begins.
            lane.velocity = tuple(builder.f32(0.0) for _ in before)
            lane.speed = None if lane.speed is None else builder.f32(0.0)
        number = action if table is None else builder.lookup(table.kind, action)
    numbered = schema.own_actions(universe) if table is None else tuple(enumerate(table.kinds))
    with lane.at_row(() if table is None else table.columns, action):
        for index, custom in numbered:
            construct = Construct("action", custom.name)
            with builder.at(construct, custom.span):
                guard = builder.equal(number, builder.i32(index))
                if custom.needs is not None:
                    guard = builder.and_(guard, lower_expression(lane, custom.needs))
            run(lane, construct, runs(custom), guard)
            taken.append((guard, custom))
    if not momentum:
        lane.velocity = before
    return taken


def _teleport(lane: Lane, action: Value, taken: Taken) -> None:
    """Set the position where the agent takes a custom action that teleports."""
    builder, table = lane.builder, lane.plan.actions
    for guard, custom in taken:
        if custom.teleport is not None:
            with builder.at(Construct("action", custom.name), custom.span):
                if table is None:
                    place = fixed_position(builder, lane.universe, custom.teleport)
                else:
                    place = tuple(builder.lookup(rows, action) for rows in table.places)
                if lane.universe.closed is not None and (wall := stopped(lane, place)) is not None:
                    guard = builder.and_(guard, builder.not_(wall))
                there = zip(place, lane.position, strict=True)
                lane.position = tuple(builder.select(guard, to, coordinate) for to, coordinate in there)
        if custom.after:
            with lane.at_row(() if table is None else table.columns, action):
                run(lane, Construct("action", custom.name), custom.after, guard)


def _displace(
    lane: Lane,
    axis: int,
    action: Value,
    moves: list[tuple[Value, tuple[float, ...]]],
    by_table: Value | None,
    displaces: Value | None,
) -> Value:
    """The coordinate after the displacement of the one guard that holds, if any, and after the edges.

    Args:
        moves: guards and displacements; many moves come from tables instead.
        by_table: whether (BOOL) an own action moves, as its table says; `None` where none does.
        displaces: whether (BOOL) there is a displacement, if only of 0; `None` where that makes no difference.
    """
    builder, universe, coordinate = lane.builder, lane.universe, lane.position[axis]
    by = literal(builder, 0.0 if isinstance(universe.space, Continuous) else 0)
    if lane.plan.leads is not None:
        by = leads(builder, lane.plan.leads, lane.position, len(universe.moves), action)
    if lane.plan.moves is not None:
        by = builder.lookup(lane.plan.moves.axes[axis], action)
    for guard, delta in moves:
        if delta[axis]:
            by = builder.select(guard, literal(builder, delta[axis]), by)
    if lane.plan.actions is not None and by_table is not None:
        by = builder.select(by_table, builder.lookup(lane.plan.actions.steps[axis], action), by)
    # An edge of a graph leads to a node.
    graph = lane.plan.leads is not None
    moved = builder.add(coordinate, by) if graph else displaced(builder, universe, axis, coordinate, by)
    return moved if displaces is None else builder.select(displaces, moved, coordinate)


def _set_velocity(lane: Lane, start: tuple[Value, ...], of_space: Value | None) -> None:
    """Set the velocity to what an action of the space added to each coordinate; to 0 after a custom action."""
    builder = lane.builder
    if lane.velocity:
        changes = [builder.sub(now, before) for now, before in zip(lane.position, start, strict=True)]
        if schema.position_dtype(lane.universe) == "i32":
            changes = [builder.to_f32(change) for change in changes]
        nothing = builder.f32(0.0)
        lane.velocity = tuple(
            change if of_space is None else builder.select(of_space, change, nothing) for change in changes
        )
    if lane.speed is not None:
        lane.speed = length(builder, lane.velocity)


def _disengage(lane: Lane, start: tuple[Value, ...], action: Value) -> None:
    """Disengage an agent that is no longer where it began the tick, unless its action keeps progress."""
    if lane.position is start or lane.engaged is None:
        return
    builder, universe = lane.builder, lane.universe
    with builder.at(Construct("leave"), None):
        stayed = _is_at(lane, start)
        table = lane.plan.actions
        if table is not None and table.keeps is not None:
            stayed = builder.or_(stayed, builder.equal(builder.lookup(table.keeps, action), builder.i32(1)))
        for index, custom in schema.own_actions(universe) if table is None else ():
            if custom.keeps_progress:
                stayed = builder.or_(stayed, builder.equal(action, builder.i32(index)))
        _disengage_unless(lane, stayed)


def disengage(lane: Lane, start: tuple[Value, ...]) -> None:
    """Disengage an agent that is no longer where it began a step, which no action keeps."""
    if lane.position is not start and lane.engaged is not None:
        with lane.builder.at(Construct("leave"), None):
            _disengage_unless(lane, _is_at(lane, start))


def _is_at(lane: Lane, position: tuple[Value, ...]) -> Value:
    """Whether (BOOL) the agent is at a position."""
    builder = lane.builder
    return builder.all([builder.equal(a, b) for a, b in zip(lane.position, position, strict=True)])


def _disengage_unless(lane: Lane, stays: Value) -> None:
    """Disengage an agent that does not stay (BOOL)."""
    builder = lane.builder
    if lane.engaged is not None and lane.progress is not None:
        lane.engaged = builder.select(stays, lane.engaged, builder.i32(schema.NOWHERE))
        lane.progress = builder.select(stays, lane.progress, builder.i32(0))


def _charged(lane: Lane, action: Value) -> Value:
    """Whether (BOOL) the action is a move whose displacement is not 0 on every axis."""
    builder, universe = lane.builder, lane.universe
    staying = [index for index, move in schema.moves_of(universe) if not any(move.by)]
    moving = _is_one_of(lane, action, [number for number, _ in schema.moves_of(universe)])
    if lane.plan.moves is not None and staying:
        return builder.equal(builder.lookup(lane.plan.moves.charged, action), builder.i32(1))
    for index in staying:
        moving = builder.and_(moving, builder.not_(builder.equal(action, builder.i32(index))))
    return moving
