"""Operations on operands: those on constants fold, others make a node.

A constant is folded in binary64 as far as its tree goes and is rounded once, when it becomes part of something that is
not constant. Every method returns `None` where something was wrong and has been reported.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias, cast

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import canonical32
from hamlet.universe import Binary, BinaryOp, Clamp, Expression, Number, Span, Truth, Unary
from hamlet.universe.functions import FUNCTIONS, Function, FunctionOfOne, FunctionOfTwo
from hamletc import messages
from hamletc.checking.report import Findings, between
from hamletc.intervals import Comparison
from hamletc.language import syntax
from hamletc.language.words import CALLS

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
        case (
            universe.On()
            | universe.Wall()
            | universe.Every()
            | universe.After()
            | universe.DrawChance()
            | universe.Unary(op="not")
        ):
            return True
        case universe.LocalValue(holds=holds):
            return holds
        case universe.Binary(op=op):
            return op in CONDITIONS
        case universe.If(then=operand) | universe.Previous(operand=operand) | universe.Own(operand=operand):
            return is_condition(operand)
        case universe.At(operand=operand):
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
            self._report.add(messages.expressions.ConstantTooSmall(constant.span))
            return None
        return Number(value, constant.span)

    def negation(self, operand: Operand, span: Span) -> Operand:
        """`-a`."""
        return Constant(-operand.value, span) if isinstance(operand, Constant) else Unary("-", operand, span)

    def call(self, name: str, operands: Sequence[Operand], span: Span) -> Operand | None:
        """A function of numbers, of as many as it takes."""
        function = FUNCTIONS[name]
        if function.repeats and len(operands) > 2:
            result: Operand | None
            result, *others = operands
            for operand in others:
                result = None if result is None else self.call(name, (result, operand), span)
            return result
        if name == "clamp" and not self._ascend(operands[1:]):
            return None
        constants = [operand for operand in operands if isinstance(operand, Constant)]
        if function.folds and len(constants) == len(operands):
            return self._folded(function, constants, span)
        values = [value for operand in operands if (value := self.rounded(operand)) is not None]
        if len(values) < len(operands):
            return None
        match values:
            case [a]:
                return Unary(cast(FunctionOfOne, name), a, span)
            case [a, b]:
                return Binary(cast(FunctionOfTwo, name), a, b, span)
            case [x, low, high]:
                return Clamp(x, low, high, span)
            case _:
                raise TypeError(f"{name} of {len(values)} numbers")

    def _folded(self, function: Function, operands: Sequence[Constant], span: Span) -> Constant | None:
        domain = function.domain
        if domain is not None and not domain.holds((number := operands[domain.argument]).value, number.value):
            self._report.add(messages.expressions.ConstantOutsideFunction(number.span, domain.problem, number.value))
            return None
        return Constant(float(function.exact(*[operand.value for operand in operands])), span)

    def _ascend(self, bounds: Sequence[Operand]) -> bool:
        low, high = bounds
        if not isinstance(low, Constant) or not isinstance(high, Constant) or low.value < high.value:
            return True
        self._report.add(messages.expressions.BoundsOfClamp(between(low.span, high.span)))
        return False

    def arithmetic(self, op: Arithmetic, left: Operand, right: Operand, span: Span) -> Operand | None:
        """`a + b`, `a - b`, `a * b`, `a / b`."""
        if not isinstance(left, Constant) or not isinstance(right, Constant):
            return self.binary(op, left, right, span)
        try:
            return self._finite(ARITHMETIC[op](left.value, right.value), span)
        except ZeroDivisionError:
            self._report.add(messages.expressions.DivisionByZero(right.span))
            return None

    def comparison(self, op: Comparison, left: Operand, right: Operand, span: Span) -> Expression | None:
        """A condition, which should not be constant."""
        if not isinstance(left, Constant) or not isinstance(right, Constant):
            return self.binary(op, left, right, span)
        holds = COMPARISONS[op](left.value, right.value)
        self._report.add(messages.expressions.ConstantComparison(span, holds))
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
        self._report.add(messages.expressions.ConstantTooLarge(span))


def wrong_arguments(function: syntax.Name, span: Span, report: Findings, arguments: int) -> None:
    """Report a call with too few arguments, or too many; `arguments` is how many."""
    called = CALLS[function.text]
    takes, several = str(called), arguments > 1
    report.add(messages.expressions.WrongArguments(span, function.text, takes, called.example, function.span, several))
