"""Expressions of code, the tree that targets print.

Where an expression is wanted, a number is itself and a text is a name: `call("where", "alive", value, 0)`. Operators
of Python make expressions of expressions; those that Python keeps for itself are methods: `a.equals(b)`, `a.both(b)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from hamlet.frozen import dataclass
from hamletc.ir.ops import Type


class Operators:
    """The operators of expressions."""

    __slots__ = ()

    def __add__(self, right: Operand) -> Infix:
        return _infix("+", self, right)

    def __radd__(self, left: Operand) -> Infix:
        return _infix("+", left, self)

    def __sub__(self, right: Operand) -> Infix:
        return _infix("-", self, right)

    def __rsub__(self, left: Operand) -> Infix:
        return _infix("-", left, self)

    def __mul__(self, right: Operand) -> Infix:
        return _infix("*", self, right)

    def __rmul__(self, left: Operand) -> Infix:
        return _infix("*", left, self)

    def __floordiv__(self, right: Operand) -> Infix:
        return _infix("//", self, right)

    def __rfloordiv__(self, left: Operand) -> Infix:
        return _infix("//", left, self)

    def __mod__(self, right: Operand) -> Infix:
        return _infix("%", self, right)

    def __lshift__(self, right: Operand) -> Infix:
        return _infix("<<", self, right)

    def __rlshift__(self, left: Operand) -> Infix:
        return _infix("<<", left, self)

    def __rshift__(self, right: Operand) -> Infix:
        return _infix(">>", self, right)

    def __and__(self, right: Operand) -> Infix:
        return _infix("&", self, right)

    def __or__(self, right: Operand) -> Infix:
        return _infix("|", self, right)

    def __xor__(self, right: Operand) -> Infix:
        return _infix("^", self, right)

    def __lt__(self, right: Operand) -> Infix:
        return _infix("<", self, right)

    def __le__(self, right: Operand) -> Infix:
        return _infix("<=", self, right)

    def __gt__(self, right: Operand) -> Infix:
        return _infix(">", self, right)

    def __ge__(self, right: Operand) -> Infix:
        return _infix(">=", self, right)

    def __invert__(self) -> Prefix:
        return Prefix("~", expression(self))

    def __neg__(self) -> Prefix:
        return Prefix("-", expression(self))

    def __getitem__(self, index: Operand) -> Index:
        return Index(expression(self), expression(index))

    def equals(self, right: Operand) -> Infix:
        """`self == right`."""
        return _infix("==", self, right)

    def differs(self, right: Operand) -> Infix:
        """`self != right`."""
        return _infix("!=", self, right)

    def both(self, right: Operand) -> Infix:
        """`self and right`, of single conditions."""
        return _infix("and", self, right)

    def either(self, right: Operand) -> Infix:
        """`self or right`, of single conditions."""
        return _infix("or", self, right)

    def absent(self) -> Infix:
        """Whether an array is not passed."""
        return _infix("is", self, None)

    def present(self) -> Infix:
        """Whether an array is passed."""
        return _infix("is not", self, None)

    def member(self, name: str) -> Member:
        """An attribute."""
        return Member(expression(self), name)

    def method(self, name: str, *arguments: Operand, **keywords: Operand) -> Call:
        """A call of a method."""
        return _call(Member(expression(self), name), arguments, keywords)


@dataclass(frozen=True, slots=True)
class Name(Operators):
    """A variable, a parameter, a function, or an object of a module: `tl.load`."""

    name: str

    def __post_init__(self) -> None:
        if not all(part.isidentifier() for part in self.name.split(".")):
            raise ValueError(f"no name: {self.name}")


@dataclass(frozen=True, slots=True)
class Constant(Operators):
    """A number, a truth value, a string, or `None`: no array. `hexadecimal`: how an integer is spelt."""

    value: int | float | str | None
    hexadecimal: bool = False


@dataclass(frozen=True, slots=True)
class Typed(Operators):
    """A number or truth value of a type of the tick IR. `alone`: nothing beside it decides its type."""

    type: Type
    value: int | float
    alone: bool = True


@dataclass(frozen=True, slots=True)
class Infix(Operators):
    """An operator between two operands."""

    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Prefix(Operators):
    """An operator before its operand: `-`, `~`, or `not` of a single condition."""

    sign: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Index(Operators):
    """An element of an array, or of a tuple."""

    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Member(Operators):
    """An attribute of a value."""

    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Call(Operators):
    """A call, with arguments by place and by name."""

    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Either(Operators):
    """One of two values, by a single condition."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Several(Operators):
    """A tuple."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Shape(Operators):
    """How many elements a block has in each dimension."""

    sizes: tuple[Expression, ...]


Expression: TypeAlias = Name | Constant | Typed | Infix | Prefix | Index | Member | Call | Either | Several | Shape


Operand: TypeAlias = Expression | int | float | str | None
"""What stands for an expression: a string is a name."""


def expression(operand: Operand | Operators) -> Expression:
    """The expression that an operand stands for.

    Raises:
        ValueError: a text is no name.
    """
    match operand:
        case str(name):
            return Name(name)
        case int() | float() | None:
            return Constant(operand)
        case Name() | Constant() | Typed() | Infix() | Prefix() | Index() | Member() | Call() | Either() | Several():
            return operand
        case Shape():
            return operand
        case Operators():
            raise TypeError(f"no expression: {operand!r}")


def _infix(sign: str, left: Operand | Operators, right: Operand | Operators) -> Infix:
    return Infix(sign, expression(left), expression(right))


def _call(function: Expression, arguments: Iterable[Operand], keywords: dict[str, Operand]) -> Call:
    named = tuple((name, expression(value)) for name, value in keywords.items())
    return Call(function, tuple(map(expression, arguments)), named)


def call(function: str, *arguments: Operand, **keywords: Operand) -> Call:
    """`function(arguments, name=value)`."""
    return _call(Name(function), arguments, keywords)


def names(spaced: str) -> tuple[Name, ...]:
    """Names, of a text with spaces between them."""
    return tuple(map(Name, spaced.split()))


def no(condition: Operand) -> Prefix:
    """`not condition`, of a single condition."""
    return Prefix("not", expression(condition))


def several(items: Iterable[Operand]) -> Expression:
    """A tuple of items; of one item, the item."""
    listed = tuple(map(expression, items))
    return listed[0] if len(listed) == 1 else Several(listed)


def shape(*sizes: Operand) -> Shape:
    """The shape of a block."""
    return Shape(tuple(map(expression, sizes)))
