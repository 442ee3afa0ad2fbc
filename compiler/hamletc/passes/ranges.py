"""Range analysis: for every node an interval that holds its value, whatever the state.

A `Select` learns from its condition: in `then` it holds, in `otherwise` it does not. What a plain operation makes of
intervals is in `_TRANSFER`; the value of one that is not there may be any of its type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import inf

from hamlet.frozen import dataclass
from hamletc.ir import ops
from hamletc.ir.function import Function, Node, Program, Table
from hamletc.ir.operands import operands
from hamletc.ir.ops import BOOL, F32, I32, U32, Const, Op, Type, Value
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

_ANY = {F32: ANY_F32, I32: ANY_I32, U32: ANY_U32, BOOL: ANY_BOOL}


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
    whole = table.type is Type.F32 and all(float(value).is_integer() for value in table.values)
    return Interval(min(table.values), max(table.values), False, negative_zero, whole)


class Ranges:
    """The intervals of a list of nodes, which may still grow at its end."""

    def __init__(self, nodes: Sequence[Node], facts: Facts, counts: Mapping[str, int]) -> None:
        self._nodes = nodes
        self._facts = facts
        self._counts = counts
        self._intervals: list[Interval] = []
        self._folds: dict[tuple[str, tuple[Value, ...]], dict[str, Interval]] = {}

    def __getitem__(self, value: Value) -> Interval:
        intervals = self._intervals
        while len(intervals) <= value:
            node = self._nodes[len(intervals)]
            intervals.append(self._compute(node.op, node.type, {}, DEPTH))
        return intervals[value]

    def _under(self, value: Value, assumed: Mapping[Value, Interval], depth: int) -> Interval:
        """The interval of a node where other nodes are known to be in these intervals."""
        interval = self[value]
        if not assumed:
            return interval
        if value in assumed:
            return meet(interval, assumed[value])
        node = self._nodes[value]
        if depth == 0 or value < min(assumed) or isinstance(node.op, Const):
            return interval
        return meet(interval, self._compute(node.op, node.type, assumed, depth - 1))

    def _compute(self, op: Op, type_: Type, assumed: Mapping[Value, Interval], depth: int) -> Interval:
        match op:
            case ops.Unary() | ops.Binary() | ops.Fma():
                values = operands(op)
                transfer = _TRANSFER.get((type(op), self._nodes[values[0]].type))
                if transfer is None:
                    return _ANY[type_]
                if not assumed:
                    # Operands come before it.
                    intervals = self._intervals
                    return transfer(*[intervals[value] for value in values])
                return transfer(*[self._under(value, assumed, depth) for value in values])
            case Const(value=value):
                return _constant(value)
            case ops.Input(name=name):
                return self._facts.inputs.get(name, _ANY[type_])
            case ops.Element(output=output):
                return Interval(0, self._counts[output] - 1)
            case ops.Lookup(table=table):
                return self._facts.tables[table]
            case ops.Fetch(array=array):
                return self._facts.inputs.get(array, _ANY[type_])
            case ops.Fold():
                return self._fold(op, _ANY[type_])
            case ops.Select(condition=condition, then=then, otherwise=otherwise):
                chosen = self._under(condition, assumed, depth)
                if chosen.low == 1:
                    return self._under(then, assumed, depth)
                if chosen.high == 0:
                    return self._under(otherwise, assumed, depth)
                return join(
                    self._where(condition, True, then, assumed, depth),
                    self._where(condition, False, otherwise, assumed, depth),
                )

    def _fold(self, op: ops.Fold, anything: Interval) -> Interval:
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

    def _where(
        self, condition: Value, holds: bool, value: Value, assumed: Mapping[Value, Interval], depth: int
    ) -> Interval:
        """The interval of a node under assumptions and those that follow from a condition or from its contrary."""
        if isinstance(self._nodes[value].op, Const):
            return self[value]
        result = dict(assumed)
        self._learn(condition, holds, result)
        return self._under(value, result, depth)

    def _learn(self, condition: Value, holds: bool, facts: dict[Value, Interval]) -> None:
        op = self._nodes[condition].op
        match op:
            case ops.Not(operand=operand):
                self._learn(operand, not holds, facts)
            case ops.And(left=left, right=right) if holds:
                self._learn(left, holds, facts)
                self._learn(right, holds, facts)
            case ops.Or(left=left, right=right) if not holds:
                self._learn(left, holds, facts)
                self._learn(right, holds, facts)
            case ops.Less(left=left, right=right) | ops.LessEqual(left=left, right=right):
                is_float = self._nodes[left].type is F32
                strict = isinstance(op, ops.Less) == holds
                if not holds:
                    left, right = right, left
                a, b = self[left], self[right]
                # A comparison fails with a NaN: then it says nothing about the other side, nor denies the NaN.
                step = 1 if strict and not is_float else 0
                if holds or not b.nan:
                    self._note(left, -inf, b.high - step, not holds, facts)
                if holds or not a.nan:
                    self._note(right, a.low + step, inf, not holds, facts)
            case ops.Equal(left=left, right=right) if holds and self._nodes[left].type is not BOOL:
                a, b = self[left], self[right]
                self._note(left, b.low, b.high, False, facts)
                self._note(right, a.low, a.high, False, facts)
            case _:
                pass

    def _note(self, value: Value, low: float, high: float, nan: bool, facts: dict[Value, Interval]) -> None:
        op = self._nodes[value].op
        if not isinstance(op, Const):
            facts[value] = meet(facts.get(value, self[value]), Interval(low, high, nan, True))
        if isinstance(op, ops.ToU32) and high < 2**31:
            # No negative number has these bits.
            self._note(op.operand, max(low, 0), high, False, facts)


def ranges_of(function: Function, facts: Facts) -> tuple[Interval, ...]:
    """The intervals of a function's nodes."""
    ranges = Ranges(function.nodes, facts, counts_of(function))
    return tuple(ranges[value] for value in range(len(function.nodes)))


