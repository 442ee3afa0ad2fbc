"""Draws: what they take and where they may stand, and the words that weighted options have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise

from hamlet import universe
from hamlet.numbers.binary32 import round32
from hamlet.universe import Binary, Expression, Number, Span
from hamletc import messages
from hamletc.checking.operations import Constant, Operand, Operations
from hamletc.checking.standpoint import BETWEEN, Standpoint
from hamletc.intervals import Interval
from hamletc.language import syntax

LARGEST_INTEGER = 1 << 24
"""Up to this size every whole number is a binary32 number."""
WORDS = 1 << 32
"""So many random words there are."""
LARGEST_MEAN = 30.0
"""The largest mean of `poisson`."""
UNLIKELY = 2.0**-24
"""The probability of one of the shares that words are divided into."""
NO_DRAWS = ("needs", *BETWEEN, "opening", "previous", "history")
"""The scopes without draws."""


def most_of_poisson(mean: float) -> int:
    """The least number, at least 1, that a Poisson variable of this mean exceeds with a probability below 2**-24."""
    probability = total = math.exp(-mean)
    most = 0
    while most < 1 or 1.0 - total >= UNLIKELY:
        most += 1
        probability *= mean / most
        total += probability
    return most


def _largest(mean: Expression) -> float:
    """The largest mean, as far as it is a constant or limited by one."""
    match mean:
        case Number(largest) | universe.Clamp(high=Number(largest)):
            return min(max(largest, 0.0), LARGEST_MEAN)
        case _:
            return LARGEST_MEAN


def probability_of(expression: Expression) -> Expression | None:
    """The probability of `geometric(p)`, of the quotient that it is written out as; `None` of anything else."""
    match expression:
        case Binary(
            "/",
            universe.Unary("log", Binary("+", universe.DrawUniform(), _, _), _),
            universe.Unary("log", Binary("-", Number(1.0), probability, written), _),
            span,
        ) if written == span:
            return probability
        case _:
            return None


def _logarithm(site: int, span: Span) -> Expression:
    """log(s) of the word of a site, s = 2**-24 to 1 in steps of 2**-24."""
    share = universe.DrawUniform(Number(0.0, span), Number(1.0, span), site, span)
    return universe.Unary("log", Binary("+", share, Number(UNLIKELY, span), span), span)


def exponential(mean: Expression, site: int, span: Span) -> Expression:
    """`exponential(m)`: m * (0 - log(s))."""
    return Binary("*", mean, Binary("-", Number(0.0, span), _logarithm(site, span), span), span)


def geometric(failure: Expression, site: int, span: Span) -> Expression:
    """`geometric(p)` of q = 1 - p: 1 + floor(log(s) / log(q))."""
    trials = Binary("/", _logarithm(site, span), universe.Unary("log", failure, span), span)
    return Binary("+", Number(1.0, span), universe.Unary("floor", trials, span), span)


class Draws:
    """Resolves the draws of one declaration."""

    def __init__(self, at: Standpoint, operations: Operations) -> None:
        self._at = at
        self._operations = operations

    def draw(
        self, expr: syntax.CallExpr, operands: list[Operand], weights: Sequence[Constant] = ()
    ) -> Expression | None:
        """A draw with the right number of arguments, and the weights of all options, if they have some; `None` where
        something is wrong."""
        function = expr.function.text
        if self._at.whose == "places":
            self._at.report.add(messages.draws.NoDrawOfPlaces(expr.span, function))
            return None
        if self._at.of_others:
            self._at.report.add(messages.draws.NoDrawOfNeighbours(expr.span, function))
            return None
        if self._at.scope in NO_DRAWS:
            self._at.report.add(messages.draws.NoDrawInScope(expr.span, function, self._at.scope))
            return None
        site = self._at.names.sites[expr.span]
        if function == "integer":
            return self._integer(expr, operands, site)
        values = [value for operand in operands if (value := self._operations.rounded(operand)) is not None]
        if len(values) < len(operands):
            return None
        match function, values:
            case "uniform", [low, high]:
                ascending = self._ascend(operands, expr.span)
                return universe.DrawUniform(low, high, site, expr.span) if ascending else None
            case "normal", [mean, deviation]:
                positive = self._is_positive(operands[1])
                return universe.DrawNormal(mean, deviation, site, expr.span) if positive else None
            case "exponential", [mean]:
                return exponential(mean, site, expr.span)
            case "geometric", [probability]:
                return self._geometric(operands[0], probability, site, expr.span)
            case "poisson", [mean]:
                return universe.DrawPoisson(mean, most_of_poisson(_largest(mean)), site, expr.span)
            case "chance", [probability]:
                return universe.DrawChance(probability, site, expr.span)
            case _:
                thresholds = self._thresholds(weights)
                found = universe.DrawChoice(tuple(values), site, expr.span, thresholds or None)
                return None if thresholds is None else found

    def _geometric(self, operand: Operand, probability: Expression, site: int, span: Span) -> Expression | None:
        """`geometric(p)`; of what changes `hamletc.checking.ranges` proves that it lies between 0 and 1."""
        if not isinstance(operand, Constant):
            return geometric(Binary("-", Number(1.0, span), probability, span), site, span)
        if not 0.0 < round32(operand.value) < 1.0 or round32(1.0 - operand.value) == 1.0:
            where = Interval(round32(operand.value), round32(operand.value))
            self._at.report.add(messages.draws.NoProbability(operand.span, where))
            return None
        return geometric(Number(round32(1.0 - operand.value), span), site, span)

    def _thresholds(self, weights: Sequence[Constant]) -> tuple[int, ...] | None:
        """The words with which the options begin, but the first: each has its share of the 2**32 words, by whole
        numbers, its ends rounded up. None where all weigh the same; `None` where something is wrong."""
        if (none := next((weight for weight in weights if not weight.value > 0), None)) is not None:
            self._at.report.add(messages.draws.WeightOfZero(none.span))
            return None
        if len({weight.value for weight in weights}) <= 1:
            return ()
        ratios = [weight.value.as_integer_ratio() for weight in weights]
        finest = max(divisor for _, divisor in ratios)
        sums = [0, *accumulate(number * (finest // divisor) for number, divisor in ratios)]
        begins = [-(-WORDS * below // sums[-1]) for below in sums]
        for weight, (begin, end) in zip(weights, pairwise(begins), strict=True):
            if begin == end:
                self._at.report.add(messages.draws.WeightTooSmall(weight.span))
                return None
        return tuple(begins[1:-1])

    def _integer(self, expr: syntax.CallExpr, operands: list[Operand], site: int) -> Expression | None:
        bounds = [self._whole(operand) for operand in operands]
        low, high = bounds
        if low is None or high is None or not self._ascend(operands, expr.span):
            return None
        return universe.DrawInteger(low, high, site, expr.span)

    def _whole(self, operand: Operand) -> int | None:
        """A constant that is a whole number within limits."""
        if not isinstance(operand, Constant):
            self._at.report.add(messages.draws.BoundChanges(operand.span))
        elif operand.value != int(operand.value):
            self._at.report.add(messages.draws.BoundNotWhole(operand.span))
        elif abs(operand.value) > LARGEST_INTEGER:
            self._at.report.add(messages.draws.BoundTooLarge(operand.span))
        else:
            return int(operand.value)
        return None

    def _ascend(self, operands: list[Operand], span: Span) -> bool:
        """Whether the first of two operands is less than the second, as far as that is known."""
        match operands:
            case [Constant(value=low), Constant(value=high)] if not low < high:
                self._at.report.add(messages.draws.NothingRandom(span))
                return False
            case _:
                return True

    def _is_positive(self, deviation: Operand) -> bool:
        if not isinstance(deviation, Constant) or deviation.value > 0:
            return True
        self._at.report.add(messages.draws.NoDeviation(deviation.span))
        return False
