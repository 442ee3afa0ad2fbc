"""Numbers and conditions: which of both an expression is, and what to write where it is the other."""

from __future__ import annotations

from hamlet.universe import Expression
from hamletc import messages
from hamletc.checking.operations import Constant, Operand, is_condition
from hamletc.checking.report import Findings
from hamletc.language import syntax


def as_number(value: Operand | None, expr: syntax.Expr, report: Findings) -> Operand | None:
    """The value of `expr`, which must be a number."""
    if value is None or not is_condition(value):
        return value
    report.add(messages.expressions.NumberNeeded(expr.span))
    return None


def as_condition(
    value: Operand | None,
    expr: syntax.Expr,
    report: Findings,
    whole: syntax.Expr | None = None,
    inside: str | None = None,
) -> Expression | None:
    """The value of `expr`, which must be a condition; `whole` is the expression in which it is a side of `and` or
    `or`, `inside` the function that asks for one."""
    if value is None:
        return None
    if not isinstance(value, Constant) and is_condition(value):
        return value
    report.add(messages.expressions.ConditionNeeded(expr.span, expr, whole, inside))
    return None
