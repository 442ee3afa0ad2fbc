"""Operations on operands: those on constants fold, others make a node.

A constant is folded in binary64 as far as its tree goes and is rounded once, when it becomes part of something that is
not constant. Every method returns `None` where something was wrong and has been reported.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet import universe
from hamlet.numbers.binary32 import canonical32
from hamlet.universe import Binary, BinaryOp, Clamp, Expression, Number, Span, Truth, Unary, UnaryOp
from hamletc.checking.report import Findings, between
from hamletc.intervals import Comparison
from hamletc.language import syntax

Arithmetic: TypeAlias = Literal["+", "-", "*", "/"]
ARITHMETIC: Mapping[Arithmetic, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
COMPARISONS: Mapping[Comparison, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
ARGUMENTS = {
    "chance": ("one argument", "chance(0.1)"),
    "choice": ("two or more arguments", "choice(a, b)"),
    "clamp": ("three arguments", "clamp(x, low, high)"),
    "falling": ("one argument", "falling(energy < 0.2)"),
    "integer": ("two arguments", "integer(1, 6)"),
    "lag": ("two arguments", "lag(x, 3)"),
    "max": ("two or more arguments", "max(a, b)"),
    "mean": ("two arguments: what changes, and of how many ticks", "mean(x, 8)"),
    "min": ("two or more arguments", "min(a, b)"),
    "mod": ("two arguments", "mod(a, 24)"),
    "nearest": ("one to three arguments", "nearest(condition, x)"),
    "normal": ("two arguments", "normal(mean, deviation)"),
    "pow": ("two arguments", "pow(a, b)"),
    "rank": ("two arguments", "rank(condition, x)"),
    "rising": ("one argument", "rising(energy < 0.2)"),
    "since": ("one or two arguments", "since(energy < 0.2)"),
    "smooth": ("two arguments", "smooth(x, 0.1)"),
    "uniform": ("two arguments", "uniform(low, high)"),
}
"""How functions are called: what they take, and an example."""
Rounding: TypeAlias = Literal["floor", "ceil", "round"]
ROUNDINGS: Mapping[Rounding, Callable[[float], int]] = {"floor": math.floor, "ceil": math.ceil, "round": round}


def minimum(left: float, right: float) -> float:
    """`left` where it is less than `right`, else `right`; of two zeros the right one."""
    return left if left < right else right


def maximum(left: float, right: float) -> float:
    """`left` where `right` is less than it, else `right`; of two zeros the right one."""
    return left if right < left else right


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant subtree, not rounded yet."""

    value: float
    span: Span


Operand: TypeAlias = Constant | Expression


CONDITIONS = frozenset(["<", "<=", ">", ">=", "==", "!=", "and", "or"])
"""The operations on two operands that are conditions."""


def is_condition(value: Operand) -> bool:
    """Whether a value is a condition, and no number."""
    match value:
        case universe.Truth() | universe.Here() | universe.LastUse() | universe.ActionTaken() | universe.Used():
            return True
        case universe.On() | universe.Every() | universe.After() | universe.DrawChance() | universe.Unary(op="not"):
            return True
        case universe.Binary(op=op):
            return op in CONDITIONS
        case universe.If(then=operand) | universe.Previous(operand=operand) | universe.Own(operand=operand):
            return is_condition(operand)
        case _:
            return False


