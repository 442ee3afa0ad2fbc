"""Expressions: numbers are f32 tensors, conditions bool tensors; shapes broadcast to [worlds, agents]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal

import torch
from torch import Tensor

from hamlet import schema, universe
from hamlet.interpreter import among, coverage, draws, functions
from hamlet.interpreter.elsewhere import read
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.space import apart, beside, clamp, distance, place_at, speed, straight_distance
from hamlet.interpreter.ways import walking_distance
from hamlet.universe import Expression, Span


@dataclass(frozen=True, slots=True)
class Measured:
    """Meters that a cascade measured when it was tested."""

    deficit: Tensor
    shortfall: Tensor


def evaluate(expression: Expression, lanes: Lanes, measured: Measured | None = None) -> Tensor:
    """The value of an expression in every lane, also in lanes that will not use it."""
    match expression:
        case universe.Number(value=value):
            return lanes.constant(value)
        case universe.MeterValue(meter=meter):
            return lanes.meters[meter]
        case universe.Binary(op="pow", left=left, right=universe.Number(exponent)) if exponent.is_integer():
            return functions.whole_power(evaluate(left, lanes, measured), exponent)
        case universe.Binary(op=op, left=left, right=right):
            return functions.binary(op, evaluate(left, lanes, measured), evaluate(right, lanes, measured))
        case universe.Unary(op=op, operand=operand):
            return functions.unary(op, evaluate(operand, lanes, measured))
        case universe.If(condition=condition, then=then, otherwise=otherwise):
            where = evaluate(condition, lanes, measured)
            return torch.where(where, evaluate(then, lanes, measured), evaluate(otherwise, lanes, measured))
        case universe.Clamp(operand=operand, low=low, high=high):
            return clamp(*(evaluate(part, lanes, measured) for part in (operand, low, high)))
        case universe.Truth(value=value):
            return torch.full_like(lanes.running, value)
        case universe.LocalValue(local=local):
            return lanes.locals[local]
        case universe.ParamValue(param=param):
            return lanes.params[param]
        case universe.WorldValue(meter=meter):
            return lanes.world[meter]
        case universe.Nearest():
            return pairs(expression, lanes)
        case universe.Among() | universe.Rank() if universe.depends_on_asker(expression):
            return pairs(expression, lanes)
        case universe.Among():
            return together(expression, lanes)
        case universe.Rank():
            return rank(expression, lanes)
        case universe.Own(operand=operand):
            alone = lanes if lanes.sites_of_pairs is None else lanes.changed(sites_of_pairs=None)
            return lanes.asked_by(evaluate(operand, alone), expression.span)
        case universe.PairValue(meter=meter, reverse=reverse):
            return lanes.of_pairs(meter, reverse=reverse)
        case universe.Apart():
            return apart(lanes, expression.span)
        case universe.CellValue(meter=meter):
            return lanes.cells[meter].gather(1, lanes.index())
        case universe.At(operand=operand, place=place):
            return read(operand, [evaluate(coordinate, lanes, measured) for coordinate in place], lanes)
        case universe.Neighbours(operand=operand):
            return neighbours(operand, lanes)
        case universe.Upon():
            return upon(expression, lanes)
        case universe.InputValue(input=name):
            return lanes.inputs[name]
        case universe.ControlValue(control=name):
            return lanes.controls[name]
        case universe.Hour():
            return lanes.hour.to(torch.float32)
        case universe.DayTime(function=function):
            return day_time(function, lanes)
        case universe.Age():
            return lanes.age.to(torch.float32)
        case universe.AgentNumber():
            return lanes.constant.numbers(lanes.age.shape[1]).expand_as(lanes.age)
        case universe.AgentCount():
            return torch.full_like(lanes.age[:, :1], lanes.age.shape[1], dtype=torch.float32)
        case universe.Coordinate(axis=axis):
            return lanes.position[schema.axes(lanes.universe).index(axis)].to(torch.float32)
        case universe.Velocity(axis=axis):
            return lanes.velocity[schema.axes(lanes.universe).index(axis)]
        case universe.Speed():
            return speed(lanes)
        case universe.Progress():
            return lanes.progress.to(torch.float32)
        case universe.ShareOfUse():
            return share_of_use(lanes)
        case universe.Here(affordance=affordance):
            return nowhere(lanes) if affordance is None else at(lanes, affordance)
        case universe.On(region=region):
            return lanes.ground.regions[region][lanes.index()]
        case universe.Wall():
            raise ValueError(f"a wall is asked for at a cell with coordinates only, line {expression.span.line}")
        case universe.TerrainValue(terrain=terrain):
            return lanes.ground.terrains[terrain][lanes.index()]
        case universe.LastUse(affordance=affordance):
            return lanes.last == number_of(affordance, lanes)
        case universe.ActionTaken(action=action):
            return action_taken(action, lanes, expression.span)
        case universe.Used(affordance=affordance):
            return used(affordance, lanes, expression.span)
        case universe.Every(ticks=ticks):
            return tick_of_life(lanes) % ticks == 0
        case universe.After(ticks=ticks):
            return tick_of_life(lanes) > ticks
        case universe.Streak(affordance=affordance):
            return lanes.streaks[affordance].to(torch.float32)
        case universe.Visited():
            seen = [one.to(torch.int32) for one in lanes.seen.values()]
            return sum(seen, start=torch.zeros_like(lanes.age)).to(torch.float32)
        case universe.Distance(affordance=affordance):
            return distance(lanes, affordance)
        case universe.StraightDistance(affordance=affordance):
            return straight_distance(lanes, affordance)
        case universe.WalkingDistance(affordance=affordance):
            return walking_distance(lanes, affordance)
        case universe.Previous(operand=operand):
            if lanes.before is None:
                raise ValueError(f"previous outside a tick, line {expression.span.line}")
            return evaluate(operand, lanes.before)
        case universe.TableValue(table=table, indices=indices):
            return table_value(table, [evaluate(index, lanes, measured) for index in indices], lanes)
        case universe.Deficit() | universe.Shortfall():
            if measured is None:
                raise ValueError(f"{type(expression).__name__.lower()} outside a cascade, line {expression.span.line}")
            return measured.deficit if isinstance(expression, universe.Deficit) else measured.shortfall
        case (
            universe.DrawUniform()
            | universe.DrawInteger()
            | universe.DrawChoice()
            | universe.DrawNormal()
            | universe.DrawPoisson()
            | universe.DrawChance()
        ):
            return draw(expression, lanes, measured)
    raise TypeError(f"not an expression: {expression!r}")


def table_value(name: str, indices: list[Tensor], lanes: Lanes) -> Tensor:
    """The numbers of a table at these indices."""
    return lanes.constant.table(name)[tuple(index.long() for index in indices)]


def together(expression: universe.Among, lanes: Lanes) -> Tensor:
    """A reduction over the running agents of each world, f32 [worlds, 1]."""
    others = _others(lanes, expression.span)
    each = evaluate(expression.operand, others).expand(others.running.shape)
    return joined(expression, each, others.running)


def joined(expression: universe.Among, each: Tensor, running: Tensor) -> Tensor:
    """A reduction of values [..., agents] over running agents, as [..., 1]."""
    match expression.op:
        case "count":
            return among.count(each, running)
        case "total":
            return among.total(each, running)
        case "average":
            return among.average(each, running)
        case "lowest" | "highest":
            return among.extreme(each, running, least=expression.op == "lowest")


def neighbours(operand: Expression, lanes: Lanes) -> Tensor:
    """The sums of a number over the cells beside each, f32 [worlds, cells]."""
    if lanes.nearby is None:
        raise ValueError(f"neighbours of what is no cell, line {operand.span.line}")
    there = lanes.nearby
    values = torch.where(there.running, evaluate(operand, there), torch.zeros_like(there.running, dtype=torch.float32))
    return beside(values, lanes)


def upon(expression: universe.Upon, lanes: Lanes) -> Tensor:
    """A reduction over the running agents on each cell, f32 [worlds, cells]."""
    others = _others(lanes, expression.span)
    each = evaluate(expression.operand, others).expand(others.running.shape)
    there, standing = others.running, others.index()
    if expression.post is not None:
        cell = evaluate(expression.post, others).expand(there.shape)
        there = there & (cell > 0) & (cell <= lanes.running.shape[1])
        standing = torch.where(there, cell.long() - 1, 0)
    return among.on_cells(expression.op, each, there, standing, lanes.running.shape[1])


def rank(expression: universe.Rank, lanes: Lanes) -> Tensor:
    """How many of the running agents come before each, f32 [worlds, agents]."""
    others = _others(lanes, expression.span)
    holds = evaluate(expression.condition, others).expand(others.running.shape)
    before = among.rank(holds & others.running, evaluate(expression.priority, others).expand(holds.shape))
    lanes.count(coverage.behind(expression), lanes.running & (before > 0))
    return before


MOST_PAIRS = 1 << 18
"""Pairs of agents that are looked at together."""


def pairs(expression: universe.OfAll, lanes: Lanes) -> Tensor:
    """A reduction over the running agents of its world for each agent that asks, f32 [worlds, agents]."""
    others = _others(lanes, expression.span)
    worlds, agents = others.running.shape
    some = max(1, MOST_PAIRS // (worlds * agents))
    parts = []
    for first in range(0, agents, some):
        # An axis of those who ask, before worlds and the agents that they ask.
        asking = others.changed(askers=slice(first, min(first + some, agents)))
        asking.coverage = others.coverage if first == 0 else None
        parts.append(_asked(expression, asking))
    result = torch.cat(parts).squeeze(-1).T
    lanes.count(coverage.differs(expression), lanes.running & (result != result[:, :1]))
    return result


def _asked(expression: universe.OfAll, lanes: Lanes) -> Tensor:
    """The reduction of these askers, f32 [askers, worlds, 1]."""
    everybody = torch.ones_like(lanes.running).expand(lanes.number_of_askers, *lanes.running.shape)
    running = lanes.running & everybody

    def each(part: Expression) -> Tensor:
        return evaluate(part, lanes).expand(everybody.shape)

    match expression:
        case universe.Among(operand=operand):
            return joined(expression, each(operand), running)
        case universe.Rank(condition=condition, priority=priority):
            number = evaluate(universe.AgentNumber(expression.span), lanes)
            first = evaluate(priority, lanes).expand(lanes.running.shape)
            mine, own = (lanes.asked_by(value, expression.span) for value in (first, number))
            before = (first > mine) | ((first == mine) & (number < own))
            return among.count(each(condition) & before, running)
        case universe.Nearest(condition=condition, value=value, otherwise=otherwise):
            number = evaluate(universe.AgentNumber(expression.span), lanes)
            another = number != lanes.asked_by(number, expression.span)
            mine = lanes.asked_by(evaluate(otherwise, lanes), expression.span)
            away = apart(lanes, expression.span).expand(everybody.shape)
            return among.nearest(each(condition) & another & running, away, each(value), mine)


def _others(lanes: Lanes, span: Span) -> Lanes:
    """The agents of all worlds, as they are counted."""
    if lanes.others is None:
        raise ValueError(f"agents counted outside a tick, line {span.line}")
    return lanes.others


def draw(drawn: universe.Draw, lanes: Lanes, measured: Measured | None) -> Tensor:
    """The value of a draw."""
    sites = lanes.sites if lanes.sites_of_pairs is None else lanes.sites_of_pairs
    if sites is None:
        raise ValueError(f"a draw outside a tick, line {drawn.span.line}")
    word = sites.word(drawn.site)
    match drawn:
        case universe.DrawUniform(low=low, high=high):
            lanes.count(coverage.draw(drawn), lanes.running)
            return draws.uniform(word, evaluate(low, lanes, measured), evaluate(high, lanes, measured))
        case universe.DrawInteger(low=low, high=high):
            lanes.count(coverage.draw(drawn), lanes.running)
            return draws.integer(word, low, high)
        case universe.DrawChoice(options=options, thresholds=thresholds):
            values = [evaluate(option, lanes, measured) for option in options]
            index, result = draws.choice(word, len(options), thresholds), values[0]
            for number, value in enumerate(values):
                lanes.count(coverage.draw(drawn, f"option {number + 1}"), lanes.running & (index == number))
                result = torch.where(index == number, value, result)
            return result
        case universe.DrawNormal(mean=mean, deviation=deviation):
            lanes.count(coverage.draw(drawn), lanes.running)
            second = sites.word(drawn.site + 1)
            return draws.normal(word, second, evaluate(mean, lanes, measured), evaluate(deviation, lanes, measured))
        case universe.DrawPoisson(mean=mean, most=most):
            lanes.count(coverage.draw(drawn), lanes.running)
            return draws.poisson(word, evaluate(mean, lanes, measured), most)
        case universe.DrawChance(probability=probability):
            holds = draws.chance(word, evaluate(probability, lanes, measured))
            lanes.count(coverage.draw(drawn, "holds"), lanes.running & holds)
            lanes.count(coverage.draw(drawn, "fails"), lanes.running & ~holds)
            return holds


def share_of_use(lanes: Lanes) -> Tensor:
    """The ticks spent on the affordance that an agent is engaged in, divided by its duration."""
    spent = lanes.progress.to(torch.float32)
    result = torch.zeros_like(spent)
    for number, affordance in enumerate(lanes.universe.affordances):
        if affordance.duration is not None:
            share = spent / lanes.constant(float(affordance.duration))
            result = torch.where(lanes.engaged == number, share, result)
    return result


def day_time(function: Literal["sin", "cos"], lanes: Lanes) -> Tensor:
    """sin or cos of the time of day, from a table made in binary64; f32 [worlds, 1]."""
    clock = lanes.universe.clock
    if clock is None:
        raise ValueError(f"universe {lanes.universe.name} has no clock")
    return lanes.constant.day(function, clock.hours)[lanes.hour.long()]


def tick_of_life(lanes: Lanes) -> Tensor:
    """The number of the tick in the episode, from 1; between ticks that of the next one. i64 [worlds, agents]."""
    beginning = lanes if lanes.before is None else lanes.before
    return (beginning.age.long() + 1) & 0xFFFFFFFF


def action_taken(action: str, lanes: Lanes, span: Span) -> Tensor:
    """Who chose this action."""
    if lanes.action is None:
        raise ValueError(f"an action outside a tick, line {span.line}")
    return lanes.action == lanes.constant.actions.index(action)


def used(affordance: str | None, lanes: Lanes, span: Span) -> Tensor:
    """Who used this affordance; for `None`, who used none."""
    if lanes.used is None:
        raise ValueError(f"a use that is not known yet, line {span.line}")
    nobody = torch.zeros_like(lanes.alive)
    if affordance is not None:
        return lanes.used.get(affordance, nobody)
    return ~reduce(torch.logical_or, lanes.used.values(), nobody)


def number_of(affordance: str | None, lanes: Lanes) -> int:
    """The number of an affordance; of none, -1."""
    if affordance is None:
        return schema.NOWHERE
    return [item.name for item in lanes.universe.affordances].index(affordance)


# --- where affordances are -------------------------------------------------------------------------------------------


def is_there(affordance: universe.Affordance, lanes: Lanes) -> Tensor | None:
    """In which worlds an affordance that appears is there, bool [worlds, 1]; `None` of one that always is."""
    if affordance.appears is None or affordance.opening is None:
        return None
    return evaluate(affordance.opening, lanes)[:, :1].expand(len(lanes.age), 1)


def at(lanes: Lanes, affordance: str) -> Tensor:
    """Who is at an affordance, bool [worlds, agents]."""
    there = is_there(lanes.constant.affordances[affordance], lanes)
    return place_at(lanes, affordance) if there is None else place_at(lanes, affordance) & there


def at_one_of(lanes: Lanes, name: str) -> Tensor:
    """Who is at an affordance, or at one of the copies of this name; bool [worlds, agents]."""
    named = [each.name for each in lanes.universe.affordances if name in (each.name, each.copy_of)]
    return reduce(torch.logical_or, [at(lanes, each) for each in named])


def nowhere(lanes: Lanes) -> Tensor:
    """Who is at no affordance, bool [worlds, agents]."""
    somewhere = torch.zeros_like(lanes.running)
    for affordance in lanes.universe.affordances:
        somewhere = somewhere | at(lanes, affordance.name)
    return ~somewhere
