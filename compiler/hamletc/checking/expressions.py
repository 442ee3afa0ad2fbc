"""Expressions: names found, types checked, constants folded.

Every method returns `None` where something was wrong; it has been reported then, and callers say no more about it.
"""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.universe import (
    Age,
    Binary,
    Deficit,
    Distance,
    Expression,
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
from hamletc.checking.intervals import spell
from hamletc.checking.names import FUNCTIONS, Names
from hamletc.checking.operands import Constant, Operand, Operations
from hamletc.checking.report import Report
from hamletc.diagnostics import Label
from hamletc.language import syntax

CONDITIONS = frozenset(["<", "<=", ">", ">=", "==", "!=", "and", "or"])
ARGUMENTS = {
    "abs": ("one argument", "abs(a)"),
    "clamp": ("three arguments", "clamp(x, low, high)"),
    "max": ("two or more arguments", "max(a, b)"),
    "min": ("two or more arguments", "min(a, b)"),
}


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold of the cascade whose body is read; `value` is `None` where it had an error."""

    value: float | None
    span: Span


class Expressions:
    """Resolves the expressions of one declaration. `threshold` is set in the body of a cascade only."""

    def __init__(self, names: Names, report: Report, threshold: Threshold | None = None) -> None:
        self._names = names
        self._report = report
        self._threshold = threshold
        self._operations = Operations(report)

    def number(self, expr: syntax.Expr) -> Expression | None:
        """An expression that must be a number."""
        operand = self._operand(expr)
        return None if operand is None else self._operations.rounded(operand)

    def condition(self, expr: syntax.Expr) -> Expression | None:
        """An expression that must be a condition."""
        return self._condition(self._value(expr), expr)

    def constant(self, expr: syntax.Expr, what: str) -> float | None:
        """An expression that must be constant, rounded to binary32. `what` names it: "the start value"."""
        match self._operand(expr):
            case None:
                return None
            case Constant() as constant:
                number = self._operations.number(constant)
                return number.value if number is not None else None
            case _:
                self._report.add(
                    "H031",
                    f"{what} must be a constant",
                    expr.span,
                    "this can change",
                    hint="Write a number, or arithmetic on numbers.",
                )
                return None

    def sum(self, left: Expression, right: Expression) -> Expression | None:
        """`left + right` of two resolved numbers."""
        a, b = (Constant(part.value, part.span) if isinstance(part, Number) else part for part in (left, right))
        span = Span(left.span.line, left.span.column, right.span.end_line, right.span.end_column)
        total = self._operations.arithmetic("+", a, b, span)
        return None if total is None else self._operations.rounded(total)

    # --- types -------------------------------------------------------------------------------------------------------

    def _operand(self, expr: syntax.Expr) -> Operand | None:
        """An expression that must be a number, its constant not rounded yet."""
        return self._number(self._value(expr), expr)

    def _number(self, value: Operand | None, expr: syntax.Expr) -> Operand | None:
        """The value of `expr`, which must be a number."""
        if value is None or not _is_condition(value):
            return value
        hint = "`1 when CONDITION` is 1 where the condition holds and 0 elsewhere."
        self._report.add("H027", "a number is needed here", expr.span, "this is a condition", hint=hint)
        return None

    def _condition(self, value: Operand | None, expr: syntax.Expr) -> Expression | None:
        """The value of `expr`, which must be a condition."""
        if value is None:
            return None
        if not isinstance(value, Constant) and _is_condition(value):
            return value
        hint = f"Compare it, as in `{expr.text} > 0`." if isinstance(expr, syntax.Name) else "Compare it."
        self._report.add("H027", "a condition is needed here", expr.span, "this is a number", hint=hint)
        return None

    # --- nodes -------------------------------------------------------------------------------------------------------

    def _value(self, expr: syntax.Expr) -> Operand | None:
        match expr:
            case syntax.Numeral():
                return self._operations.numeral(expr.text, expr.span)
            case syntax.Name():
                return self._name(expr)
            case syntax.UnaryExpr(op="not"):
                condition = self.condition(expr.operand)
                return None if condition is None else Unary("not", condition, expr.span)
            case syntax.UnaryExpr():
                operand = self._operand(expr.operand)
                return None if operand is None else self._operations.negation(operand, expr.span)
            case syntax.BinaryExpr():
                return self._binary(expr)
            case syntax.CallExpr():
                return self._call(expr)
            case syntax.IfExpr():
                return self._if(expr)
            case syntax.WhenExpr():
                condition, value = self.condition(expr.condition), self.number(expr.value)
                if condition is None or value is None:
                    return None
                return If(condition, value, Number(0.0, expr.span), expr.span)
            case syntax.DistanceExpr():
                affordance = self._names.find(expr.affordance, "affordance")
                return None if affordance is None else Distance(affordance, expr.span)

    def _binary(self, expr: syntax.BinaryExpr) -> Operand | None:
        match expr.op:
            case "and" | "or":
                p, q = self.condition(expr.left), self.condition(expr.right)
                return None if p is None or q is None else Binary(expr.op, p, q, expr.span)
            case "+" | "-" | "*" | "/":
                a, b = self._operand(expr.left), self._operand(expr.right)
                if a is None or b is None:
                    return None
                return self._operations.arithmetic(expr.op, a, b, expr.span)
            case _ if _is_here(expr.left) or _is_here(expr.right):
                return self._here(expr)
            case _:
                a, b = self._compared(expr.left, expr), self._compared(expr.right, expr)
                if a is None or b is None:
                    return None
                return self._operations.comparison(expr.op, a, b, expr.span)

    def _compared(self, side: syntax.Expr, whole: syntax.BinaryExpr) -> Operand | None:
        """One side of a comparison."""
        value = self._value(side)
        if value is None or not _is_condition(value):
            return value
        self._report.add(
            "H027",
            "a condition cannot be compared",
            side.span,
            "this is a condition",
            secondary=(Label(whole.op_span, "compared here"),),
            hint="Join conditions by `and` and `or`: `a < b and b < c`.",
        )
        return None

    def _if(self, expr: syntax.IfExpr) -> Expression | None:
        """`if c then a else b`: the first branch decides the type of both."""
        condition = self.condition(expr.condition)
        first, second = self._value(expr.then), self._value(expr.otherwise)
        if first is None or second is None:
            return None
        if _is_condition(first):
            a, b = self._condition(first, expr.then), self._condition(second, expr.otherwise)
        else:
            number = self._number(second, expr.otherwise)
            a = self._operations.rounded(first)
            b = None if number is None else self._operations.rounded(number)
        return None if condition is None or a is None or b is None else If(condition, a, b, expr.span)

    def _call(self, expr: syntax.CallExpr) -> Operand | None:
        function = expr.function.text
        values = [self._operand(argument) for argument in expr.arguments]
        if function not in FUNCTIONS:
            self._names.refuse(expr.function, "a function", FUNCTIONS)
            return None
        operands = [value for value in values if value is not None]
        if len(operands) < len(values):
            return None
        match function, operands:
            case "abs", [a]:
                return self._operations.absolute(a, expr.span)
            case "clamp", [x, low, high]:
                return self._operations.clamp(x, low, high, expr.span)
            case "min" | "max" as op, [_, _, *_]:
                return self._operations.extremum(op, operands, expr.span)
            case _:
                self._wrong_arguments(expr.function, expr.span)
                return None

    def _wrong_arguments(self, function: syntax.Name, span: Span) -> None:
        count, example = ARGUMENTS[function.text]
        self._report.add("H030", f"`{function.text}` takes {count}", span, hint=f"Write `{example}`.")

    # --- names -------------------------------------------------------------------------------------------------------

    def _name(self, name: syntax.Name) -> Expression | None:
        match name.text:
            case "age":
                return Age(name.span)
            case "hour":
                if self._names.clock is not None:
                    return Hour(name.span)
                self._report.add(
                    "H036",
                    "`hour` needs a clock",
                    name.span,
                    "this universe has none",
                    hint="Add `clock 24 hours`.",
                )
                return None
            case "deficit" | "shortfall":
                return self._cascade_quantity(name)
            case "here" | "nothing":
                self._misplaced_here(name.span)
                return None
            case _ if name.text in FUNCTIONS:
                self._wrong_arguments(name, name.span)
                return None
        match self._names.kind(name.text):
            case "meter":
                return MeterValue(name.text, name.span)
            case "param":
                return ParamValue(name.text, name.span)
            case kind:
                hint = f"Write `here == {name.text}` or `distance to {name.text}`." if kind == "affordance" else None
                words = ("hour", "age", "here", *(("deficit", "shortfall") if self._threshold else ()))
                self._names.refuse(name, "a number", (*self._names.of_kind("meter", "param"), *words), hint)
                return None

    def _cascade_quantity(self, name: syntax.Name) -> Expression | None:
        if self._threshold is None:
            self._report.add(
                "H029",
                f"`{name.text}` is known in a cascade only",
                name.span,
                "not in a cascade",
                hint="In a rule, write it out, as in `(0.3 - energy) / 0.3`.",
            )
            return None
        if name.text == "shortfall":
            return Shortfall(name.span)
        threshold = self._threshold.value
        if threshold is not None and threshold <= 0:
            self._report.add(
                "H038",
                "`deficit` divides by the threshold, which must be above 0",
                name.span,
                secondary=(Label(self._threshold.span, f"the threshold is {spell(threshold)}"),),
                hint="Use `shortfall`, which is threshold - source.",
            )
            return None
        return Deficit(name.span)

    def _here(self, expr: syntax.BinaryExpr) -> Expression | None:
        """`here == Bed`, `nothing != here`."""
        other = expr.right if _is_here(expr.left) else expr.left
        if expr.op not in ("==", "!=") or not isinstance(other, syntax.Name) or _is_here(other):
            self._misplaced_here(expr.span)
            return None
        if other.text == "nothing":
            here = Here(None, expr.span)
        elif self._names.kind(other.text) == "affordance":
            here = Here(other.text, expr.span)
        else:
            self._names.refuse(other, "an affordance", (*self._names.of_kind("affordance"), "nothing"))
            return None
        return here if expr.op == "==" else Unary("not", here, expr.span)

    def _misplaced_here(self, span: Span) -> None:
        self._report.add(
            "H028",
            "`here` can only be compared with an affordance or `nothing`",
            span,
            "by `==` or `!=`",
            hint="Write `here == NAME`, `here != NAME`, `here == nothing` or `here != nothing`.",
        )


def _is_condition(value: Operand) -> bool:
    match value:
        case Here() | Unary(op="not"):
            return True
        case Binary(op=op):
            return op in CONDITIONS
        case If(then=then):
            return _is_condition(then)
        case _:
            return False


def _is_here(expr: syntax.Expr) -> bool:
    return isinstance(expr, syntax.Name) and expr.text == "here"
