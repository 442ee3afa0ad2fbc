"""What looks back: at the beginning of the tick, or at earlier ticks."""

from __future__ import annotations

from hamlet import universe
from hamlet.universe import Expression, parts
from hamletc import messages
from hamletc.checking.history import LONGEST, MOST_SINCE, Look
from hamletc.checking.operations import Operand, Operations, wrong_arguments
from hamletc.checking.standpoint import BETWEEN, Resolver, Scope, Standpoint
from hamletc.checking.states import Options
from hamletc.checking.types import as_condition, as_number
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression
from hamletc.language.words import CALLS

LOOKS_BACK = ("tick", "ending", "acting", "needs", *BETWEEN)


class Past:
    """Resolves what looks back in the expressions of one declaration."""

    def __init__(self, at: Standpoint, resolver: Resolver, options: Options) -> None:
        self._at = at
        self._resolver = resolver
        self._options = options
        self._operations = Operations(at.report)

    def previous(self, expr: syntax.CallExpr) -> Expression | None:
        """`previous(e)`, of a number or a condition."""
        if self._at.scope not in ("tick", "ending", "acting", "needs"):
            self._at.unseen("`previous`", expr.span)
            return None
        if self._at.of_others:
            self._at.not_beside("`previous`", expr.span)
            return None
        if len(expr.arguments) != 1:
            wrong_arguments(expr.function, expr.span, self._at.report, len(expr.arguments))
            return None
        value = self._inside(expr.arguments[0], "previous")
        operand = None if value is None else self._operations.rounded(value)
        return None if operand is None else universe.Previous(operand, expr.span)

    def _inside(self, expr: syntax.Expr, scope: Scope) -> Operand | None:
        """What is looked at of the past: a number, a condition, or the number of an option."""
        inner = self._resolver.inside(scope, self._at.whose)
        has_options = isinstance(expr, syntax.Name | syntax.AtExpr) and self._options.of(expr) is not None
        return inner.held(expr) if has_options else inner.value(expr)

    def look_back(self, expr: syntax.CallExpr) -> Expression | None:
        """`lag(x, 3)`, `rising(c)`, `falling(c)`, `since(c)`, `since(c, 20)`, `smooth(x, 0.1)`, `mean(x, 8)`."""
        function, scope = expr.function.text, self._at.scope
        if scope not in LOOKS_BACK or self._at.whose == "places" or self._at.names.history is None:
            self._at.report.add(messages.past.NoPastInScope(expr.span, function, scope))
            return None
        if not CALLS[function].takes(len(expr.arguments)):
            wrong_arguments(expr.function, expr.span, self._at.report, len(expr.arguments))
            return None
        looked, *rest = expr.arguments
        found = self._inside(looked, "history")
        number = None if not rest else self._how_far(function, rest[0])
        if found is None or (rest and number is None):
            return None
        if function in ("rising", "falling", "since"):
            value = as_condition(found, looked, self._at.report, inside=function)
        elif function == "lag":
            value = self._operations.rounded(found)
        else:
            counted = as_number(found, looked, self._at.report)
            value = None if counted is None else self._operations.rounded(counted)
        if value is None or not self._can_be_looked_at(value):
            return None
        spec, history = self._options.of(looked), self._at.names.history
        look = Look(
            owner="world" if self._at.whose == "world" else "agent",
            value=value,
            text=spell_expression(looked),
            construct=spell_expression(expr),
            span=expr.span,
            masked=scope in BETWEEN,
            chosen=scope in ("tick", "ending", "acting"),
            used=scope in ("tick", "ending"),
        )
        history.spans.add(expr.span)
        match function:
            case "lag":
                options = () if spec is None else tuple(option.text for option in spec.options)
                return history.lag(look, int(number or 1), options)
            case "rising" | "falling":
                return history.edge(look, rises=function == "rising")
            case "since":
                return history.since(look, None if number is None else int(number))
            case "smooth":
                return history.smooth(look, number or 0.0)
            case _:
                return history.mean(look, int(number or 2))

    def _how_far(self, function: str, expr: syntax.Expr) -> float | None:
        """The second argument of what looks back: a number of ticks, or the share of `smooth`."""
        smooth = function == "smooth"
        what = "the share of `smooth`" if smooth else f"the number of ticks of `{function}`"
        number = self._resolver.constant(expr, what)
        if number is None:
            return None
        least, most = {"smooth": (0, 1), "mean": (2, LONGEST), "lag": (1, LONGEST)}.get(function, (1, MOST_SINCE))
        good = 0 < number < 1 if smooth else number.is_integer() and least <= number <= most
        if not good:
            self._at.report.add(messages.past.HowFarBack(expr.span, function, least, most))
            return None
        return number

    def _can_be_looked_at(self, value: Expression) -> bool:
        """Whether an expression changes, and can be looked at where it stands."""
        if isinstance(value, universe.Number):
            self._at.report.add(messages.past.PastOfNumber(value.span))
            return False
        read = [node for node, _ in parts(value) if isinstance(node, universe.InputValue)]
        if read and self._at.scope in BETWEEN:
            self._at.unseen(f"the input `{read[0].input}`", read[0].span)
            return False
        return True
