"""Expressions of code as instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hamletc.ir.operands import operands
from hamletc.ir.ops import PLAIN, Const, Element, Fetch, Fold, Input, Less, Lookup, Neg, Select, Type, Value
from hamletc.kernel.body import Body, table_name
from hamletc.kernel.expressions import Call, Constant, Either, Expression, Index, Infix, Member, Name, Prefix, Typed
from hamletc.targets.c.types import BOOL, INDEX, LITERAL, NOTHING, CType, UntypedError
from hamletc.targets.wasm.instructions import i32, when
from hamletc.targets.wasm.library import Library
from hamletc.targets.wasm.values import (
    Coded,
    Variable,
    as_index,
    constant,
    converted,
    kinds,
    typed,
    value_of,
)

INFINITY = float("inf")


@dataclass(slots=True)
class Expressions(Library):
    """The expressions of a function.

    Attributes:
        variables: of its names, so far.
    """

    variables: dict[str, Variable] = field(default_factory=dict)

    def node(self, printed: Body, value: Value) -> Coded:
        """A value of the tick IR: its variable, or what is written out in its place."""
        name = printed.names.get(value)
        return self.operation(printed, value) if name is None else self.named(name)

    def operation(self, printed: Body, value: Value) -> Coded:
        """The operation of a value of the tick IR."""
        op_ = printed.op(value)
        match op_:
            case Const(type=type_, value=plain):
                return typed(type_, plain)
            case Lookup(table=table, index=index) | Fetch(array=table, index=index):
                return self.take(self.named(table_name(table)), self.node(printed, index))
            case Select(condition=condition, then=then, otherwise=otherwise):
                bound = _bound(printed, op_)
                chosen = [self.node(printed, each) for each in (then, otherwise)]
                if bound is not None and "vector" in {each.type.shape for each in chosen}:
                    return self.bounded(bound, chosen)
                return self.where(self.node(printed, condition), *chosen)
            case Input() | Element() | Fold():
                raise UntypedError(f"{self.function.name}: no expression for {op_}")
            case Neg(operand=operand) if printed.type(operand) is Type.I32:
                return self.computed("subtract", [typed(Type.I32, 0), self.node(printed, operand)])
            case _:
                traits, on = PLAIN[type(op_)], [self.node(printed, each) for each in operands(op_)]
                floats = printed.type(operands(op_)[0]) in (Type.F32, Type.BOOL)
                if not traits.sign or not floats:
                    return self.computed(traits.call, on)
                return self.prefix(traits.sign, *on) if len(on) == 1 else self.infix(traits.sign, *on)

    def value(self, value: Expression) -> Coded:
        """An expression."""
        match value:
            case Name(name=name):
                return self.named(name)
            case Constant(value=bool(truth)):
                return constant(BOOL, int(truth))
            case Constant(value=int(plain)):
                return constant(LITERAL, plain)
            case Constant(value=float(plain)):
                return typed(Type.F32, plain)
            case Typed(type=type_, value=plain):
                return typed(type_, plain)
            case Infix(sign="*", left=left, right=Name(name="LANES")):
                return self.infix("*", as_index(self.value(left)), self.named("ROW"))
            case Infix(sign=sign, left=left, right=right):
                return self.infix(sign, self.value(left), self.value(right))
            case Prefix(sign=sign, operand=operand):
                return self.prefix(sign, self.value(operand))
            case Index(value=Member(value=array, name="shape"), index=Constant(value=axis)):
                parts = self.value(array).parts
                assert parts is not None, "arrays have a shape"
                return Coded(parts[2 if axis == 1 else 1], INDEX)
            case Index(value=array, index=index):
                return self.element(self.value(array), self.value(index))
            case Call(function=Name(name=name), arguments=arguments):
                return self._call(name, arguments)
            case Either(condition=condition, then=then, otherwise=otherwise):
                return self._either(condition, self.value(then), self.value(otherwise))
            case _:
                raise UntypedError(f"{self.function.name}: {value}")

    def condition(self, value: Expression) -> bytes:
        """A condition, of which nothing is computed that does not decide it: 0, or another i32."""
        match value:
            case Infix(sign="and", left=left, right=right):
                return self.condition(left) + when(self.condition(right), i32(0), kinds(BOOL)[0])
            case Infix(sign="or", left=left, right=right):
                return self.condition(left) + when(i32(1), self.condition(right), kinds(BOOL)[0])
            case _:
                return self.truth(self.value(value))

    def named(self, name: str) -> Coded:
        """The value of a name."""
        if name in self.variables:
            return value_of(self.variables[name])
        if name in self.printer.tables:
            return self.printer.tables[name]
        if name in self.printer.constants:
            return constant(LITERAL, self.printer.constants[name])
        if name == "INFINITY":
            return typed(Type.F32, INFINITY)
        raise UntypedError(f"{self.function.name}: {name} has no type")

    def _either(self, condition: Expression, then: Coded, otherwise: Coded) -> Coded:
        type_ = otherwise.type if then.type is LITERAL else then.type
        if type_ is LITERAL:
            type_ = INDEX
        both = [converted(each, type_).code for each in (then, otherwise)]
        return Coded(self.condition(condition) + when(both[0], both[1], kinds(type_)[0]), type_)

    def _call(self, name: str, arguments: Sequence[Expression]) -> Coded:
        values = [self.value(each) for each in arguments]
        if name in ("f32", "i32", "u32"):
            return converted(values[0], CType("number", name))
        if name in self.printer.functions:
            self.frame.pinned += 1
            code, gives = self.printer.called(name, values, self.frame)
            self.frame.pinned -= 1
            return Coded(code, gives[0] if gives else NOTHING)
        return self.helped(name, values)


def _bound(printed: Body, chosen: Select) -> str | None:
    """Which of two f32 is chosen by comparing them: the `lesser` or the `greater`."""
    compared = printed.op(chosen.condition)
    if not isinstance(compared, Less) or printed.type(chosen.then) is not Type.F32:
        return None
    if (compared.left, compared.right) == (chosen.then, chosen.otherwise):
        return "lesser"
    return "greater" if (compared.right, compared.left) == (chosen.then, chosen.otherwise) else None
