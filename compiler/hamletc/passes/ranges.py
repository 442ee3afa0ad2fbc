"""Range analysis: for every node an interval that holds its value, whatever the state.

A `Select` learns from its condition: in `then` it holds, in `otherwise` it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from hamletc.ir.function import Function, Node, Program, Table
from hamletc.ir.ops import (
    Abs,
    Add,
    And,
    Const,
    Div,
    Element,
    Equal,
    Fma,
    Fold,
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
from hamletc.passes.interval import (
    ANY_BOOL,
    ANY_F32,
    ANY_I32,
    ANY_U32,
    Interval,
    absolute,
    add,
    divide,
    fused,
    join,
    meet,
    multiply,
    negate,
    root,
    subtract,
    to_binary32,
)

DEPTH = 3
"""How many operations above a fact it is still followed into the branch of a `Select`."""

_ANY = {Type.F32: ANY_F32, Type.I32: ANY_I32, Type.U32: ANY_U32, Type.BOOL: ANY_BOOL}


@dataclass(frozen=True, slots=True)
class Facts:
    """Intervals of inputs by name; an input that is not listed may have any value. Intervals of tables by name.
    Functions by name, for loops."""

    inputs: Mapping[str, Interval]
    tables: Mapping[str, Interval]
    functions: Mapping[str, Function] = field(default_factory=dict)

    def of(self, program: Program) -> Facts:
        """The same inputs, for another program of the universe: passes keep what state ticks leave."""
        tables = {table.name: contents(table) for table in program.tables}
        return Facts(self.inputs, tables, {function.name: function for function in program.functions})


def contents(table: Table) -> Interval:
    """Where the numbers of a table lie."""
    negative_zero = table.type is Type.F32 and any(str(value) == "-0.0" for value in table.values)
    return Interval(min(table.values), max(table.values), False, negative_zero)


class Ranges:
    """The intervals of a list of nodes, which may still grow at its end."""

    def __init__(self, nodes: Sequence[Node], facts: Facts, counts: Mapping[str, int]) -> None:
        self._nodes = nodes
        self._facts = facts
        self._counts = counts
        self._known: list[Interval] = []
        self._folds: dict[tuple[str, tuple[Value, ...]], dict[str, Interval]] = {}

    def __getitem__(self, value: Value) -> Interval:
        while len(self._known) <= value:
            node = self._nodes[len(self._known)]
            self._known.append(self._compute(node.op, node.type, {}, DEPTH))
        return self._known[value]

    def _under(self, value: Value, assumed: Mapping[Value, Interval], depth: int) -> Interval:
        """The interval of a node where other nodes are known to be in these intervals."""
        known = self[value]
        if not assumed:
            return known
        if value in assumed:
            return meet(known, assumed[value])
        node = self._nodes[value]
        if depth == 0 or value < min(assumed) or isinstance(node.op, Const):
            return known
        return meet(known, self._compute(node.op, node.type, assumed, depth - 1))

    def _compute(self, op: Op, type_: Type, assumed: Mapping[Value, Interval], depth: int) -> Interval:
        match op:
            case Const(value=value):
                return _constant(value)
            case Input(name=name):
                return self._facts.inputs.get(name, _ANY[type_])
            case Element(output=output):
                return Interval(0, self._counts[output] - 1)
            case Lookup(table=table):
                return self._facts.tables[table]
            case Fold():
                return self._fold(op, _ANY[type_])
            case Select(condition=condition, then=then, otherwise=otherwise):
                chosen = self._under(condition, assumed, depth)
                if chosen.low == 1:
                    return self._under(then, assumed, depth)
                if chosen.high == 0:
                    return self._under(otherwise, assumed, depth)
                return join(
                    self._under(then, self._assume(condition, True, assumed), depth),
                    self._under(otherwise, self._assume(condition, False, assumed), depth),
                )
            case _:
                values = operands(op)
                intervals = [self._under(value, assumed, depth) for value in values]
                return _TRANSFER[self._nodes[values[0]].type](op, intervals)

    def _fold(self, op: Fold, anything: Interval) -> Interval:
        """Guess where the state of a loop stays, and see whether a row leads out of it; two rows are tried."""
        key = op.function, op.initial
        if key not in self._folds:
            state = {name: self[value] for name, value in zip(op.names, op.initial, strict=True)}
            for _ in range(2):
                after = _row(self._facts, op, state)
                if all(after[name].within(state[name]) for name in op.names):
                    break
                state = {name: join(state[name], after[name]) for name in op.names}
            else:
                after = _row(self._facts, op, state)
                stays = all(after[name].within(state[name]) for name in op.names)
                state = state if stays else dict.fromkeys(op.names, anything)
            self._folds[key] = state
        return self._folds[key][op.output]

    def _assume(self, condition: Value, holds: bool, assumed: Mapping[Value, Interval]) -> dict[Value, Interval]:
        """What is assumed and, besides, what follows from a condition or from its contrary."""
        result = dict(assumed)
        self._learn(condition, holds, result)
        return result

    def _learn(self, condition: Value, holds: bool, facts: dict[Value, Interval]) -> None:
        op = self._nodes[condition].op
        match op:
            case Not(operand=operand):
                self._learn(operand, not holds, facts)
            case And(left=left, right=right) if holds:
                self._learn(left, holds, facts)
                self._learn(right, holds, facts)
            case Or(left=left, right=right) if not holds:
                self._learn(left, holds, facts)
                self._learn(right, holds, facts)
            case Less(left=left, right=right) | LessEqual(left=left, right=right):
                is_float = self._nodes[left].type is Type.F32
                strict = isinstance(op, Less) == holds
                if not holds:
                    left, right = right, left
                a, b = self[left], self[right]
                # A comparison fails with a NaN: then it says nothing about the other side, nor denies the NaN.
                step = 1 if strict and not is_float else 0
                if holds or not b.nan:
                    self._note(left, Interval(-inf, b.high - step, not holds, True), facts)
                if holds or not a.nan:
                    self._note(right, Interval(a.low + step, inf, not holds, True), facts)
            case Equal(left=left, right=right) if holds and self._nodes[left].type is not Type.BOOL:
                a, b = self[left], self[right]
                self._note(left, Interval(b.low, b.high, False, True), facts)
                self._note(right, Interval(a.low, a.high, False, True), facts)
            case _:
                pass

    def _note(self, value: Value, interval: Interval, facts: dict[Value, Interval]) -> None:
        if not isinstance(self._nodes[value].op, Const):
            facts[value] = meet(facts.get(value, self[value]), interval)


def ranges_of(function: Function, facts: Facts) -> tuple[Interval, ...]:
    """The intervals of a function's nodes."""
    ranges = Ranges(function.nodes, facts, counts_of(function))
    return tuple(ranges[value] for value in range(len(function.nodes)))


