"""Expressions and names of the text language, from parts of a pack.

HAMLET rounds every number of a pack to binary32 before it computes; the text language folds constants in binary64. So
two constants are never left to meet in an expression: they are put together here, in binary32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import chain, count
from math import inf

from hamlet.numbers.binary32 import round32, spell32
from hamlet.universe import Span
from hamlet_townlet.reader.fields import spelled
from hamlet_townlet.reader.limits import LONGEST_NAME
from hamlet_townlet.spanned import Spanned
from hamletc.language import syntax
from hamletc.language.syntax import Expr, Name


def quoted(name: Spanned[str]) -> Name:
    """A name of the pack: always a declaration, whatever it is."""
    return Name(name.value, name.span, quoted=True)


def word(text: str, span: Span) -> Name:
    """A word of the language."""
    return Name(text, span)


def as_binary32(value: float) -> float:
    """The number rounded to binary32; infinite where that has no such number."""
    try:
        return round32(value)
    except OverflowError:
        return inf if value > 0 else -inf


def spell(value: float) -> str:
    """A number of a pack, spelled as a person would and without its sign. What rounds to 0 is 0."""
    return "0" if as_binary32(value) == 0 else spelled(abs(value)) if abs(value) < inf else "1e39"


def signed(value: float, span: Span) -> syntax.Signed:
    """A number where only a constant may stand."""
    text = spell(value)
    return syntax.Signed(f"-{text}" if value < 0 and text != "0" else text, span)


def exact(value: float, span: Span) -> syntax.Signed:
    """A binary32 number where only a constant may stand, in its shortest spelling."""
    return signed(shortest(value), span)


def number(value: float, span: Span) -> Expr:
    """A constant."""
    numeral = syntax.Numeral(spell(value), span)
    return syntax.UnaryExpr("-", numeral, span) if value < 0 and numeral.text != "0" else numeral


def literal(value: Spanned[float]) -> Expr:
    """The constant that a pack gives, at its place."""
    return number(value.value, value.span)


def exactly(value: float, span: Span) -> Expr:
    """The constant that is this number rounded to binary32, in its shortest spelling."""
    return number(shortest(as_binary32(value)), span)


def shortest(rounded: float) -> float:
    """The number of shortest spelling that rounds to this binary32 number."""
    return float(spell32(rounded)) if abs(rounded) < inf else rounded


def constant(expression: Expr) -> float | None:
    """The binary32 value of a constant, `None` of other expressions."""
    match expression:
        case syntax.Numeral(text=text):
            return as_binary32(float(text))
        case syntax.UnaryExpr(op="-", operand=syntax.Numeral(text=text)):
            return -as_binary32(float(text))
        case _:
            return None


def binary(left: Expr, op: syntax.BinaryOp, right: Expr, span: Span) -> Expr:
    """`left op right`."""
    return syntax.BinaryExpr(op, left, right, span, span)


def _folded(op: syntax.BinaryOp, compute: Callable[[float, float], float]) -> Callable[[Expr, Expr, Span], Expr]:
    def build(left: Expr, right: Expr, span: Span) -> Expr:
        first, second = constant(left), constant(right)
        if first is None or second is None:
            return binary(left, op, right, span)
        # The binary64 result of two binary32 numbers rounds to the binary32 result.
        return exactly(compute(first, second), span)

    return build


plus = _folded("+", lambda a, b: a + b)
"""`a + b`, computed in binary32 where both are constants."""
minus = _folded("-", lambda a, b: a - b)
"""`a - b`, computed in binary32 where both are constants."""
times = _folded("*", lambda a, b: a * b)
"""`a * b`, computed in binary32 where both are constants."""


def product(factors: Sequence[Expr], span: Span) -> Expr:
    """The product from left to right; 1 of none."""
    return reduce(lambda a, b: times(a, b, span), factors) if factors else number(1.0, span)


def joined(conditions: Sequence[Expr], op: syntax.BinaryOp, span: Span) -> Expr:
    """Conditions joined by `and` or `or`."""
    return reduce(lambda a, b: binary(a, op, b, span), conditions)


def call(function: str, arguments: Sequence[Expr], span: Span) -> Expr:
    """A call of one of the language's functions; `min` and `max` of a single value are that value."""
    if function in ("min", "max") and len(arguments) == 1:
        return arguments[0]
    return syntax.CallExpr(Name(function, span), tuple(arguments), span)


def when(value: Expr, condition: Expr, span: Span) -> Expr:
    """`value when condition`."""
    return syntax.WhenExpr(value, condition, span)


def fresh_name(base: str, taken: set[str]) -> str:
    """A free name: `name`, or the first of `name_2`, `name_3`, ... that is not taken; it is taken from then on."""
    tries = (f"{base[: LONGEST_NAME - len(str(n)) - 1]}_{n}" for n in count(2))
    name = next(name for name in chain([base], tries) if name not in taken)
    taken.add(name)
    return name
