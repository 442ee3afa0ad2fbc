"""Where values lie: divisors that can be zero, values that can overflow, comparisons that never change.

Guards narrow nothing: an expression is sound for every lane, also for those that do not use its value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from hamlet.binary32 import round32
from hamlet.universe import (
    Age,
    Binary,
    Clamp,
    Deficit,
    Distance,
    Expression,
    Grid,
    Here,
    Hour,
    If,
    MeterValue,
    Number,
    ParamValue,
    Shortfall,
    Span,
    Unary,
)
from hamletc.checking import intervals
from hamletc.checking.folding import Comparison
from hamletc.checking.intervals import Interval
from hamletc.checking.report import Report

State: TypeAlias = Mapping[str, Interval | None]
"""Where meters lie that may have left their bounds; `None` where unknown. Each interval holds the meter's bounds."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where everything else lies; a name that is absent and `None` are unknown, since something about it is wrong."""

    bounds: Mapping[str, Interval]
    params: Mapping[str, Interval]
    hour: Interval | None
    age: Interval | None
    distance: Interval | None
    source: Interval | None = None
    threshold: Interval | None = None


def farthest(grid: Grid) -> Interval:
    """Where the distance between two cells lies."""
    spans = [size // 2 if grid.edges == "wrap" else size - 1 for size in grid.sizes]
    match grid.metric:
        case "manhattan":
            return Interval(0.0, round32(sum(spans)))
        case "chebyshev":
            return Interval(0.0, round32(max(spans)))
        case "euclidean":
            return Interval(0.0, round32(math.sqrt(round32(sum(span * span for span in spans)))))


@dataclass(frozen=True, slots=True)
class Ranges:
    """Finds where expressions lie, given where meters lie. What is wrong is reported and then lies in `error`."""

    around: Surroundings
    report: Report
    error: Interval | None

    def meter(self, name: str, meters: State) -> Interval | None:
        """Where a meter lies."""
        return meters[name] if name in meters else self.around.bounds.get(name)

    def number(self, expression: Expression, meters: State) -> Interval | None:
        """Where a number lies."""
        match expression:
            case Number(constant):
                return intervals.single(constant)
            case MeterValue(meter):
                return self.meter(meter, meters)
            case ParamValue(param):
                return self.around.params.get(param)
            case Deficit(span):
                return self.finite(intervals.divide, self._shortfall(span), self.around.threshold, span)
            case Shortfall(span):
                return self._shortfall(span)
            case Hour():
                return self.around.hour
            case Age():
                return self.around.age
            case Distance():
                return self.around.distance
            case Unary(op, operand, _):
                value = self.number(operand, meters)
                if value is None:
                    return None
                return intervals.negate(value) if op == "-" else intervals.absolute(value)
            case Binary():
                return self._binary(expression, meters)
            case Clamp():
                return self._clamp(expression, meters)
            case If(condition, then, otherwise, _):
                self.condition(condition, meters)
                a, b = self.number(then, meters), self.number(otherwise, meters)
                return None if a is None or b is None else intervals.hull(a, b)
            case Here():
                return None

    def condition(self, expression: Expression, meters: State) -> None:
        """Look for what is wrong in a condition."""
        match expression:
            case Unary(operand=operand):
                self.condition(operand, meters)
            case Binary(op="and" | "or", left=left, right=right):
                self.condition(left, meters)
                self.condition(right, meters)
            case Binary():
                self._comparison(expression, meters)
            case If(condition, then, otherwise, _):
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
    ) -> Interval | None:
        """Where an operation's result lies; an error at `span` where it can overflow."""
        if a is None or b is None:
            return None
        try:
            return operation(a, b)
        except OverflowError:
            self.report.add(
                "H051",
                "this value can be too large for binary32",
                span,
                f"the operands reach {a} and {b}",
                hint="Narrow the bounds of what goes into it, or use `clamp`.",
            )
            return self.error

    def _shortfall(self, span: Span) -> Interval | None:
        source, threshold = self.around.source, self.around.threshold
        if source is None or threshold is None:
            return None
        below = intervals.minimum(source, threshold)
        return self.finite(intervals.subtract, threshold, below, span)

    def _binary(self, expression: Binary, meters: State) -> Interval | None:
        left, right = self.number(expression.left, meters), self.number(expression.right, meters)
        match expression.op:
            case "+":
                return self.finite(intervals.add, left, right, expression.span)
            case "-":
                return self.finite(intervals.subtract, left, right, expression.span)
            case "*":
                return self.finite(intervals.multiply, left, right, expression.span)
            case "/":
                return self._quotient(left, right, expression)
            case "min":
                return None if left is None or right is None else intervals.minimum(left, right)
            case "max":
                return None if left is None or right is None else intervals.maximum(left, right)
            case _:
                return None

    def _quotient(self, left: Interval | None, right: Interval | None, expression: Binary) -> Interval | None:
        if right is not None and right.low <= 0 <= right.high:
            self.report.add(
                "H050",
                "this divisor can be zero",
                expression.right.span,
                "always 0" if right == intervals.ZERO else f"anywhere in {right}",
                hint="Keep it away from zero, as in `max(x, 0.01)`; a guard does not do that.",
            )
            return self.error
        return self.finite(intervals.divide, left, right, expression.span)

    def _clamp(self, expression: Clamp, meters: State) -> Interval | None:
        x = self.number(expression.operand, meters)
        low, high = self.number(expression.low, meters), self.number(expression.high, meters)
        return None if x is None or low is None or high is None else intervals.clamp(x, low, high)

    def _comparison(self, expression: Binary, meters: State) -> None:
        left, right = self.number(expression.left, meters), self.number(expression.right, meters)
        if left is None or right is None:
            return
        holds = intervals.decide(cast(Comparison, expression.op), left, right)
        if holds is None:
            return
        self.report.add(
            "H062",
            f"this comparison is {'always' if holds else 'never'} true",
            expression.span,
            "; ".join(
                f"{_called(side, place)} is {value}"
                if value.low == value.high
                else f"{_called(side, place)} is in {value}"
                for side, value, place in ((expression.left, left, "left"), (expression.right, right, "right"))
                if not isinstance(side, Number)
            ),
            hint="Compare with a value it can have on either side, or leave the condition out.",
        )


def _called(side: Expression, place: str) -> str:
    match side:
        case MeterValue(name, _) | ParamValue(name, _):
            return f"`{name}`"
        case _:
            return f"the {place} side"
