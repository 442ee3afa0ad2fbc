"""What is known at one place of a tick: where values lie there, narrowed by the conditions that hold.

All of it is about the lanes for which something happens at that place; so it tells what has an effect, and never what
is safe to compute, which `hamletc.checking.ranges` finds for every lane.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce
from typing import Literal, TypeAlias, cast

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.universe import Expression, Span
from hamletc import intervals
from hamletc.checking.facts import PLACE, VELOCITY, Levels, Naming, Shape, Shapes, joined
from hamletc.checking.ranges import MOST_AGENTS, Ranges, State
from hamletc.checking.report import Findings
from hamletc.checking.surroundings import Surroundings
from hamletc.checking.wholes import Wholes
from hamletc.intervals import ANY_ORDER, EQUAL, ORDERS, TURNED, Comparison, Interval

HIGHEST = 50
"""Nothing is narrowed in an expression of more levels, so that walking over it stays shallow."""

Facts: TypeAlias = Mapping[Shape, Interval]
"""Where values lie, by their shapes."""
Orders: TypeAlias = Mapping[tuple[Shape, Shape], int]
"""How two values may be ordered; the lesser shape comes first."""
Truths: TypeAlias = Mapping[Shape, bool]
"""Whether conditions that are no comparisons hold."""
Together = Literal["all", "one", "some"]
"""How many affordances an agent is at: all there are, one at most, or several."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What holds throughout a universe. `affordances` says whether there are any."""

    shapes: Shapes
    ignored: Findings
    """Takes what is wrong to compute: it was reported for every lane before."""
    together: Together
    affordances: bool
    wholes: Wholes
    stays: bool
    """Whether an agent that has acted is there for the rest of the tick: at what it used."""
    walked: bool = False
    """Whether agents use affordances by walking into them, too."""

    @classmethod
    def of(
        cls,
        space: universe.Space,
        values: Iterable[universe.AnyMeter | universe.Control] = (),
        tables: Iterable[universe.NumberTable] = (),
        lets: Iterable[universe.Let] = (),
        *,
        affordances: bool,
        stays: bool = True,
        walked: bool = False,
    ) -> Setting:
        """The setting of a universe in this space, with these meters, states, controls, tables and locals."""
        shapes, ignored, wholes = Shapes(), Findings(), Wholes.of(space, values, tables, lets)
        match space:
            case universe.Grid(places=places):
                together: Together = "one" if places == "computed" else "some"
            case universe.NoSpace():
                together = "all"
            case _:
                together = "some"
        return cls(shapes, ignored, together, affordances, wholes, stays, walked)


