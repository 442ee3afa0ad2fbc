"""Draws: what they take and where they may stand, and the words that weighted options have."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from hamlet import universe
from hamlet.universe import Expression, Span
from hamletc.checking.names import Names
from hamletc.checking.operations import Constant, Operand, Operations
from hamletc.checking.report import Findings
from hamletc.checking.standpoint import NEEDS, Scope, Whose
from hamletc.language import syntax

LARGEST_INTEGER = 1 << 24
"""Up to this size every whole number is a binary32 number."""
WORDS = 1 << 32
"""So many random words there are."""
PLACES = {
    "needs": NEEDS,
    "mask": "masks are made between ticks",
    "opening": "doors open between ticks",
    "previous": "inside `previous`, where nothing is drawn",
    "history": "inside what looks back, where nothing is drawn",
}
"""Why there are no draws there."""


class Draws:
    """Resolves the draws of one declaration."""

    def __init__(
        self, names: Names, report: Findings, operations: Operations, scope: Scope, whose: Whose = "agent"
    ) -> None:
        self._names = names
        self._report = report
        self._operations = operations
        self._scope = scope
        self._whose = whose

    def draw(
        self, expr: syntax.CallExpr, operands: list[Operand], weights: Sequence[Constant] = ()
    ) -> Expression | None:
        """A draw with the right number of arguments, and the weights of all options, if they have some; `None` where
        something is wrong."""
        function = expr.function.text
        if self._whose == "places":
            hint = "Let a rule of the world draw into a meter, and write that."
            where = "places are counted when the tick begins"
            self._report.add("H068", f"`{function}` cannot be drawn here", expr.span, where, hint=hint)
            return None
        if self._whose == "neighbour":
            hint = "Let a rule of cells draw into a meter, and sum that."
            label = "they are read as they are"
            self._report.add("H184", f"`{function}` cannot be asked of other cells", expr.span, label, hint=hint)
            return None
        if self._scope in PLACES:
            hint = "Draw in a statement or a guard, into a meter if it is needed here."
            self._report.add("H068", f"`{function}` cannot be drawn here", expr.span, PLACES[self._scope], hint=hint)
            return None
        site = self._names.sites[expr.span]
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
            hint = "Leave the option out."
            self._report.add("H033", "a weight must be above 0", none.span, "this would never be chosen", hint=hint)
            return None
        if len({weight.value for weight in weights}) <= 1:
            return ()
        ratios = [weight.value.as_integer_ratio() for weight in weights]
        finest = max(divisor for _, divisor in ratios)
        sums = [0, *accumulate(number * (finest // divisor) for number, divisor in ratios)]
        begins = [-(-WORDS * below // sums[-1]) for below in sums]
        for weight, (begin, end) in zip(weights, pairwise(begins), strict=True):
            if begin == end:
                hint = "Leave the option out, or give it at least a part in 2^32 of all weights."
                self._report.add(
                    "H035", "this weight is too small", weight.span, "this would never be chosen", hint=hint
                )
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
        what = "a bound of `integer`"
        if not isinstance(operand, Constant):
            hint = "Write a whole number; `uniform` takes bounds that change."
            self._report.add("H031", f"{what} must be a constant", operand.span, "this is not", hint=hint)
        elif operand.value != int(operand.value):
            self._report.add("H032", f"{what} must be a whole number", operand.span, hint="Write one, as in 6.")
        elif abs(operand.value) > LARGEST_INTEGER:
            hint = "Beyond, binary32 does not have every whole number."
            self._report.add("H033", f"{what} must be -16777216 .. 16777216", operand.span, hint=hint)
        else:
            return int(operand.value)
        return None

    def _ascend(self, operands: list[Operand], span: Span) -> bool:
        """Whether the first of two operands is less than the second, as far as that is known."""
        match operands:
            case [Constant(value=low), Constant(value=high)] if not low < high:
                hint = "Write the lower bound first; where both are the same, nothing is random."
                self._report.add("H040", "the lower bound must be less than the upper one", span, hint=hint)
                return False
            case _:
                return True

    def _is_positive(self, deviation: Operand) -> bool:
        if not isinstance(deviation, Constant) or deviation.value > 0:
            return True
        hint = "Write how far from the mean numbers usually are, as in `normal(0, 0.1)`."
        self._report.add("H033", "a standard deviation must be above 0", deviation.span, hint=hint)
        return False
