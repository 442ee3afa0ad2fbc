"""Expressions, evaluated as the tree stands (docs/semantics.md, "Expressions")."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin
from typing import Literal

from hamlet import schema, universe
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.numbers.elementary import ROUND
from hamlet.universe import Expression, Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import PAST, Construct, Table
from hamletc.ir.ops import F32, I32, Value
from hamletc.lowering import draws
from hamletc.lowering.elsewhere import named_cell
from hamletc.lowering.functions import call, call_with_two, nearest, whole_power
from hamletc.lowering.lane import Lane
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.space import affordance_here, distance, is_on_place, speed, straight_distance, walking_distance
from hamletc.lowering.terrain import Ground, is_in, is_wall, number_of


@dataclass(frozen=True, slots=True)
class Measured:
    """The source of a cascade at the moment when the cascade was tested, and its threshold."""

    source: Value
    threshold: Value


def lower_expression(lane: Lane, expression: Expression, measured: Measured | None = None) -> Value:
    """The value of an expression for the lane as it is now: F32, or BOOL for a condition.

    Args:
        measured: what `deficit` and `shortfall` refer to; given in a cascade.
    """
    builder = lane.builder

    def lower(part: Expression) -> Value:
        return lower_expression(lane, part, measured)

    if lane.leaf is not None and (leaf := lane.leaf(expression)) is not None:
        return leaf
    match expression:
        case universe.Number(value=value):
            return builder.lookup(lane.columns[int(value)], lane.row) if lane.columns else builder.f32(round32(value))
        case universe.MeterValue(meter=meter):
            return lane.meters[meter]
        case universe.LocalValue(local=local):
            return lane.locals[local]
        case universe.ParamValue(param=param):
            return lane.params[param]
        case universe.WorldValue(meter=meter):
            return lane.world[meter]
        case universe.CellValue(meter=meter):
            return cell_value(lane, meter)
        case universe.At() if expression in lane.there:
            return builder.input(F32, lane.there[expression])
        case universe.At(operand=operand, place=place):
            return _there(lane, operand, tuple(map(lower, place)))
        case universe.Neighbours():
            if expression not in lane.near:
                raise ValueError(f"neighbours are not known here, line {expression.span.line}")
            return builder.input(F32, lane.near[expression])
        case universe.Among() | universe.Rank() | universe.Nearest() | universe.Upon():
            return _among(lane, expression)
        case universe.Own(operand=operand):
            return lower(operand)
        case universe.Apart():
            raise ValueError("`apart` has a meaning between two agents only")
        case universe.PairValue(meter=meter):
            raise ValueError(f"{meter} has a meaning between two agents only")
        case universe.InputValue(input=name):
            return lane.inputs[name]
        case universe.ControlValue(control=name):
            return lane.controls[name]
        case universe.Truth(value=value):
            return builder.boolean(value)
        case universe.Deficit():
            source, threshold = _measured(measured)
            return builder.div(builder.sub(threshold, source), threshold)
        case universe.Shortfall():
            source, threshold = _measured(measured)
            return builder.sub(threshold, source)
        case universe.Hour():
            return builder.to_f32(clock_hour(lane))
        case universe.DayTime(function=function):
            return builder.lookup(day_time(lane.universe, function), clock_hour(lane))
        case universe.Age():
            return builder.to_f32(lane.age)
        case universe.AgentNumber():
            return builder.to_f32(_counted(lane, "agent"))
        case universe.AgentCount():
            return builder.to_f32(_counted(lane, "agents"))
        case universe.Coordinate(axis=axis):
            coordinate = lane.position[schema.axes(lane.universe).index(axis)]
            return coordinate if schema.position_dtype(lane.universe) == "f32" else builder.to_f32(coordinate)
        case universe.Velocity(axis=axis):
            return lane.velocity[schema.axes(lane.universe).index(axis)]
        case universe.Speed():
            return speed(lane)
        case universe.Progress():
            return builder.to_f32(there_is(lane.progress, "progress"))
        case universe.ShareOfUse():
            return _share_of_use(lane)
        case universe.Here(affordance=affordance):
            return is_nowhere(lane) if affordance is None else is_at(lane, lane.plan.numbers[affordance])
        case universe.On(region=region):
            floor, cell = _ground(lane)
            return is_in(builder, floor, region, cell)
        case universe.Wall():
            raise ValueError(f"a wall is asked for at a cell with coordinates only, line {expression.span.line}")
        case universe.TerrainValue(terrain=terrain):
            floor, cell = _ground(lane)
            return number_of(builder, floor, terrain, cell)
        case universe.LastUse(affordance=affordance):
            return builder.equal(there_is(lane.last, "last use"), builder.i32(_number(lane, affordance)))
        case universe.ActionTaken(action=action):
            number = schema.action_names(lane.universe).index(action)
            return builder.equal(there_is(lane.action, "action"), builder.i32(number))
        case universe.Used(affordance=affordance):
            used, number = there_is(lane.used, "use"), _number(lane, affordance)
            return lane.uses[number] if number in lane.uses else builder.equal(used, builder.i32(number))
        case universe.Every(ticks=ticks):
            return builder.equal(builder.rem(_tick_of_life(lane), builder.u32(ticks)), builder.u32(0))
        case universe.After(ticks=ticks):
            return builder.less(builder.u32(ticks), _tick_of_life(lane))
        case universe.Streak(affordance=affordance):
            return builder.to_f32(lane.streaks[affordance])
        case universe.Visited():
            return builder.to_f32(_visited(lane))
        case universe.Distance(affordance=affordance):
            return distance(lane, lane.plan.numbers[affordance])
        case universe.StraightDistance(affordance=affordance):
            return straight_distance(lane, lane.plan.numbers[affordance])
        case universe.WalkingDistance(affordance=affordance):
            return walking_distance(lane, lane.plan.numbers[affordance])
        case universe.Previous(operand=operand):
            if lane.before is None:
                raise ValueError("`previous` has a meaning in a tick only")
            return lower_expression(replace(lane.before, columns=lane.columns, row=lane.row), operand)
        case universe.Unary(op=op, operand=operand):
            return _unary(builder, op, lower(operand))
        case universe.Binary(op="pow", left=left, right=universe.Number(exponent)) if exponent.is_integer():
            return whole_power(builder, lower(left), exponent)
        case universe.Binary(op=op, left=left, right=right):
            return _binary(builder, op, lower(left), lower(right))
        case universe.Clamp(operand=operand, low=low, high=high):
            return builder.clamp(lower(operand), lower(low), lower(high))
        case universe.TableValue(table=table, indices=indices):
            return _read(lane, table, [lower(index) for index in indices])
        case universe.If(condition=condition, then=then, otherwise=otherwise):
            return builder.select(lower(condition), lower(then), lower(otherwise))
        case universe.DrawUniform(low=low, high=high, site=site):
            return draws.uniform(builder, draws.random_word(lane, site), lower(low), lower(high))
        case universe.DrawInteger(low=least, high=most, site=site):
            return draws.integer(builder, draws.random_word(lane, site), least, most)
        case universe.DrawChoice(options=options, site=site, thresholds=thresholds):
            word = draws.random_word(lane, site)
            return draws.choice(builder, word, [lower(option) for option in options], thresholds)
        case universe.DrawNormal(mean=mean, deviation=deviation, site=site):
            first, second = draws.random_word(lane, site), draws.random_word(lane, site + 1)
            return draws.normal(builder, first, second, lower(mean), lower(deviation))
        case universe.DrawPoisson(mean=mean, most=most, site=site):
            return draws.poisson(builder, draws.random_word(lane, site), lower(mean), most)
        case universe.DrawChance(probability=probability, site=site):
            return draws.chance(builder, draws.random_word(lane, site), lower(probability))


def _read(lane: Lane, name: str, indices: list[Value]) -> Value:
    """The number (F32) of a table at these indices (F32), which are inside but in lanes that no agent has. There they
    may be anything: the place is limited as a number without a sign, which no pass takes for proven."""
    builder = lane.builder
    number = [each.name for each in lane.universe.tables].index(name)
    table, place = lane.plan.numbered[number], indices[0]
    for size, index in zip(lane.universe.tables[number].sizes[1:], indices[1:], strict=True):
        place = builder.add(builder.mul(place, builder.f32(float(size))), index)
    _, whole = nearest(builder, builder.add(place, builder.f32(ROUND)))
    last = builder.u32(len(table.values) - 1)
    inside = builder.select(builder.less(last, whole), last, whole)
    return builder.lookup(table, builder.to_i32(inside))


def day_time(universe: Universe, function: Literal["sin", "cos"]) -> Table:
    """The table of sin or cos of the angle of every hour, in binary64, rounded once."""
    if universe.clock is None:
        raise ValueError(f"universe {universe.name} refers to the time and has no clock")
    hours, of_angle = universe.clock.hours, sin if function == "sin" else cos
    return Table(f"time.{function}", F32, tuple(round32(of_angle(2.0 * pi * hour / hours)) for hour in range(hours)))


def clock_hour(lane: Lane) -> Value:
    """The hour (I32); the checker lets nothing refer to it in a universe without a clock."""
    return there_is(lane.hour, "hour")


def there_is(value: Value | None, what: str) -> Value:
    """A value of the state; the checker lets nothing refer to it in a universe without it."""
    if value is None:
        raise ValueError(f"there is no {what} in this universe")
    return value


def _map_of(lane: Lane) -> Ground:
    """The map of a universe that has one."""
    if lane.plan.ground is None:
        raise ValueError(f"universe {lane.universe.name} refers to the ground and has no map")
    return lane.plan.ground


def _ground(lane: Lane) -> tuple[Ground, Value]:
    """The map, and the cell (I32) that the agent stands on."""
    return _map_of(lane), cell_index(lane.builder, grid_of(lane.universe).sizes, lane.position)


def _counted(lane: Lane, name: Literal["agent", "agents"]) -> Value:
    """The number of the agent in its world, or how many it has (I32): inputs of functions that need them."""
    with lane.builder.at(Construct("state"), None, "state"):
        return lane.builder.input(I32, name)


def _tick_of_life(lane: Lane) -> Value:
    """How many ticks (U32) the agent has lived with this one, or with the next one between ticks."""
    builder, age = lane.builder, (lane.before or lane).age
    return builder.add(builder.to_u32(age), builder.u32(1))


def _number(lane: Lane, affordance: str | None) -> int:
    """The number of an affordance; of none, -1."""
    return schema.NOWHERE if affordance is None else lane.plan.numbers[affordance]


def _visited(lane: Lane) -> Value:
    """How many affordances (I32) the agent has used."""
    builder = lane.builder
    count, one, nothing = builder.i32(0), builder.i32(1), builder.i32(0)
    for seen in lane.seen.values():
        count = builder.add(count, builder.select(seen, one, nothing))
    return count


def _among(lane: Lane, among: universe.OfAll | universe.Upon) -> Value:
    """A reduction over the agents of a world, or the one of the lane that asks them (F32)."""
    builder = lane.builder
    if among not in lane.among:
        raise ValueError(f"what agents have together is not known here, line {among.span.line}")
    results = [builder.input(F32, f"among.{name}") for name in lane.among[among]]
    if isinstance(among, universe.Rank | universe.Nearest) or among.op != "average":
        return results[0]
    total, count = results
    # Where nobody runs the total is 0, and so is a share of it.
    return builder.div(total, builder.maximum(count, builder.f32(1.0)))


def cell_value(lane: Lane, meter: str, cell: Value | None = None) -> Value:
    """A meter (F32) of a cell (I32) of the agent's world, by default of the one that it stands on."""
    if cell is None and meter in lane.cells:
        return lane.cells[meter]
    builder = lane.builder
    if cell is None:
        cell = cell_index(builder, grid_of(lane.universe).sizes, lane.position)
    with builder.at(Construct("state"), None, "state"):
        begin = builder.input(I32, "cells_at")
    return builder.fetch(f"cells.{meter}", builder.add(begin, cell))


