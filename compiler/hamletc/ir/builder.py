"""Makes nodes, each operation at most once (hash-consing). Constructors never rewrite: what is asked for is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Concatenate, ParamSpec

from hamlet.universe import Span
from hamletc.ir import ops
from hamletc.ir.function import Construct, Function, Local, Node, Origin, Output, Phase, Table
from hamletc.ir.operands import operands, result_type
from hamletc.ir.ops import BOOL, F32, I32, U32, Op, Type, Value

Operands = ParamSpec("Operands")


def _making(kind: Callable[Operands, Op]) -> Callable[Concatenate[Builder, Operands], Value]:
    """The method that makes operations of a kind."""

    def make(self: Builder, /, *on: Operands.args, **named: Operands.kwargs) -> Value:
        return self.emit(kind(*on, **named))

    return make


class Builder:
    """Collects the nodes of one function.

    Two equal operations are one node, whose origin is that of the first. New nodes get the origin that `begin` and `at`
    set.
    """

    def __init__(self, phase: Phase = "state") -> None:
        self.nodes: list[Node] = []
        self.origin = Origin(phase)
        self._values: dict[Op, Value] = {}
        self._locals: list[Local] = []

    def begin(self, phase: Phase) -> None:
        """Begin a phase of a tick: nodes made from now on belong to it."""
        self.origin = Origin(phase)

    @contextmanager
    def at(self, construct: Construct, span: Span | None, phase: Phase | None = None) -> Iterator[None]:
        """Nodes made inside come from this construct.

        Args:
            span: where an author wrote it; `None`: nowhere.
            phase: the one that the nodes belong to, if it is not the one that has begun.
        """
        outer = self.origin
        line, file = (0, 0) if span is None else (span.line, span.file)
        self.origin = Origin(phase or outer.phase, construct, line, file)
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

    def keep(self, node: Node) -> Value:
        """A node of another function, whose operands have the same numbers here; with its origin, where it is new."""
        value = self._values.get(node.op)
        if value is None:
            value = self._values[node.op] = len(self.nodes)
            self.nodes.append(node)
        return value

    def emit(self, op: Op) -> Value:
        """The node of an operation other than `Lookup`; its type follows from its operands."""
        value = self._values.get(op)
        if value is None:
            nodes = self.nodes
            value = self.node(op, result_type(op, tuple([nodes[operand].type for operand in operands(op)]), {}))
        return value

    def local(self, name: str, value: Value, guards: tuple[Value, ...]) -> None:
        """Note what a local of the statement at hand is, where the guards (BOOL) hold."""
        self._locals.append(Local(name, value, guards, self.origin, len(self.nodes)))

    def finish(self, name: str, outputs: tuple[Output, ...]) -> Function:
        """The function of everything made so far."""
        return Function(name, tuple(self.nodes), outputs, tuple(self._locals))

    def f32(self, value: float) -> Value:
        """A number that is exact in binary32."""
        return self.node(ops.Const(F32, value), F32)

    def i32(self, value: int) -> Value:
        return self.node(ops.Const(I32, value), I32)

    def u32(self, value: int) -> Value:
        """A number, taken modulo 2**32."""
        return self.node(ops.Const(U32, value & 0xFFFFFFFF), U32)

    def boolean(self, value: bool) -> Value:
        return self.node(ops.Const(BOOL, value), BOOL)

    def input(self, type_: Type, name: str) -> Value:
        return self.node(ops.Input(type_, name), type_)

    def element(self, output: str) -> Value:
        return self.node(ops.Element(output), I32)

    def lookup(self, table: Table, index: Value, *, along: bool = False) -> Value:
        return self.node(ops.Lookup(table.name, index, along), table.type)

    def fetch(self, array: str, index: Value, *, along: bool = False) -> Value:
        return self.node(ops.Fetch(array, index, along), F32)

    add = _making(ops.Add)
    sub = _making(ops.Sub)
    mul = _making(ops.Mul)
    mul_high = _making(ops.MulHigh)
    div = _making(ops.Div)
    fma = _making(ops.Fma)
    rem = _making(ops.Rem)
    neg = _making(ops.Neg)
    abs = _making(ops.Abs)
    sqrt = _making(ops.Sqrt)
    less = _making(ops.Less)
    less_equal = _making(ops.LessEqual)
    equal = _making(ops.Equal)
    and_ = _making(ops.And)
    or_ = _making(ops.Or)
    xor = _making(ops.Xor)
    not_ = _making(ops.Not)
    shift_left = _making(ops.ShiftLeft)
    select = _making(ops.Select)
    to_f32 = _making(ops.ToF32)
    to_u32 = _making(ops.ToU32)
    to_i32 = _making(ops.ToI32)
    to_bits = _making(ops.ToBits)
    from_bits = _making(ops.FromBits)

    def shift_right(self, operand: Value, amount: int) -> Value:
        return self.emit(ops.ShiftRight(operand, self.u32(amount)))

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
        return self._join(conditions, ops.Or, False)

    def all(self, conditions: list[Value]) -> Value:
        """Whether all of the conditions hold."""
        return self._join(conditions, ops.And, True)

    def _join(self, conditions: list[Value], join: type[ops.Or] | type[ops.And], empty: bool) -> Value:
        if not conditions:
            return self.boolean(empty)
        result = conditions[0]
        for condition in conditions[1:]:
            result = self.emit(join(result, condition))
        return result
