"""Guarded additions to a meter share one addition and one clamp where at most one of them happens.

A guarded statement `where g: m = clamp(m + a)` was lowered to `Select(g, clamp(m + a), m)`. Where m is within the
bounds of the clamp, that is `clamp(m + Select(g, a, -0.0))`: adding -0.0 gives m, and the clamp leaves it. Two such
statements one after the other,

    clamp(clamp(m + Select(g, a, -0.0)) + Select(h, b, -0.0)),

are `clamp(m + Select(h, b, Select(g, a, -0.0)))` where g and h exclude each other: when one adds, the other adds -0.0,
and clamping twice is clamping once. So a chain of statements becomes *levels*: the statements of a level exclude each
other, and a statement goes to the first level after the last one that it does not exclude.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from hamlet.frozen import dataclass
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function
from hamletc.ir.ops import Add, And, Const, Div, Equal, Less, LessEqual, Mul, Not, Op, Select, Sub, Type, Value
from hamletc.passes.interval import Interval, meet
from hamletc.passes.ranges import Facts, Ranges, counts_of
from hamletc.passes.rewrite import rewrite


@dataclass(frozen=True, slots=True)
class MergeExclusive:
    """Turns guarded clamped additions into unguarded ones of a selected amount, as few as the guards allow."""

    facts: Facts
    name: str = "merge_exclusive"

    def run(self, function: Function) -> Function:
        builder = Builder()
        merger = _Merger(builder, Ranges(builder.nodes, self.facts, counts_of(function)))
        return rewrite(function, builder, merger.apply, (Select,))


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The two constants of a clamp."""

    low: Value
    high: Value


@dataclass(frozen=True, slots=True)
class _Change:
    """Where the guard holds, the amount is added, or subtracted."""

    guard: Value
    amount: Value
    subtracted: bool


@dataclass(frozen=True, slots=True)
class _Level:
    """Changes of which at most one happens, and what they come to: an amount that is added, or subtracted. `points`:
    of an integer that is known exactly where each of them happens, what it is there."""

    changes: tuple[_Change, ...]
    amount: Value
    subtracted: bool
    points: Mapping[Value, frozenset[float]]


@dataclass(frozen=True, slots=True)
class _Chain:
    """`base`, within the bounds, then one addition and one clamp per level. `values`: `base`, and what each level
    leaves."""

    base: Value
    bounds: _Bounds
    levels: tuple[_Level, ...]
    values: tuple[Value, ...]


