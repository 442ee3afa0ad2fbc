"""Range analysis of single operations on small intervals, against all values in them.

An interval holds every result, and where an operation is monotonic, or a comparison, it is no wider than the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import inf

import numpy as np
import pytest

from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import DTYPES, evaluate
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import (
    BOOL,
    I32,
    PLAIN,
    U32,
    Abs,
    Add,
    And,
    Div,
    Equal,
    Fold,
    Less,
    LessEqual,
    Mul,
    MulHigh,
    Neg,
    Not,
    Op,
    Or,
    Plain,
    Rem,
    Right,
    ShiftLeft,
    ShiftRight,
    Sub,
    ToF32,
    ToI32,
    ToU32,
    Type,
    Unary,
    Value,
    Xor,
)  # fmt: skip
from hamletc.passes.interval import ANY_F32, ANY_I32, ANY_U32, Interval
from hamletc.passes.ranges import Facts, Ranges, ranges_of

SMALL = {
    I32: [(0, 0), (3, 3), (-2, 3), (1, 4), (-3, -1), (2**31 - 3, 2**31 - 1), (-(2**31) + 1, -(2**31) + 3)],
    U32: [(0, 0), (1, 1), (0, 3), (2, 5), (4, 7), (30, 31), (2**31 - 2, 2**31 - 1), (2**32 - 3, 2**32 - 1)],
    BOOL: [(0, 0), (1, 1), (0, 1)],
}
TIGHT: dict[Type, tuple[type[Op], ...]] = {
    I32: (Add, Sub, Mul, Neg, Abs, ToU32, ToF32, Less, LessEqual, Equal),
    U32: (Add, Sub, Mul, MulHigh, Div, ToI32, ShiftLeft, ShiftRight, Less, LessEqual, Equal),
    BOOL: (And, Or, Not, Equal),
}
FACTS = Facts({"i": Interval(0, 7), "j": Interval(0, 7)}, {})
WHOLE = (ANY_I32, ANY_U32)


def cases() -> Iterator[tuple[type[Plain], Type]]:
    yield from ((op, type_) for op, traits in PLAIN.items() for type_ in SMALL if type_ in traits.results)


def results(op: type[Op], type_: Type, intervals: tuple[tuple[int, int], ...]) -> tuple[Interval, list[float]]:
    """What range analysis says about an operation, and what it gives for all values in the intervals."""
    builder = Builder()
    names = "xy"[: len(intervals)]
    made = builder.emit(op(*(builder.input(type_, name) for name in names)))
    function = builder.finish("f", (Output("y", made),))
    facts = Facts({name: Interval(*ends) for name, ends in zip(names, intervals, strict=True)}, {})
    columns = zip(*product(*(range(low, high + 1) for low, high in intervals)), strict=True)
    inputs = {name: np.array(column, DTYPES[type_]) for name, column in zip(names, columns, strict=True)}
    return ranges_of(function, facts)[made], [float(value) for value in evaluate(function, inputs, ())["y"]]


@pytest.mark.parametrize(("op", "type_"), list(cases()), ids=lambda case: getattr(case, "__name__", str(case)))
def test_an_operation_on_small_intervals(op: type[Plain], type_: Type) -> None:
    tight = op in TIGHT[type_]
    allowed = PLAIN[op].right if type_ is U32 else None
    narrow = 0
    for intervals in product(SMALL[type_], repeat=1 if issubclass(op, Unary) else 2):
        if allowed is not None and not all(end in allowed.value for end in intervals[1]):
            continue
        if allowed is Right.DIVISOR and intervals[1][0] != intervals[1][1]:
            continue
        interval, values = results(op, type_, intervals)
        where = f"{op.__name__} of {intervals}: {interval}"
        known = [value for value in values if value == value]
        assert interval.nan <= (not tight), where
        assert interval.nan or len(known) == len(values), where
        assert interval.low <= min(known, default=inf), where
        assert max(known, default=-inf) <= interval.high, where
        if tight and interval not in WHOLE:
            assert (interval.low, interval.high) == (min(known), max(known)), where
            narrow += 1
    assert narrow > 2 or not tight


def test_an_operation_of_which_nothing_is_known_may_give_anything() -> None:
    builder = Builder()
    number, word = builder.input(Type.F32, "x"), builder.input(U32, "y")
    ranges = Ranges(builder.nodes, Facts({"x": Interval(0.0, 1.0), "y": Interval(0, 1)}, {}), {})
    assert ranges[builder.to_bits(number)] == ANY_U32
    assert ranges[builder.from_bits(word)] == ANY_F32


@pytest.mark.parametrize(
    ("op", "intervals", "expected"),
    [
        (Rem, ((0, 4), (8, 8)), (0, 4)),
        (Rem, ((0, 8), (8, 8)), (0, 7)),
        (And, ((0, 12), (0, 5)), (0, 5)),
        (Or, ((0, 4), (0, 9)), (0, 15)),
        (Xor, ((0, 4), (0, 3)), (0, 7)),
        (ShiftLeft, ((0, 1), (0, 40)), (0, 2**32 - 1)),
        (ToI32, ((0, 2**31 - 1),), (0, 2**31 - 1)),
        (ToI32, ((0, 2**31),), (-(2**31), 2**31 - 1)),
        (Add, ((0, 2**32 - 2), (0, 1)), (0, 2**32 - 1)),
        (Sub, ((5, 9), (0, 5)), (0, 9)),
    ],
)
def test_how_narrow_it_is(op: type[Op], intervals: tuple[tuple[int, int], ...], expected: tuple[int, int]) -> None:
    builder = Builder()
    made = builder.emit(op(*(builder.input(U32, name) for name in "xy"[: len(intervals)])))
    facts = Facts({name: Interval(*ends) for name, ends in zip("xy", intervals, strict=False)}, {})
    assert Ranges(builder.nodes, facts, {})[made] == Interval(*expected)


def _less(b: Builder, i: Value, _: Value) -> Value:
    return b.less(i, b.i32(5))


def _at_least(b: Builder, _: Value, j: Value) -> Value:
    return b.less_equal(b.i32(3), j)


CONDITIONS: dict[str, Callable[[Builder, Value, Value], Value]] = {
    "less": _less,
    "not less": lambda b, i, j: b.not_(_less(b, i, j)),
    "at least": _at_least,
    "more than the other": lambda b, i, j: b.less(j, i),
    "at least the other": lambda b, i, j: b.less_equal(j, i),
    "equal": lambda b, i, j: b.equal(i, j),
    "both": lambda b, i, j: b.and_(_less(b, i, j), _at_least(b, i, j)),
    "one": lambda b, i, j: b.or_(_less(b, i, j), _at_least(b, i, j)),
    "neither": lambda b, i, j: b.not_(b.or_(_less(b, i, j), _at_least(b, i, j))),
    "not both": lambda b, i, j: b.not_(b.and_(_less(b, i, j), _at_least(b, i, j))),
}


@pytest.mark.parametrize(("name", "read", "branch"), list(product(CONDITIONS, "ij", ("then", "otherwise"))))
def test_what_a_condition_says(name: str, read: str, branch: str) -> None:
    lanes = np.array(list(product(range(8), range(8))), np.int32)
    inputs = {"i": lanes[:, 0].copy(), "j": lanes[:, 1].copy()}
    builder = Builder()
    i, j = builder.input(I32, "i"), builder.input(I32, "j")
    value, other = builder.add(i if read == "i" else j, builder.i32(1)), builder.i32(4)
    branches = (value, other) if branch == "then" else (other, value)
    made = builder.select(CONDITIONS[name](builder, i, j), *branches)
    interval = ranges_of(function := builder.finish("f", (Output("y", made),)), FACTS)[made]
    found = evaluate(function, inputs, ())["y"]
    assert (interval.low, interval.high) == (found.min(), found.max())


def test_a_condition_that_is_known_decides() -> None:
    builder = Builder()
    i = builder.input(I32, "i")
    ranges = Ranges(builder.nodes, Facts({"i": Interval(2, 7)}, {}), {})
    chosen = builder.select(builder.less(builder.i32(1), i), builder.i32(10), builder.i32(20))
    assert ranges[chosen] == Interval(10, 10)
    other = builder.select(builder.less(i, builder.i32(2)), builder.i32(10), builder.i32(20))
    assert ranges[other] == Interval(20, 20)


def _loop(count: int, body: Callable[[Builder, Value, Value], Value]) -> Interval:
    """The range of `x` after so many rows of a loop that begins with 0."""
    builder = Builder()
    after = body(builder, builder.input(U32, "x"), builder.to_u32(builder.input(I32, "row")))
    row: Function = builder.finish("rows", (Output("x", after),))
    builder = Builder()
    made = builder.node(Fold("rows", "x", count, ("x",), (), (builder.u32(0),)), U32)
    return Ranges(builder.nodes, Facts({}, {}, {"rows": row}), {})[made]


def test_a_loop_knows_its_rows() -> None:
    assert _loop(5, lambda _b, _x, row: row) == Interval(0, 4)
    assert _loop(5, lambda b, x, row: b.select(b.less(x, row), row, x)) == Interval(0, 4)
    assert _loop(5, lambda b, x, _row: b.add(x, b.u32(1))) == ANY_U32


def test_an_unbounded_operand_of_f32_says_nothing() -> None:
    for make in (Builder.mul, Builder.div):
        for unknown, known in product(("x", "y"), (2.0, 0.5)):
            builder = Builder()
            operands = [builder.f32(known) if name == unknown else builder.input(Type.F32, "any") for name in "xy"]
            made = make(builder, *operands)
            assert Ranges(builder.nodes, Facts({"any": ANY_F32}, {}), {})[made] == ANY_F32
