"""Bounds of words and numbers as the checker finds them: no value in a sample lies beyond."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("bitwuzla", reason="proofs ask bitwuzla")

from sampled_terms import NUMBERS, SIGN, evaluated, held_to

from hamlet_lab.proof import attest as checker


def test_bounds_follow_from_comparisons_that_are_known() -> None:
    """Rule 32: of numbers alone, as a NaN is neither below nor above."""
    for name, bounded in (("meter", True), ("any", False)):
        context = held_to()
        x, k = context.variable(name), context.constant(0x3E800000, 32)
        context.assume(context.no(context.op("flt", x, k)))
        assert context.ends(x) == ((0.25, 1.0, 0.0) if bounded else None)
        context.assume(context.no(context.op("flt", context.constant(0x3F000000, 32), x)))
        assert context.ends(x) == ((0.25, 0.5, 0.0) if bounded else None)


def test_sums_are_no_minus_zero_where_an_operand_is_not_zero() -> None:
    """Rule 34."""
    context = held_to()
    meter, less = context.variable("meter"), context.variable("less")
    half = context.op("fadd", meter, context.constant(0x3F000000, 32))
    above = context.op("fadd", context.op("fadd", half, half), less)
    assert context.positive(above)
    assert not context.positive(context.op("fadd", meter, less))
    assert not context.positive(context.op("fadd", less, context.variable("lesser")))
    assert context.positive(context.op("fmul", half, half))
    assert not context.positive(context.op("fmul", half, meter))
    assert not context.positive(context.op("fmul", half, context.op("fadd", half, context.constant(0xBF800000, 32))))
    index = context.variable("age")
    assert context.positive(context.make("table", 32, (index,), (0, 0x3F000000)))
    assert not context.positive(context.make("table", 32, (index,), (0, SIGN)))
    assert context.positive(context.make("tofloat", 32, (index,)))


def test_a_choice_of_an_infinity_is_no_nan_and_a_sum_of_it_may_be_one() -> None:
    context = held_to()
    meter, infinity = context.variable("meter"), context.constant(0xFF800000, 32)
    chosen = context.op("ite", context.variable("some"), infinity, meter)
    assert context.ends(chosen) == (-np.inf, 1.0, 0.0)
    assert context.ends(context.op("fadd", chosen, meter)) is None
    assert context.ends(context.constant(0x7FC00000, 32)) is None


def made_at_random(context: checker.Context, random: np.random.Generator) -> Iterator[checker.Term]:
    """Terms of words and numbers, made of one another."""
    numbers = [context.variable(name) for name in NUMBERS]
    numbers += [
        context.constant(int(random.uniform(-2, 2, 1).astype(np.float32).view(np.uint32)[0]), 32) for _ in "abc"
    ]
    words = [context.variable("age"), context.variable("great"), context.constant(int(random.integers(1, 40)), 32)]
    for _ in range(60):
        x, y, z = (numbers[int(random.integers(len(numbers)))] for _ in "xyz")
        less = context.op("flt", x, y)
        op = str(random.choice(["fadd", "fmul", "fmin", "fmax", "fma", "ite", "xor", "fdiv"]))
        operands = {
            "fma": (x, y, z),
            "fdiv": (x, context.op("fmax", y, context.constant(0x3E800000, 32))),
            "ite": (less, *random.permutation([x, y])),
            "xor": (x, context.constant(SIGN, 32)),
        }
        numbers.append(context.op(op, *operands.get(op, (x, y))))
        a, b = (words[int(random.integers(len(words)))] for _ in "ab")
        op = str(
            random.choice(["add", "mul", "and", "or", "xor", "lshr", "ashr", "shl", "udiv", "urem", "mulhi", "ite"])
        )
        numbers.append(context.make(str(random.choice(["tofloat", "unsignedtofloat"])), 32, (a,)))
        rows = random.uniform(-3, 3, 5).astype(np.float32)
        rows[:2] = (0.0, float(random.choice([1.0, -0.0, 1e-39])))
        index = context.op("urem", a, context.constant(5, 32))
        numbers.append(context.make("table", 32, (index,), tuple(map(int, rows.view(np.uint32)))))
        few = words[2] if op in ("lshr", "ashr", "shl", "udiv", "urem") else b
        words.append(context.op(op, *((less,) if op == "ite" else ()), a, few))
    yield from numbers
    yield from words


@pytest.mark.parametrize("seed", range(4))
def test_values_are_within_bounds(seed: int) -> None:
    """Rule 19."""
    context, bounded = held_to(), 0
    for term in made_at_random(context, np.random.default_rng(seed)):
        least, most = context.words(term)
        ends = context.ends(term)
        values = list(evaluated(term, 60))
        assert all(least <= each <= most for each in values), term.op
        if ends is not None:
            bounded += 1
            numbers = [checker.number_of(each) for each in values]
            assert all(ends[0] <= each <= ends[1] and (each == 0 or abs(each) >= ends[2]) for each in numbers), term.op
        if context.positive(term):
            assert SIGN not in values, term.op
    assert bounded >= 50