def _row(facts: Facts, op: Fold, state: Mapping[str, Interval]) -> dict[str, Interval]:
    """The state of a loop after a row."""
    body = facts.functions[op.function]
    ranges = ranges_of(body, replace(facts, inputs={**state, "row": Interval(0, op.count - 1)}))
    return {output.name: ranges[output.value] for output in body.outputs}


def counts_of(function: Function) -> dict[str, int]:
    """How many elements the outputs that have elements have."""
    return {output.name: output.count for output in function.outputs if output.count is not None}


def _constant(value: float | int | bool) -> Interval:
    if isinstance(value, float):
        return Interval(value, value, False, str(value) == "-0.0")
    return Interval(int(value), int(value))


def _truth(can_hold: bool, can_fail: bool) -> Interval:
    return Interval(0 if can_fail else 1, 1 if can_hold else 0)


def _comparison(op: Op, a: Interval, b: Interval) -> Interval:
    nan = a.nan or b.nan
    match op:
        case Less():
            return _truth(a.low < b.high, nan or a.high >= b.low)
        case LessEqual():
            return _truth(a.low <= b.high, nan or a.high > b.low)
        case _:
            same = a.low == a.high == b.low == b.high
            return _truth(a.low <= b.high and b.low <= a.high, nan or not same)


