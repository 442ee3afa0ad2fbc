"""Step 2 of a tick: INTERACT, its costs, the affordances, and what agents remember of their uses.

Where places are computed an agent is at one affordance at most, so all are tested before any of them writes; where they
are many, one lookup of the cell gives the row of what differs between them. Otherwise affordances are used one after
the other.
"""

from __future__ import annotations

from dataclasses import replace

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.universe import Affordance, Hours
from hamletc.ir.function import Construct
from hamletc.ir.ops import BOOL, Value
from hamletc.lowering.act import disengage
from hamletc.lowering.expressions import clock_hour, is_at, lower_expression, there_is
from hamletc.lowering.lane import Lane
from hamletc.lowering.solid import facing, walked_or
from hamletc.lowering.space import affordance_here
from hamletc.lowering.statements import clamp, pay, run, written
from hamletc.lowering.tables import AffordanceTable

INTERACTING = "interacting"
"""The input that tells whether some agent of the world interacts."""


def interact(lane: Lane, action: Value) -> Value:
    """Carry out INTERACT where it is the action (I32); the number (I32) of the affordance used, or -1."""
    builder, universe, start = lane.builder, lane.universe, lane.position
    with builder.at(Construct("interact"), None):
        interacting = walked_or(lane, builder.equal(action, builder.i32(schema.interact_action(universe))))
    for meter in universe.meters:
        if meter.interact is not None:
            pay(lane, Construct("meter", meter.name), meter.span, meter.name, meter.interact, interacting)
    if not lane.plan.computed:
        used = _interact_in_turn(lane, interacting)
    elif lane.plan.affordances is not None:
        used = _interact_by_table(lane, lane.plan.affordances, _tried(lane, interacting))
    else:
        used = _interact_exclusively(lane, _tried(lane, interacting))
    lane.used = used
    disengage(lane, start)
    _remember_uses(lane, interacting, used)
    return used


def _interact_in_turn(lane: Lane, interacting: Value) -> Value:
    """Use the affordances that the agent is at, where it interacts (BOOL); the number (I32) of the last one, or -1."""
    builder, seen = lane.builder, facing(lane, replace(lane))
    with builder.at(Construct("interact"), None):
        used = builder.i32(schema.NOWHERE)
    for number, affordance in enumerate(lane.universe.affordances):
        with builder.at(_construct(affordance), affordance.span):
            there = is_at(seen, number)
            hit = _granted(lane, affordance, admitted(lane, affordance, builder.and_(interacting, there)))
            used = builder.select(hit, builder.i32(number), used)
            lane.uses[number] = hit
        if affordance.duration is None:
            run(lane, _construct(affordance), affordance.instantly, hit)
            continue
        with builder.at(_construct(affordance), affordance.span):
            own = builder.i32(number)
        reached = _reach(lane, own)
        with builder.at(_construct(affordance), affordance.span):
            completes = builder.equal(reached.progress, builder.i32(affordance.duration))
            completing = builder.and_(hit, completes)
        _spend_tick(lane, affordance, reached, hit, completing)
        _settle(lane, own, reached, completes, hit)
    return used


def _tried(lane: Lane, interacting: Value) -> Value:
    """The number (I32) of the affordance that the agent tries to use, or -1."""
    builder = lane.builder
    if not lane.universe.affordances:
        return builder.i32(schema.NOWHERE)
    here = affordance_here(lane)
    with builder.at(Construct("interact"), None):
        return builder.select(interacting, here, builder.i32(schema.NOWHERE))


def _interact_exclusively(lane: Lane, tried: Value) -> Value:
    """Use the affordance of this number (I32; -1: none); the number of the one used, or -1."""
    builder, affordances = lane.builder, lane.universe.affordances
    hits = []
    for number, affordance in enumerate(affordances):
        with builder.at(_construct(affordance), affordance.span):
            hit = admitted(lane, affordance, builder.equal(tried, builder.i32(number)))
            hits.append(_granted(lane, affordance, hit))
    lasting = None if lane.engaged is None else _lasting(lane, hits)
    used = builder.i32(schema.NOWHERE)
    for number, (affordance, hit) in enumerate(zip(affordances, hits, strict=True)):
        if lasting is None or affordance.duration is None:
            run(lane, _construct(affordance), affordance.instantly, hit)
        else:
            with builder.at(_construct(affordance), affordance.span):
                completing = builder.equal(lasting.completed, builder.i32(number))
            _spend_tick(lane, affordance, lasting.reached, hit, completing)
        with builder.at(_construct(affordance), affordance.span):
            used = builder.select(hit, builder.i32(number), used)
    if lasting is not None:
        _settle(lane, lasting.used, lasting.reached, lasting.completes, lasting.using)
    return used


