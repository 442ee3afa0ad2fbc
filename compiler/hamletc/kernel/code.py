"""Kernels as a tree of statements, which targets print: functions, loops, guards, assignments and calls.

A schedule says what a launch means. What a target makes of it, over chunks of lanes or over blocks of threads, is code:
this tree. It knows no target's syntax. A name is a parameter, what an assignment or a loop has set, a function of the
module, or one of a library, which `hamletc.kernel.scopes` sees to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamletc.ir.ops import Type
from hamletc.kernel.body import Line
from hamletc.kernel.expressions import Expression, Operand, Operators, call, expression


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
    if isinstance(target, str | Operators):
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
