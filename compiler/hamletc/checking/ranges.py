"""Where values lie: divisors that can be zero, values that can overflow, comparisons that never change.

Guards narrow nothing: an expression is sound for every lane, also for those that do not use its value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeAlias, cast

from hamlet import schema, universe
from hamlet.frozen import dataclass
from hamlet.schema.room import MOST_COUNTED
from hamlet.universe import Expression, Span
from hamlet.universe.functions import FUNCTIONS
from hamletc import intervals, messages
from hamletc.checking.draws import LARGEST_MEAN, probability_of
from hamletc.checking.facts import Shapes, factors_but_squares
from hamletc.checking.report import Findings
from hamletc.checking.surroundings import Surroundings
from hamletc.checking.tables import where_read
from hamletc.intervals import Comparison, Interval

if TYPE_CHECKING:
    from hamletc.messages.ranges import Cause

MOST_AGENTS = float(schema.MOST_AGENTS)
"""A total of so many numbers, a power of two, is at most so often the largest one."""
State: TypeAlias = Mapping[str, Interval | None]
"""Where meters lie that may have left their bounds; `None` where unknown. Each interval holds the meter's bounds."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """Finds where expressions lie, given where meters lie; `before` is where they lay when the tick began. What is
    wrong is reported and then lies in `error`."""

    around: Surroundings
    before: State
    report: Findings
    error: Interval | None
    shapes: Shapes = field(default_factory=Shapes, kw_only=True)
    """Tell which expressions are written alike."""
    settled: bool = field(default=False, kw_only=True)
    """Whether agents have done what they do in a tick: what they have together is then of what they are now, and before
    of what they were at its beginning."""

    def meter(self, name: str, meters: State) -> Interval | None:
        """Where a meter lies."""
        return meters[name] if name in meters else self.around.bounds.get(name)

    def number(self, expression: Expression, meters: State) -> Interval | None:
        """Where a number lies."""
        space = self.around.space
        match expression:
            case universe.Number(constant):
                return intervals.single(constant)
            case universe.MeterValue(m) | universe.WorldValue(m) | universe.CellValue(m) | universe.LocalValue(m):
                return self.meter(m, meters)
            case universe.PairValue(meter):
                return self.around.bounds.get(meter)
            case universe.Neighbours():
                return self._neighbours(expression)
            case universe.At():
                return self._there(expression, meters)
            case universe.Among() | universe.Upon():
                return self._among(expression, meters)
            case universe.Rank(condition, priority):
                state = meters if self.settled else self.before
                self._then().condition(condition, state)
                self._then().number(priority, state)
                return Interval(0.0, MOST_AGENTS - 1.0)
            case universe.Nearest(condition, value, otherwise):
                state, then = meters if self.settled else self.before, self._then()
                then.condition(condition, state)
                return intervals.hull_of([then.number(value, state), then.number(otherwise, state)])
            case universe.Own(operand):
                return self.number(operand, meters)
            case universe.ParamValue(param):
                return self.around.params.get(param)
            case universe.Deficit(span):
                return self.finite(
                    intervals.divide, self._shortfall(expression), self.around.threshold, span, expression
                )
            case universe.Shortfall():
                return self._shortfall(expression)
            case universe.Hour():
                return self.around.hour
            case universe.Age():
                return self.around.age
            case universe.AgentNumber():
                return Interval(0.0, (self.around.agents or MOST_COUNTED) - 1.0)
            case universe.AgentCount():
                return Interval(1.0, float(MOST_COUNTED))
            case universe.DayTime():
                return None if self.around.hour is None else Interval(-1.0, 1.0)
            case universe.InputValue(name):
                return self.around.inputs.get(name)
            case universe.ControlValue(name):
                return self.around.controls.get(name)
            case universe.Progress():
                return self.around.progress
            case universe.ShareOfUse():
                return Interval(0.0, 1.0)
            case universe.Streak():
                return self.around.streak
            case universe.Visited():
                return self.around.visited
            case universe.Coordinate(axis):
                return None if space is None else space.position[axis]
            case universe.Velocity(axis):
                return None if space is None else space.velocity[axis]
            case universe.Speed():
                return None if space is None else space.speed
            case universe.Distance() | universe.Apart():
                return None if space is None else space.distance
            case universe.StraightDistance():
                return None if space is None else space.straight_distance
            case universe.WalkingDistance():
                return None if space is None else space.walking_distance
            case universe.Previous(operand):
                return self._then().number(operand, self.before)
            case universe.Unary():
                return self._unary(expression, meters)
            case universe.Binary() if (probability := probability_of(expression)) is not None:
                lies = self.number(probability, meters)
                if lies is not None and not 0.0 < lies.low <= lies.high < 1.0:
                    self.report.add(messages.draws.NoProbability(probability.span, lies))
                    return self.error
                return self._binary(expression, meters)
            case universe.Binary():
                return self._binary(expression, meters)
            case universe.Clamp(operand, low, high):
                return self._call("clamp", expression, (operand, low, high), meters)
            case universe.TableValue(name, indices):
                return self._reading(name, indices, meters)
            case universe.If(condition, then, otherwise, _):
                self.condition(condition, meters)
                return intervals.hull_of([self.number(then, meters), self.number(otherwise, meters)])
            case universe.DrawUniform(low, high):
                least, most, cause = self.number(low, meters), self.number(high, meters), (low, high)
                size = self.finite(intervals.subtract, most, least, expression.span, cause)
                way = self.finite(intervals.multiply, size, intervals.SHARE, expression.span, cause)
                return self.finite(intervals.add, least, way, expression.span, cause)
            case universe.DrawInteger(least, most):
                return Interval(float(least), float(most))
            case universe.DrawChoice(options):
                return intervals.hull_of([self.number(option, meters) for option in options])
            case universe.DrawNormal(mean, deviation):
                center, spread = self.number(mean, meters), self.number(deviation, meters)
                cause = mean, deviation
                away = self.finite(intervals.multiply, spread, intervals.NORMAL, expression.span, cause)
                return self.finite(intervals.add, center, away, expression.span, cause)
            case universe.DrawPoisson(mean, most):
                lies = self.number(mean, meters)
                if lies is not None and not 0 <= lies.low <= lies.high <= LARGEST_MEAN:
                    self.report.add(messages.draws.NoMean(mean.span, lies, LARGEST_MEAN))
                    return self.error
                return Interval(0.0, float(most))
            case universe.TerrainValue(terrain):
                return None if space is None else space.terrains.get(terrain)
            case (
                universe.Here()
                | universe.On()
                | universe.Wall()
                | universe.LastUse()
                | universe.ActionTaken()
                | universe.Used()
            ):
                return None
            case universe.Every() | universe.After() | universe.Truth() | universe.DrawChance():
                return None

    def _reading(self, name: str, indices: tuple[Expression, ...], meters: State) -> Interval | None:
        """Where a number of a table lies; its indices, which are whole numbers, must be proven to be inside."""
        table, inside = self.around.tables[name], replace(self, around=self.around.indexing())
        found = [inside.number(index, meters) for index in indices]
        lies = [where for where in found if where is not None]
        if len(lies) < len(found):
            return None
        for index, where, size in zip(indices, lies, table.sizes, strict=True):
            if where.low <= -1.0 or where.high >= size:
                self.report.add(messages.tables.IndexOutside(index.span, name, size, where, True))
                return self.error
        return where_read(table, lies)

    def _neighbours(self, expression: universe.Neighbours) -> Interval | None:
        """The sum over the cells beside one, of which some may be missing. They are as they were before a step."""
        each, space = self.number(expression.operand, {}), self.around.space
        if each is None or space is None:
            return None
        any_of = intervals.hull(each, intervals.ZERO)
        total: Interval | None = any_of
        for _ in range(space.beside - 1):
            total = self.finite(intervals.add, total, any_of, expression.span, (expression.operand,))
        return total

    def _there(self, expression: universe.At, meters: State) -> Interval | None:
        """Values of another cell lie within their bounds; 0 where there may be none."""
        space, wheres = self.around.space, [self.number(coordinate, meters) for coordinate in expression.place]
        value = self.number(expression.operand, {})
        if space is None or space.wraps:
            return value
        inside = True
        for where, along, coordinate in zip(wheres, space.position.values(), expression.place, strict=True):
            if where is not None and intervals.common(where, along) is None:
                self.report.add(messages.elsewhere.NeverThere(coordinate.span, coordinate, where, int(along.high)))
                return self.error
            inside = inside and where is not None and intervals.hull(where, along) == along
        return value if inside or value is None else intervals.hull(value, intervals.ZERO)

    def _among(self, expression: universe.Among | universe.Upon, meters: State) -> Interval | None:
        """What agents have together, of whom there may be none."""
        each, then = expression.operand, self._then()
        state = meters if self.settled else self.before
        if expression.op == "count":
            then.condition(each, state)
            return Interval(0.0, MOST_AGENTS)
        value = then.number(each, state)
        any_of = None if value is None else intervals.hull(value, intervals.ZERO)
        match expression.op:
            case "total":
                most = intervals.single(MOST_AGENTS)
                return self.finite(intervals.multiply, any_of, most, expression.span, (each,))
            case "average":
                return self.finite(intervals.multiply, any_of, intervals.ROUNDED_OFTEN, expression.span)
            case _:
                return any_of

    def _then(self) -> Ranges:
        """The ranges at the beginning of the tick."""
        return replace(self, around=replace(self.around, age=self.around.age_before))

    def _unary(self, expression: universe.Unary, meters: State) -> Interval | None:
        match expression.op:
            case "-":
                a = self.number(expression.operand, meters)
                return None if a is None else intervals.negate(a)
            case "not":
                return None
            case name:
                return self._call(name, expression, (expression.operand,), meters)

    def _call(
        self, name: str, expression: Expression, arguments: tuple[Expression, ...], meters: State
    ) -> Interval | None:
        """Where the value of a function lies; its arguments must be proven to be what it takes."""
        function, found = FUNCTIONS[name], [self.number(argument, meters) for argument in arguments]
        lies = [where for where in found if where is not None]
        if len(lies) < len(found):
            return None
        domain = function.domain
        if domain is not None and not domain.holds((where := lies[domain.argument]).low, where.high):
            return self._outside(domain.problem, arguments[domain.argument], where)
        if isinstance(expression, universe.Binary) and function.course == "own":
            left, right = lies
            own = self._power if name == "pow" else self._modulo
            return own(left, right, expression)
        try:
            return intervals.call(function, lies)
        except OverflowError:
            self.report.add(messages.ranges.FunctionTooLarge(expression.span, function, arguments, lies[0]))
            return self.error

    def _power(self, base: Interval, exponent: Interval, expression: universe.Binary) -> Interval | None:
        if base.low > 0:
            return self.finite(intervals.power, base, exponent, expression.span, expression)
        if isinstance(expression.right, universe.Number):
            above_zero, number = exponent.low > 0, exponent.low
            if base.low == 0 and above_zero:
                return self.finite(intervals.power, base, exponent, expression.span, expression)
            if number.is_integer() and (above_zero or base.high < 0):
                return self.finite(
                    lambda a, _: intervals.whole_power(a, number), base, exponent, expression.span, expression
                )
        return self._outside(messages.ranges.POWER, expression.left, base)

    def _outside(self, demand: str, operand: Expression, a: Interval) -> Interval | None:
        self.report.add(messages.ranges.OutsideFunction(operand.span, demand, a))
        return self.error

    def condition(self, expression: Expression, meters: State) -> None:
        """Look for what is wrong in a condition."""
        match expression:
            case universe.Previous(operand):
                self._then().condition(operand, self.before)
            case universe.Unary(operand=operand) | universe.Own(operand=operand):
                self.condition(operand, meters)
            case universe.Binary(op="and" | "or", left=left, right=right):
                self.condition(left, meters)
                self.condition(right, meters)
            case universe.Binary():
                self._comparison(expression, meters)
            case universe.DrawChance():
                self._chance(expression, meters)
            case universe.Every() | universe.After():
                self._timed(expression)
            case universe.At():
                self._there(expression, meters)
            case universe.If(condition, then, otherwise, _):
                self.condition(condition, meters)
                self.condition(then, meters)
                self.condition(otherwise, meters)
            case _:
                pass

    def finite(
        self,
        operation: Callable[[Interval, Interval], Interval],
        a: Interval | None,
        b: Interval | None,
        span: Span,
        cause: Cause = None,
    ) -> Interval | None:
        """Where an operation's result lies; an error at `span` where it can overflow because of `cause`."""
        if a is None or b is None:
            return None
        try:
            return operation(a, b)
        except OverflowError:
            self.report.add(messages.ranges.TooLarge(span, a, b, cause))
            return self.error

    def _shortfall(self, expression: universe.Deficit | universe.Shortfall) -> Interval | None:
        source, threshold = self.around.source, self.around.threshold
        if source is None or threshold is None:
            return None
        below = intervals.minimum(source, threshold)
        return self.finite(intervals.subtract, threshold, below, expression.span, expression)

    def _binary(self, expression: universe.Binary, meters: State) -> Interval | None:
        if expression.op in FUNCTIONS:
            return self._call(expression.op, expression, (expression.left, expression.right), meters)
        left, right = self.number(expression.left, meters), self.number(expression.right, meters)
        match expression.op:
            case "+":
                return self.finite(intervals.add, left, right, expression.span, expression)
            case "-":
                return self.finite(intervals.subtract, left, right, expression.span, expression)
            case "*":
                return self._product(left, right, expression, meters)
            case "/":
                return self._quotient(left, right, expression)
            case _:
                return None

    def _product(
        self, left: Interval | None, right: Interval | None, expression: universe.Binary, meters: State
    ) -> Interval | None:
        """Where a product lies; what is multiplied with itself is known to be no less than 0."""
        if self.shapes.of(expression.left) == self.shapes.of(expression.right):
            return self.finite(lambda a, _: intervals.square(a), left, right, expression.span, expression)
        found = self.finite(intervals.multiply, left, right, expression.span, expression)
        if found is None or found.low >= 0 or found.high <= 0:
            return found
        others = factors_but_squares(expression, self.shapes)
        if others is None:
            return found
        signs = [self.number(other, meters) for other in others]
        if any(where is None or where.low < 0 < where.high for where in signs):
            return found
        below = sum(where is not None and where.low < 0 for where in signs) % 2
        return Interval(found.low, 0.0) if below else Interval(0.0, found.high)

    def _quotient(self, left: Interval | None, right: Interval | None, expression: universe.Binary) -> Interval | None:
        if right is not None and right.low <= 0 <= right.high:
            self.report.add(messages.ranges.DivisorOfZero(expression.right.span, right))
            return self.error
        return self.finite(intervals.divide, left, right, expression.span, expression)

    def _modulo(self, left: Interval, right: Interval, expression: universe.Binary) -> Interval | None:
        if intervals.absolute(left).high > intervals.MOST_QUOTIENT * right.low:
            return self._outside(messages.ranges.QUOTIENT, expression.left, left)
        lies = intervals.modulo(left, right)
        whole = self.around.wholes.doubt(expression) is None
        return Interval(lies.low, min(lies.high, right.high - 1)) if whole else lies

    def _chance(self, expression: universe.DrawChance, meters: State) -> None:
        probability = self.number(expression.probability, meters)
        if probability is None:
            return
        happens = intervals.decide("<", intervals.SHARE, probability)
        if happens is not None:
            is_number = isinstance(expression.probability, universe.Number)
            self.report.add(messages.ranges.CertainChance(expression.span, happens, probability, is_number))

    def _timed(self, expression: universe.Every | universe.After) -> None:
        holds = self.around.in_time(expression)
        if holds is not None:
            ticks = None if self.around.age_before is None else self.around.age_before.high + 1
            self.report.add(messages.ranges.CertainTime(expression.span, holds, ticks))

    def _comparison(self, expression: universe.Binary, meters: State) -> None:
        left, right = self.number(expression.left, meters), self.number(expression.right, meters)
        if left is None or right is None:
            return
        holds = intervals.decide(cast(Comparison, expression.op), left, right)
        if holds is not None:
            self.report.add(messages.ranges.CertainComparison(expression.span, holds, expression, left, right))
