"""Expressions: names found, types checked, constants folded.

Every method returns `None` where something was wrong; it has been reported then, and callers say no more about it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from hamlet.binary32 import canonical32
from hamlet.universe import (
    Age,
    Binary,
    BinaryOp,
    Clamp,
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
from hamletc.checking import folding
from hamletc.checking.intervals import spell
from hamletc.checking.names import FUNCTIONS, Names
from hamletc.checking.report import Report
from hamletc.diagnostics import Label
from hamletc.language import syntax

ARGUMENTS = {
    "abs": ("one argument", "abs(a)"),
    "clamp": ("three arguments", "clamp(x, low, high)"),
    "max": ("two or more arguments", "max(a, b)"),
    "min": ("two or more arguments", "min(a, b)"),
}


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant subtree, folded so far in binary64 and not rounded yet."""

    value: float
    span: Span


@dataclass(frozen=True, slots=True)
class Tree:
    """An expression that is not constant, and its type."""

    type: Literal["number", "condition"]
    expression: Expression


Value: TypeAlias = Constant | Tree


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

    def number(self, expr: syntax.Expr) -> Expression | None:
        """An expression that must be a number."""
        return self._number(self._value(expr), expr)

    def condition(self, expr: syntax.Expr) -> Expression | None:
        """An expression that must be a condition."""
        value = self._value(expr)
        match value:
            case None:
                return None
            case Tree("condition", expression):
                return expression
            case _:
                hint = f"Compare it, as in `{expr.text} > 0`." if isinstance(expr, syntax.Name) else "Compare it."
                self._report.add("H027", "a condition is needed here", expr.span, "this is a number", hint=hint)
                return None

    def constant(self, expr: syntax.Expr, what: str) -> float | None:
        """An expression that must be constant, rounded to binary32. `what` names it: "the start value"."""
        value = self._operand(expr)
        match value:
            case None:
                return None
            case Constant():
                number = self.rounded(value)
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

    def rounded(self, constant: Constant) -> Number | None:
        """A maximal constant subtree as a binary32 number."""
        try:
            value = canonical32(constant.value)
        except OverflowError:
            self._overflow(constant.span)
            return None
        if value == 0.0 and constant.value != 0.0:
            self._report.add(
                "H035",
                "this number is too small: it would become 0",
                constant.span,
                "less than half of 1.4e-45",
                hint="Write 0, or a number that binary32 can hold.",
            )
            return None
        return Number(value, constant.span)

    def sum(self, left: Expression, right: Expression) -> Expression | None:
        """`left + right` of two resolved numbers, folded where both are constant."""
        span = Span(left.span.line, left.span.column, right.span.end_line, right.span.end_column)
        if isinstance(left, Number) and isinstance(right, Number):
            return self.rounded(Constant(left.value + right.value, span))
        return Binary("+", left, right, span)

    # --- one node ----------------------------------------------------------------------------------------------------

    def _value(self, expr: syntax.Expr) -> Value | None:
        match expr:
            case syntax.Numeral():
                return self._finite(float(expr.text), expr.span)
            case syntax.Name():
                return self._name(expr)
            case syntax.UnaryExpr(op="not"):
                condition = self.condition(expr.operand)
                return None if condition is None else Tree("condition", Unary("not", condition, expr.span))
            case syntax.UnaryExpr():
                return self._negation(expr)
            case syntax.BinaryExpr(op="and" | "or"):
                left, right = self.condition(expr.left), self.condition(expr.right)
                if left is None or right is None:
                    return None
                return Tree("condition", Binary(expr.op, left, right, expr.span))
            case syntax.BinaryExpr(op="+" | "-" | "*" | "/"):
                return self._arithmetic(expr, cast(folding.Arithmetic, expr.op))
            case syntax.BinaryExpr():
                if _is_here(expr.left) or _is_here(expr.right):
                    return self._here(expr)
                return self._comparison(expr, cast(folding.Comparison, expr.op))
            case syntax.CallExpr():
                return self._call(expr)
            case syntax.IfExpr():
                return self._choice(expr.condition, expr.then, expr.otherwise, expr.span)
            case syntax.WhenExpr():
                return self._choice(expr.condition, expr.value, None, expr.span)
            case syntax.DistanceExpr():
                affordance = self._names.find(expr.affordance, "affordance")
                return None if affordance is None else Tree("number", Distance(affordance, expr.span))

    def _number(self, value: Value | None, expr: syntax.Expr) -> Expression | None:
        """The value of `expr`, which must be a number."""
        operand = self._unrounded(value, expr)
        return None if operand is None else self._rounded(operand)

    def _operand(self, expr: syntax.Expr) -> Constant | Expression | None:
        """An expression that must be a number, its constant not rounded yet."""
        return self._unrounded(self._value(expr), expr)

    def _unrounded(self, value: Value | None, expr: syntax.Expr) -> Constant | Expression | None:
        match value:
            case None:
                return None
            case Constant() as constant:
                return constant
            case Tree("number", expression):
                return expression
            case Tree():
                self._report.add(
                    "H027",
                    "a number is needed here",
                    expr.span,
                    "this is a condition",
                    hint="`1 when CONDITION` is 1 where the condition holds and 0 elsewhere.",
                )
                return None

    def _rounded(self, operand: Constant | Expression) -> Expression | None:
        return self.rounded(operand) if isinstance(operand, Constant) else operand

    def _finite(self, value: float, span: Span) -> Constant | None:
        if math.isinf(value):
            self._overflow(span)
            return None
        return Constant(value, span)

    def _overflow(self, span: Span) -> None:
        self._report.add(
            "H034",
            "this number is too large",
            span,
            "more than 3.4028235e38",
            hint="Numbers are binary32; write one that fits.",
        )

    # --- names -------------------------------------------------------------------------------------------------------

    def _name(self, name: syntax.Name) -> Value | None:
        match name.text:
            case "age":
                return Tree("number", Age(name.span))
            case "hour":
                if self._names.clock is not None:
                    return Tree("number", Hour(name.span))
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
                return Tree("number", MeterValue(name.text, name.span))
            case "param":
                return Tree("number", ParamValue(name.text, name.span))
            case kind:
                hint = f"Write `here == {name.text}` or `distance to {name.text}`." if kind == "affordance" else None
                words = ("hour", "age", "here", *(("deficit", "shortfall") if self._threshold else ()))
                self._names.refuse(name, "a number", (*self._names.of_kind("meter", "param"), *words), hint)
                return None

    def _cascade_quantity(self, name: syntax.Name) -> Value | None:
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
            return Tree("number", Shortfall(name.span))
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
        return Tree("number", Deficit(name.span))

    def _here(self, expr: syntax.BinaryExpr) -> Value | None:
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
        return Tree("condition", here if expr.op == "==" else Unary("not", here, expr.span))

    def _misplaced_here(self, span: Span) -> None:
        self._report.add(
            "H028",
            "`here` can only be compared with an affordance or `nothing`",
            span,
            "by `==` or `!=`",
            hint="Write `here == NAME`, `here != NAME`, `here == nothing` or `here != nothing`.",
        )

    # --- operations --------------------------------------------------------------------------------------------------

    def _negation(self, expr: syntax.UnaryExpr) -> Value | None:
        match self._operand(expr.operand):
            case None:
                return None
            case Constant(value):
                return Constant(-value, expr.span)
            case operand:
                return Tree("number", Unary("-", operand, expr.span))

    def _arithmetic(self, expr: syntax.BinaryExpr, op: folding.Arithmetic) -> Value | None:
        left, right = self._operand(expr.left), self._operand(expr.right)
        if left is None or right is None:
            return None
        if isinstance(left, Constant) and isinstance(right, Constant):
            try:
                return self._finite(folding.arithmetic(op, left.value, right.value), expr.span)
            except ZeroDivisionError:
                self._report.add("H050", "division by zero", right.span, "this is 0")
                return None
        return self._binary(expr.op, "number", left, right, expr.span)

    def _comparison(self, expr: syntax.BinaryExpr, op: folding.Comparison) -> Value | None:
        left, right = self._compared(expr.left, expr), self._compared(expr.right, expr)
        if left is None or right is None:
            return None
        if isinstance(left, Constant) and isinstance(right, Constant):
            holds = folding.compare(op, left.value, right.value)
            self._report.add(
                "H062",
                f"this comparison is {'always' if holds else 'never'} true",
                expr.span,
                "both sides are constant",
                hint="Compare something that changes, or leave the condition out.",
            )
            return None
        return self._binary(expr.op, "condition", left, right, expr.span)

    def _compared(self, side: syntax.Expr, whole: syntax.BinaryExpr) -> Constant | Expression | None:
        """One side of a comparison."""
        match self._value(side):
            case Tree("condition"):
                self._report.add(
                    "H027",
                    "a condition cannot be compared",
                    side.span,
                    "this is a condition",
                    secondary=(Label(whole.op_span, "compared here"),),
                    hint="Join conditions by `and` and `or`: `a < b and b < c`.",
                )
                return None
            case Tree("number", expression):
                return expression
            case constant:
                return cast(Constant | None, constant)

    def _binary(
        self,
        op: BinaryOp,
        kind: Literal["number", "condition"],
        left: Constant | Expression,
        right: Constant | Expression,
        span: Span,
    ) -> Value | None:
        a, b = self._rounded(left), self._rounded(right)
        return None if a is None or b is None else Tree(kind, Binary(op, a, b, span))

    def _call(self, expr: syntax.CallExpr) -> Value | None:
        function = expr.function.text
        operands = [self._operand(argument) for argument in expr.arguments]
        match function, operands:
            case _, _ if function not in FUNCTIONS:
                self._names.refuse(expr.function, "a function", FUNCTIONS)
                return None
            case ("abs", [operand]):
                return self._absolute(operand, expr.span)
            case ("clamp", [operand, low, high]):
                return self._clamp(operand, low, high, expr)
            case ("min" | "max" as op, [first, second, *rest]):
                return self._extremum(op, [first, second, *rest], expr.span)
            case _:
                self._wrong_arguments(expr.function, expr.span)
                return None

    def _wrong_arguments(self, function: syntax.Name, span: Span) -> None:
        count, example = ARGUMENTS[function.text]
        self._report.add("H030", f"`{function.text}` takes {count}", span, hint=f"Write `{example}`.")

    def _absolute(self, operand: Constant | Expression | None, span: Span) -> Value | None:
        match operand:
            case None:
                return None
            case Constant(value):
                return Constant(folding.absolute(value), span)
            case _:
                return Tree("number", Unary("abs", operand, span))

    def _extremum(
        self, op: Literal["min", "max"], operands: list[Constant | Expression | None], span: Span
    ) -> Value | None:
        fold = folding.minimum if op == "min" else folding.maximum
        result, *rest = operands
        for operand in rest:
            if result is None or operand is None:
                return None
            if isinstance(result, Constant) and isinstance(operand, Constant):
                result = Constant(fold(result.value, operand.value), span)
                continue
            left, right = self._rounded(result), self._rounded(operand)
            result = None if left is None or right is None else Binary(op, left, right, span)
        match result:
            case None | Constant():
                return result
            case _:
                return Tree("number", result)

    def _clamp(
        self,
        operand: Constant | Expression | None,
        low: Constant | Expression | None,
        high: Constant | Expression | None,
        expr: syntax.CallExpr,
    ) -> Value | None:
        if isinstance(low, Constant) and isinstance(high, Constant) and not low.value < high.value:
            self._report.add(
                "H040",
                "the lower bound of `clamp` must be less than the upper one",
                Span(low.span.line, low.span.column, high.span.end_line, high.span.end_column),
                hint="Write `clamp(x, low, high)` with low < high.",
            )
            return None
        if operand is None or low is None or high is None:
            return None
        if isinstance(operand, Constant) and isinstance(low, Constant) and isinstance(high, Constant):
            return Constant(folding.clamp(operand.value, low.value, high.value), expr.span)
        x, bottom, top = self._rounded(operand), self._rounded(low), self._rounded(high)
        if x is None or bottom is None or top is None:
            return None
        return Tree("number", Clamp(x, bottom, top, expr.span))

    def _choice(
        self, condition: syntax.Expr, then: syntax.Expr, otherwise: syntax.Expr | None, span: Span
    ) -> Value | None:
        """`if condition then a else b`, or `a when condition` where `otherwise` is `None`."""
        test, first = self.condition(condition), self._value(then)
        if isinstance(first, Tree) and first.type == "condition" and otherwise is not None:
            a: Expression | None = first.expression
            b = self.condition(otherwise)
            kind: Literal["number", "condition"] = "condition"
        else:
            a = self._number(first, then)
            b = Number(0.0, span) if otherwise is None else self.number(otherwise)
            kind = "number"
        if test is None or a is None or b is None:
            return None
        return Tree(kind, If(test, a, b, span))


def _is_here(expr: syntax.Expr) -> bool:
    return isinstance(expr, syntax.Name) and expr.text == "here"
