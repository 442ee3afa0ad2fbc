"""Which actions are allowed (docs/semantics.md, "Observations and masks")."""

from __future__ import annotations

from itertools import groupby

from hamlet import schema
from hamlet.universe import Grid
from hamlet.universe.actions import WAIT
from hamletc.ir.function import Construct, Output
from hamletc.ir.ops import ShiftRight, Value
from hamletc.lowering.acting import act_now
from hamletc.lowering.expressions import is_at, lower_expression, there_is
from hamletc.lowering.interact import open_if, row_is_open
from hamletc.lowering.lane import Lane
from hamletc.lowering.moves import WORD, StepTables, displaced, displacement, leads
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.pushing import line_before
from hamletc.lowering.space import affordance_here
from hamletc.lowering.tables import AffordanceTable
from hamletc.lowering.terrain import Ground
from hamletc.lowering.walls import barred, stops


def mask(lane: Lane) -> tuple[Output, ...]:
    """Outputs `mask.<number of the first action>` (BOOL), in order; consecutive actions of one condition share one."""
    builder, universe = lane.builder, lane.universe
    allowed = _conditions(lane)
    for_all = []
    for item in universe.masks:
        if not item.actions:
            with builder.at(Construct("allow"), item.span):
                condition = lower_expression(lane, item.allowed)
                if item.who is not None:
                    condition = builder.or_(condition, builder.not_(lower_expression(lane, item.who)))
                for_all.append(condition)
    acts = act_now(lane) if universe.acting else None
    outputs: list[Output] = []
    steps = None if lane.plan.moves is None else lane.plan.moves.steps
    with builder.at(Construct("mask"), universe.space.span):
        possible = [] if steps is None or None not in allowed else _possible_steps(lane, steps)
    first, wait = 0, schema.NOWHERE if acts is None else schema.idle_action(universe)
    for (value, waits), alike in groupby((value, number == wait) for number, value in enumerate(allowed)):
        name, count = f"mask.{first}", len(tuple(alike))
        with builder.at(Construct("mask"), universe.space.span):
            if value is None:
                number = builder.i32(first)
                action = number if count == 1 else builder.add(builder.element(name), number)
                value = _can_make(lane, possible, action)
            value = builder.all([value, *for_all])
        if acts is not None:
            with builder.at(Construct("acts"), universe.acting[0].span):
                value = _of_wait(lane, acts, value) if waits else builder.and_(value, acts)
        outputs.append(Output(name, value, None if count == 1 else count))
        first += count
    return tuple(outputs)


def _of_wait(lane: Lane, acts: Value, allowed: Value) -> Value:
    """Whether (BOOL) an agent may WAIT, given whether it may where it acts; it may not where no list has WAIT."""
    builder = lane.builder
    stays = builder.not_(acts)
    return builder.or_(stays, allowed) if WAIT in schema.choices(lane.universe) else stays


def _conditions(lane: Lane) -> list[Value | None]:
    """Whether (BOOL) each action is allowed as far as itself is concerned; `None` for moves that tables tell."""
    builder, universe = lane.builder, lane.universe
    names = schema.action_names(universe)
    by_table = (lane.plan.moves is not None or lane.plan.leads is not None) and isinstance(universe.space, Grid)
    conditions: dict[int, Value | None] = {}
    with builder.at(Construct("mask"), universe.space.span):
        for number, move in schema.moves_of(universe):
            conditions[number] = None if by_table else _can_move(lane, move.by, number)
    with builder.at(Construct("mask"), None):
        if (interact := schema.interact_action(universe)) != schema.NOWHERE:
            conditions[interact] = _can_interact(lane)
        always = builder.boolean(True)
        allowed = [conditions.get(number, always) for number in range(len(names))]
    for item in universe.masks:
        if item.actions:
            with builder.at(Construct("allow"), item.span):
                condition = lower_expression(lane, item.allowed)
                said = None if item.who is None else lower_expression(lane, item.who)
            for name in item.actions:
                number = names.index(name)
                allowed[number] = condition if said is None else _said(lane, said, condition, number, allowed[number])
    return allowed


def _said(lane: Lane, who: Value, condition: Value, number: int, otherwise: Value | None) -> Value:
    """The condition of an action for some agents (BOOL); others have the one that holds otherwise."""
    builder = lane.builder
    if otherwise is None:
        with builder.at(Construct("mask"), lane.universe.space.span):
            steps = None if lane.plan.moves is None else lane.plan.moves.steps
            possible = [] if steps is None else _possible_steps(lane, steps)
            otherwise = _can_make(lane, possible, builder.i32(number))
    return builder.or_(builder.and_(who, condition), builder.and_(builder.not_(who), otherwise))


def _can_move(lane: Lane, by: tuple[float, ...], action: int) -> Value:
    """Whether the move of this number changes the position, or goes nowhere anyway."""
    builder, space = lane.builder, lane.universe.space
    if lane.plan.ground is not None and lane.plan.ground.moves is not None:
        return _open_moves(lane, lane.plan.ground, builder.u32(action))
    if not isinstance(space, Grid) or not any(by):
        return builder.boolean(True)
    if stops(lane) or lane.universe.pushing is not None:
        steps = displacement(lane.universe, by)
        there = [
            displaced(builder, lane.universe, axis, own, builder.i32(int(step)))
            for axis, (own, step) in enumerate(zip(lane.position, steps, strict=True))
        ]
        return _leads_away(lane, tuple(there))
    return builder.any([goes_somewhere(lane, axis, int(step)) for axis, step in enumerate(by) if step])


