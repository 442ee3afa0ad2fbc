"""Repeated outputs whose rows are known but for a bit each and for the one row of the agent's own: those of a grid.

A kernel then writes constants, chosen by bits at known positions, and corrects the own row after that, instead of
computing the output for each row anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import bits32
from hamletc.ir.function import Function, Origin, Output
from hamletc.ir.operands import operands
from hamletc.ir.ops import And, Const, Element, Equal, Op, Select, Type, Value
from hamletc.ir.verifier import element_of
from hamletc.passes.constant_folding import Literal, fold
from hamletc.passes.dead_code import DeadCodeElimination

WORD = 32
"""Rows that a word has bits for."""
MOST_ROWS = 1024
"""Each row is looked at when a kernel is printed."""


@dataclass(frozen=True, slots=True)
class KnownRows:
    """A repeated output (F32) as constants.

    Attributes:
        output: its name.
        count: of its rows.
        own: the output (I32) with the own row, which may be none of these; `None` where there is none.
        words: the outputs (U32) with a bit for every row; none where all rows are alike.
        values: of a row without and with its bit.
        own_values: the same of the own row.
        origin: of the output.
    """

    output: str
    count: int
    own: str | None
    words: tuple[str, ...]
    values: tuple[float, float]
    own_values: tuple[float, float]
    origin: Origin


def known_rows(function: Function, fewest_words: int = 0) -> tuple[Function, tuple[KnownRows, ...]]:
    """The function with single outputs `NAME.own` and `NAME.word0`, ... in place of each output that is known so, of at
    least so many words."""
    outputs: list[Output] = []
    found: list[KnownRows] = []
    for output in function.outputs:
        rows = _Rows.of(function, output)
        if rows is None or len(rows.words) < fewest_words:
            outputs.append(output)
            continue
        words = [Output(f"{output.name}.word{number}", value) for number, value in enumerate(rows.words)]
        own = [] if rows.own is None else [Output(f"{output.name}.own", rows.own)]
        outputs += [*words, *own]
        names = tuple(word.name for word in words)
        origin = function.nodes[output.value].origin
        plain, marked = rows.values
        found.append(KnownRows(output.name, rows.count, own[0].name if own else None, names, plain, marked, origin))
    if not found:
        return function, ()
    return DeadCodeElimination().run(Function(function.name, function.nodes, tuple(outputs))), tuple(found)


@dataclass(frozen=True, slots=True)
class _Assumed:
    """What is assumed of a row."""

    own: bool
    bit: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """A row under an assumption: its value, the value to which its number is compared, and the word with its bit."""

    value: float
    own: frozenset[Value]
    words: frozenset[Value]


@dataclass(frozen=True, slots=True)
class _Rows:
    count: int
    own: Value | None
    words: tuple[Value, ...]
    values: tuple[tuple[float, float], tuple[float, float]]

    @classmethod
    def of(cls, function: Function, output: Output) -> _Rows | None:
        """`None` where an output is not known so."""
        if output.count is None or output.count > MOST_ROWS or function.nodes[output.value].type is not Type.F32:
            return None
        inside = element_of(function)
        values = [value for value in range(output.value + 1) if inside[value] == output.name]
        cases = [_Assumed(own, bit) for own, bit in product((False, True), repeat=2)]
        rows: list[list[_Row]] = []
        for number in range(output.count):
            row = [_row(function, output, values, number, assumed) for assumed in cases]
            if any(each is None for each in row):
                return None
            rows.append([each for each in row if each is not None])
        own = frozenset[Value]().union(*(each.own for row in rows for each in row))
        words = [frozenset[Value]().union(*(each.words for each in row)) for row in rows]
        per_word = [frozenset[Value]().union(*words[at : at + WORD]) for at in range(0, output.count, WORD)]
        if len(own) > 1 or len({tuple(bits32(each.value) for each in row) for row in rows}) > 1:
            return None
        if (any(words) and any(len(each) != 1 for each in words)) or any(len(each) > 1 for each in per_word):
            return None
        plain, plain_set, marked, marked_set = (each.value for each in rows[0])
        chosen = tuple(value for each in per_word for value in each)
        return cls(output.count, next(iter(own), None), chosen, ((plain, plain_set), (marked, marked_set)))


def _row(function: Function, output: Output, values: list[Value], number: int, assumed: _Assumed) -> _Row | None:
    """The row of this number; `None` where it is not a constant under the assumption."""
    nodes = function.nodes
    known: dict[Value, Literal] = {}
    same: dict[Value, Value] = {}
    own: set[Value] = set()
    words: set[Value] = set()

    def literal(value: Value) -> Literal | None:
        value = same.get(value, value)
        op = nodes[value].op
        return op.value if isinstance(op, Const) else known.get(value)

    for value in values:
        op, type_ = nodes[value].op, nodes[value].type
        if isinstance(op, Element):
            known[value] = number
            continue
        given = [literal(operand) for operand in operands(op)]
        literals = [each for each in given if each is not None]
        if len(literals) == len(given):
            result = fold(op, type_, literals)
            if result is None:
                return None
            known[value] = result
        elif isinstance(op, Select) and given[0] is not None:
            chosen = op.then if given[0] else op.otherwise
            there = literal(chosen)
            same[value] = same.get(chosen, chosen)
            if there is not None:
                known[value] = there
        else:
            other = next((same.get(o, o) for o, each in zip(_pair(op), given, strict=False) if each is None), None)
            if other is None or len(literals) != 1 or other in values:
                return None
            if isinstance(op, Equal) and nodes[other].type is Type.I32 and literals[0] == number:
                own.add(other)
                known[value] = assumed.own
            elif isinstance(op, And) and nodes[other].type is Type.U32 and literals[0] == 1 << number % WORD:
                words.add(other)
                known[value] = literals[0] if assumed.bit else 0
            else:
                return None
    result = literal(output.value)
    return _Row(float(result), frozenset(own), frozenset(words)) if isinstance(result, float) else None


def _pair(op: Op) -> Iterator[Value]:
    """The operands of a comparison or of a bit test."""
    if isinstance(op, And | Equal):
        yield from operands(op)
