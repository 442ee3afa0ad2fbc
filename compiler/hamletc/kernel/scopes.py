"""What a tree of code must be before it is printed: every name is set before it is read, functions are called with as
many arguments as they have parameters, and as many values are taken as they give."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hamletc.ir.operands import operands
from hamletc.ir.ops import Value
from hamletc.kernel.body import Body
from hamletc.kernel.code import Assign, Code, Compute, Do, Fix, For, Function, If, Remark, Return, Update, While
from hamletc.kernel.expressions import (
    Call,
    Constant,
    Either,
    Expression,
    Index,
    Infix,
    Member,
    Name,
    Prefix,
    Several,
    Shape,
    Typed,
)


class CodeError(Exception):
    """A function is no code; the message says which, and why."""


def verify(functions: Sequence[Function], library: Collection[str], bodies: Mapping[str, Body]) -> None:
    """Check functions of a module.

    Args:
        functions: in the order of the module; each calls earlier ones of them.
        library: names that the module has beside them: of what it imports, of constants.
        bodies: the functions of the tick IR whose lines are computed, by their names.

    Raises:
        CodeError: a name is read that nothing has set, a call has another number of arguments than the function has
            parameters, or another number of values is taken than it gives; a function has two names alike.
    """
    earlier: dict[str, Function] = {}
    for function in functions:
        if function.name in earlier:
            raise CodeError(f"there are two functions {function.name}")
        scope = _Scope(function, library, earlier, bodies, certain=False)
        scope.verify()
        if scope.missing:
            raise CodeError(f"{function.name}: nothing sets {next(iter(scope.missing))}")
        earlier[function.name] = function


def unset(
    function: Function, library: Collection[str], earlier: Mapping[str, Function], bodies: Mapping[str, Body]
) -> list[str]:
    """The names that a function reads where not every way there has set them, in order; arguments as in `verify`.

    Args:
        earlier: the functions that it may call, by name.

    Raises:
        CodeError: a call has another number of arguments than the function has parameters, or what a function gives is
            not what is taken.
    """
    scope = _Scope(function, library, earlier, bodies, certain=True)
    scope.verify()
    return list(scope.missing)


def results(body: Iterable[Code]) -> set[int]:
    """How many values a function gives at the places where it is left; empty where it only ends."""
    return {len(each.values) for each in statements(body) if isinstance(each, Return)}


def statements(body: Iterable[Code]) -> Iterator[Code]:
    """All statements of a body, also those within others, in order."""
    for each in body:
        yield each
        match each:
            case If(body=inner, otherwise=otherwise):
                yield from statements((*inner, *otherwise))
            case For(body=inner) | While(body=inner):
                yield from statements(inner)
            case _:
                pass


def _guarded(body: Iterable[Code]) -> frozenset[str]:
    """The names that assignments under guards set."""
    guards = (each for each in statements(body) if isinstance(each, If))
    assigned = (each for guard in guards for each in statements((*guard.body, *guard.otherwise)))
    targets = (target for each in assigned if isinstance(each, Assign) for target in each.targets)
    return frozenset(target.name for target in targets if isinstance(target, Name))


@dataclass(slots=True)
class _Scope:
    """Goes through a function with the names that are set.

    Attributes:
        certain: whether a name is set that every way there has set; else one way is enough.
        missing: names that were read before, in order.
    """

    function: Function
    library: Collection[str]
    earlier: Mapping[str, Function]
    bodies: Mapping[str, Body]
    certain: bool
    missing: dict[str, None] = field(default_factory=dict)

    def verify(self) -> None:
        parameters = [each.name for each in self.function.parameters]
        if len({*parameters}) < len(parameters):
            self._fail("two parameters have one name")
        self._run(self.function.body, {*parameters})

    def _fail(self, message: str) -> None:
        raise CodeError(f"{self.function.name}: {message}")

    def _run(self, body: Iterable[Code], names: set[str], turns: frozenset[str] = frozenset()) -> None:
        """Check statements; `names` are those that are set before, and, afterwards, also those that they set.

        Args:
            turns: names that guards set in the loop around the statements: another guard reads them in a later turn.
        """
        for code in body:
            match code:
                case Assign(targets=targets, value=value):
                    self._read(value, names)
                    self._taken(value, len(targets))
                    self._set(targets, names)
                case Fix(name=name, value=value):
                    self._read(value, names)
                    names.add(name)
                case Update(target=target, value=value):
                    self._read(target, names)
                    self._read(value, names)
                case Do(call=value):
                    self._read(value, names)
                case For(variable=variable, range=numbers, body=inner):
                    self._read(numbers, names)
                    self._set((variable,), names)
                    self._run(inner, names, turns | _guarded(inner))
                case While(condition=condition, body=inner):
                    self._read(condition, names)
                    self._run(inner, names, turns | _guarded(inner))
                case If(condition=condition, body=inner, otherwise=otherwise):
                    # Conditions are often those of a launch: what one guard sets is read under another like it.
                    self._read(condition, names)
                    then, other = names | turns, names | turns
                    self._run(inner, then, turns)
                    self._run(otherwise, other, turns)
                    names |= then & other if self.certain else then | other
                case Return(values=values):
                    for value in values:
                        self._read(value, names)
                case Compute(function=function, lines=lines):
                    printed = self.bodies[function]
                    for line in lines:
                        for operand in operands(printed.op(line.value)):
                            self._read_value(printed, operand, names)
                        names |= {*line.name.split(", ")}
                case Remark():
                    pass

    def _set(self, targets: Iterable[Expression], names: set[str]) -> None:
        for target in targets:
            if isinstance(target, Name):
                names.add(target.name)
            else:
                self._read(target, names)

    def _read(self, value: Expression, names: set[str]) -> None:
        for each in expressions(value):
            match each:
                case Name(name=name) if (root := name.partition(".")[0]) not in names:
                    if root not in self.library and root not in self.earlier:
                        self.missing[root] = None
                case Call(function=Name(name=name)) if name in self.earlier:
                    expected = len(self.earlier[name].parameters)
                    if len(each.arguments) + len(each.keywords) != expected:
                        self._fail(f"{name} has {expected} parameters, and is passed {len(each.arguments)} arguments")
                case _:
                    pass

    def _read_value(self, printed: Body, value: Value, names: set[str]) -> None:
        """Check what a line of the tick IR reads: names, or what is written out in their place."""
        name = printed.names.get(value)
        if name is None:
            for operand in operands(printed.op(value)):
                self._read_value(printed, operand, names)
        elif name not in names:
            self.missing[name] = None

    def _taken(self, value: Expression, count: int) -> None:
        """Check that a value has as many items as are taken of it."""
        match value:
            case Several(items=items) if count > 1 and len(items) != count:
                self._fail(f"{count} names are set to {len(items)} values")
            case Call(function=Name(name=name)) if name in self.earlier and count > 1:
                if {count} != (given := results(self.earlier[name].body)):
                    self._fail(f"{name} gives {' or '.join(map(str, sorted(given))) or 'nothing'}, not {count} values")
            case _:
                pass


def expressions(value: Expression) -> Iterator[Expression]:
    """An expression, and all expressions within it."""
    yield value
    match value:
        case Name() | Constant() | Typed():
            pass
        case Infix(left=left, right=right):
            yield from expressions(left)
            yield from expressions(right)
        case Prefix(operand=operand):
            yield from expressions(operand)
        case Index(value=array, index=index):
            yield from expressions(array)
            yield from expressions(index)
        case Member(value=of):
            yield from expressions(of)
        case Call(function=function, arguments=arguments, keywords=keywords):
            for each in (function, *arguments, *(argument for _, argument in keywords)):
                yield from expressions(each)
        case Either(condition=condition, then=then, otherwise=otherwise):
            for each in (condition, then, otherwise):
                yield from expressions(each)
        case Several(items=items) | Shape(sizes=items):
            for each in items:
                yield from expressions(each)
