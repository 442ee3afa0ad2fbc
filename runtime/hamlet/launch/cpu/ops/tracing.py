"""Functions without loops and decisions: they run once, in Python, on values that note what is done to them, and what
they noted becomes instructions in the middle of whoever calls them. Numba's own way from Python to instructions takes
ten times as long."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

from hamlet.launch.cpu.ops.compiling import operation
from hamlet.launch.cpu.ops.machinery import Type, definition, types
from hamlet.launch.cpu.ops.tables import Short
from hamlet.launch.cpu.ops.vectors import OPERATORS

Operand: TypeAlias = "Traced | int"
"""What an operation is applied to: a value, or an integer or a truth value whose type is decided by what it meets."""


def _noted(operation: Any) -> Callable[..., Any]:
    def method(self: Traced, *others: Operand) -> Any:
        return self.trace.apply(OPERATORS[operation], self, *others)

    return method


class Traced:
    """A value of a numba type: the result of a step of a trace."""

    __slots__ = ("step", "trace", "type")
    __add__ = _noted(operator.add)
    __sub__ = _noted(operator.sub)
    __mul__ = _noted(operator.mul)
    __truediv__ = _noted(operator.truediv)
    __and__ = __rand__ = _noted(operator.and_)
    __or__ = __ror__ = _noted(operator.or_)
    __lt__ = _noted(operator.lt)
    __le__ = _noted(operator.le)
    __eq__ = _noted(operator.eq)
    __neg__ = _noted(operator.neg)
    __invert__ = _noted(operator.not_)
    __hash__ = None  # type: ignore[assignment]  # equality is an operation

    def __init__(self, trace: Trace, step: int, type_: Any) -> None:
        self.trace = trace
        self.step = step
        self.type = type_

    def __bool__(self) -> bool:
        raise TypeError("a traced function takes no decisions")


class TracedStep(NamedTuple):
    """Instructions: what generates them, for what signature, and the steps whose results they take."""

    generate: Callable[..., Any]
    signature: Any
    given: tuple[int, ...]


class Trace:
    """What a function does, step by step; the first steps are its arguments."""

    def __init__(self, function: Callable[..., Any], given: tuple[Any, ...]) -> None:
        self.steps: list[TracedStep] = []
        arguments = [Traced(self, number, type_) for number, type_ in enumerate(given)]
        self.arguments = len(arguments)
        known = function.__globals__
        names = {name: self._seen(known[name]) for name in function.__code__.co_names if name in known}
        results = FunctionType(function.__code__, names)(*arguments)
        self.single = not isinstance(results, tuple)
        # What writes to memory gives nothing.
        given_back = () if results is None else (results,) if self.single else results
        self.results = [self._typed(result) for result in given_back]

    def apply(self, definition: Callable[..., Any], *operands: Operand) -> Any:
        """Note an operation; what it gives, which is a tuple where it gives several."""
        found = definition(None, *(_type(operand) for operand in operands))
        if found is None:
            raise TypeError(f"{definition.__name__} takes no {', '.join(str(_type(operand)) for operand in operands)}")
        signature, generate = found
        given = [self._as(type_, operand) for type_, operand in zip(signature.args, operands, strict=True)]
        result = self._step(generate, signature, *given)
        if not isinstance(signature.return_type, types.BaseTuple):
            return result
        return tuple(self._step(_part(n), type_(result.type), result) for n, type_ in enumerate(signature.return_type))

    def returned(self) -> Any:
        """The numba type of the results."""
        if not self.results:
            return types.none
        return self.results[0].type if self.single else types.Tuple([result.type for result in self.results])

    def generate(self, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        """The instructions of all steps."""
        values = list(arguments)
        for generate, signed, given in self.steps:
            values.append(generate(context, builder, signed, [values[number] for number in given]))
        results = [values[result.step] for result in self.results]
        if not results:
            return context.get_dummy_value()
        return results[0] if self.single else context.make_tuple(builder, signature.return_type, results)

    def _step(self, generate: Callable[..., Any], signature: Any, *given: Traced) -> Traced:
        self.steps.append(TracedStep(generate, signature, tuple(value.step for value in given)))
        return Traced(self, self.arguments + len(self.steps) - 1, signature.return_type)

    def _constant(self, type_: Any, value: float) -> Traced:
        return self._step(lambda context, *_: context.get_constant(type_, value), type_())

    def _as(self, type_: Any, operand: Operand) -> Traced:
        """An operand as a value of this type."""
        if not isinstance(operand, Traced):
            return self._constant(type_, operand)
        return operand if operand.type == type_ else self._step(_cast, type_(operand.type), operand)

    def _typed(self, operand: Operand) -> Traced:
        return self._as(_type(operand), operand)

    def _seen(self, value: Any) -> Any:
        """What a function finds under a global name."""
        known = definition(value)
        if known is not None:
            return partial(self.apply, known)
        if isinstance(value, Type):
            return partial(self._constant, value)
        if isinstance(value, Short):
            return self._step(lambda context, *_: context.get_dummy_value(), value.type())
        return value


def traced(function: Callable[..., Any]) -> Any:
    """A function for kernels to call, in which there are only operations on its arguments."""

    def typed(_context: Any, *given: Any) -> Any:
        trace = Trace(function, given)
        return trace.returned()(*given), trace.generate

    return operation(function, typed)


def _type(operand: Operand) -> Any:
    match operand:
        case Traced():
            return operand.type
        case bool():
            return types.boolean
        case _:
            return types.int64


def _cast(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return context.cast(builder, arguments[0], signature.args[0], signature.return_type)


def _part(number: int) -> Callable[..., Any]:
    return lambda _context, builder, _signature, arguments: builder.extract_value(arguments[0], number)