class _Merger:
    def __init__(self, builder: Builder, ranges: Ranges) -> None:
        self.builder = builder
        self.ranges = ranges
        self.chains: dict[Value, _Chain] = {}
        self.constraints: dict[Value, dict[Value, Interval]] = {}

    def apply(self, op: Op, type_: Type) -> Value | None:
        if not isinstance(op, Select) or type_ is not Type.F32:
            return None
        change = self._changes(op)
        if change is None:
            return None
        bounds, changes = change
        chain = self.chains.get(op.otherwise)
        if chain is None or chain.bounds != bounds:
            if not self._in_bounds(op.otherwise, bounds):
                return None
            chain = _Chain(op.otherwise, bounds, (), (op.otherwise,))
        chain = self._extend(chain, changes)
        value = chain.values[-1]
        self.chains[value] = chain
        return value

    def _changes(self, op: Select) -> tuple[_Bounds, list[_Change]] | None:
        """The additions, first to last, by which `then` differs from `otherwise`, if that is all there is to it."""
        changes: list[_Change] = []
        bounds: _Bounds | None = None
        value = op.then
        while value > op.otherwise:
            clamped = self._unclamp(value)
            if clamped is None or (bounds is not None and clamped[1] != bounds):
                return None
            total = self.builder.nodes[clamped[0]].op
            bounds = clamped[1]
            if not isinstance(total, Add | Sub):
                return None
            changes.insert(0, _Change(op.condition, total.right, isinstance(total, Sub)))
            value = total.left
        return (bounds, changes) if value == op.otherwise and bounds is not None else None

    def _unclamp(self, value: Value) -> tuple[Value, _Bounds] | None:
        """x and the bounds, if the node is clamp(x) to constant bounds."""
        nodes = self.builder.nodes
        match nodes[value].op:
            case Select(condition=condition, then=high, otherwise=raised) if nodes[condition].op == Less(high, raised):
                match nodes[raised].op:
                    case Select(condition=below, then=low, otherwise=inner) if nodes[below].op == Less(inner, low):
                        if isinstance(nodes[low].op, Const) and isinstance(nodes[high].op, Const):
                            return inner, _Bounds(low, high)
        return None

    def _in_bounds(self, value: Value, bounds: _Bounds) -> bool:
        interval = self.ranges[value]
        low, high = self.ranges[bounds.low].low, self.ranges[bounds.high].high
        return not interval.nan and low <= interval.low and interval.high <= high

    def _extend(self, chain: _Chain, changes: list[_Change]) -> _Chain:
        levels = list(chain.levels)
        unchanged = len(levels)
        for change in changes:
            number = len(levels)
            while number and self._excludes_all(change.guard, levels[number - 1]):
                number -= 1
            unchanged = min(unchanged, number)
            if number == len(levels):
                levels.append(self._level((change,), change.subtracted))
            else:
                levels[number] = self._join(levels[number], change)
        values = (*chain.values[: unchanged + 1], *self._emit(chain, levels[unchanged:], chain.values[unchanged]))
        return _Chain(chain.base, chain.bounds, tuple(levels), values)

    def _join(self, level: _Level, change: _Change) -> _Level:
        changes = (*level.changes, change)
        if level.subtracted and not change.subtracted:
            return self._level(changes, False)
        amount = self.builder.select(change.guard, self._signed(change, level.subtracted), level.amount)
        return _Level(changes, amount, level.subtracted, self._points(change.guard, level.points))

    def _level(self, changes: tuple[_Change, ...], subtracted: bool) -> _Level:
        nothing = self.builder.f32(0.0 if subtracted else -0.0)
        amount = self._where(changes[0].guard, self._signed(changes[0], subtracted), nothing)
        for change in changes[1:]:
            amount = self.builder.select(change.guard, self._signed(change, subtracted), amount)
        points = self._points(changes[0].guard, None)
        for change in changes[1:]:
            points = self._points(change.guard, points)
        return _Level(changes, amount, subtracted, points)

    def _points(
        self, guard: Value, before: Mapping[Value, frozenset[float]] | None
    ) -> Mapping[Value, frozenset[float]]:
        """Integers that a guard fixes, with their values, as do those before it; `None`: it is the first."""
        exact = {value: each.low for value, each in self._constraints(guard).items() if each.low == each.high}
        if before is None:
            return {value: frozenset((point,)) for value, point in exact.items()}
        return {value: points | {exact[value]} for value, points in before.items() if value in exact}

    def _excludes_all(self, guard: Value, level: _Level) -> bool:
        """Whether a guard never holds together with one of a level."""
        for value, interval in self._constraints(guard).items():
            points = level.points.get(value)
            if points is not None and interval.low == interval.high and interval.low not in points:
                return True
        return all(self._exclude(guard, other.guard) for other in reversed(level.changes))

    def _signed(self, change: _Change, subtracted: bool) -> Value:
        """The amount to subtract or to add."""
        return change.amount if change.subtracted == subtracted else self._negative(change.amount)

    def _emit(self, chain: _Chain, levels: Sequence[_Level], value: Value) -> list[Value]:
        """The values of a chain after each of these levels, the first of which begins with `value`."""
        builder, values = self.builder, []
        for level in levels:
            total = builder.sub(value, level.amount) if level.subtracted else builder.add(value, level.amount)
            value = builder.clamp(total, chain.bounds.low, chain.bounds.high)
            values.append(value)
        return values

    def _where(self, guard: Value, amount: Value, nothing: Value) -> Value:
        """The amount where the guard holds, else a zero. Factors and divisors stay outside: others can share what is
        inside, and a positive one leaves the zero as it is."""
        builder = self.builder
        match builder.nodes[amount].op:
            case Mul(left=left, right=right) if self._is_positive(left) and not self._is_constant(right):
                return builder.mul(left, self._where(guard, right, nothing))
            case Mul(left=left, right=right) if self._is_positive(right) and not self._is_constant(left):
                return builder.mul(self._where(guard, left, nothing), right)
            case Div(left=left, right=right) if self._is_positive(right) and not self._is_constant(left):
                return builder.div(self._where(guard, left, nothing), right)
            case _:
                return builder.select(guard, amount, nothing)

    def _is_constant(self, value: Value) -> bool:
        return isinstance(self.builder.nodes[value].op, Const)

    def _is_positive(self, value: Value) -> bool:
        op = self.builder.nodes[value].op
        return isinstance(op, Const) and op.value > 0

    def _negative(self, value: Value) -> Value:
        op = self.builder.nodes[value].op
        return self.builder.f32(-float(op.value)) if isinstance(op, Const) else self.builder.neg(value)

    def _exclude(self, guard: Value, other: Value) -> bool:
        """Whether two guards are known never to hold together."""
        a, b = self._constraints(guard), self._constraints(other)
        if len(b) < len(a):
            a, b = b, a
        return any(value in b and _disjoint(interval, b[value]) for value, interval in a.items())

    def _constraints(self, guard: Value) -> dict[Value, Interval]:
        """Constraints on integers and conditions where a guard holds."""
        constraints = self.constraints.get(guard)
        if constraints is None:
            constraints = self.constraints[guard] = {}
            self._gather(guard, constraints)
        return constraints

    def _gather(self, guard: Value, constraints: dict[Value, Interval]) -> None:
        nodes = self.builder.nodes
        _restrict(constraints, guard, Interval(1, 1))
        match nodes[guard].op:
            case And(left=left, right=right):
                self._gather(left, constraints)
                self._gather(right, constraints)
            case Not(operand=operand):
                _restrict(constraints, operand, Interval(0, 0))
            case Equal(left=left, right=right) if self._is_integer(left):
                self._gather_equal(left, self.ranges[right], constraints)
            case Less(left=left, right=right) if self._is_integer(left):
                _restrict(constraints, left, Interval(-inf, self.ranges[right].high - 1))
                _restrict(constraints, right, Interval(self.ranges[left].low + 1, inf))
            case LessEqual(left=left, right=right) if self._is_integer(left):
                _restrict(constraints, left, Interval(-inf, self.ranges[right].high))
                _restrict(constraints, right, Interval(self.ranges[left].low, inf))
            case _:
                pass

    def _gather_equal(self, value: Value, interval: Interval, constraints: dict[Value, Interval]) -> None:
        """`value` is in the interval; where it is a `Select` of which one side is not, the other side was taken."""
        _restrict(constraints, value, interval)
        op = self.builder.nodes[value].op
        while isinstance(op, Select):
            if _disjoint(self.ranges[op.otherwise], interval):
                self._gather(op.condition, constraints)
                value = op.then
            elif _disjoint(self.ranges[op.then], interval):
                _restrict(constraints, op.condition, Interval(0, 0))
                value = op.otherwise
            else:
                return
            _restrict(constraints, value, interval)
            op = self.builder.nodes[value].op

    def _is_integer(self, value: Value) -> bool:
        return self.builder.nodes[value].type in (Type.I32, Type.U32)


def _disjoint(a: Interval, b: Interval) -> bool:
    return a.high < b.low or b.high < a.low


def _restrict(constraints: dict[Value, Interval], value: Value, interval: Interval) -> None:
    constraints[value] = meet(constraints[value], interval) if value in constraints else interval
