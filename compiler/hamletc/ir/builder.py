"""Makes nodes, each operation at most once (hash-consing). Constructors never rewrite: what is asked for is made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hamlet.universe import Span
from hamletc.ir.function import Function, Node, Origin, Output, Table
from hamletc.ir.ops import (
    Abs,
    Add,
    And,
    Const,
    Div,
    Element,
    Equal,
    Fma,
    FromBits,
    Input,
    Less,
    LessEqual,
    Lookup,
    Mul,
    MulHigh,
    Neg,
    Not,
    Op,
    Or,
    Rem,
    Select,
    ShiftLeft,
    ShiftRight,
    Sqrt,
    Sub,
    ToBits,
    ToF32,
    ToI32,
    ToU32,
    Value,
    Xor,
    operands,
)
from hamletc.ir.types import Type
from hamletc.ir.typing import BOOL, F32, I32, U32, result_type


class Builder:
    """Collects the nodes of one function.

    Two equal operations are one node, whose origin is that of the first. New nodes get the origin that `at` set.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.origin = Origin("", 0)
        self._values: dict[Op, Value] = {}

    @contextmanager
    def at(self, construct: str, span: Span | None) -> Iterator[None]:
        """Nodes made inside come from this construct at this place; `None`: from nothing that an author wrote."""
        outer = self.origin
        self.origin = Origin(construct, 0) if span is None else Origin(construct, span.line, span.file)
        try:
            yield
        finally:
            self.origin = outer

    def type_of(self, value: Value) -> Type:
        """The type of a node."""
        return self.nodes[value].type

    def find(self, op: Op) -> Value | None:
        """The node of an operation, if it has been made."""
        return self._values.get(op)

    def node(self, op: Op, type_: Type) -> Value:
        """The node of an operation whose type is known."""
        value = self._values.get(op)
        if value is None:
            value = self._values[op] = len(self.nodes)
            self.nodes.append(Node(op, type_, self.origin))
        return value

    def emit(self, op: Op) -> Value:
        """The node of an operation other than `Lookup`; its type follows from its operands."""
        value = self._values.get(op)
        if value is None:
            nodes = self.nodes
            value = self.node(op, result_type(op, tuple([nodes[operand].type for operand in operands(op)]), {}))
        return value

    def finish(self, name: str, outputs: tuple[Output, ...]) -> Function:
        """The function of everything made so far."""
        return Function(name, tuple(self.nodes), outputs)

    def f32(self, value: float) -> Value:
        """A number that is exact in binary32."""
        return self.node(Const(F32, value), F32)

    def i32(self, value: int) -> Value:
        return self.node(Const(I32, value), I32)

    def u32(self, value: int) -> Value:
        """A number, taken modulo 2**32."""
        return self.node(Const(U32, value & 0xFFFFFFFF), U32)

    def boolean(self, value: bool) -> Value:
        return self.node(Const(BOOL, value), BOOL)

    def input(self, type_: Type, name: str) -> Value:
        return self.node(Input(type_, name), type_)

    def element(self, output: str) -> Value:
        return self.node(Element(output), I32)

    def lookup(self, table: Table, index: Value) -> Value:
        return self.node(Lookup(table.name, index), table.type)

    def add(self, left: Value, right: Value) -> Value:
        return self.emit(Add(left, right))

    def sub(self, left: Value, right: Value) -> Value:
        return self.emit(Sub(left, right))

    def mul(self, left: Value, right: Value) -> Value:
        return self.emit(Mul(left, right))

    def mul_high(self, left: Value, right: Value) -> Value:
        return self.emit(MulHigh(left, right))

    def div(self, left: Value, right: Value) -> Value:
        return self.emit(Div(left, right))

    def fma(self, left: Value, right: Value, addend: Value) -> Value:
        """left * right + addend, rounded once."""
        return self.emit(Fma(left, right, addend))

    def rem(self, left: Value, right: Value) -> Value:
        return self.emit(Rem(left, right))

    def neg(self, operand: Value) -> Value:
        return self.emit(Neg(operand))

    def abs(self, operand: Value) -> Value:
        return self.emit(Abs(operand))

    def sqrt(self, operand: Value) -> Value:
        return self.emit(Sqrt(operand))

    def less(self, left: Value, right: Value) -> Value:
        return self.emit(Less(left, right))

    def less_equal(self, left: Value, right: Value) -> Value:
        return self.emit(LessEqual(left, right))

    def equal(self, left: Value, right: Value) -> Value:
        return self.emit(Equal(left, right))

    def and_(self, left: Value, right: Value) -> Value:
        return self.emit(And(left, right))

    def or_(self, left: Value, right: Value) -> Value:
        return self.emit(Or(left, right))

    def xor(self, left: Value, right: Value) -> Value:
        return self.emit(Xor(left, right))

    def not_(self, operand: Value) -> Value:
        return self.emit(Not(operand))

    def shift_left(self, operand: Value, amount: Value) -> Value:
        return self.emit(ShiftLeft(operand, amount))

    def shift_right(self, operand: Value, amount: int) -> Value:
        return self.emit(ShiftRight(operand, self.u32(amount)))

    def select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        return self.emit(Select(condition, then, otherwise))

    def to_f32(self, operand: Value) -> Value:
        return self.emit(ToF32(operand))

    def to_u32(self, operand: Value) -> Value:
        return self.emit(ToU32(operand))

    def to_i32(self, operand: Value) -> Value:
        return self.emit(ToI32(operand))

    def to_bits(self, operand: Value) -> Value:
        return self.emit(ToBits(operand))

    def from_bits(self, operand: Value) -> Value:
        return self.emit(FromBits(operand))

    def minimum(self, left: Value, right: Value) -> Value:
        """left where left < right, else right."""
        return self.select(self.less(left, right), left, right)

    def maximum(self, left: Value, right: Value) -> Value:
        """left where right < left, else right."""
        return self.select(self.less(right, left), left, right)

    def clamp(self, operand: Value, low: Value, high: Value) -> Value:
        """t = low where operand < low, else operand; then high where high < t, else t."""
        raised = self.select(self.less(operand, low), low, operand)
        return self.select(self.less(high, raised), high, raised)

    def any(self, conditions: list[Value]) -> Value:
        """Whether one of the conditions holds."""
        return self._join(conditions, Or, False)

    def all(self, conditions: list[Value]) -> Value:
        """Whether all of the conditions hold."""
        return self._join(conditions, And, True)

    def _join(self, conditions: list[Value], join: type[Or] | type[And], empty: bool) -> Value:
        if not conditions:
            return self.boolean(empty)
        result = conditions[0]
        for condition in conditions[1:]:
            result = self.emit(join(result, condition))
        return result