def _there(lane: Lane, operand: Expression, place: tuple[Value, ...]) -> Value:
    """A quantity of the cell at these coordinates (F32)."""
    builder = lane.builder
    cell, inside = named_cell(builder, grid_of(lane.universe), place)
    match operand:
        case universe.CellValue(meter=meter):
            value, beyond = _past_of_cell(lane, meter, cell), builder.f32(0.0)
        case universe.TerrainValue(terrain=terrain):
            value, beyond = number_of(builder, _map_of(lane), terrain, cell), builder.f32(0.0)
        case universe.On(region=region):
            value, beyond = is_in(builder, _map_of(lane), region, cell), builder.boolean(False)
        case universe.Wall():
            ground = lane.plan.ground
            value, beyond = builder.boolean(False), builder.boolean(True)
            if ground is not None and ground.has_walls:
                value = is_wall(builder, ground, cell)
        case _:
            raise TypeError(f"{type(operand).__name__} is nothing that a cell has, line {operand.span.line}")
    return value if inside is None else builder.select(inside, value, beyond)


def _past_of_cell(lane: Lane, meter: str, cell: Value) -> Value:
    """A meter (F32) of a cell (I32) of the lane's world, in functions of cells as it was before their rules."""
    with lane.builder.at(Construct("state"), None, "state"):
        begin = lane.builder.input(I32, "cells_at")
    array = f"cells.{meter}" if lane.cell is None else f"{PAST}{meter}"
    return lane.builder.fetch(array, lane.builder.add(begin, cell))


