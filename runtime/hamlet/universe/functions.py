"""Functions of expressions, a row each: how one is called, and what a checker has to know of it.

What a function means in binary32 stands in `hamlet.interpreter.functions`, and in `hamletc.lowering.functions` once
more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass

FunctionOfOne: TypeAlias = Literal[
    "abs", "ceil", "cos", "exp", "exp2", "floor", "log", "log2", "round", "sigmoid", "sin", "sqrt", "tanh"
]  # fmt: skip
FunctionOfTwo: TypeAlias = Literal["atan2", "max", "min", "mod", "pow"]

ABOVE_ZERO = math.ulp(0.0)
"""The smallest number above zero."""
FARTHEST_ANGLE = 2.0**20
"""The largest angle whose sine and cosine are defined."""


@dataclass(frozen=True, slots=True)
class Domain:
    """The numbers that one argument must be proven to be in, both ends included."""

    low: float
    high: float
    problem: str
    """The error's message where it may be another number."""
    argument: int = 0

    def holds(self, low: float, high: float) -> bool:
        """Whether all numbers of an interval are in it."""
        return self.low <= low and high <= self.high


@dataclass(frozen=True, slots=True)
class Function:
    """A function of one, two or three numbers.

    Attributes:
        form: how it is called; `...`: with two or more numbers, taken two by two from the left.
        value: what it gives, for docs/language.md.
        exact: its value in binary64.
        arguments: what it takes, for docs/language.md.
        folds: of constants it is a constant; else a constant gives the bits that a variable would.
        whole: whether the value is a whole number: always, or where all arguments are.
        course: how it changes. `rising`: it grows with each argument. `even`: it grows with the size of its argument.
            `bounded`: anything within `bounds`. `own`: as `hamletc.checking.ranges` says of it by name.
        rounded: the value in binary32 is the exact one, rounded; else it is near it (docs/functions.md).
        bounds: what its values never leave.
        most: the largest round argument with a finite value.
    """

    form: str
    value: str
    exact: Callable[..., float]
    arguments: str = "any"
    folds: bool = False
    whole: Literal["always", "of whole numbers", "never"] = "never"
    course: Literal["rising", "even", "bounded", "own"] = "rising"
    rounded: bool = False
    bounds: tuple[float, float] = (-math.inf, math.inf)
    domain: Domain | None = None
    most: int | None = None

    @property
    def repeats(self) -> bool:
        """Whether it takes two or more numbers."""
        return "..." in self.form


def _remainder(a: float, b: float) -> float:
    rest = math.fmod(a, b)
    rest = rest + b if rest < 0 else rest
    return rest if rest < b else 0.0


def _logistic(x: float) -> float:
    """1 / (1 + exp(-x)), without overflow and without cancellation."""
    shrunk = math.exp(-abs(x))
    return (shrunk if x < 0 else 1.0) / (1.0 + shrunk)


def _minimum(left: float, right: float) -> float:
    """Of two zeros the right one."""
    return left if left < right else right


def _maximum(left: float, right: float) -> float:
    """Of two zeros the right one."""
    return left if right < left else right


_POSITIVE = Domain(ABOVE_ZERO, math.inf, "a logarithm needs a number above 0")
_ANGLE = Domain(-FARTHEST_ANGLE, FARTHEST_ANGLE, "an angle must be -1048576 .. 1048576")
_TURNS = "provably in -1048576 .. 1048576"
_KEPT: Literal["of whole numbers"] = "of whole numbers"

_ROWS = (
    Function("abs(a)", "the absolute value", abs, folds=True, whole=_KEPT, course="even", rounded=True),
    Function("min(a, b, ...)", "the least", _minimum, folds=True, whole=_KEPT, rounded=True),
    Function("max(a, b, ...)", "the greatest", _maximum, folds=True, whole=_KEPT, rounded=True),
    Function(
        "clamp(x, low, high)",
        "x limited to low .. high",
        lambda x, low, high: _minimum(high, _maximum(low, x)),
        "any; constant bounds have low < high",
        folds=True,
        whole=_KEPT,
        rounded=True,
    ),
    Function("floor(a)", "the next whole number below", math.floor, folds=True, whole="always", rounded=True),
    Function("ceil(a)", "the next whole number above", math.ceil, folds=True, whole="always", rounded=True),
    Function(
        "round(a)", "the nearest whole number, of two the even one", round, folds=True, whole="always", rounded=True
    ),
    Function(
        "mod(a, b)",
        "the remainder: what a is above a multiple of b; 0 or more, below b",
        _remainder,
        "b provably above 0, a at most 2^46 times b",
        folds=True,
        whole=_KEPT,
        course="own",
        domain=Domain(ABOVE_ZERO, math.inf, "`mod` needs a divisor above 0", argument=1),
    ),
    Function(
        "sqrt(a)",
        "the square root, correctly rounded",
        math.sqrt,
        "provably not below 0, as `x * x + y * y` is",
        folds=True,
        rounded=True,
        domain=Domain(0.0, math.inf, "the square root needs 0 or more"),
    ),
    Function("exp(a)", "e^a", math.exp, "any; the result must be finite", most=88),
    Function("exp2(a)", "2^a", lambda x: math.pow(2.0, x), "any; the result must be finite", most=127),
    Function("log(a)", "the natural logarithm", math.log, "provably above 0", domain=_POSITIVE),
    Function("log2(a)", "the logarithm to base 2", math.log2, "provably above 0", domain=_POSITIVE),
    Function(
        "sin(a)",
        "the sine of an angle in radians",
        math.sin,
        _TURNS,
        course="bounded",
        bounds=(-1.0, 1.0),
        domain=_ANGLE,
    ),
    Function(
        "cos(a)",
        "the cosine of an angle in radians",
        math.cos,
        _TURNS,
        course="bounded",
        bounds=(-1.0, 1.0),
        domain=_ANGLE,
    ),
    Function(
        "atan2(y, x)",
        "the angle in radians from the x axis to (x, y), from -pi to pi; 0 of (0, 0)",
        lambda y, x: math.atan2(y + 0.0, x + 0.0),
        course="bounded",
        bounds=(-math.pi, math.pi),
    ),
    Function("tanh(a)", "the hyperbolic tangent, between -1 and 1", math.tanh, bounds=(-1.0, 1.0)),
    Function("sigmoid(a)", "1 / (1 + e^-a), between 0 and 1", _logistic, bounds=(0.0, 1.0)),
    Function(
        "pow(a, b)",
        "a^b",
        math.pow,
        "a provably above 0; not below 0 with a constant b above 0; any with a whole constant b above 0, as in "
        "`pow(x, 2)`",
        course="own",
    ),
)
FUNCTIONS: Mapping[str, Function] = MappingProxyType({row.form.partition("(")[0]: row for row in _ROWS})
"""By their names, in the order of docs/language.md."""
