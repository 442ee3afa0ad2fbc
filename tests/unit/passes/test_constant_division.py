"""Division by a constant as a multiplication and a fused one: the quotient to the bit, for every numerator.

Scaling by a power of two changes nothing but exponents, so every significand is tried once with each shipped divisor.
`benchmarks/exhaustive_division.py` tries every numerator.
"""

from __future__ import annotations

import numpy as np
import pytest

from hamlet.numbers.binary32 import round32
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import Div, Fma, Type, Value
from hamletc.passes.constant_division import ConstantDivision, reciprocal
from hamletc.passes.interval import Interval
from hamletc.passes.ranges import Facts

FACTS = Facts(
    {
        "meter": Interval(0.0, 1.0, False, True),
        "large": Interval(0.5, 2.0**39),
        "moderate": Interval(2.0**-38, 2.0**38),
        "hour": Interval(0, 23),
    },
    {},
)
BATCH = 1 << 20


def quotient(numerators: np.ndarray, parts: tuple[float, float]) -> np.ndarray:
    """What the sequence gives."""
    builder = Builder()
    x = builder.input(Type.F32, "x")
    high, low = (builder.f32(part) for part in parts)
    result = builder.fma(x, high, builder.mul(x, low))
    return evaluate(builder.finish("f", (Output("y", result),)), {"x": numerators}, ())["y"]


@pytest.mark.parametrize("divisor", [0.3, 0.2, 0.15, 7.0, 12.0, 500.0, 1000.0])
def test_every_significand(divisor: float) -> None:
    divisor = round32(divisor)
    parts = reciprocal(divisor)
    assert parts is not None
    ones = np.float32(1.0).view(np.uint32)
    for start in range(0, 1 << 23, BATCH):
        x = (ones + np.arange(start, start + BATCH, dtype=np.uint32)).view(np.float32)
        assert np.array_equal(quotient(x, parts), x / np.float32(divisor))


def test_random_divisors() -> None:
    generator = np.random.default_rng(4)
    proven = 0
    for bits in generator.integers(0x2D000000, 0x52000000, 400, dtype=np.uint32):
        divisor = float(bits.view(np.float32))
        parts = reciprocal(divisor)
        if parts is None:
            continue
        proven += 1
        x = generator.integers(0x2C800000, 0x52800000, 4096, dtype=np.uint32).view(np.float32)
        # Quotients next to a midpoint are where the sequence could go wrong.
        near = (np.round(x / divisor * 2.0**-24) * divisor).astype(np.float32)
        x = np.concatenate([x, near[(near >= 2.0**-38) & (near <= 2.0**38)], np.zeros(1, np.float32)])
        expected = x / np.float32(divisor)
        assert np.array_equal(quotient(x, parts).view(np.uint32), expected.view(np.uint32)), divisor
    assert proven > 380


WRONG = {
    14305375: 12128182,
    15830083: 10577916,
    13387823: 11766763,
    14800503: 13843321,
    15114259: 13751482,
    13610135: 13222703,
}
"""Significands of divisors, and the only one of a numerator for which the sequence is wrong."""


@pytest.mark.parametrize(("significand", "numerator"), WRONG.items())
def test_a_divisor_that_is_refused(significand: int, numerator: int) -> None:
    divisor = significand * 2.0**-23
    high = np.float32(1.0 / divisor)
    low = np.float32(1.0 / divisor - float(high))
    x = np.array([numerator], np.float32)
    assert quotient(x, (float(high), float(low))) != x / np.float32(divisor)
    assert reciprocal(divisor) is None


@pytest.mark.parametrize("divisor", [1.0, 4.0, -0.3, 0.0, 2.0**39, 2.0**-39, 1e-45])
def test_divisors_without_a_sequence(divisor: float) -> None:
    assert reciprocal(divisor) is None


def deficit(b: Builder, below: float = round32(0.3)) -> Value:
    source, threshold = b.input(Type.F32, "meter"), b.f32(below)
    return b.select(b.less(source, threshold), b.sub(threshold, source), b.f32(0.0))


@pytest.mark.parametrize(
    ("numerator", "replaced"),
    [
        (deficit, True),
        (lambda b: b.to_f32(b.input(Type.I32, "hour")), True),
        (lambda b: b.abs(b.neg(deficit(b))), True),
        (lambda b: b.input(Type.F32, "moderate"), True),
        # What is missing to it is a multiple of its half last place: 2**-38 and 2**-39.
        (lambda b: deficit(b, 1.5 * 2.0**-14), True),
        (lambda b: deficit(b, 1.5 * 2.0**-15), False),
        # May be -0.0, or so small that what the sequence computes is subnormal; may be too large; may be anything.
        (lambda b: b.neg(deficit(b)), False),
        (lambda b: b.input(Type.F32, "meter"), False),
        (lambda b: b.abs(b.input(Type.F32, "meter")), False),
        (lambda b: b.sub(b.f32(2.0**-20), b.input(Type.F32, "meter")), False),
        (lambda b: b.input(Type.F32, "large"), False),
        (lambda b: b.input(Type.F32, "unknown"), False),
    ],
)
def test_which_divisions_are_replaced(numerator: object, replaced: bool) -> None:
    builder = Builder()
    made = builder.div(numerator(builder), builder.f32(round32(0.3)))
    after = ConstantDivision(FACTS).run(builder.finish("f", (Output("y", made),)))
    assert isinstance(after.nodes[after.output("y").value].op, Fma if replaced else Div)


def test_a_divisor_that_varies_stays() -> None:
    builder = Builder()
    made = builder.div(builder.f32(1.0), builder.input(Type.F32, "moderate"))
    function: Function = builder.finish("f", (Output("y", made),))
    assert ConstantDivision(FACTS).run(function) == function


def test_deficits_to_the_bit() -> None:
    builder = Builder()
    made = builder.div(deficit(builder), builder.f32(round32(0.3)))
    function = builder.finish("f", (Output("y", made),))
    after = ConstantDivision(FACTS).run(function)
    assert function != after
    generator = np.random.default_rng(1)
    threshold = np.float32(0.3)
    steps = threshold.view(np.uint32) + np.arange(-2000, 2000, dtype=np.int32).astype(np.uint32)
    inputs = {"meter": np.concatenate([generator.random(20000, np.float32), steps.view(np.float32),
                                       np.array([0.0, -0.0, 1e-45, 1e-38, 1.0], np.float32)])}  # fmt: skip
    expected, actual = evaluate(function, inputs, ())["y"], evaluate(after, inputs, ())["y"]
    assert np.array_equal(expected.view(np.uint32), actual.view(np.uint32))
    assert (expected > 0).sum() > 5000