def _measured(measured: Measured | None) -> tuple[Value, Value]:
    if measured is None:
        raise ValueError("`deficit` and `shortfall` have a meaning in a cascade only")
    return measured.source, measured.threshold


def _share_of_use(lane: Lane) -> Value:
    builder, engaged = lane.builder, there_is(lane.engaged, "engagement")
    spent = builder.to_f32(there_is(lane.progress, "progress"))
    nobody = builder.less(engaged, builder.i32(0))
    if lane.plan.durations is not None:
        row = builder.select(nobody, builder.i32(0), engaged)
        ticks_of = builder.to_f32(builder.lookup(lane.plan.durations, row))
        return builder.select(nobody, builder.f32(0.0), builder.div(spent, ticks_of))
    lasting = [
        (number, float(affordance.duration))
        for number, affordance in enumerate(lane.universe.affordances)
        if affordance.duration is not None
    ]
    duration = builder.f32(round32(lasting[0][1]))
    for number, ticks in lasting[1:]:
        this = builder.equal(engaged, builder.i32(number))
        duration = builder.select(this, builder.f32(round32(ticks)), duration)
    return builder.select(nobody, builder.f32(0.0), builder.div(spent, duration))


def _unary(builder: Builder, op: universe.UnaryOp, operand: Value) -> Value:
    match op:
        case "-":
            return builder.neg(operand)
        case "not":
            return builder.not_(operand)
        case _:
            return call(builder, op, operand)


