"""Kernels as a tree of statements, which targets print: functions, loops, guards, assignments and calls.

A schedule says what a launch means. What a target makes of it, over chunks of lanes or over blocks of threads, is code:
this tree. It knows no target's syntax. A name is a parameter, what an assignment or a loop has set, a function of the
module, or one of a library, which `hamletc.kernel.scopes` sees to.

Where an expression is wanted, a number is itself and a text is a name: `call("where", "alive", value, 0)`. Operators
of Python make expressions of expressions; those that Python keeps for itself are methods: `a.equals(b)`, `a.both(b)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamletc.ir.ops import Type
from hamletc.kernel.body import Line


class _Operators:
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
class Name(_Operators):
    """A variable, a parameter, a function, or an object of a module: `tl.load`."""

    name: str

    def __post_init__(self) -> None:
        if not all(part.isidentifier() for part in self.name.split(".")):
            raise ValueError(f"no name: {self.name}")


@dataclass(frozen=True, slots=True)
class Constant(_Operators):
    """A number, a truth value, a string, or `None`: no array. `hexadecimal`: how an integer is spelt."""

    value: int | float | str | None
    hexadecimal: bool = False


@dataclass(frozen=True, slots=True)
class Typed(_Operators):
    """A number or truth value of a type of the tick IR. `alone`: nothing beside it decides its type."""

    type: Type
    value: int | float
    alone: bool = True


@dataclass(frozen=True, slots=True)
class Infix(_Operators):
    """An operator between two operands."""

    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Prefix(_Operators):
    """An operator before its operand: `-`, `~`, or `not` of a single condition."""

    sign: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Index(_Operators):
    """An element of an array, or of a tuple."""

    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Member(_Operators):
    """An attribute of a value."""

    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Call(_Operators):
    """A call, with arguments by place and by name."""

    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Either(_Operators):
    """One of two values, by a single condition."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True)
class Several(_Operators):
    """A tuple."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Shape(_Operators):
    """How many elements a block has in each dimension."""

    sizes: tuple[Expression, ...]


Expression: TypeAlias = Name | Constant | Typed | Infix | Prefix | Index | Member | Call | Either | Several | Shape
Operand: TypeAlias = Expression | int | float | str | None
"""What stands for an expression: a string is a name."""


def expression(operand: Operand | _Operators) -> Expression:
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
        case _Operators():
            raise TypeError(f"no expression: {operand!r}")


def _infix(sign: str, left: Operand | _Operators, right: Operand | _Operators) -> Infix:
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


@dataclass(frozen=True, slots=True)
class Assign:
    """Set targets to a value; several to the values of a tuple."""

    targets: tuple[Expression, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class Update:
    """Set a target to what an operator makes of it and a value."""

    target: Expression
    sign: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Do:
    """A call for what it does."""

    call: Expression


@dataclass(frozen=True, slots=True)
class For:
    """Run a body for each number that a range gives."""

    variable: Expression
    range: Expression
    body: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class While:
    """Run a body as long as a condition holds."""

    condition: Expression
    body: tuple[Code, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Run a body where a condition holds, and another one where it does not."""

    condition: Expression
    body: tuple[Code, ...]
    otherwise: tuple[Code, ...] = ()


@dataclass(frozen=True, slots=True)
class Return:
    """Leave the function with values."""

    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment on what follows."""

    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Set a name to a value that is known when the function is compiled."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Compute:
    """Lines of a function of the tick IR."""

    function: str
    lines: tuple[Line, ...]


Code: TypeAlias = Assign | Fix | Update | Do | For | While | If | Return | Remark | Compute


def assign(target: Operand | Iterable[Operand], value: Operand) -> Assign:
    """`target = value`; of several targets, `target, target = value`."""
    if isinstance(target, str | _Operators):
        return Assign((expression(target),), expression(value))
    assert isinstance(target, Iterable), "numbers are no targets"
    return Assign(tuple(map(expression, target)), expression(value))


def update(target: Operand, sign: str, value: Operand) -> Update:
    """`target += value`, with that sign."""
    return Update(expression(target), sign, expression(value))


def do(function: str, *arguments: Operand, **keywords: Operand) -> Do:
    """A call as a statement."""
    return Do(call(function, *arguments, **keywords))


def loop(variable: Operand, *bounds: Operand, body: Iterable[Code]) -> For:
    """`for variable in range(bounds): body`."""
    return For(expression(variable), call("range", *bounds), tuple(body))


def when(condition: Operand, body: Iterable[Code], otherwise: Iterable[Code] = ()) -> If:
    """`if condition: body`, with what is done otherwise."""
    return If(expression(condition), tuple(body), tuple(otherwise))


def give(*values: Operand) -> Return:
    """`return values`."""
    return Return(tuple(map(expression, values)))


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function. `type`: of a number; `constant`: known when the function is compiled."""

    name: str
    type: Type | None = None
    constant: bool = False


def constants(spaced: str) -> tuple[Parameter, ...]:
    """Parameters that are known when the function is compiled, of a text with spaces between them."""
    return tuple(Parameter(name, constant=True) for name in spaced.split())


Kind: TypeAlias = Literal["", "apart", "kernel"]


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a module.

    Attributes:
        summary: what it does, in words; an empty line stands between paragraphs.
        kind: `kernel`, or `apart`: a function of its own in machine code; others are part of those that call them.
    """

    name: str
    parameters: tuple[Parameter, ...]
    summary: str
    body: tuple[Code, ...]
    kind: Kind = ""


def function(
    name: str, parameters: Iterable[str | Parameter], summary: str, body: Iterable[Code], kind: Kind = ""
) -> Function:
    """A function with a body."""
    declared = tuple(Parameter(each) if isinstance(each, str) else each for each in parameters)
    return Function(name, declared, summary, tuple(body), kind)