def _row(facts: Facts, op: ops.Fold, state: Mapping[str, Interval]) -> dict[str, Interval]:
    """The state of a loop after a row."""
    body = facts.functions[op.function]
    ranges = ranges_of(body, replace(facts, inputs={**state, "row": Interval(0, op.count - 1)}))
    return {output.name: ranges[output.value] for output in body.outputs}


def counts_of(function: Function) -> dict[str, int]:
    """How many elements the outputs that have elements have."""
    return {output.name: output.count for output in function.outputs if output.count is not None}


def _constant(value: float | int | bool) -> Interval:
    if isinstance(value, float):
        return Interval(value, value, False, value == 0 and str(value) == "-0.0", value.is_integer())
    return Interval(int(value), int(value))


def _truth(can_hold: bool, can_fail: bool) -> Interval:
    return ANY_BOOL if can_hold and can_fail else Interval(0 if can_fail else 1, 1 if can_hold else 0)


def _less(a: Interval, b: Interval) -> Interval:
    return _truth(a.low < b.high, a.nan or b.nan or a.high >= b.low)


def _less_equal(a: Interval, b: Interval) -> Interval:
    return _truth(a.low <= b.high, a.nan or b.nan or a.high > b.low)


def _equal(a: Interval, b: Interval) -> Interval:
    same = a.low == a.high == b.low == b.high
    return _truth(a.low <= b.high and b.low <= a.high, a.nan or b.nan or not same)


def _fit(low: float, high: float, whole: Interval) -> Interval:
    """The interval, or all values of the type where it wraps."""
    return Interval(low, high) if whole.low <= low and high <= whole.high else whole


def _product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return _fit(min(corners), max(corners), ANY_I32)


def _magnitude(a: Interval) -> Interval:
    magnitude = absolute(a)
    return _fit(magnitude.low, magnitude.high, ANY_I32)


def _words(transfer: Callable[[int, int, int, int], Interval]) -> Callable[[Interval, Interval], Interval]:
    """A transfer of intervals from one of the lowest and the highest of each of two U32."""
    return lambda a, b: transfer(int(a.low), int(a.high), int(b.low), int(b.high))


def _bits(_low: int, high: int, _least: int, most: int) -> Interval:
    """All numbers that are no longer in bits than the longer operand."""
    return Interval(0, (1 << max(high.bit_length(), most.bit_length())) - 1)


_TRANSFER: dict[tuple[type[Op], Type], Callable[..., Interval]] = {
    **{(ops.Less, type_): _less for type_ in (F32, I32, U32)},
    **{(ops.LessEqual, type_): _less_equal for type_ in (F32, I32, U32)},
    **{(ops.Equal, type_): _equal for type_ in Type},
    (ops.Add, F32): add,
    (ops.Sub, F32): subtract,
    (ops.Mul, F32): multiply,
    (ops.Div, F32): divide,
    (ops.Fma, F32): fused,
    (ops.Neg, F32): negate,
    (ops.Abs, F32): absolute,
    (ops.Sqrt, F32): root,
    (ops.Add, I32): lambda a, b: _fit(a.low + b.low, a.high + b.high, ANY_I32),
    (ops.Sub, I32): lambda a, b: _fit(a.low - b.high, a.high - b.low, ANY_I32),
    (ops.Mul, I32): _product,
    (ops.Neg, I32): lambda a: _fit(-a.high, -a.low, ANY_I32),
    (ops.Abs, I32): _magnitude,
    (ops.ToF32, I32): lambda a: Interval(to_binary32(float(a.low)), to_binary32(float(a.high)), whole=True),
    (ops.ToU32, I32): lambda a: _fit(a.low, a.high, ANY_U32),
    (ops.ToI32, U32): lambda a: _fit(a.low, a.high, ANY_I32),
    (ops.Add, U32): lambda a, b: _fit(a.low + b.low, a.high + b.high, ANY_U32),
    (ops.Sub, U32): lambda a, b: _fit(a.low - b.high, a.high - b.low, ANY_U32),
    (ops.Mul, U32): lambda a, b: _fit(a.low * b.low, a.high * b.high, ANY_U32),
    (ops.MulHigh, U32): _words(lambda low, high, least, most: Interval(low * least >> 32, high * most >> 32)),
    (ops.Div, U32): _words(lambda low, high, least, most: Interval(low // most, high // least)),
    (ops.Rem, U32): lambda a, b: a if a.high < b.low else Interval(0, b.high - 1),
    (ops.And, U32): lambda a, b: Interval(0, min(a.high, b.high)),
    (ops.Or, U32): _words(_bits),
    (ops.Xor, U32): _words(_bits),
    (ops.ShiftLeft, U32): _words(
        lambda low, high, least, most: _fit(low << least, high << most, ANY_U32) if most < 32 else ANY_U32
    ),
    (ops.ShiftRight, U32): _words(
        lambda low, high, least, most: Interval(low >> most, high >> least) if most < 32 else ANY_U32
    ),
    (ops.Not, BOOL): lambda a: Interval(1 - a.high, 1 - a.low),
    (ops.And, BOOL): lambda a, b: Interval(min(a.low, b.low), min(a.high, b.high)),
    (ops.Or, BOOL): lambda a, b: Interval(max(a.low, b.low), max(a.high, b.high)),
}
"""By operation and type of its operands, the interval of its result."""
