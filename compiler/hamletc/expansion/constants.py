"""Numbers that must be known before anything is checked: how many copies there are, how large a grid is."""

from __future__ import annotations

from hamletc.language import syntax


def constant(number: syntax.Signed) -> float | None:
    """The number, when lets are written out; `None` where it is no constant."""
    return float(number.text) if number.value is None else constant_value(number.value)


def constant_value(expression: syntax.Expr) -> float | None:
    """The number that an expression is; `None` where it is no constant."""
    match expression:
        case syntax.Numeral(text=text, unit=""):
            return float(text)
        case syntax.UnaryExpr(op="-", operand=operand):
            value = constant_value(operand)
            return None if value is None else -value
        case syntax.BinaryExpr(op=op, left=left, right=right):
            a, b = constant_value(left), constant_value(right)
            return None if a is None or b is None else _result(op, a, b)
        case _:
            return None


def _result(op: syntax.BinaryOp, a: float, b: float) -> float | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" if b != 0:
            return a / b
        case _:
            return None