def _interact_by_table(lane: Lane, table: AffordanceTable, tried: Value) -> Value:
    """Use the affordance of this number (I32; -1: none) as its row of the table says; the number of the one used, or
    -1."""
    builder, nowhere = lane.builder, lane.builder.i32(schema.NOWHERE)
    with builder.at(Construct("interact"), None):
        somewhere = builder.less_equal(builder.i32(0), tried)
        row = builder.select(somewhere, tried, builder.i32(0))
        usable = builder.and_(somewhere, row_is_open(lane, table, row))
        number_of_kind = builder.lookup(table.kind, row)
    hits = []
    with lane.at_row(table.columns, row):
        for number, kind in enumerate(table.kinds):
            with builder.at(_construct(kind), kind.span):
                hit = usable
                if len(table.kinds) > 1:
                    hit = builder.and_(usable, builder.equal(number_of_kind, builder.i32(number)))
                hits.append(_granted(lane, kind, admitted(lane, kind, hit)))
    lasting = None
    if table.duration is not None:
        reached = _reach(lane, affordance_here(lane))
        with builder.at(Construct("progress"), None):
            lasting = reached, builder.equal(reached.progress, builder.lookup(table.duration, row))
    with lane.at_row(table.columns, row):
        for kind, hit in zip(table.kinds, hits, strict=True):
            if lasting is None or kind.duration is None:
                run(lane, _construct(kind), kind.instantly, hit)
                continue
            reached, completes = lasting
            with builder.at(_construct(kind), kind.span):
                completing = builder.and_(hit, completes)
            _spend_tick(lane, kind, reached, hit, completing)
    if lasting is not None:
        with builder.at(Construct("progress"), None):
            using = builder.any([hit for kind, hit in zip(table.kinds, hits, strict=True) if kind.duration is not None])
        _settle(lane, row, *lasting, using)
    with builder.at(Construct("interact"), None):
        return builder.select(builder.any(hits), tried, nowhere)


def _construct(affordance: Affordance) -> Construct:
    return Construct("affordance", affordance.name)


# --- who may use an affordance ---------------------------------------------------------------------------------------


def admitted(lane: Lane, affordance: Affordance, there: Value) -> Value:
    """Whether (BOOL) an agent that is at an affordance finds it open and meets its `needs`."""
    builder = lane.builder
    if affordance.hours is not None:
        there = builder.and_(there, includes(lane, affordance.hours))
    if affordance.opening is not None:
        there = builder.and_(there, lower_expression(lane, affordance.opening))
    if affordance.needs is not None:
        there = builder.and_(there, lower_expression(lane, affordance.needs))
    return there


def _granted(lane: Lane, affordance: Affordance, admitted: Value) -> Value:
    """Whether (BOOL) an agent that is admitted to an affordance has one of its places."""
    if affordance.capacity is None:
        return admitted
    return lane.builder.and_(admitted, lane.builder.input(BOOL, f"among.{claim(affordance)}"))


def claim(affordance: Affordance) -> str:
    """The name of the reduction that grants the claims to an affordance with a capacity."""
    return f"grant.{affordance.name}"


def open_if(lane: Lane, affordance: Affordance) -> Value | None:
    """Whether (BOOL) an affordance is open; `None` where it always is."""
    hours = None if affordance.hours is None else includes(lane, affordance.hours)
    if affordance.opening is None:
        return hours
    opened = lower_expression(lane, affordance.opening)
    return opened if hours is None else lane.builder.and_(hours, opened)


def includes(lane: Lane, hours: Hours) -> Value:
    """Whether opening hours include the lane's hour."""
    builder, hour = lane.builder, clock_hour(lane)
    opened = builder.less_equal(builder.i32(hours.opens), hour)
    not_closed = builder.less(hour, builder.i32(hours.closes))
    return builder.and_(opened, not_closed) if hours.opens < hours.closes else builder.or_(opened, not_closed)


def row_is_open(lane: Lane, table: AffordanceTable, row: Value) -> Value:
    """Whether the affordance of a row (I32) is open at the lane's hour. Kinds have conditions besides."""
    builder = lane.builder
    if table.opens is None or table.closes is None:
        return builder.boolean(True)
    hour = clock_hour(lane)
    opens, closes = builder.lookup(table.opens, row), builder.lookup(table.closes, row)
    opened, not_closed = builder.less_equal(opens, hour), builder.less(hour, closes)
    past_midnight = builder.and_(builder.less(closes, opens), builder.or_(opened, not_closed))
    return builder.or_(builder.and_(opened, not_closed), past_midnight)


