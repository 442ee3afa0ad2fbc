"""The step Cells of a tick: the rules of cells, for each cell of a world; and how their meters begin an episode."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from hamlet.numbers.binary32 import round32
from hamlet.numbers.counters import CELL_DRAWS, CELL_EPISODE_DRAWS
from hamlet.universe import (
    Binary,
    Cells,
    CellValue,
    Clamp,
    DayTime,
    Expression,
    Hour,
    If,
    Neighbours,
    Number,
    ParamValue,
    Previous,
    Pushing,
    Span,
    Truth,
    Unary,
    WorldValue,
    nodes,
    parts,
)
from hamlet.universe.walk import OF_WORLD
from hamletc.ir.builder import Builder
from hamletc.ir.function import (
    AWAKE,
    BEGIN_CELLS,
    CELLS,
    NEAR,
    OVER,
    PUSHED,
    PUSHES,
    Construct,
    Function,
    Output,
    Phase,
)
from hamletc.ir.ops import BOOL, F32, I32, Value
from hamletc.lowering.dynamics import run_rule
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.places import cell_position, grid_of
from hamletc.lowering.plan import Plan
from hamletc.lowering.reductions import Meeting
from hamletc.lowering.statements import clamp
from hamletc.lowering.terrain import is_wall


def near(planned: Plan, cells: Cells) -> tuple[Function, ...]:
    """Inputs: `cells.<meter>`, `cell` (I32), `world.<name>` as the rules of the world leave them, params, `hour`.
    Outputs: `near.<number>` (F32), what the cells beside this one sum of it, which for walls is 0. No function where
    nothing is summed."""
    numbers = _summed(cells)
    if not numbers:
        return ()
    lane, wall = _cell(planned, cells, "cells")
    outputs: dict[str, Value] = {}
    for rule in cells.rules:
        for node in nodes(rule):
            if isinstance(node, Neighbours):
                with lane.builder.at(Construct("rule", rule.name), node.span):
                    value = lower_expression(lane, node.operand)
                    if wall is not None:
                        value = lane.builder.select(wall, lane.builder.f32(0.0), value)
                    outputs[numbers[node]] = value
    return (lane.builder.finish(NEAR, tuple(Output(name, value) for name, value in outputs.items())),)


def awake(planned: Plan, cells: Cells) -> tuple[Function, ...]:
    """Inputs: `world.<name>` as the rules of the world leave them, params, `hour`, and where agents push `pushes`
    (BOOL), whether one of them does. Output: `awake` (BOOL), whether something is pushed, or the guard of some rule can
    hold for a cell. No function where that needs a cell."""
    pushing = planned.universe.pushing
    pushed = {rule.name for rule in cells.rules if pushing is not None and _needs_push(rule.guard, pushing.state)}
    guards = [(rule, _of_world(rule.guard)) for rule in cells.rules if rule.name not in pushed]
    if not (guards or pushing) or not all(conditions for _, conditions in guards):
        return ()
    lane = lane_of_world(planned, tuple(condition for _, conditions in guards for condition in conditions))
    builder, wakes = lane.builder, []
    if pushing is not None:
        with builder.at(Construct("agents push"), pushing.span):
            wakes.append(builder.input(BOOL, PUSHES))
    for rule, conditions in guards:
        with builder.at(Construct("rule", rule.name), rule.span):
            holds = [lower_expression(lane, condition) for condition in conditions]
            wakes.append(reduce(builder.and_, holds))
    return (builder.finish(AWAKE, (Output(AWAKE, builder.any(wakes)),)),)


def lane_of_world(planned: Plan, asked: tuple[Expression, ...]) -> Lane:
    """A lane with nothing but what these expressions read of its world, after the rules of the world."""
    builder, quantities = Builder("cells"), tuple(nodes(asked))
    params = dict.fromkeys(each.param for each in quantities if isinstance(each, ParamValue))
    world = dict.fromkeys(each.meter for each in quantities if isinstance(each, WorldValue))
    nobody = 0
    with builder.at(Construct("state"), None, "state"):
        return Lane(
            planned.universe,
            builder,
            planned,
            meters={},
            params={name: builder.input(F32, f"param.{name}") for name in params},
            age=nobody,
            layout=nobody,
            hour=builder.input(I32, "hour") if any(isinstance(each, Hour | DayTime) for each in quantities) else None,
            world={name: builder.input(F32, f"world.{name}") for name in world},
        )


NOWHERE = Span(0, 0, 0, 0)
ALIKE = (*OF_WORLD, Number, Truth, Unary, Binary, Clamp, If)
"""Nodes of expressions that all cells of a world have alike, if they are made of these alone."""


def _needs_push(guard: Expression | None, state: str) -> bool:
    """Whether a guard holds for those cells alone whose state something has changed, as `box and not previous(box)`
    does. Where no rule runs that is a push."""
    if isinstance(guard, Binary) and guard.op == "and":
        conditions = [placeless(each) for each in conjuncts(guard) if _asks_only(each, state)]
        came = any(Unary("not", Previous(each, NOWHERE), NOWHERE) in conditions for each in conditions)
        before = [each.operand for each in conditions if isinstance(each, Previous)]
        return came or any(Unary("not", each, NOWHERE) in conditions for each in before)
    if isinstance(guard, Binary) and guard.op == "!=":
        left, right = placeless(guard.left), placeless(guard.right)
        return left == CellValue(state, NOWHERE) and right == Previous(left, NOWHERE)
    return False


def conjuncts(guard: Expression) -> tuple[Expression, ...]:
    """Conditions that `and` joins."""
    if isinstance(guard, Binary) and guard.op == "and":
        return conjuncts(guard.left) + conjuncts(guard.right)
    return (guard,)


def _asks_only(condition: Expression, state: str) -> bool:
    """Whether a condition is made of a state of the cell, now or before, and of numbers alone."""
    made = (CellValue, Previous, Number, Unary, Binary)
    return all(
        isinstance(node, made) and (not isinstance(node, CellValue) or node.meter == state)
        for node, _ in parts(condition)
    )


def placeless(expression: Expression) -> Expression:
    """The expression as if all of it stood in one place of the source."""
    match expression:
        case Binary(op=op, left=left, right=right):
            return Binary(op, placeless(left), placeless(right), NOWHERE)
        case Unary(operand=operand) | Previous(operand=operand):
            return replace(expression, operand=placeless(operand), span=NOWHERE)
        case _:
            return replace(expression, span=NOWHERE)


def _of_world(guard: Expression | None) -> tuple[Expression, ...]:
    """The conditions of a guard, all of which have to hold, that are the same for all cells of a world."""
    if isinstance(guard, Binary) and guard.op == "and":
        return _of_world(guard.left) + _of_world(guard.right)
    if guard is None or not all(isinstance(node, ALIKE) for node, _ in parts(guard)):
        return ()
    return (guard,)


def run_cells(planned: Plan, cells: Cells, meeting: Meeting) -> Function:
    """The same inputs, `before.world.<name>`, sums over neighbours `near.<number>`, what the agents on the cell have
    together `among.<name>`, and for draws `world` (U32), `tick` and the seed. Outputs: `cells.<meter>`."""
    lane, wall = _cell(planned, cells, "cells")
    builder = lane.builder
    began = dict(lane.meters)
    with builder.at(Construct("state"), None, "state"):
        before = {name: builder.input(F32, f"before.world.{name}") for name in lane.world}
    lane.before = replace(lane, meters=began, cells=began, world=before)
    lane.near, lane.among = _summed(cells), meeting.upon
    if planned.universe.pushing is not None:
        _push(lane, planned.universe.pushing)
    for rule in cells.rules:
        run_rule(lane, rule)
    outputs = []
    for meter in cells.meters:
        value = lane.meters[meter.name]
        if wall is not None:
            with builder.at(Construct("meter", meter.name), meter.span):
                value = builder.select(wall, began[meter.name], value)
        outputs.append(Output(f"cells.{meter.name}", value))
    return builder.finish(CELLS, tuple(outputs))


def _push(lane: Lane, pushing: Pushing) -> None:
    """Things that agents push leave the cell, or come to it."""
    builder = lane.builder
    with builder.at(Construct("agents push"), pushing.span):
        value = lane.meters[pushing.state]
        for number in range(pushing.most + 1):
            value = builder.add(value, builder.input(F32, f"among.{PUSHED}.{number}"))
        lane.meters[pushing.state] = value
        clamp(lane, pushing.state)


def over_cells(planned: Plan, cells: Cells) -> Function:
    """Inputs: `cells.<meter>`, `cell` (I32), `world.<name>`, params. Outputs: `over.<number>` (F32), what a cell adds
    to each of what all cells come to; of walls, what changes nothing."""
    lane, wall = _cell(planned, cells, "cells")
    builder, world = lane.builder, planned.universe.world
    bounds = {meter.name: meter for meter in (() if world is None else world.meters)}
    outputs = []
    for number, each in enumerate(cells.sums):
        with builder.at(Construct("meter", each.meter), each.span):
            value = lower_expression(lane, each.operand)
            if wall is not None:
                meter = bounds[each.meter]
                nothing = {"total": 0.0, "lowest": meter.high, "highest": meter.low}[each.op]
                value = builder.select(wall, builder.f32(round32(nothing)), value)
        outputs.append(Output(f"over.{number}", value))
    return builder.finish(OVER, tuple(outputs))


def begin_cells(planned: Plan, cells: Cells) -> Function:
    """Inputs: `cell` (I32), params, `world.<name>` as the world begins; for draws `world` (U32), `episode` (I32) and
    the seed. Outputs: `cells.<meter>`, of walls what is next to 0 within the bounds."""
    lane, wall = _cell(planned, cells, "episode")
    builder = lane.builder
    outputs = []
    for meter in cells.meters:
        with builder.at(Construct("meter", meter.name), meter.span):
            low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
            if isinstance(meter.start, float):
                value = builder.f32(round32(meter.start))
            else:
                value = builder.clamp(lower_expression(lane, meter.start), low, high)
            lane.cells[meter.name] = value
            if wall is not None:
                nothing = builder.f32(round32(min(max(0.0, meter.low), meter.high)))
                value = builder.select(wall, nothing, value)
        outputs.append(Output(f"cells.{meter.name}", value))
    return builder.finish(BEGIN_CELLS, tuple(outputs))


def _summed(cells: Cells) -> dict[Neighbours, str]:
    """Sums over neighbours, each with the name of the term that a cell adds."""
    sums = dict.fromkeys(node for rule in cells.rules for node in nodes(rule) if isinstance(node, Neighbours))
    return {node: f"near.{number}" for number, node in enumerate(sums)}


def _cell(planned: Plan, cells: Cells, phase: Phase) -> tuple[Lane, Value | None]:
    """A cell as if it were an agent that stands there, and whether it is a wall; `None` where there are none."""
    builder, universe = Builder(phase), planned.universe
    with builder.at(Construct("state"), None, "state"):
        cell = builder.input(I32, "cell")
        position = cell_position(builder, grid_of(universe).sizes, builder.to_u32(cell))
        in_tick = phase == "cells"
        meters = {meter.name: builder.input(F32, f"cells.{meter.name}") for meter in cells.meters if in_tick}
        world = () if universe.world is None else universe.world.meters
        starts = {node.param for meter in cells.meters for node in nodes(meter.start) if isinstance(node, ParamValue)}
        world_values = {
            node.meter for meter in cells.meters for node in nodes(meter.start) if isinstance(node, WorldValue)
        }
        params = (param.name for param in universe.params if in_tick or param.name in starts)
        lane = Lane(
            universe,
            builder,
            planned,
            meters=meters,
            params={name: builder.input(F32, f"param.{name}") for name in params},
            # Nothing of an agent is asked for.
            age=cell,
            layout=cell,
            position=position,
            hour=builder.input(I32, "hour") if in_tick and universe.clock is not None else None,
            world={
                each.name: builder.input(F32, f"world.{each.name}")
                for each in world
                if in_tick or each.name in world_values
            },
            # Statements write meters; expressions read those of cells.
            cells=meters,
            cell=cell,
            stream=CELL_DRAWS if in_tick else CELL_EPISODE_DRAWS,
        )
        ground = planned.ground
        wall = None if ground is None or not ground.has_walls else is_wall(builder, ground, cell)
    return lane, wall
