"""Distinctions of cases by one small integer: which values depend on nothing else, and what they are in each case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from hamlet.frozen import dataclass
from hamletc.ir.function import Function, Table
from hamletc.ir.operands import operands
from hamletc.ir.ops import Const, Element, Equal, Fold, Input, Lookup, Op, Type, Value
from hamletc.passes.constant_folding import Literal, fold
from hamletc.passes.ranges import Facts, ranges_of

MOST_CASES = 64
FEWEST_TESTS = 3
"""The fewest constants that an integer is compared with to distinguish cases."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of a function.

    Attributes:
        numbers: for each integer that distinguishes cases, all numbers that it may be: from 0 or -1 on.
        keys: for each value the one such integer that it depends on; the value itself for that integer. `None` for
            others, and for constants.
    """

    numbers: Mapping[Value, range]
    keys: tuple[Value | None, ...]


def cases_of(function: Function, facts: Facts) -> Cases:
    """The cases of a function of which these facts are known."""
    nodes, tested = function.nodes, defaultdict(set)
    for node in nodes:
        if isinstance(node.op, Equal) and isinstance(constant := nodes[node.op.right].op, Const):
            tested[node.op.left].add(constant.value)
    often = [v for v, constants in tested.items() if nodes[v].type is Type.I32 and len(constants) >= FEWEST_TESTS]
    ranges = ranges_of(function, facts) if often else ()
    numbers: dict[Value, range] = {}
    for value in often:
        low, high = ranges[value].low, ranges[value].high
        if low in (-1, 0) and high - low < MOST_CASES:
            numbers[value] = range(int(low), int(high) + 1)
    if not numbers:
        return Cases({}, (None,) * len(nodes))
    keys: list[Value | None] = []
    free: list[bool] = []
    for value, node in enumerate(nodes):
        below = {keys[operand] for operand in operands(node.op) if not free[operand]}
        is_constant = isinstance(node.op, Const) or (bool(operands(node.op)) and not below)
        only = below.pop() if len(below) == 1 else None
        keys.append(value if value in numbers else None if isinstance(node.op, Input | Element | Fold) else only)
        free.append(is_constant and value not in numbers)
    return Cases(numbers, tuple(keys))


def in_each_case(function: Function, cases: Cases, value: Value, tables: Mapping[str, Table]) -> list[Literal] | None:
    """The literals of a value that depends on one integer, or on none, one for each of its numbers; `None` where a
    constant cannot say it.
    """
    key = cases.keys[value]
    if key is None:
        return None
    literals: list[Literal] = []
    for number in cases.numbers[key]:
        values: dict[Value, Literal] = {key: number}
        literal = _evaluate(function, value, values, tables)
        if literal is None:
            return None
        literals.append(literal)
    return literals


def _evaluate(
    function: Function, value: Value, values: dict[Value, Literal], tables: Mapping[str, Table]
) -> Literal | None:
    if value not in values:
        node = function.nodes[value]
        literals = [_evaluate(function, operand, values, tables) for operand in operands(node.op)]
        literal = _fold(node.op, node.type, [each for each in literals if each is not None], tables)
        if literal is None or None in literals:
            return None
        values[value] = literal
    return values[value]


def _fold(op: Op, type_: Type, literals: list[Literal], tables: Mapping[str, Table]) -> Literal | None:
    match op:
        case Const(value=value):
            return value
        case Lookup(table=table):
            # A number that the key never is may lead beside the table.
            entries, index = tables[table].values, int(literals[0]) if literals else -1
            return entries[index] if 0 <= index < len(entries) else None
        case _:
            return fold(op, type_, literals) if len(literals) == len(operands(op)) else None
