"""How much a tick changes a meter at most, whatever anybody does: from the text alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hamlet.universe import (
    Affordance,
    Assign,
    Binary,
    Clamp,
    Deficit,
    Expression,
    Guarded,
    If,
    Meter,
    MeterValue,
    Number,
    ParamValue,
    Rule,
    Statement,
    Together,
    Unary,
    Universe,
    nodes,
)
from hamlet_lab.verify.fired import can_meet
from hamletc.intervals import Interval, add, clamp, hull, multiply, negate, single, subtract

NOTHING = Interval(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Sinking:
    """A meter in a tick.

    Attributes:
        falls: by how much it falls of itself, at least.
        rises: by how much all else raises it, at most; `None` where the text does not say.
        most: the highest that it begins with.
    """

    falls: float
    rises: float | None
    most: float

    def ticks(self, low: float, rises: float) -> float:
        """The ticks after which it is at its floor, if nothing raises it by more than this in a tick."""
        left = self.falls - rises
        return (self.most - low) / left if left > 0 else float("inf")


def sinking(universe: Universe, meter: Meter) -> Sinking:
    """How a meter falls, and what raises it."""
    bounds = _Bounds(universe)
    decay = NOTHING if meter.decay is None else bounds.of(meter.decay)
    falls = 0.0 if decay is None else decay.low
    seen: list[Assign] = []
    rises: float | None = 0.0
    for each in universe.dynamics:
        amount = bounds.added(each.body, meter, seen)
        rises = _sum(rises, None if amount is None else max(amount.high, 0.0))
        if amount is not None and isinstance(each, Rule) and each.guard is None and _plain(each.body):
            falls -= min(amount.high, 0.0)
    acts = [bounds.added((*each.body, *each.after), meter, seen) for each in universe.actions]
    uses = [_in_use(bounds, place, meter, seen) for place in universe.affordances]
    costs = [NOTHING if cost is None else bounds.of(cost) for cost in (meter.move, meter.interact)]
    gained = [None if each is None else max(0.0, -each.low) for each in costs]
    if None in acts or None in uses or None in gained:
        rises = None
    else:
        together = [each.high for each in acts if each is not None], [each for each in uses if each is not None]
        use = sum(together[1]) if can_meet(universe) else max(together[1], default=0.0)
        rises = _sum(rises, max([0.0, use, *together[0]]) + sum(each or 0.0 for each in gained))
    elsewhere = [node for node in nodes(universe) if isinstance(node, Assign) and node.meter == meter.name]
    if len(elsewhere) > len(seen):
        rises = None
    start = single(meter.start) if isinstance(meter.start, float) else bounds.of(meter.start)
    most = meter.high if start is None else min(start.high, meter.high)
    return Sinking(falls, rises, most)


def _in_use(bounds: _Bounds, place: Affordance, meter: Meter, seen: list[Assign]) -> float | None:
    """The most that a tick of a use adds: of one that is completed, the mean of its ticks, or that of each tick."""
    once = bounds.added(place.instantly, meter, seen)
    each = bounds.added(place.each_tick, meter, seen)
    done = bounds.added(place.on_completion, meter, seen)
    if once is None or each is None or done is None:
        return None
    return max(0.0, once.high, each.high, each.high + done.high / max(place.duration or 1, 1))


def _plain(body: Iterable[Statement]) -> bool:
    return all(isinstance(each, Assign | Together) for each in body)


def _sum(left: float | None, right: float | None) -> float | None:
    return None if left is None or right is None else left + right


class _Bounds:
    """Where the values of simple expressions lie."""

    def __init__(self, universe: Universe) -> None:
        self._params = {each.name: Interval(each.low, each.high) for each in universe.params}
        self._meters = {each.name: Interval(each.low, each.high) for each in universe.meters if each.reach is None}

    def added(self, body: Iterable[Statement], meter: Meter, seen: list[Assign]) -> Interval | None:
        """The sum that statements add to a meter, by assignments that are now `seen`; `None` where one sets the meter,
        or its value is not that simple."""
        parts = [
            self._of_branches(each, meter, seen) if isinstance(each, Guarded) else self._of(each, meter, seen)
            for each in body
        ]
        total: Interval | None = NOTHING
        for part in parts:
            total = None if total is None or part is None else add(total, part)
        return total

    def _of_branches(self, statement: Guarded, meter: Meter, seen: list[Assign]) -> Interval | None:
        """The sum that an `if` adds: one of its branches runs."""
        one, other = (self.added(branch, meter, seen) for branch in (statement.body, statement.otherwise))
        return None if one is None or other is None else hull(one, other)

    def _of(self, statement: Statement, meter: Meter, seen: list[Assign]) -> Interval | None:
        """The sum that another statement adds."""
        total = NOTHING
        for each in statement.assigns:
            if each.meter == meter.name:
                seen.append(each)
                value = self.of(each.value)
                if value is None or each.op == "=":
                    return None
                total = add(total, value if each.op == "+=" else negate(value))
        return total

    def of(self, expression: Expression) -> Interval | None:
        match expression:
            case Number(value=value):
                return single(value)
            case ParamValue(param=name):
                return self._params.get(name)
            case MeterValue(meter=name):
                return self._meters.get(name)
            case Deficit():
                return Interval(0.0, 1.0)
            case Unary(op="-", operand=operand):
                inner = self.of(operand)
                return None if inner is None else negate(inner)
            case Clamp(operand=operand, low=low, high=high):
                inner, least, most = self.of(operand), self.of(low), self.of(high)
                return None if inner is None or least is None or most is None else clamp(inner, least, most)
            case If(then=then, otherwise=otherwise):
                one, other = self.of(then), self.of(otherwise)
                return None if one is None or other is None else hull(one, other)
            case Binary(op="+" | "-" | "*" as op, left=left, right=right):
                one, other = self.of(left), self.of(right)
                if one is None or other is None:
                    return None
                return {"+": add, "-": subtract, "*": multiply}[op](one, other)
            case _:
                return None