# --- affordances that last -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reached:
    """Whether (BOOL) an agent goes on with what it is engaged in, and the progress (I32) that it reaches at a
    position."""

    goes_on: Value
    progress: Value
    position: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class _Lasting:
    """A tick at one of the affordances that last.

    Attributes:
        used: its number (I32), or -1.
        completes: whether (BOOL) it is completed, if it is used.
        completed: its number (I32) where it is completed, or -1.
        using: whether (BOOL) one is used.
    """

    used: Value
    reached: _Reached
    completes: Value
    completed: Value
    using: Value


def _lasting(lane: Lane, hits: list[Value]) -> _Lasting:
    builder, reached = lane.builder, _reach(lane, affordance_here(lane))
    nowhere, nothing = builder.i32(schema.NOWHERE), builder.i32(0)
    used, duration = nowhere, nothing
    for number, (affordance, hit) in enumerate(zip(lane.universe.affordances, hits, strict=True)):
        if affordance.duration is not None:
            with builder.at(_construct(affordance), affordance.span):
                used = builder.select(hit, builder.i32(number), used)
                duration = builder.select(hit, builder.i32(affordance.duration), duration)
    with builder.at(Construct("progress"), None):
        completes = builder.equal(reached.progress, duration)
        completed = builder.select(completes, used, nowhere)
        return _Lasting(used, reached, completes, completed, builder.less_equal(nothing, used))


def _reach(lane: Lane, number: Value) -> _Reached:
    """The progress of an agent with a tick at the affordance of this number (I32), which lasts."""
    builder = lane.builder
    with builder.at(Construct("progress"), None):
        one = builder.i32(1)
        goes_on = builder.equal(there_is(lane.engaged, "engagement"), number)
        if lane.used_at:
            there = [builder.equal(a, b) for a, b in zip(lane.position, lane.used_at, strict=True)]
            goes_on = builder.all([goes_on, *there])
        progress = builder.add(there_is(lane.progress, "progress"), one)
        return _Reached(goes_on, builder.select(goes_on, progress, one), lane.position)


def _spend_tick(lane: Lane, affordance: Affordance, reached: _Reached, guard: Value, completing: Value) -> None:
    """Run the statements of a tick at an affordance that lasts, where the guard holds; `completing` implies it."""
    construct, before = _construct(affordance), dict(lane.meters)
    old, lane.progress = lane.progress, reached.progress
    with lane.where(guard):
        run(lane, construct, affordance.each_tick, None if affordance.together else guard)
    run(lane, construct, affordance.on_completion, completing)
    if affordance.together:
        for meter in written((*affordance.each_tick, *affordance.on_completion)):
            with lane.builder.at(construct, affordance.span):
                clamp(lane, meter)
                lane.meters[meter] = lane.builder.select(guard, lane.meters[meter], before[meter])
    lane.progress = old


def _settle(lane: Lane, number: Value, reached: _Reached, completes: Value, using: Value) -> None:
    """Update the state after a tick at the affordance of this number (I32), where one is used (BOOL)."""
    builder = lane.builder
    with builder.at(Construct("progress"), None):
        engaged = builder.select(completes, builder.i32(schema.NOWHERE), number)
        progress = builder.select(completes, builder.i32(0), reached.progress)
        lane.engaged = builder.select(using, engaged, there_is(lane.engaged, "engagement"))
        lane.progress = builder.select(using, progress, there_is(lane.progress, "progress"))
        if lane.used_at:
            begins = builder.and_(using, builder.not_(reached.goes_on))
            lane.used_at = tuple(
                builder.select(begins, now, old) for now, old in zip(reached.position, lane.used_at, strict=True)
            )


# --- uses ------------------------------------------------------------------------------------------------------------


def _remember_uses(lane: Lane, interacting: Value, used: Value) -> None:
    """Bring last use, streaks and what was seen up to date.

    Args:
        interacting: whether (BOOL) the agent does.
        used: the number (I32) of the affordance that it used, or -1.
    """
    builder, tracking = lane.builder, lane.universe.tracking
    if tracking is None or lane.last is None:
        return
    with builder.at(Construct("track uses"), tracking.span):
        if tracking.by == "world":
            interacting = builder.input(BOOL, INTERACTING)
        one, nothing = builder.i32(1), builder.i32(0)
        again = builder.equal(lane.last, used)
        another = builder.and_(builder.less_equal(nothing, used), builder.not_(again))
        for name in lane.streaks:
            streak, this = lane.streaks[name], builder.equal(used, builder.i32(lane.plan.numbers[name]))
            counted = builder.select(again, builder.add(streak, one), one)
            lane.streaks[name] = builder.select(this, counted, builder.select(another, nothing, streak))
            lane.seen[name] = builder.or_(lane.seen[name], this)
        lane.last = builder.select(interacting, used, lane.last)
