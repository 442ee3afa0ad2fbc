"""The definition of the operations, on values where they could go wrong."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamletc.ir import ops
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import DTYPES, evaluate
from hamletc.ir.function import Output, Table
from hamletc.ir.ops import OPS, Const, Element, Fetch, Fold, Input, Lookup, Op, Select, Type

F32, I32, U32, BOOL = Type.F32, Type.I32, Type.U32, Type.BOOL
TINY = 1e-45
CASES: list[tuple[str, Type, list[float], float | int | bool]] = [
    ("Add", F32, [16777216.0, 1.0], 16777216.0), ("Add", F32, [-0.0, 0.0], 0.0), ("Add", F32, [-0.0, -0.0], -0.0),
    ("Add", I32, [2**31 - 1, 1], -(2**31)), ("Add", U32, [2**32 - 1, 2], 1), ("Sub", F32, [TINY, TINY], 0.0),
    ("Sub", F32, [-0.0, 0.0], -0.0), ("Sub", U32, [0, 1], 2**32 - 1), ("Mul", F32, [TINY, -0.5], -0.0),
    ("Mul", I32, [2**30, 4], 0), ("Mul", U32, [0x9E3779B9, 3], 0x9E3779B9 * 3 % 2**32),
    ("MulHigh", U32, [2**32 - 1, 2**32 - 1], 2**32 - 2), ("Div", F32, [1.0, 3.0], 0.3333333432674408),
    ("Div", F32, [-1.0, 0.0], float("-inf")), ("Div", U32, [7, 2], 3), ("Rem", U32, [2**32 - 1, 10], 5),
    # The product of 1 + 2**-23 and itself ends in 2**-46; of the third,
    # 1 + 2**-23 + 2**-24 - 2**-60 is below a midpoint that two roundings would hit.
    ("Fma", F32, [1 + 2.0**-23, 1 + 2.0**-23, -1 - 2.0**-22], 2.0**-46),
    ("Fma", F32, [2.0**-30, 2.0**-30, -0.0], 2.0**-60),
    ("Fma", F32, [2.0**-12 + 2.0**-30, 2.0**-12 - 2.0**-30, 1 + 2.0**-23], 1 + 2.0**-23),
    ("Fma", F32, [-0.0, 1.0, -0.0], -0.0),
    ("Fma", F32, [3e38, 2.0, -3e38], 3.0000000054977558e38), ("Fma", F32, [TINY, 0.5, TINY], 2.802596928649634e-45),
    ("Neg", F32, [0.0], -0.0), ("Neg", I32, [5], -5), ("Abs", F32, [-0.0], 0.0), ("Abs", I32, [-5], 5),
    ("Sqrt", F32, [2.0], 1.4142135381698608), ("Sqrt", F32, [-0.0], -0.0), ("Less", F32, [-0.0, 0.0], False),
    ("Less", I32, [-1, 0], True), ("Less", U32, [2**32 - 1, 0], False), ("LessEqual", F32, [-0.0, 0.0], True),
    ("LessEqual", I32, [1, 0], False), ("Equal", F32, [-0.0, 0.0], True), ("Equal", BOOL, [True, False], False),
    ("And", U32, [12, 10], 8), ("And", BOOL, [True, False], False), ("Or", U32, [12, 10], 14),
    ("Or", BOOL, [True, False], True), ("Xor", U32, [12, 10], 6), ("Not", BOOL, [True], False),
    ("ShiftLeft", U32, [3, 31], 2**31), ("ShiftRight", U32, [2**31, 31], 1), ("ToF32", I32, [16777217], 16777216.0),
    ("ToU32", I32, [-1], 2**32 - 1), ("ToI32", U32, [2**32 - 1], -1),
    ("ToBits", F32, [-1.5], 0xBFC00000), ("ToBits", F32, [-0.0], 2**31), ("FromBits", U32, [0xBFC00000], -1.5),
    ("FromBits", U32, [2**31], -0.0), ("FromBits", U32, [1], 1.401298464324817e-45),
]  # fmt: skip
KINDS: dict[str, type[Op]] = {kind.__name__: kind for kind in OPS}


def calculate(kind: type[Op], type_: Type, on: list[float]) -> np.ndarray:
    builder = Builder()
    names = [f"x{index}" for index in range(len(on))]
    value = builder.emit(kind(*(builder.input(type_, name) for name in names)))
    inputs = {name: np.array([each], DTYPES[type_]) for name, each in zip(names, on, strict=True)}
    return evaluate(builder.finish("f", (Output("y", value),)), inputs, ())["y"]


@pytest.mark.parametrize(("kind", "type_", "on", "expected"), CASES)
def test_operation(kind: str, type_: Type, on: list[float], expected: float) -> None:
    (result,) = calculate(KINDS[kind], type_, on)
    assert repr(result.item()) == repr(expected)


def test_every_operation_has_a_case() -> None:
    others = (Const, Input, Element, Lookup, Fetch, Select, Fold)
    assert {kind for kind, *_ in CASES} == set(KINDS) - {kind.__name__ for kind in others}


def test_a_fetch_reads_a_cell_of_the_lane_s_world() -> None:
    builder = Builder()
    value = builder.fetch("cells.moss", builder.input(I32, "at"))
    function = builder.finish("f", (Output("y", value),))
    moss = np.arange(6, dtype=np.float32).reshape(2, 3)
    at = np.array([0, 2, 5], np.int32)
    assert evaluate(function, {"cells.moss": moss, "at": at}, ())["y"].tolist() == [0, 2, 5]
    with pytest.raises(IndexError, match="no cell -1"):
        evaluate(function, {"cells.moss": moss, "at": at - 1}, ())


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from(["Add", "Sub", "Mul", "Div"]), st.floats(width=32), st.floats(width=32))
def test_arithmetic_is_binary64_rounded_once(kind: str, a: float, b: float) -> None:
    operation = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}[kind]
    with np.errstate(all="ignore"):
        expected = np.float32(operation(np.float64(a), np.float64(b)))
    (result,) = calculate(KINDS[kind], F32, [a, b])
    assert np.isnan(result) == np.isnan(expected)
    assert np.isnan(result) or struct.pack("f", result) == struct.pack("f", expected)


def test_selects_lookups_and_elements() -> None:
    builder = Builder()
    table = Table("t", I32, (10, 20, 30))
    element, lane = builder.element("grid"), builder.input(I32, "lane")
    value = builder.select(builder.equal(element, lane), builder.lookup(table, lane), element)
    function = builder.finish("f", (Output("grid", value, 3), Output("one", builder.i32(7))))
    results = evaluate(function, {"lane": np.array([0, 2], np.int32), "unused": np.zeros(2, np.float32)}, (table,))
    assert results["grid"].tolist() == [[10, 0], [1, 1], [2, 30]]
    assert results["one"].tolist() == [7, 7]


def test_inputs_of_another_type_are_refused() -> None:
    builder = Builder()
    function = builder.finish("f", (Output("y", builder.input(F32, "x")),))
    with pytest.raises(TypeError, match="input x is int32, not f32"):
        evaluate(function, {"x": np.zeros(1, np.int32)}, ())


@pytest.mark.parametrize("row", [-1, 3])
def test_a_row_that_a_table_lacks_is_refused(row: int) -> None:
    builder = Builder()
    value = builder.lookup(Table("t", F32, (1.0, 2.0, 3.0)), builder.i32(row))
    function = builder.finish("f", (Output("result", value),))
    with pytest.raises(IndexError):
        evaluate(function, {}, (Table("t", F32, (1.0, 2.0, 3.0)),))


@pytest.mark.parametrize("together", [1, 6, 1 << 16])
def test_a_fold_hands_each_row_the_outputs_of_the_one_before(together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many rows are computed at once: what is handed on unchanged, swapped, new in each row, and added up."""
    monkeypatch.setattr("hamletc.ir.evaluate.TOGETHER", together)
    table = Table("t", U32, (3, 1, 4, 1, 5))
    body = Builder()
    own, one, other, total = (body.input(U32, name) for name in ("own", "one", "other", "total"))
    term = body.mul(body.lookup(table, body.input(I32, "row")), body.add(own, body.u32(7)))
    last = body.emit(ops.ToU32(body.input(I32, "row")))
    handed = {"own": own, "one": other, "other": one, "last": last, "total": body.add(body.mul(total, one), term)}
    folded = body.finish("row", tuple(Output(name, value) for name, value in handed.items()))
    builder, names = Builder(), tuple(handed)
    initial = tuple(builder.input(U32, name) for name in names)
    values = [builder.node(Fold("row", name, 5, names, ("t",), initial), U32) for name in names]
    function = builder.finish("f", tuple(map(Output, names, values)))
    inputs = {name: np.array([5, 2**31, number], np.uint32) for number, name in enumerate(names)}
    results = evaluate(function, inputs, (table,), (folded,))
    for lane in range(3):
        so_far = {name: int(inputs[name][lane]) for name in names}
        for row, number in enumerate(table.values):
            one, added = so_far["one"], number * (so_far["own"] + 7)
            so_far |= {"one": so_far["other"], "other": one, "last": row}
            so_far["total"] = (so_far["total"] * one + added) % 2**32
        assert {name: int(results[name][lane]) for name in names} == so_far
