"""Additions of which one alone happens share an addition and a clamp, and keep their bits."""

from __future__ import annotations

from itertools import product

import numpy as np
from functions_of_passes import FACTS, function, m, shown, unit_clamp
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamlet.numbers.binary32 import round32
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import Add, Type, Value
from hamletc.ir.verifier import verify
from hamletc.passes.dead_code import DeadCodeElimination
from hamletc.passes.merge_exclusive import MergeExclusive
from hamletc.passes.pipeline import default_passes, gpu_passes


def test_exclusive_additions_share_one_addition_and_one_clamp() -> None:
    def make(b: Builder) -> Value:
        value, i = m(b), b.input(Type.I32, "i")
        for number in range(5):
            guard = b.equal(i, b.i32(number))
            value = b.select(guard, unit_clamp(b, b.add(value, b.f32(0.125 * (number + 1)))), value)
        return value

    lines = shown(MergeExclusive(FACTS), function(make))
    assert sum("add" in line for line in lines) == 1
    assert sum("less" in line for line in lines) == 2
    assert sum("select" in line for line in lines) == 5 + 2


def test_additions_that_do_not_exclude_each_other_stay_apart() -> None:
    def make(b: Builder) -> Value:
        value = m(b)
        for name in "pq":
            guard = b.input(Type.BOOL, name)
            value = b.select(guard, unit_clamp(b, b.sub(value, b.f32(0.25))), value)
        return value

    assert sum("sub" in line for line in shown(MergeExclusive(FACTS), function(make))) == 2


def guards(builder: Builder, number: int) -> dict[str, Value]:
    """Conditions on the inputs i, k (I32), p and q (BOOL), by how they are written."""
    i, k = builder.input(Type.I32, "i"), builder.input(Type.I32, "k")
    p, q = builder.input(Type.BOOL, "p"), builder.input(Type.BOOL, "q")
    at = builder.i32(number)
    same = builder.equal(i, at)
    return {
        f"i == {number}": same,
        f"{number} == k": builder.equal(at, k),
        f"i < {number}": builder.less(i, at),
        f"{number} < i": builder.less(at, i),
        f"i <= {number}": builder.less_equal(i, at),
        f"{number} <= i": builder.less_equal(at, i),
        "p": p,
        "not p": builder.not_(p),
        "q": q,
        f"i == {number} and p": builder.and_(same, p),
        f"not p and i == {number}": builder.and_(builder.not_(p), same),
        f"i == {number} or p": builder.or_(same, p),
        f"(if p then i else -1) == {number}": builder.equal(builder.select(p, i, builder.i32(-1)), at),
        f"(if p then -1 else i) == {number}": builder.equal(builder.select(p, builder.i32(-1), i), at),
        f"(if p then i else k) == {number}": builder.equal(builder.select(p, i, k), at),
    }


NUMBERS = (0, 1, 2)
GUARDS = [(name, number) for number in NUMBERS for name in guards(Builder(), number)]


def every_case() -> dict[str, Array]:
    """All combinations of the inputs of the guards."""
    i, k, p, q = np.meshgrid([0, 1, 2], [0, 1, 2], [False, True], [False, True], indexing="ij")
    cases = {"i": i.astype(np.int32), "k": k.astype(np.int32), "p": p, "q": q}
    return {name: values.ravel() for name, values in cases.items()} | {"m": np.full(i.size, 0.5, np.float32)}


def test_only_guards_that_exclude_each_other_are_merged() -> None:
    cases = every_case()
    merged: set[tuple[str, str]] = set()
    for first, second in product(GUARDS, GUARDS):
        builder = Builder()
        value = m(builder)
        for (name, number), amount in ((first, 0.125), (second, 0.25)):
            guard = guards(builder, number)[name]
            value = builder.select(guard, unit_clamp(builder, builder.add(value, builder.f32(amount))), value)
        before = builder.finish("f", (Output("y", value),))
        after = DeadCodeElimination().run(MergeExclusive(FACTS).run(before))
        expected, actual = evaluate(before, cases, ())["y"], evaluate(after, cases, ())["y"]
        assert np.array_equal(expected, actual), (first, second)
        if sum(isinstance(node.op, Add) for node in after.nodes) == 1:
            merged.add((first[0], second[0]))
    through = "(if p then i else -1) == 1"
    contrary = "(if p then -1 else i) == 1"
    exclusive = [
        (contrary, through),
        (contrary, "p"),
        (contrary, "i == 2"),
        ("i == 1", "i == 2"),
        ("i == 1", "i < 1"),
        ("0 < i", "i <= 0"),
        ("p", "not p"),
        (through, "not p"),
    ]
    assert set(exclusive) <= merged
    assert {(second, first) for first, second in exclusive} <= merged


GUARD = st.sampled_from(GUARDS)
AMOUNTS = st.one_of(
    st.floats(-1.5, 1.5, width=32),
    st.sampled_from([0.0, -0.0, round32(0.005), "n", "-n", "product", "-product", "quotient", "-quotient"]),
)
CHANGES = st.lists(st.tuples(AMOUNTS, st.booleans()), min_size=1, max_size=3)
STATEMENTS = st.lists(st.tuples(GUARD, CHANGES), max_size=8)


def amount_of(builder: Builder, amount: float | str, meter: Value, other: Value) -> Value:
    match amount:
        case "n":
            return other
        case "-n":
            return builder.neg(other)
        case "product":
            return builder.mul(builder.f32(0.5), builder.sub(other, meter))
        case "-product":
            return builder.mul(builder.sub(other, meter), builder.f32(-0.5))
        case "quotient":
            return builder.div(builder.sub(builder.f32(0.25), other), builder.f32(0.75))
        case "-quotient":
            return builder.div(builder.sub(builder.f32(0.25), other), builder.f32(-0.75))
        case _:
            return builder.f32(float(amount))


@settings(max_examples=examples(120), deadline=None)
@given(STATEMENTS, st.sampled_from([(0.0, 1.0), (-0.0, 1.0), (0.0, 2.0), (0.25, 1.0)]), st.integers(0, 99))
def test_random_guarded_statements_keep_their_bits(
    statements: list[tuple[tuple[str, int], list[tuple[float | str, bool]]]], bounds: tuple[float, float], seed: int
) -> None:
    builder = Builder()
    value, other = m(builder), builder.input(Type.F32, "n")
    low, high = builder.f32(bounds[0]), builder.f32(bounds[1])
    for (name, number), changes in statements:
        changed = value
        for amount, subtracted in changes:
            by = amount_of(builder, amount, changed, other)
            total = builder.sub(changed, by) if subtracted else builder.add(changed, by)
            changed = builder.clamp(total, low, high)
        value = builder.select(guards(builder, number)[name], changed, value)
    before = builder.finish("f", (Output("y", value), Output("z", builder.mul(value, other))))
    generator = np.random.default_rng(seed)
    few = np.array([0.0, -0.0, 1.0, 0.25, 0.005, 0.3, 1e-45], np.float32)
    inputs = {name: generator.choice(few, 300) for name in "mn"}
    inputs |= {name: generator.integers(0, 5, 300).astype(np.int32) for name in "ik"}
    inputs |= {name: generator.random(300) < 0.5 for name in "pq"}
    expected = evaluate(before, inputs, ())
    after = before
    for each in (*default_passes(FACTS), *gpu_passes(FACTS)):
        after = each.run(after)
        verify(after, ())
        actual = evaluate(after, inputs, ())
        for name in "yz":
            assert np.array_equal(expected[name].view(np.uint32), actual[name].view(np.uint32)), each.name