class Known:
    """What is known at one place. Methods return what is known where something else holds as well, `None` where that
    cannot be. It never changes, so what was found once is kept."""

    def __init__(
        self,
        setting: Setting,
        around: Surroundings,
        meters: Levels,
        then: Known | None,
        facts: Facts | None = None,
        orders: Orders | None = None,
        truths: Truths | None = None,
    ) -> None:
        self.setting = setting
        self.around = around
        self.meters = meters
        self.then = then
        """What is known at the beginning of the tick; `None` there."""
        self._facts = facts or {}
        self._orders = orders or {}
        self._truths = truths or {}
        self._numbers: dict[Shape, Interval | None] = {}
        self._assumed: dict[tuple[Shape, bool], Known | None] = {}

    # --- other places ------------------------------------------------------------------------------------------------

    def bare(self) -> Known:
        """Without what conditions said about anything but meters."""
        return self._with(self.meters) if self._facts or self._orders or self._truths else self

    def settled(self) -> Known:
        """Ready to be a place from which others branch off."""
        meters = self.meters.settled()
        return self if meters is self.meters else self._with(meters, self._facts, self._orders, self._truths)

    def during(self, around: Surroundings) -> Known:
        """In other surroundings, without what conditions said."""
        return Known(self.setting, around, self.meters, self.then)

    def later(self, around: Surroundings) -> Known:
        """A birthday later in the same tick."""
        ages = self.setting.shapes.ages
        return Known(self.setting, around, self.meters, self.then, *self._said(lambda shape: not ages[shape]))

    def write(self, meter: str, value: Interval | None) -> Known:
        """After a meter was given a value that lies there."""
        reads = self.setting.shapes.reads
        return self._with(self.meters.write(meter, value), *self._said(lambda shape: meter not in reads[shape]))

    def pushed(self) -> Known:
        """After the velocity was given another value."""
        reads = self.setting.shapes.reads
        return self._with(self.meters, *self._said(lambda shape: VELOCITY not in reads[shape]))

    def displaced(self, cell_meters: Iterable[str]) -> Known:
        """Where an agent is elsewhere: cells have these meters."""
        reads, meters = self.setting.shapes.reads, self.meters
        for meter in cell_meters:
            meters = meters.write(meter, self.around.bounds.get(meter))
        return self._with(meters, *self._said(lambda shape: PLACE not in reads[shape]))

    def _said(self, about: Callable[[Shape], bool]) -> tuple[Facts, Orders, Truths]:
        """What conditions said about some shapes."""
        if not (self._facts or self._orders or self._truths):
            return {}, {}, {}
        return (
            {shape: fact for shape, fact in self._facts.items() if about(shape)},
            {pair: order for pair, order in self._orders.items() if about(pair[0]) and about(pair[1])},
            {shape: truth for shape, truth in self._truths.items() if about(shape)},
        )

    def _with(
        self, meters: Levels, facts: Facts | None = None, orders: Orders | None = None, truths: Truths | None = None
    ) -> Known:
        return Known(self.setting, self.around, meters, self.then, facts, orders, truths)

    # --- numbers -----------------------------------------------------------------------------------------------------

    def meter(self, name: str) -> Interval | None:
        """Where a meter lies."""
        return self.meters[name] if name in self.meters else self.around.bounds.get(name)

    def number(self, expression: Expression) -> Interval | None:
        """Where a number lies; `None` where nothing is known."""
        shapes = self.setting.shapes
        shape = shapes.of(expression)
        if (literal := shapes.literals.get(shape)) is not None:
            return literal
        if shape in self._numbers:
            return self._numbers[shape]
        match expression:
            case _ if shapes.height[shape] > HIGHEST:
                found = None
            case universe.MeterValue(m) | universe.WorldValue(m) | universe.CellValue(m) | universe.LocalValue(m):
                found = self.meter(m)
            case universe.Neighbours() | universe.At():  # what is known here is about one cell
                ranges = Ranges(self.around, {}, self.setting.ignored, intervals.ANYTHING)
                found = ranges.number(expression, {})
            case universe.Among(op=op) | universe.Upon(op=op):  # what is known here is about one agent
                found = Interval(0.0, MOST_AGENTS) if op == "count" else None
            case universe.Nearest():
                found = None
            case universe.Rank():
                found = Interval(0.0, MOST_AGENTS - 1.0)
            case universe.Previous(operand):
                found = None if self.then is None else self.then.number(operand)
            case universe.If(condition, then, otherwise, _):
                first, second = self.assume(condition, True), self.assume(condition, False)
                branches = ((first, then), (second, otherwise))
                found = intervals.hull_of(known.number(branch) for known, branch in branches if known is not None)
            case _:
                setting = self.setting
                narrowed = _Narrowed(
                    self.around, {}, setting.ignored, intervals.ANYTHING, shapes=setting.shapes, known=self
                )
                found = Ranges.number(narrowed, expression, {})
        fact = self._facts.get(shape)
        if fact is not None:
            found = fact if found is None else intervals.common(found, fact) or fact
        self._numbers[shape] = found
        return found

    # --- conditions --------------------------------------------------------------------------------------------------

    def has_parts(self, expression: Expression) -> bool:
        """Whether an expression is made of others, and has not too many levels."""
        shapes = self.setting.shapes
        return 1 < shapes.height[shapes.of(expression)] <= HIGHEST

    def is_high(self, expression: Expression) -> bool:
        """Whether an expression has too many levels for anything to be narrowed in it."""
        shapes = self.setting.shapes
        return shapes.height[shapes.of(expression)] > HIGHEST

    def holds(self, condition: Expression) -> bool | None:
        """Whether a condition always holds here (true), never does (false), or can do either."""
        can_hold, can_fail = self.assume(condition, True) is not None, self.assume(condition, False) is not None
        return None if can_hold == can_fail else can_hold

    def assume(self, condition: Expression, holds: bool) -> Known | None:
        """What is known where the condition holds, or does not."""
        shapes = self.setting.shapes
        shape = shapes.of(condition)
        if shapes.height[shape] > HIGHEST:
            return self
        key = shape, holds
        if key not in self._assumed:
            self._assumed[key] = self._assume(condition, holds, shape)
        return self._assumed[key]

    def _assume(self, condition: Expression, holds: bool, shape: Shape) -> Known | None:
        match condition:
            case universe.Unary(operand=operand):
                return self.assume(operand, not holds)
            case universe.Binary(op="and" | "or" as op):
                return self._chain(links(condition), holds, needs_all=(op == "and") == holds)
            case universe.Binary(op=op, left=left, right=right):
                order = ORDERS[cast(Comparison, op)]
                return self._ordered(left, right, order if holds else ANY_ORDER - order)
            case universe.If(test, then, otherwise, _):
                first, second = self.assume(test, True), self.assume(test, False)
                return join(
                    [
                        None if first is None else first.assume(then, holds),
                        None if second is None else second.assume(otherwise, holds),
                    ]
                )
            case _:
                return self if self._truth(condition, shape) == holds else self._told(condition, shape, holds)

    def _chain(self, conditions: Sequence[Expression], holds: bool, *, needs_all: bool) -> Known | None:
        """Where all of these conditions are as `holds` says, or at least one is."""
        known: Known | None = self
        found: list[Known | None] = []
        for condition in conditions:
            if known is None:
                break
            found.append(known.assume(condition, holds))
            known = found[-1] if needs_all else known.assume(condition, not holds)
        return known if needs_all else join(found)

    def _truth(self, condition: Expression, shape: Shape) -> bool | None:
        """Whether a condition that is no comparison holds, as far as is known."""
        if shape in self._truths:
            return self._truths[shape]
        match condition:
            case universe.Truth(value):
                return value
            case universe.Previous(operand):
                return None if self.then is None else self.then.holds(operand)
            case universe.DrawChance(probability):
                share = self.number(probability)
                return None if share is None else intervals.decide("<", intervals.SHARE, share)
            case universe.Every() | universe.After():
                return self.around.in_time(condition)
            case universe.Here(affordance) if self.setting.together == "all":
                return (affordance is not None) == self.setting.affordances
            case universe.Here(affordance):
                used = self._told_of(universe.Used) if self.setting.stays and not self.setting.walked else []
                if affordance is not None and affordance in used:
                    return True
                at = (*self._told_of(universe.Here), *filter(None, used))
                return self._excluded([other for other in at if other != affordance], affordance)
            case universe.LastUse():
                return False if self._told_of(universe.LastUse) else None
            case universe.Used(affordance):
                return self._used(affordance)
            case universe.ActionTaken(action):
                if any(self._told_of(universe.Used)) and not self.setting.walked:
                    return action == "INTERACT"
                return False if self._told_of(universe.ActionTaken) else None
            case _:
                return None

    def _used(self, affordance: str | None) -> bool | None:
        """Whether an agent used an affordance, or none, as far as its action and other uses tell. To use one it has to
        be there, so it uses one alone where it is at one alone."""
        chose = () if self.setting.walked else self._told_of(universe.ActionTaken)
        if not self.setting.affordances or set(chose) - {"INTERACT"}:
            return affordance is None
        return self._excluded([other for other in self._told_of(universe.Used) if other != affordance], affordance)

    def _told_of(self, kind: type[Naming]) -> list[str | None]:
        """The affordances, or actions, that conditions said the agent is at, or used, or chose; `None` for none."""
        names = self.setting.shapes.named
        return [names[s][1] for s, holds in self._truths.items() if holds and s in names and names[s][0] is kind]

    def _excluded(self, others: list[str | None], affordance: str | None) -> bool | None:
        """Whether an agent that is at these can be at another one."""
        alone = self.setting.together == "one" or affordance is None
        return False if any(alone or other is None for other in others) else None

    def _told(self, condition: Expression, shape: Shape, holds: bool) -> Known | None:
        if self._truth(condition, shape) is not None:
            return None
        return self._with(self.meters, self._facts, self._orders, {**self._truths, shape: holds})

    def _ordered(self, left: Expression, right: Expression, allowed: int) -> Known | None:
        """Where two numbers are in one of the orders."""
        shapes = self.setting.shapes
        first, second = shapes.of(left), shapes.of(right)
        pair, turned = ((first, second), False) if first <= second else ((second, first), True)
        before = self._orders.get(pair, ANY_ORDER)
        orders = allowed & (TURNED[before] if turned else before) & (EQUAL if first == second else ANY_ORDER)
        a, b = self.number(left), self.number(right)
        if a is not None and b is not None:
            orders &= intervals.orders(a, b)
        if not orders:
            return None
        meters, facts = self.meters, self._facts
        if a is not None and b is not None:
            ends = (left, intervals.narrowed(a, b, orders)), (right, intervals.narrowed(b, a, TURNED[orders]))
            for side, where in ends:
                lies = None if where is None else self._narrowed(side, where)
                if lies is None:
                    return None
                match side:
                    case universe.Number():
                        pass
                    case universe.MeterValue(meter) | universe.WorldValue(meter) | universe.CellValue(meter):
                        meters = meters.write(meter, lies)
                    case _:
                        facts = {**facts, shapes.of(side): lies}
        return self._with(meters, facts, {**self._orders, pair: TURNED[orders] if turned else orders}, self._truths)

    def _narrowed(self, expression: Expression, where: Interval) -> Interval | None:
        """Where the value of an expression lies that lies there; `None` where it cannot."""
        if not isinstance(expression, universe.Number) and self.setting.wholes.quantity(expression):
            where = Interval(float(math.ceil(where.low)), float(math.floor(where.high)))
        return where if where.low <= where.high else None