class Operations:
    """The operations on numbers."""

    def __init__(self, report: Findings) -> None:
        self._report = report

    def numeral(self, text: str, span: Span) -> Constant | None:
        """A number as it is written."""
        return self._finite(float(text), span)

    def rounded(self, operand: Operand) -> Expression | None:
        """The operand as a part of an expression: a constant is rounded to binary32."""
        return self.number(operand) if isinstance(operand, Constant) else operand

    def number(self, constant: Constant) -> Number | None:
        """A maximal constant subtree, rounded to binary32."""
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

    def negation(self, operand: Operand, span: Span) -> Operand:
        """`-a`."""
        return Constant(-operand.value, span) if isinstance(operand, Constant) else Unary("-", operand, span)

    def absolute(self, operand: Operand, span: Span) -> Operand:
        """`abs(a)`."""
        return Constant(abs(operand.value), span) if isinstance(operand, Constant) else Unary("abs", operand, span)

    def whole(self, op: Rounding, operand: Operand, span: Span) -> Operand:
        """`floor(a)`, `ceil(a)`, `round(a)`."""
        if isinstance(operand, Constant):
            return Constant(float(ROUNDINGS[op](operand.value)), span)
        return Unary(op, operand, span)

    def modulo(self, left: Operand, right: Operand, span: Span) -> Operand | None:
        """`mod(a, b)`."""
        if not isinstance(left, Constant) or not isinstance(right, Constant):
            return self.binary("mod", left, right, span)
        if not right.value > 0:
            hint = "Divide by a number above 0."
            self._report.add("H054", "`mod` needs a divisor above 0", right.span, f"this is {right.value}", hint=hint)
            return None
        rest = math.fmod(left.value, right.value)
        rest = rest + right.value if rest < 0 else rest
        return Constant(rest if rest < right.value else 0.0, span)

    def root(self, operand: Operand, span: Span) -> Operand | None:
        """`sqrt(a)`."""
        if not isinstance(operand, Constant):
            return Unary("sqrt", operand, span)
        if operand.value < 0:
            hint = "Write a number that is 0 or more."
            self._report.add("H054", "the square root needs 0 or more", operand.span, "this is less than 0", hint=hint)
            return None
        return Constant(math.sqrt(operand.value), span)

    def function(self, op: UnaryOp, operand: Operand, span: Span) -> Expression | None:
        """An elementary function. It is never folded, so that a constant gives the bits that a variable would."""
        a = self.rounded(operand)
        return None if a is None else Unary(op, a, span)

    def arithmetic(self, op: Arithmetic, left: Operand, right: Operand, span: Span) -> Operand | None:
        """`a + b`, `a - b`, `a * b`, `a / b`."""
        if not isinstance(left, Constant) or not isinstance(right, Constant):
            return self.binary(op, left, right, span)
        try:
            return self._finite(ARITHMETIC[op](left.value, right.value), span)
        except ZeroDivisionError:
            hint = "Divide by a number that is not 0."
            self._report.add("H050", "division by zero", right.span, "this is 0", hint=hint)
            return None

    def extremum(self, op: Literal["min", "max"], operands: list[Operand], span: Span) -> Operand | None:
        """`min(a, b, ...)`, `max(a, b, ...)`: two by two, from the left."""
        fold = minimum if op == "min" else maximum
        result: Operand | None
        result, *rest = operands
        for operand in rest:
            if isinstance(result, Constant) and isinstance(operand, Constant):
                result = Constant(fold(result.value, operand.value), span)
            elif result is not None:
                result = self.binary(op, result, operand, span)
        return result

    def clamp(self, operand: Operand, low: Operand, high: Operand, span: Span) -> Operand | None:
        """`clamp(x, low, high)`."""
        if isinstance(low, Constant) and isinstance(high, Constant):
            if not low.value < high.value:
                self._report.add(
                    "H040",
                    "the lower bound of `clamp` must be less than the upper one",
                    between(low.span, high.span),
                    hint="Write `clamp(x, low, high)` with low < high.",
                )
                return None
            if isinstance(operand, Constant):
                return Constant(minimum(high.value, maximum(low.value, operand.value)), span)
        x, bottom, top = self.rounded(operand), self.rounded(low), self.rounded(high)
        return None if x is None or bottom is None or top is None else Clamp(x, bottom, top, span)

    def comparison(self, op: Comparison, left: Operand, right: Operand, span: Span) -> Expression | None:
        """A condition, which should not be constant."""
        if not isinstance(left, Constant) or not isinstance(right, Constant):
            return self.binary(op, left, right, span)
        holds = COMPARISONS[op](left.value, right.value)
        self._report.add(
            "H062",
            f"this comparison is {'always' if holds else 'never'} true",
            span,
            "both sides are constant",
            hint="Compare something that changes, or leave the condition out.",
        )
        return Truth(holds, span)

    def binary(self, op: BinaryOp, left: Operand, right: Operand, span: Span) -> Expression | None:
        """An operation that makes a node, whatever its operands are."""
        a, b = self.rounded(left), self.rounded(right)
        return None if a is None or b is None else Binary(op, a, b, span)

    def _finite(self, value: float, span: Span) -> Constant | None:
        if math.isinf(value):
            self._overflow(span)
            return None
        return Constant(value, span)

    def _overflow(self, span: Span) -> None:
        hint = "Numbers are binary32; write one that fits."
        self._report.add("H034", "this number is too large", span, "more than 3.4028235e38", hint=hint)


def wrong_arguments(function: syntax.Name, span: Span, report: Findings) -> None:
    """Report a function that is given too few arguments, or too many."""
    count, example = ARGUMENTS.get(function.text, ("one argument", f"{function.text}(a)"))
    report.add("H030", f"`{function.text}` takes {count}", span, hint=f"Write `{example}`.")