def _binary(builder: Builder, op: universe.BinaryOp, left: Value, right: Value) -> Value:
    match op:
        case "+":
            return builder.add(left, right)
        case "-":
            return builder.sub(left, right)
        case "*":
            return builder.mul(left, right)
        case "/":
            return builder.div(left, right)
        case "<":
            return builder.less(left, right)
        case "<=":
            return builder.less_equal(left, right)
        case ">":
            return builder.less(right, left)
        case ">=":
            return builder.less_equal(right, left)
        case "==":
            return builder.equal(left, right)
        case "!=":
            return builder.not_(builder.equal(left, right))
        case "and":
            return builder.and_(left, right)
        case "or":
            return builder.or_(left, right)
        case _:
            return call_with_two(builder, op, left, right)


# --- where affordances are -------------------------------------------------------------------------------------------


def is_there(lane: Lane, number: int) -> Value | None:
    """Whether (BOOL) an affordance that appears is there; `None` of one that always is."""
    affordance = lane.universe.affordances[number]
    if affordance.appears is None or affordance.opening is None:
        return None
    return lower_expression(lane, affordance.opening)


def is_at(lane: Lane, number: int) -> Value:
    """Whether (BOOL) the agent is at the affordance of this number."""
    there, here = is_there(lane, number), is_on_place(lane, number)
    return here if there is None else lane.builder.and_(there, here)


def is_nowhere(lane: Lane) -> Value:
    """Whether (BOOL) the agent is at no affordance."""
    builder = lane.builder
    if lane.plan.computed:
        return builder.equal(affordance_here(lane), builder.i32(schema.NOWHERE))
    return builder.not_(builder.any([is_at(lane, number) for number in range(len(lane.universe.affordances))]))
