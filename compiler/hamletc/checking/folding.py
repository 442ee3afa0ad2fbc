"""Arithmetic on constants: binary64, step by step as the tree stands.

The caller rounds the result of a maximal constant subtree once to binary32.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

Arithmetic: TypeAlias = Literal["+", "-", "*", "/"]
Comparison: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]


def arithmetic(op: Arithmetic, left: float, right: float) -> float:
    """`left op right`; infinite where it overflows.

    Raises:
        ZeroDivisionError: the divisor is zero.
    """
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right


def compare(op: Comparison, left: float, right: float) -> bool:
    """Whether the comparison holds."""
    match op:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "==":
            return left == right
        case "!=":
            return left != right


def absolute(value: float) -> float:
    """The value with its sign bit cleared."""
    return math.fabs(value)


def minimum(left: float, right: float) -> float:
    """`left` where it is less than `right`, else `right`."""
    return left if left < right else right


def maximum(left: float, right: float) -> float:
    """`left` where `right` is less than it, else `right`."""
    return left if right < left else right


def clamp(value: float, low: float, high: float) -> float:
    """`low` where the value is less; of that, `high` where it is less than that."""
    raised = low if value < low else value
    return high if high < raised else raised
