"""Draws: what they take and where they may stand, and the words that weighted options have."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from hamlet import universe
from hamlet.universe import Expression, Span
from hamletc import messages
from hamletc.checking.operations import Constant, Operand, Operations
from hamletc.checking.standpoint import BETWEEN, Standpoint
from hamletc.language import syntax

LARGEST_INTEGER = 1 << 24
"""Up to this size every whole number is a binary32 number."""
WORDS = 1 << 32
"""So many random words there are."""
NO_DRAWS = ("needs", *BETWEEN, "opening", "previous", "history")
"""The scopes without draws."""


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
        if self._at.whose == "neighbour":
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
            case "chance", [probability]:
                return universe.DrawChance(probability, site, expr.span)
            case _:
                thresholds = self._thresholds(weights)
                found = universe.DrawChoice(tuple(values), site, expr.span, thresholds or None)
                return None if thresholds is None else found

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
