"""Draws: random numbers and chances, with what their arguments must be."""

from __future__ import annotations

from hamlet.universe import DrawChance, DrawChoice, DrawInteger, DrawNormal, DrawUniform, Expression, Span
from hamletc.checking.names import Names
from hamletc.checking.operands import Constant, Operand, Operations
from hamletc.checking.quantities import Scope
from hamletc.checking.report import Report
from hamletc.language import syntax

LARGEST_INTEGER = 1 << 24
"""Up to this size every whole number is a binary32 number."""
PLACES = {
    "needs": "`needs` says what can be done, which an agent is told before it acts",
    "mask": "masks are made between ticks",
    "previous": "inside `previous`, where nothing is drawn",
}
"""Why there are no draws there."""


class Draws:
    """Resolves the draws of one declaration."""

    def __init__(self, names: Names, report: Report, operations: Operations, scope: Scope) -> None:
        self._names = names
        self._report = report
        self._operations = operations
        self._scope = scope

    def draw(self, expr: syntax.CallExpr, operands: list[Operand]) -> Expression | None:
        """A draw with the right number of arguments; `None` where something is wrong."""
        function = expr.function.text
        if self._scope != "tick":
            self._report.add(
                "H068",
                f"`{function}` cannot be drawn here",
                expr.span,
                PLACES[self._scope],
                hint="Draw in a statement or a guard, into a meter if it is needed here.",
            )
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
                return DrawUniform(low, high, site, expr.span) if ascending else None
            case "normal", [mean, deviation]:
                positive = self._is_positive(operands[1])
                return DrawNormal(mean, deviation, site, expr.span) if positive else None
            case "chance", [probability]:
                return DrawChance(probability, site, expr.span)
            case _:
                return DrawChoice(tuple(values), site, expr.span)

    def _integer(self, expr: syntax.CallExpr, operands: list[Operand], site: int) -> Expression | None:
        bounds = [self._whole(operand) for operand in operands]
        low, high = bounds
        if low is None or high is None or not self._ascend(operands, expr.span):
            return None
        return DrawInteger(low, high, site, expr.span)

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