@dataclass(frozen=True, slots=True)
class _Narrowed(Ranges):
    """Ranges that ask what is known about every part of an expression."""

    known: Known

    def number(self, expression: Expression, meters: State) -> Interval | None:
        del meters  # `known` has them
        return self.known.number(expression)


def links(chain: universe.Binary, whole: Collection[Span] = ()) -> tuple[Expression, ...]:
    """The operands of a chain of `and`, or of `or`; what stands at one of the places `whole` is one operand."""
    found: list[Expression] = []
    pending: list[Expression] = [chain]
    while pending:
        condition = pending.pop()
        if isinstance(condition, universe.Binary) and condition.op == chain.op and condition.span not in whole:
            pending += [condition.right, condition.left]
        else:
            found.append(condition)
    return tuple(found)


def join(places: Sequence[Known | None]) -> Known | None:
    """What is known where one of these is the case; all are about the same surroundings."""
    possible = [known for known in places if known is not None]
    if not possible:
        return None
    first, *others = possible
    return Known(
        first.setting,
        first.around,
        joined([known.meters for known in possible], first.around.bounds),
        first.then,
        {
            shape: reduce(intervals.hull, (known._facts[shape] for known in others), fact)
            for shape, fact in first._facts.items()
            if all(shape in known._facts for known in others)
        },
        {
            pair: reduce(int.__or__, (known._orders[pair] for known in others), order)
            for pair, order in first._orders.items()
            if all(pair in known._orders for known in others)
        },
        {
            shape: truth
            for shape, truth in first._truths.items()
            if all(known._truths.get(shape) == truth for known in others)
        },
    )