def _can_make(lane: Lane, possible: list[Value], action: Value) -> Value:
    """Whether the move of this number (I32) changes the position, or goes nowhere anyway, by tables."""
    builder, tables = lane.builder, lane.plan.moves
    if lane.plan.leads is not None:
        by = leads(builder, lane.plan.leads, lane.position, len(lane.universe.moves), action)
        return builder.not_(builder.equal(by, builder.i32(0)))
    if tables is None:
        raise ValueError("moves are unrolled")
    if lane.plan.ground is not None and lane.plan.ground.moves is not None:
        return _open_moves(lane, lane.plan.ground, builder.to_u32(action))
    if tables.steps is None:
        there = tuple(
            displaced(builder, lane.universe, axis, own, builder.lookup(table, action))
            for axis, (own, table) in enumerate(zip(lane.position, tables.axes, strict=True))
        )
        stays = builder.equal(builder.lookup(tables.charged, action), builder.i32(0))
        return builder.any([_leads_away(lane, there), stays])
    nothing = builder.u32(0)
    takes = [builder.to_u32(builder.lookup(table, action)) for table in tables.steps.words]
    return builder.any(
        [
            builder.not_(builder.equal(builder.and_(word, taken), nothing))
            for word, taken in zip(possible, takes, strict=True)
        ]
    )


def _leads_away(lane: Lane, there: tuple[Value, ...]) -> Value:
    """Whether (BOOL) a position is another than the agent's, and nothing stops the way there."""
    builder = lane.builder
    pushing = lane.universe.pushing
    if pushing is not None:
        # Whoever a wall stops meets nothing.
        stuck = line_before(lane, pushing, lane.position, there).stuck
        there = tuple(builder.select(stuck, own, to) for own, to in zip(lane.position, there, strict=True))
    changes = [builder.not_(builder.equal(to, own)) for to, own in zip(there, lane.position, strict=True)]
    wall = barred(lane, lane.position, there)
    elsewhere = builder.any(changes)
    return elsewhere if wall is None else builder.and_(elsewhere, builder.not_(wall))


def _open_moves(lane: Lane, floor: Ground, action: Value) -> Value:
    """Whether the move of this number (U32) changes the position, or goes nowhere anyway: as the map says."""
    builder = lane.builder
    if floor.moves is None:
        raise ValueError("the map has no table of moves")
    cell = cell_index(builder, grid_of(lane.universe).sizes, lane.position)
    word = builder.to_u32(builder.lookup(floor.moves, cell))
    bit = builder.and_(builder.emit(ShiftRight(word, action)), builder.u32(1))
    return builder.equal(bit, builder.u32(1))


def goes_somewhere(lane: Lane, axis: int, step: int) -> Value:
    """Whether (BOOL) a step changes the coordinate on its axis."""
    builder, grid, own = lane.builder, grid_of(lane.universe), lane.position[axis]
    size = grid.sizes[axis]
    match grid.edges:
        case "clamp":
            return builder.less(builder.i32(0), own) if step < 0 else builder.less(own, builder.i32(size - 1))
        case "sticky":
            return (
                builder.less(builder.i32(-step - 1), own) if step < 0 else builder.less(own, builder.i32(size - step))
            )
        case "wrap":
            return builder.boolean(step % size != 0)
        case "bounce" if step % 2:
            return builder.boolean(size > 1)
        case "bounce":
            # A step of 2 from next to the edge leads back.
            there = displaced(builder, lane.universe, axis, own, builder.i32(step))
            return builder.not_(builder.equal(there, own))


def _possible_steps(lane: Lane, tables: StepTables) -> list[Value]:
    """Words (U32) with a bit per step, as in `tables`: whether the step changes the position."""
    builder, nothing = lane.builder, lane.builder.u32(0)
    words = [builder.u32(1), *[nothing] * (len(tables.words) - 1)]
    for bit, (axis, step) in enumerate(tables.steps, 1):
        here = builder.select(goes_somewhere(lane, axis, step), builder.u32(1 << bit % WORD), nothing)
        words[bit // WORD] = builder.or_(words[bit // WORD], here)
    return words


def _can_interact(lane: Lane) -> Value:
    """Whether the agent is at an affordance that is open."""
    builder, affordances = lane.builder, lane.universe.affordances
    if not lane.plan.computed:
        usable = []
        for number, affordance in enumerate(affordances):
            there, opened = is_at(lane, number), open_if(lane, affordance)
            usable.append(there if opened is None else builder.and_(there, opened))
        return builder.any(usable)
    here = affordance_here(lane)
    somewhere = builder.less_equal(builder.i32(0), here)
    if lane.plan.affordances is not None:
        row = builder.select(somewhere, here, builder.i32(0))
        opened = builder.and_(somewhere, row_is_open(lane, lane.plan.affordances, row))
        return _of_kinds(lane, lane.plan.affordances, row, opened)
    closed = []
    for number, affordance in enumerate(affordances):
        if affordance.hours is not None or affordance.opening is not None:
            is_here, opened = builder.equal(here, builder.i32(number)), open_if(lane, affordance)
            closed.append(builder.and_(is_here, builder.not_(there_is(opened, "an opening"))))
    return builder.and_(somewhere, builder.not_(builder.any(closed)))


def _of_kinds(lane: Lane, table: AffordanceTable, row: Value, opened: Value) -> Value:
    """Whether (BOOL) the affordance of a row (I32) is open, given whether it is at this hour."""
    builder = lane.builder
    if all(kind.opening is None for kind in table.kinds):
        return opened
    number_of_kind = builder.lookup(table.kind, row)
    with lane.at_row(table.columns, row):
        for number, kind in enumerate(table.kinds):
            if kind.opening is not None:
                other = builder.not_(builder.equal(number_of_kind, builder.i32(number)))
                opened = builder.and_(opened, builder.or_(other, lower_expression(lane, kind.opening)))
    return opened