def _f32(op: Op, on: list[Interval]) -> Interval:
    match op:
        case Add():
            return add(on[0], on[1])
        case Sub():
            return subtract(on[0], on[1])
        case Mul():
            return multiply(on[0], on[1])
        case Div():
            return divide(on[0], on[1])
        case Fma():
            return fused(on[0], on[1], on[2])
        case Neg():
            return negate(on[0])
        case Abs():
            return absolute(on[0])
        case Sqrt():
            return root(on[0])
        case ToBits():
            return ANY_U32
        case _:
            return _comparison(op, on[0], on[1])


def _fit(low: float, high: float, whole: Interval) -> Interval:
    """The interval, or all values of the type where it wraps."""
    return Interval(low, high) if whole.low <= low and high <= whole.high else whole


def _i32(op: Op, on: list[Interval]) -> Interval:
    a = on[0]
    match op:
        case Add():
            return _fit(a.low + on[1].low, a.high + on[1].high, ANY_I32)
        case Sub():
            return _fit(a.low - on[1].high, a.high - on[1].low, ANY_I32)
        case Mul():
            corners = [x * y for x in (a.low, a.high) for y in (on[1].low, on[1].high)]
            return _fit(min(corners), max(corners), ANY_I32)
        case Neg():
            return _fit(-a.high, -a.low, ANY_I32)
        case Abs():
            magnitude = absolute(a)
            return _fit(magnitude.low, magnitude.high, ANY_I32)
        case ToF32():
            return Interval(to_binary32(float(a.low)), to_binary32(float(a.high)))
        case ToU32():
            return Interval(a.low, a.high) if a.low >= 0 else ANY_U32
        case _:
            return _comparison(op, a, on[1])


def _u32(op: Op, on: list[Interval]) -> Interval:
    low, high = int(on[0].low), int(on[0].high)
    if isinstance(op, ToI32):
        return Interval(low, high) if high <= ANY_I32.high else ANY_I32
    if isinstance(op, FromBits):
        return ANY_F32
    other_low, other_high = int(on[1].low), int(on[1].high)
    if isinstance(op, ShiftLeft | ShiftRight) and other_high > 31:
        return ANY_U32
    match op:
        case Add():
            return _fit(low + other_low, high + other_high, ANY_U32)
        case Sub():
            return _fit(low - other_high, high - other_low, ANY_U32)
        case Mul():
            return _fit(low * other_low, high * other_high, ANY_U32)
        case MulHigh():
            return Interval(low * other_low >> 32, high * other_high >> 32)
        case Div():
            return Interval(low // other_high, high // other_low)
        case Rem():
            return Interval(low, high) if high < other_low else Interval(0, other_high - 1)
        case And():
            return Interval(0, min(high, other_high))
        case Or() | Xor():
            return Interval(0, (1 << max(high.bit_length(), other_high.bit_length())) - 1)
        case ShiftLeft():
            return _fit(low << other_low, high << other_high, ANY_U32)
        case ShiftRight():
            return Interval(low >> other_high, high >> other_low)
        case _:
            return _comparison(op, on[0], on[1])


def _bool(op: Op, on: list[Interval]) -> Interval:
    a = on[0]
    match op:
        case Not():
            return Interval(1 - a.high, 1 - a.low)
        case And():
            return Interval(min(a.low, on[1].low), min(a.high, on[1].high))
        case Or():
            return Interval(max(a.low, on[1].low), max(a.high, on[1].high))
        case _:
            return _comparison(op, a, on[1])


_TRANSFER = {Type.F32: _f32, Type.I32: _i32, Type.U32: _u32, Type.BOOL: _bool}
