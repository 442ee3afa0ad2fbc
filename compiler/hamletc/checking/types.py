"""Numbers and conditions: which of both an expression is, and what to write where it is the other."""

from __future__ import annotations

from dataclasses import replace

from hamlet.universe import Expression
from hamletc.checking.operations import Constant, Operand, is_condition
from hamletc.checking.report import Findings
from hamletc.language import syntax
from hamletc.language.spelling import spell_expression

LONGEST_EXAMPLE = 30
"""The longest expression that a hint repeats."""


def as_number(value: Operand | None, expr: syntax.Expr, report: Findings) -> Operand | None:
    """The value of `expr`, which must be a number."""
    if value is None or not is_condition(value):
        return value
    hint = "`1 when CONDITION` is 1 where the condition holds and 0 elsewhere."
    report.add("H027", "a number is needed here", expr.span, "this is a condition", hint=hint)
    return None


def as_condition(
    value: Operand | None, expr: syntax.Expr, report: Findings, hint: str | None = None
) -> Expression | None:
    """The value of `expr`, which must be a condition; `hint` says what to do where it is not."""
    if value is None:
        return None
    if not isinstance(value, Constant) and is_condition(value):
        return value
    if hint is None:
        hint = f"Compare it, as in `{spell_expression(short(expr))} > 0`."
    report.add("H027", "a condition is needed here", expr.span, "this is a number", hint=hint)
    return None


def in_parentheses(expr: syntax.Expr) -> str | None:
    """What to write for `a when b and c`, whose condition ends before `and`."""
    regrouped = _regrouped(expr)
    if regrouped is None:
        return None
    return f"After `when` stands one comparison; put more in parentheses: `{spell_expression(regrouped)}`."


def _regrouped(expr: syntax.Expr) -> syntax.Expr | None:
    """`a when (b and c)` for `(a when b) and c`, also where something is added before it."""
    if not isinstance(expr, syntax.BinaryExpr):
        return None
    if expr.op in ("and", "or"):
        left = _regrouped(expr.left) if isinstance(expr.left, syntax.BinaryExpr) else expr.left
        return None if left is None else _extended(left, expr)
    return expr if isinstance(_last(expr), syntax.WhenExpr) else None


def _extended(left: syntax.Expr, whole: syntax.BinaryExpr) -> syntax.Expr | None:
    """An expression that ends in `when`, its condition joined with the right side of the whole."""
    match left:
        case syntax.WhenExpr(condition=condition):
            return replace(left, condition=replace(whole, left=condition))
        case syntax.BinaryExpr(op="+" | "-", right=right):
            extended = _extended(right, whole)
            return None if extended is None else replace(left, right=extended)
        case _:
            return None


def _last(expr: syntax.Expr) -> syntax.Expr:
    """The last summand."""
    while isinstance(expr, syntax.BinaryExpr) and expr.op in ("+", "-"):
        expr = expr.right
    return expr


def short(expr: syntax.Expr) -> syntax.Expr:
    """The expression, or a word for one that is too long to be repeated."""
    return expr if len(spell_expression(expr)) <= LONGEST_EXAMPLE else syntax.Name("energy", expr.span)
