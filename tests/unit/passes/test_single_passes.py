"""What each pass does to small functions, shown as text; and that it keeps the bits of random ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from functions_of_passes import FACTS, METER, TABLE_FACTS, function, i, m, shown, unit_clamp
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import Type, Value
from hamletc.ir.verifier import verify
from hamletc.passes.algebra import Algebra
from hamletc.passes.clamp_merging import ClampMerging
from hamletc.passes.clamp_removal import ClampRemoval
from hamletc.passes.common_subexpressions import CommonSubexpressionElimination
from hamletc.passes.constant_folding import ConstantFolding
from hamletc.passes.dead_code import DeadCodeElimination
from hamletc.passes.interval import Interval
from hamletc.passes.pipeline import PASS_NAMES, default_passes, gpu_passes
from hamletc.passes.ranges import Facts
from hamletc.passes.rewrite import rewrite
from samples.functions import TABLES, functions, random_arrays


@pytest.mark.parametrize("name", PASS_NAMES)
@settings(max_examples=examples(100), deadline=None)
@given(functions(), st.integers(0, 1000))
def test_random_functions_keep_their_bits(name: str, function: Function, seed: int) -> None:
    facts = Facts({}, TABLE_FACTS)
    each = next(each for each in (*default_passes(facts), *gpu_passes(facts)) if each.name == name)
    after = each.run(function)
    verify(after, TABLES)
    inputs = random_arrays(seed)
    expected, actual = evaluate(function, inputs, TABLES), evaluate(after, inputs, TABLES)
    for output, values in expected.items():
        if values.dtype == np.float32:
            assert np.array_equal(np.isnan(values), np.isnan(actual[output])), output
            known = ~np.isnan(values)
            assert np.array_equal(values.view(np.uint32)[known], actual[output].view(np.uint32)[known]), output
        else:
            assert np.array_equal(values, actual[output]), output


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda b: b.add(b.f32(0.5), b.f32(0.25)), ["f32 = const 0.75"]),
        (lambda b: b.add(b.f32(16777216.0), b.f32(1.0)), ["f32 = const 16777216.0"]),
        (lambda b: b.mul(b.f32(-1.0), b.f32(0.0)), ["f32 = const -0.0"]),
        (lambda b: b.add(b.i32(2**31 - 1), b.i32(1)), ["i32 = const -2147483648"]),
        (lambda b: b.sub(b.u32(0), b.u32(1)), ["u32 = const 4294967295"]),
        (lambda b: b.select(b.less(b.i32(1), b.i32(2)), b.f32(1.0), b.f32(2.0)), ["f32 = const 1.0"]),
        (lambda b: b.to_f32(b.i32(16777217)), ["f32 = const 16777216.0"]),
        (lambda b: b.fma(b.f32(2.0), b.f32(3.0), b.f32(0.5)), ["f32 = const 6.5"]),
        (lambda b: b.shift_left(b.u32(3), b.u32(4)), ["u32 = const 48"]),
        (lambda b: b.shift_right(b.u32(48), 3), ["u32 = const 6"]),
        (lambda b: b.rem(b.u32(23), b.u32(5)), ["u32 = const 3"]),
        (lambda b: b.to_bits(b.f32(-0.0)), ["u32 = const 2147483648"]),
        (lambda b: b.from_bits(b.u32(0x3F800001)), ["f32 = const 1.0000001"]),
        (lambda b: b.from_bits(b.u32(0x80000000)), ["f32 = const -0.0"]),
        (lambda b: b.from_bits(b.u32(0x7F800000)), ["u32 = const 2139095040", "f32 = from_bits %0"]),
        (lambda b: b.div(b.f32(1.0), b.f32(0.0)), ["f32 = const 1.0", "f32 = const 0.0", "f32 = div %0, %1"]),
        (lambda b: b.sqrt(b.f32(-1.0)), ["f32 = const -1.0", "f32 = sqrt %0"]),
        (lambda b: b.mul(b.f32(2.0**100), b.f32(2.0**100)), ["f32 = const 1.2676506e+30", "f32 = mul %0, %0"]),
    ],
)
def test_constant_folding(make: Callable[[Builder], Value], expected: list[str]) -> None:
    assert shown(ConstantFolding(), function(make)) == expected


INPUT = "f32 = input m"


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda b: b.add(m(b), b.f32(-0.0)), [INPUT]),
        (lambda b: b.sub(m(b), b.f32(0.0)), [INPUT]),
        (lambda b: b.mul(b.f32(1.0), m(b)), [INPUT]),
        (lambda b: b.add(m(b), b.f32(0.0)), [INPUT, "f32 = const 0.0", "f32 = add %0, %1"]),
        (lambda b: b.add(b.abs(m(b)), b.f32(0.0)), [INPUT, "f32 = abs %0"]),
        (lambda b: b.mul(m(b), b.f32(0.0)), [INPUT, "f32 = const 0.0", "f32 = mul %0, %1"]),
        (lambda b: b.mul(b.f32(0.0), b.to_f32(i(b))), ["f32 = const 0.0"]),
        (
            lambda b: b.mul(b.f32(-0.0), b.to_f32(i(b))),
            ["f32 = const -0.0", "i32 = input i", "f32 = to_f32 %1", "f32 = mul %0, %2"],
        ),
        (
            lambda b: b.mul(b.neg(b.to_f32(i(b))), b.f32(0.0)),
            ["i32 = input i", "f32 = to_f32 %0", "f32 = neg %1", "f32 = const 0.0", "f32 = mul %2, %3"],
        ),
        (lambda b: b.div(m(b), b.f32(4.0)), [INPUT, "f32 = const 0.25", "f32 = mul %0, %1"]),
        (lambda b: b.div(m(b), b.f32(3.0)), [INPUT, "f32 = const 3.0", "f32 = div %0, %1"]),
        (lambda b: b.neg(b.neg(m(b))), [INPUT]),
        (lambda b: b.rem(b.input(Type.U32, "u"), b.u32(8)), ["u32 = input u", "u32 = const 7", "u32 = and %0, %1"]),
        (
            lambda b: b.mul_high(b.input(Type.U32, "u"), b.u32(8)),
            ["u32 = input u", "u32 = const 29", "u32 = shift_right %0, %1"],
        ),
        (lambda b: b.mul_high(b.input(Type.U32, "u"), b.u32(0)), ["u32 = const 0"]),
        (
            lambda b: b.add(b.add(b.input(Type.U32, "u"), b.u32(2**32 - 1)), b.u32(2)),
            ["u32 = input u", "u32 = const 1", "u32 = add %0, %1"],
        ),
        (
            lambda b: b.add(b.add(i(b), b.i32(3)), b.i32(4)),
            ["i32 = input i", "i32 = const 7", "i32 = add %0, %1"],
        ),
        (
            lambda b: b.add(b.add(i(b), b.i32(2**31 - 1)), b.i32(1)),
            ["i32 = input i", "i32 = const -2147483648", "i32 = add %0, %1"],
        ),
        (lambda b: b.mul(m(b), b.f32(-1.0)), [INPUT, "f32 = neg %0"]),
        (lambda b: b.div(m(b), b.f32(-1.0)), [INPUT, "f32 = neg %0"]),
        (lambda b: b.div(m(b), b.f32(-2.0)), [INPUT, "f32 = const -0.5", "f32 = mul %0, %1"]),
        (lambda b: b.rem(b.to_u32(i(b)), b.u32(10)), ["i32 = input i", "u32 = to_u32 %0"]),
        (
            lambda b: b.rem(b.to_u32(i(b)), b.u32(9)),
            ["i32 = input i", "u32 = to_u32 %0", "u32 = const 9", "u32 = rem %1, %2"],
        ),
        (
            lambda b: b.div(b.to_u32(i(b)), b.u32(10)),
            ["i32 = input i", "u32 = to_u32 %0", "u32 = const 10", "u32 = div %1, %2"],
        ),
        (
            lambda b: b.rem(b.input(Type.U32, "u"), b.u32(1)),
            ["u32 = input u", "u32 = const 0", "u32 = and %0, %1"],
        ),
        (
            lambda b: b.select(b.input(Type.BOOL, "p"), b.boolean(True), b.input(Type.BOOL, "q")),
            ["bool = input p", "bool = input q", "bool = or %0, %1"],
        ),
        (
            lambda b: b.select(b.input(Type.BOOL, "p"), b.input(Type.BOOL, "q"), b.boolean(False)),
            ["bool = input p", "bool = input q", "bool = and %0, %1"],
        ),
        (lambda b: b.not_(b.not_(b.input(Type.BOOL, "p"))), ["bool = input p"]),
        (lambda b: b.and_(b.boolean(True), b.input(Type.BOOL, "p")), ["bool = input p"]),
        (lambda b: b.or_(b.boolean(True), b.input(Type.BOOL, "p")), ["bool = const true"]),
        (lambda b: b.select(b.input(Type.BOOL, "p"), m(b), m(b)), [INPUT]),
        (lambda b: b.select(b.input(Type.BOOL, "p"), b.boolean(True), b.boolean(False)), ["bool = input p"]),
        (
            lambda b: b.select(b.not_(b.input(Type.BOOL, "p")), m(b), b.f32(1.0)),
            ["bool = input p", INPUT, "f32 = const 1.0", "f32 = select %0, %2, %1"],
        ),
        (
            lambda b: b.equal(b.select(b.input(Type.BOOL, "p"), b.i32(3), b.i32(4)), b.i32(4)),
            ["bool = input p", "bool = not %0"],
        ),
    ],
)
def test_algebra(make: Callable[[Builder], Value], expected: list[str]) -> None:
    assert sorted(shown(Algebra(FACTS), function(make))) == sorted(expected)


def test_a_function_in_which_nothing_changes_is_the_same_one() -> None:
    made = function(lambda b: b.add(m(b), b.f32(0.5)))
    assert rewrite(made, Builder(), lambda _op, _type: None) is made


def test_common_subexpressions_know_commutative_operations() -> None:
    def make(b: Builder) -> Value:
        first, n = m(b), b.input(Type.F32, "n")
        return b.mul(b.add(first, n), b.add(n, first))

    assert shown(CommonSubexpressionElimination(), function(make))[2:] == ["f32 = add %0, %1", "f32 = mul %2, %2"]


def test_dead_code_goes() -> None:
    builder = Builder()
    value = builder.input(Type.F32, "m")
    builder.add(value, value)
    after = DeadCodeElimination().run(builder.finish("f", (Output("y", value),)))
    assert len(after.nodes) == 1


def test_a_clamp_that_cannot_bind_is_removed() -> None:
    def make(b: Builder) -> Value:
        return unit_clamp(b, b.sub(m(b), b.f32(0.25)))

    lines = shown(ClampRemoval(FACTS), function(make))
    assert lines[2:] == ["f32 = sub %0, %1", "f32 = const 0.0", "bool = less %2, %3", "f32 = select %4, %3, %2"]
    kept = shown(ClampRemoval(Facts({}, {})), function(make))
    assert len(kept) == 9


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_can_only_be_infinite_is_no_constant(sign: float) -> None:
    lines = shown(ClampRemoval(FACTS), function(lambda b: b.mul(b.f32(sign * 2.0**100), b.f32(2.0**101))))
    assert lines[-1] == "f32 = mul %0, %1"


@pytest.mark.parametrize(("low", "subtracts"), list(product((True, False), repeat=2)))
@pytest.mark.parametrize(("amount", "merged"), [((0.0, 1.0), True), ((-0.0, 0.0), True), ((-0.125, 1.0), False)])
def test_steps_away_from_a_bound_are_merged(
    low: bool, subtracts: bool, amount: tuple[float, float], merged: bool
) -> None:
    """`amount` leads away from the bound; turned round where the step is a sum at a lower bound, and so on."""
    ends = amount if low is subtracts else (-amount[1], -amount[0])
    facts = Facts({"m": METER, "n": Interval(*ends, False, True)}, {})

    def half(b: Builder, value: Value) -> Value:
        bound = b.f32(0.25)
        return b.select(b.less(value, bound) if low else b.less(bound, value), bound, value)

    def make(b: Builder) -> Value:
        first, n = half(b, m(b)), b.input(Type.F32, "n")
        return half(b, b.sub(first, n) if subtracts else b.add(first, n))

    made = function(make)
    assert (ClampMerging(facts).run(made) != made) is merged


def test_a_clamp_that_a_later_one_repeats_is_merged() -> None:
    def make(b: Builder) -> Value:
        def half(value: Value) -> Value:
            return b.select(b.less(value, b.f32(0.0)), b.f32(0.0), value)

        return half(b.sub(half(b.sub(m(b), b.f32(0.25))), b.f32(0.5)))

    lines = shown(ClampMerging(FACTS), function(make))
    assert sum("select" in line for line in lines) == 1
    assert sum("sub" in line for line in lines) == 2


def test_a_clamp_that_is_read_is_not_merged() -> None:
    def make(b: Builder) -> Value:
        def half(value: Value) -> Value:
            return b.select(b.less(value, b.f32(0.0)), b.f32(0.0), value)

        inner = half(b.sub(m(b), b.f32(0.25)))
        return b.mul(inner, half(b.sub(inner, b.f32(0.5))))

    made = function(make)
    assert ClampMerging(FACTS).run(made) == made


def test_a_clamp_to_minus_zero_is_not_merged() -> None:
    """Adding +0.0 to that bound gives +0.0, but below it the later clamp gives -0.0."""

    def make(b: Builder) -> Value:
        def half(value: Value) -> Value:
            return b.select(b.less(value, b.f32(-0.0)), b.f32(-0.0), value)

        return half(b.add(half(b.sub(m(b), b.f32(2.0))), b.f32(0.0)))

    made = function(make)
    assert ClampMerging(FACTS).run(made) == made
