"""Values that depend on one small integer are looked up in a table: what each affordance adds to a meter, for example.

Registers hold such a table, and one instruction looks up all lanes: on a CPU in a vector register
(`short_table` of `hamlet.h`), on a GPU in a register of each lane of a warp (`hamletc.targets.triton.columns`). What
is unrolled for many affordances is thereby as fast as for one.

First, the conditions under which an affordance is used become one integer: where `tried` is the number that is tried
and each affordance k has `hit = tried == k and needs`, that is `used = tried where its needs hold, else -1`, and each
hit is `used == k`. Needs of one shape, as `money >= price`, are one comparison with a price that is looked up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import field, replace

from hamlet.frozen import dataclass
from hamletc.ir import ops
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Origin, Output, Program, Table
from hamletc.ir.operands import operands, with_operands
from hamletc.ir.ops import Const, Op, Type, Value
from hamletc.passes.cases import Cases, cases_of, in_each_case
from hamletc.passes.constant_folding import Literal
from hamletc.passes.dead_code import DeadCodeElimination
from hamletc.passes.ranges import Facts, contents, ranges_of

NAME = "tabulation"
LEAST_WORK = 4
"""Operations that are worth a lookup."""
LEAST_ARMS = 3
"""Alternatives that are worth a lookup and a test."""
WORD = 32
PREFIX = "case."


def is_made(table: Table) -> bool:
    """Whether this pass made a table."""
    return table.name.startswith(PREFIX)


def tabulate(program: Program, facts: Facts, within: Collection[str] | None = None) -> Program:
    """The program with tables in place of distinctions of cases, to the bit the same; `within` these functions, or
    all."""
    tables = _Tables({table.name: table for table in program.tables})
    functions = tuple(
        _tabulated(function, facts, tables) if within is None or function.name in within else function
        for function in program.functions
    )
    read = {node.op.table for f in functions for node in f.nodes if isinstance(node.op, ops.Lookup)}
    made = tuple(table for table in tables.made if table.name in read)
    return replace(program, functions=functions, tables=(*program.tables, *made))


@dataclass(slots=True)
class _Tables:
    """The tables of a program by name, and those that are made for it."""

    by_name: dict[str, Table]
    made: list[Table] = field(default_factory=list)

    def of(self, type_: Type, values: Iterable[float | int], origins: Iterable[Origin | None]) -> Table:
        """The table of these values, made once."""
        values, origins = tuple(values), tuple(origins)
        origins = origins if any(origins) else ()
        for table in self.made:
            if table.type is type_ and repr(table.values) == repr(values) and table.origins == origins:
                return table
        table = Table(f"{PREFIX}{len(self.made)}", type_, values, origins)
        self.made.append(table)
        self.by_name[table.name] = table
        return table


def _tabulated(function: Function, facts: Facts, tables: _Tables) -> Function:
    dead = DeadCodeElimination()
    cases = cases_of(function, facts)
    if not cases.numbers:
        return dead.run(function)
    function = dead.run(_Used(function, cases, facts, tables).rewritten())
    facts = replace(facts, tables={name: contents(table) for name, table in tables.by_name.items()})
    return dead.run(_Lookups(function, cases_of(function, facts), tables).rewritten())


@dataclass(frozen=True, slots=True)
class _Case:
    """The value in a case, and the construct that makes it so, if there is one."""

    value: Literal
    origin: Origin | None


class _Rewriting(ABC):
    """Goes through a function into a new one."""

    def __init__(self, function: Function, cases: Cases, tables: _Tables) -> None:
        self.function, self.cases, self.tables = function, cases, tables
        self.builder = Builder()
        self._new: dict[Value, Value] = {}

    def rewritten(self) -> Function:
        """The new function."""
        if not self.cases.numbers:
            return self.function
        for value in range(len(self.function.nodes)):
            self.new(value)
        outputs = [Output(o.name, self.new(o.value), o.count) for o in self.function.outputs]
        return self.builder.finish(self.function.name, tuple(outputs))

    def new(self, value: Value) -> Value:
        """The new value of an old one."""
        if value not in self._new:
            node, outer = self.function.nodes[value], self.builder.origin
            self.builder.origin = node.origin
            self._new[value] = self.replaced(value, node.op, node.type)
            self.builder.origin = outer
        return self._new[value]

    @abstractmethod
    def replaced(self, value: Value, op: Op, type_: Type) -> Value:
        """The new value for an old one."""

    def same(self, op: Op, type_: Type) -> Value:
        """The same operation on the new operands."""
        return self.builder.node(with_operands(op, tuple([self.new(operand) for operand in operands(op)])), type_)

    def index(self, key: Value) -> Value:
        """The row (I32) of tables for a number: the number itself, the last row for -1."""
        numbers, builder = self.cases.numbers[key], self.builder
        if numbers.start == 0:
            return self.new(key)
        return builder.to_i32(builder.and_(builder.to_u32(self.new(key)), builder.u32(_rows(numbers) - 1)))

    def look_up(self, key: Value, type_: Type, cases: list[_Case]) -> Value:
        """A value that differs from case to case, looked up."""
        numbers = self.cases.numbers[key]
        if type_ is Type.I32 and [case.value for case in cases] == list(numbers):
            return self.new(key)
        rows = cases if numbers.start == 0 else [*cases[1:], *cases[:1] * (_rows(numbers) - len(cases) + 1)]
        table = self.tables.of(type_, (row.value for row in rows), (row.origin for row in rows))
        return self.builder.lookup(table, self.index(key))

    def test(self, key: Value, holds: list[Literal]) -> Value:
        """Whether (BOOL) it holds in each case: a bit of a word."""
        builder = self.builder
        numbers = self.cases.numbers[key]
        word = sum(1 << (number % _rows(numbers)) for number, bit in zip(numbers, holds, strict=True) if bit)
        bit = builder.emit(ops.ShiftRight(builder.u32(word), builder.to_u32(self.index(key))))
        return builder.equal(builder.and_(bit, builder.u32(1)), builder.u32(1))


def _rows(numbers: range) -> int:
    """Rows of the tables of these numbers: a power of two where -1 is one of them."""
    if numbers.start == 0:
        return len(numbers)
    return 1 << (len(numbers) - 1).bit_length()


class _Used(_Rewriting):
    """Makes one integer of all hits of an integer that is tried."""

    def __init__(self, function: Function, cases: Cases, facts: Facts, tables: _Tables) -> None:
        super().__init__(function, cases, tables)
        self.ranges = ranges_of(function, facts)
        self.tests: dict[Value, _Test] = {}
        for value, node in enumerate(function.nodes):
            test = self._test(node.op)
            if test is not None:
                self.tests[value] = test
        self.hits = {key: self._hits(key) for key, numbers in self.cases.numbers.items() if numbers.start == -1}
        self.used: dict[Value, Value] = {}

    def _test(self, op: Op) -> _Test | None:
        """The test that a condition is, if it compares an integer that distinguishes cases with one of its numbers; -1
        is none, as it is what `used` is where needs do not hold.
        """
        match op:
            case ops.Equal(left=left, right=right) if left in self.cases.numbers:
                constant = self.function.nodes[right].op
                if not isinstance(constant, Const) or constant.value < 0:
                    return None
                return _Test(left, int(constant.value), ())
            case ops.And(left=left, right=right) if (left in self.tests) != (right in self.tests):
                hit, need = (left, right) if left in self.tests else (right, left)
                test = self.tests[hit]
                return _Test(test.key, test.number, (*test.needs, need))
            case _:
                return None

    def _hits(self, key: Value) -> dict[int, Value]:
        """The hit of each number that has needs: the one that is no part of another."""
        parts = {o for value in self.tests for o in operands(self.function.nodes[value].op)}
        by_number: dict[int, list[Value]] = defaultdict(list)
        for value, test in self.tests.items():
            if test.key == key and test.needs and value not in parts:
                by_number[test.number].append(value)
        hits = {number: values[0] for number, values in by_number.items() if len(values) == 1}
        return hits if len(hits) >= LEAST_ARMS and not self._depend(hits) else {}

    def _depend(self, hits: dict[int, Value]) -> bool:
        """Whether what one hit needs depends on a hit."""
        after = set(hits.values())
        for value, node in enumerate(self.function.nodes):
            if not after.isdisjoint(operands(node.op)):
                after.add(value)
        return any(need in after for hit in hits.values() for need in self.tests[hit].needs)

    def replaced(self, value: Value, op: Op, type_: Type) -> Value:
        test = self.tests.get(value)
        if test is None or test.key not in self.hits:
            return self.same(op, type_)
        hit = self.hits[test.key].get(test.number)
        if value != hit and (hit is not None or test.needs or not self.hits[test.key]):
            return self.same(op, type_)
        if test.key not in self.used:
            self.used[test.key] = self._used(test.key)
        return self.builder.equal(self.used[test.key], self.builder.i32(test.number))

    def _used(self, key: Value) -> Value:
        """The number that is tried where its needs hold, else -1."""
        builder, numbers = self.builder, self.cases.numbers[key]
        alike: dict[tuple[Value, bool], dict[int, Value]] = defaultdict(dict)
        conditions: list[Value] = []
        for number, hit in self.hits[key].items():
            for need in self.tests[hit].needs:
                match self.function.nodes[need].op:
                    case ops.LessEqual(left=bound, right=value) if self._is_bound(bound, value) and (
                        number not in alike[value, True]
                    ):
                        alike[value, True][number] = bound
                    case ops.LessEqual(left=value, right=bound) if self._is_bound(bound, value) and (
                        number not in alike[value, False]
                    ):
                        alike[value, False][number] = bound
                    case _:
                        other = builder.not_(builder.equal(self.new(key), builder.i32(number)))
                        conditions.append(builder.or_(self.new(need), other))
        for (value, least), bounds in alike.items():
            interval = self.ranges[value]
            anything = float(interval.low if least else interval.high)
            if not bounds:
                continue
            limits = [
                _Case(self._constant(bounds[number]), self.function.nodes[self.hits[key][number]].origin)
                if number in bounds
                else _Case(anything, None)
                for number in numbers
            ]
            limit = self.look_up(key, Type.F32, limits)
            pair = (limit, self.new(value)) if least else (self.new(value), limit)
            conditions.append(builder.less_equal(*pair))
        return builder.select(builder.all(conditions), self.new(key), builder.i32(-1))

    def _constant(self, value: Value) -> Literal:
        op = self.function.nodes[value].op
        if not isinstance(op, Const):
            raise ValueError("not a constant")
        return op.value

    def _is_bound(self, bound: Value, value: Value) -> bool:
        """Whether it is a constant to compare an F32 with that has bounds itself: every value meets those."""
        interval, nodes = self.ranges[value], self.function.nodes
        constant = isinstance(nodes[bound].op, Const) and nodes[value].type is Type.F32
        return constant and not interval.nan and not interval.unbounded


@dataclass(frozen=True, slots=True)
class _Test:
    """`key == number`, and what must hold beside it."""

    key: Value
    number: int
    needs: tuple[Value, ...]


class _Lookups(_Rewriting):
    """Puts lookups in place of what depends on one integer."""

    def __init__(self, function: Function, cases: Cases, tables: _Tables) -> None:
        super().__init__(function, cases, tables)
        self.users: dict[Value, list[Value]] = defaultdict(list)
        for value, node in enumerate(function.nodes):
            for operand in operands(node.op):
                self.users[operand].append(value)
        self.results = {output.value for output in function.outputs}
        self.held: dict[tuple[Value, Value], list[Literal] | None] = {}

    def replaced(self, value: Value, op: Op, type_: Type) -> Value:
        key = self.cases.keys[value]
        if key is not None and key != value:
            if self._is_last(value, key) and self._work(value, key) >= LEAST_WORK:
                values = in_each_case(self.function, self.cases, value, self.tables.by_name)
                if values is not None and type_ is not Type.BOOL:
                    return self.look_up(key, type_, self._cases(key, value, values))
                if values is not None and _rows(self.cases.numbers[key]) <= WORD:
                    return self.test(key, values)
        elif isinstance(op, ops.Select):
            return self._alternatives(value, op, type_)
        return self.same(op, type_)

    def _is_last(self, value: Value, key: Value) -> bool:
        """Whether somebody uses it for what does not depend on the key alone."""
        return value in self.results or any(self.cases.keys[user] != key for user in self.users[value])

    def _work(self, value: Value, key: Value) -> int:
        """The operations that compute it from the key."""
        seen, waiting = set[Value](), [value]
        while waiting:
            each = waiting.pop()
            if each not in seen and each != key and self.cases.keys[each] == key:
                seen.add(each)
                waiting += operands(self.function.nodes[each].op)
        return len(seen)

    def _alternatives(self, value: Value, op: ops.Select, type_: Type) -> Value:
        """A chain of alternatives by one integer, and what holds in no alternative."""
        key = self.cases.keys[op.condition]
        if key is None or type_ is Type.BOOL or _rows(self.cases.numbers[key]) > WORD:
            return self.same(op, type_)
        arms: list[tuple[list[Literal], list[_Case]]] = []
        rest = value
        while isinstance(each := self.function.nodes[rest].op, ops.Select) and self.cases.keys[each.condition] == key:
            holds = in_each_case(self.function, self.cases, each.condition, self.tables.by_name)
            values = self._values(key, each.then)
            if holds is None or values is None:
                break
            cases = self._cases(key, each.then, values)
            origin = self.function.nodes[rest].origin
            arms.append((holds, [replace(case, origin=case.origin or origin) for case in cases]))
            rest = each.otherwise
        if len(arms) < LEAST_ARMS:
            return self.same(op, type_)
        count = len(self.cases.numbers[key])
        chosen = [
            next((cases[case] for holds, cases in arms if holds[case]), replace(arms[0][1][case], origin=None))
            for case in range(count)
        ]
        member: list[Literal] = [any(holds[case] for holds, _ in arms) for case in range(count)]
        looked_up = self.look_up(key, type_, chosen)
        return self.builder.select(self.test(key, member), looked_up, self.new(rest))

    def _cases(self, key: Value, value: Value, values: list[Literal]) -> list[_Case]:
        """The values that a value has in each case, and the last construct that chose each of them."""
        origins: list[Origin | None] = []
        for case in range(len(values)):
            each, origin = value, None
            while isinstance(op := self.function.nodes[each].op, ops.Select):
                holds = self._held(key, op.condition)
                if holds is None:
                    break
                if holds[case]:
                    origin = self.function.nodes[each].origin
                each = op.then if holds[case] else op.otherwise
            origins.append(origin)
        return [_Case(literal, origin) for literal, origin in zip(values, origins, strict=True)]

    def _held(self, key: Value, condition: Value) -> list[Literal] | None:
        """Whether a condition holds in each case of a key, if it depends on nothing else."""
        if (key, condition) not in self.held:
            self.held[key, condition] = self._values(key, condition)
        return self.held[key, condition]

    def _values(self, key: Value, value: Value) -> list[Literal] | None:
        """The literals of a value, one for each case of a key, if it depends on nothing else."""
        op = self.function.nodes[value].op
        if isinstance(op, Const):
            return [op.value] * len(self.cases.numbers[key])
        return (
            in_each_case(self.function, self.cases, value, self.tables.by_name)
            if self.cases.keys[value] == key
            else None
        )
