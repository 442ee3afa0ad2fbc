"""Which actions are allowed (docs/semantics.md, "Observations and masks")."""

from __future__ import annotations

from hamlet import schema
from hamlet.universe import Grid
from hamletc.ir.function import Output
from hamletc.ir.ops import Value
from hamletc.lowering.by_table import row_is_open
from hamletc.lowering.expressions import clock_hour, lower_expression
from hamletc.lowering.here import is_at
from hamletc.lowering.hours import is_open
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import affordance_here
from hamletc.lowering.moves import displaced
from hamletc.lowering.step_tables import StepTables
from hamletc.lowering.steps import goes_somewhere, possible_steps


def mask(lane: Lane) -> tuple[Output, ...]:
    """Outputs `mask.<number of the first action>` (BOOL), in order; consecutive actions of one condition share one."""
    builder, universe = lane.builder, lane.universe
    allowed = _conditions(lane)
    for_all = []
    for item in universe.masks:
        if not item.actions:
            with builder.at("allow", item.span):
                for_all.append(lower_expression(lane, item.allowed))
    outputs: list[Output] = []
    steps = lane.plan.steps
    with builder.at("mask", universe.space.span):
        possible = [] if steps is None or None not in allowed else possible_steps(lane, steps)
    for first, count in _runs(allowed):
        name, value = f"mask.{first}", allowed[first]
        with builder.at("mask", universe.space.span):
            if value is None:
                number = builder.i32(first)
                move = number if count == 1 else builder.add(builder.element(name), number)
                value = _can_make(lane, steps, possible, move)
            outputs.append(Output(name, builder.all([value, *for_all]), None if count == 1 else count))
    return tuple(outputs)


def _conditions(lane: Lane) -> list[Value | None]:
    """Whether (BOOL) each action is allowed as far as itself is concerned; `None` for moves that tables tell."""
    builder, universe = lane.builder, lane.universe
    names = schema.action_names(universe)
    by_table = lane.plan.moves is not None and isinstance(universe.space, Grid)
    with builder.at("mask", universe.space.span):
        allowed = [None if by_table else _can_move(lane, move.by) for move in universe.moves]
    with builder.at("mask", None):
        allowed.append(_can_interact(lane))
        allowed += [builder.boolean(True)] * (len(names) - len(allowed))
    for item in universe.masks:
        if item.actions:
            with builder.at("allow", item.span):
                condition = lower_expression(lane, item.allowed)
            for name in item.actions:
                allowed[names.index(name)] = condition
    return allowed


def _runs(conditions: list[Value | None]) -> list[tuple[int, int]]:
    """The first of each run of equal conditions, and how many it has."""
    starts = [i for i, condition in enumerate(conditions) if i == 0 or condition != conditions[i - 1]]
    return [(start, end - start) for start, end in zip(starts, [*starts[1:], len(conditions)], strict=True)]


def _can_move(lane: Lane, by: tuple[float, ...]) -> Value:
    """Whether the move changes the position, or goes nowhere anyway."""
    builder, space = lane.builder, lane.universe.space
    if not isinstance(space, Grid) or not any(by):
        return builder.boolean(True)
    return builder.any([goes_somewhere(lane, axis, int(step)) for axis, step in enumerate(by) if step])


def _can_make(lane: Lane, steps: StepTables | None, possible: list[Value], move: Value) -> Value:
    """The same for the move of this number (I32), by tables."""
    builder, tables = lane.builder, lane.plan.moves
    if tables is None:
        raise ValueError("moves are unrolled")
    if steps is None:
        changes = [
            builder.not_(builder.equal(displaced(builder, lane.universe, axis, own, builder.lookup(table, move)), own))
            for axis, (own, table) in enumerate(zip(lane.position, tables.axes, strict=True))
        ]
        stays = builder.equal(builder.lookup(tables.charged, move), builder.i32(0))
        return builder.any([*changes, stays])
    nothing = builder.u32(0)
    takes = [builder.to_u32(builder.lookup(table, move)) for table in steps.words]
    return builder.any(
        [
            builder.not_(builder.equal(builder.and_(word, taken), nothing))
            for word, taken in zip(possible, takes, strict=True)
        ]
    )


def _can_interact(lane: Lane) -> Value:
    """Whether the agent is at an affordance that is open."""
    builder = lane.builder
    if not lane.plan.computed:
        return _can_use_one(lane)
    here = affordance_here(lane)
    somewhere = builder.less_equal(builder.i32(0), here)
    if lane.plan.catalogue is not None:
        row = builder.select(somewhere, here, builder.i32(0))
        return builder.and_(somewhere, row_is_open(lane, lane.plan.catalogue, row))
    closed = [
        builder.and_(
            builder.equal(here, builder.i32(number)),
            builder.not_(is_open(builder, affordance.hours, clock_hour(lane))),
        )
        for number, affordance in enumerate(lane.universe.affordances)
        if affordance.hours is not None
    ]
    return builder.and_(somewhere, builder.not_(builder.any(closed)))


def _can_use_one(lane: Lane) -> Value:
    builder, usable = lane.builder, []
    for number, affordance in enumerate(lane.universe.affordances):
        there = is_at(lane, number)
        if affordance.hours is not None:
            there = builder.and_(there, is_open(builder, affordance.hours, clock_hour(lane)))
        usable.append(there)
    return builder.any(usable)
