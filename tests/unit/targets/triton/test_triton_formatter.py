"""How single operations and constants are printed for Triton."""

from __future__ import annotations

from dataclasses import fields

import pytest

from hamletc.ir.builder import Builder
from hamletc.ir.function import Output
from hamletc.ir.ops import PLAIN, Const, Plain, Type, Value
from hamletc.kernel.body import body
from hamletc.passes.extremes import Extremes
from hamletc.passes.interval import Interval
from hamletc.passes.ranges import Facts
from hamletc.targets.triton.formatter import TritonFormatter, literal, typed

UNIT = Interval(0.0, 1.0)


def show(builder: Builder, value: Value, **inputs: Interval) -> str:
    function = Extremes(Facts(inputs, {})).run(builder.finish("tick", (Output("out", value),)))
    return TritonFormatter(body(function)).line(function.outputs[0].value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.30000001192092896, "0.3"),
        (0.0, "0.0"),
        (-1.0, "-1.0"),
        (-0.0, "_f32(0x80000000)"),
        (2.0**-149, "_f32(0x00000001)"),
        (2.0**-126, "1.1754944e-38"),
        ((2 - 2.0**-23) * 2.0**127, "_f32(0x7F7FFFFF)"),
    ],
)
def test_float_literals(value: float, text: str) -> None:
    assert literal(Const(Type.F32, value)) == text


def test_typed_constants() -> None:
    assert typed(Const(Type.F32, 0.5)) == "tl.full((), 0.5, tl.float32)"
    assert typed(Const(Type.F32, -0.0)) == "_f32(0x80000000)"
    assert typed(Const(Type.U32, 7)) == "tl.full((), 7, tl.uint32)"
    assert typed(Const(Type.BOOL, True)) == "tl.full((), True, tl.int1)"


def test_divisions_are_exact_and_typed() -> None:
    builder = Builder()
    a = builder.input(Type.F32, "a")
    assert show(builder, builder.div(a, builder.f32(3.0))) == "tl.div_rn(a_0, 3.0)"
    assert show(builder, builder.fma(a, builder.f32(3.0), a)) == "tl.fma(a_0, 3.0, a_0)"
    assert show(builder, builder.fma(builder.f32(3.0), a, builder.mul(a, a))) == (
        "tl.fma(tl.full((), 3.0, tl.float32), a_0, a_0 * a_0)"
    )
    assert show(builder, builder.sqrt(a)) == "tl.sqrt_rn(a_0)"
    u, seed = builder.input(Type.U32, "u"), builder.input(Type.U32, "seed_low")
    assert show(builder, builder.div(u, builder.u32(5))) == "u_0 // 5"
    # Scalars, unlike blocks, do not decide the type of a literal.
    assert show(builder, builder.rem(seed, builder.u32(5))) == "seed_low_0 % tl.full((), 5, tl.uint32)"
    assert show(builder, builder.mul_high(seed, builder.u32(5))) == "tl.umulhi(seed_low_0, tl.full((), 5, tl.uint32))"


@pytest.mark.parametrize("op", PLAIN, ids=lambda op: op.__name__)
def test_every_operation_has_an_expression(op: type[Plain]) -> None:
    for type_ in PLAIN[op].results:
        builder = Builder()
        on = [builder.input(type_, f"x{place}") for place in range(len(fields(op)))]
        if type_ is Type.U32 and PLAIN[op].right is not None:
            on[1] = builder.u32(7)
        text = show(builder, builder.emit(op(*on)))
        assert all((f"x{place}_0" if value == place else "7") in text for place, value in enumerate(on))


def test_python_never_computes() -> None:
    builder = Builder()
    both = builder.add(builder.f32(0.1), builder.f32(0.2))
    assert show(builder, both) == "tl.full((), 0.1, tl.float32) + 0.2"


def test_parentheses() -> None:
    builder = Builder()
    a, b = builder.input(Type.F32, "a"), builder.input(Type.F32, "b")
    assert show(builder, builder.sub(a, builder.sub(b, builder.neg(a)))) == "a_0 - (b_0 - (a_0 * -1.0))"
    p = builder.less(a, b)
    assert show(builder, builder.and_(builder.not_(p), p)) == "(~t5) & t5"


def limit(below: bool, **inputs: Interval) -> str:
    builder = Builder()
    a = builder.input(Type.F32, "a")
    bound = builder.f32(0.0 if below else 1.0)
    test = builder.less(a, bound) if below else builder.less(bound, a)
    return show(builder, builder.select(test, bound, a), **inputs)


def test_limits() -> None:
    # A NaN: the select as it stands.
    assert limit(True) == "tl.where(a_0 < 0.0, 0.0, a_0)"
    assert limit(True, a=Interval(-1.0, 2.0, nan=True)) == "tl.where(a_0 < 0.0, 0.0, a_0)"
    assert limit(True, a=Interval(-1.0, 2.0)) == "tl.maximum(a_0, 0.0)"
    assert limit(False, a=Interval(-1.0, 2.0, nan=False, negative_zero=True)) == "tl.minimum(1.0, a_0)"
    # Both limits cost nothing together.
    assert limit(True, a=Interval(-1.0, 1.0)) == "tl.minimum(tl.maximum(a_0, 0.0), 1.0)"
    assert limit(False, a=Interval(0.0, 2.0)) == "tl.minimum(tl.maximum(a_0, 0.0), 1.0)"


def test_zeros_of_both_signs_are_no_minimum_for_llvm() -> None:
    """LLVM in Triton 3.6 and 3.7 makes `min.f32` of `x < 0 ? x : 0`, which is -0 of the two zeros."""
    zeros = Interval(-1.0, 2.0, negative_zero=True)
    bits = "a_0.to(tl.uint32, bitcast=True) > 0x80000000"
    assert limit(True, a=zeros) == f"tl.where({bits}, 0.0, a_0)"
    builder = Builder()
    a, b, zero = builder.input(Type.F32, "a"), builder.input(Type.F32, "b"), builder.f32(0.0)

    def shown(value: Value) -> str:
        return show(builder, value, a=zeros, b=Interval(0.0, 1.0))

    assert shown(builder.select(builder.less(zero, a), a, zero)) == (
        "tl.where(a_0.to(tl.int32, bitcast=True) > 0, a_0, 0.0)"
    )
    assert shown(builder.select(builder.less_equal(a, zero), a, zero)) == (
        "tl.where(a_0.to(tl.int32, bitcast=True) <= 0, a_0, 0.0)"
    )
    assert shown(builder.select(builder.less_equal(zero, a), a, zero)) == (
        "tl.where(a_0.to(tl.uint32, bitcast=True) <= 0x80000000, a_0, 0.0)"
    )
    assert shown(builder.select(builder.less(a, b), a, b)) == "tl.where(a_0 == b_0, b_0, tl.where(a_0 < b_0, a_0, b_0))"
    assert shown(builder.select(builder.less_equal(a, b), b, a)) == (
        "tl.where(a_0 == b_0, b_0, tl.where(a_0 <= b_0, b_0, a_0))"
    )
