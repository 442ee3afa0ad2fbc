"""Every operation: how it is written, and that what is written gives the bits of `hamletc.ir.evaluate`."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hamlet.launch.cpu.ops import WIDE
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Function, Output, Table
from hamletc.ir.ops import (
    OPS,
    Abs,
    Add,
    And,
    Const,
    Div,
    Element,
    Equal,
    Fma,
    Fold,
    FromBits,
    Input,
    Less,
    LessEqual,
    Lookup,
    Mul,
    MulHigh,
    Neg,
    Not,
    Op,
    Or,
    Rem,
    Select,
    ShiftLeft,
    ShiftRight,
    Sqrt,
    Sub,
    ToBits,
    ToF32,
    ToI32,
    ToU32,
    Type,
    Xor,
)
from hamletc.targets.body import body
from hamletc.targets.numba.formatter import NumbaFormatter

F32, I32, U32, BOOL = Type.F32, Type.I32, Type.U32, Type.BOOL
LETTERS = {F32: "f", I32: "i", U32: "u", BOOL: "b"}
TABLE = Table("time.sin", F32, (0.0, -0.0, 0.5, 1e-45))

FLOATS = [0.0, -0.0, 1e-45, -1e-45, 1.17549435e-38, 0.3, 0.29999998, 1.0, -1.0, 3.0, 16777217.0, 3.4028235e38, -7e-39]
INTEGERS = [0, 1, -1, 2, 7, -8, 31, 2**24 + 1, 2**31 - 1, -(2**31) + 1, -(2**31)]
UNSIGNED = [0, 1, 2, 7, 8, 31, 2**16, 2**31, 2**32 - 1, 0x9E3779B9]
SHIFTS = [0, 1, 15, 31]

BINARY: tuple[tuple[type[Op], tuple[Type, ...]], ...] = (
    (Add, (F32, I32, U32)), (Sub, (F32, I32, U32)), (Mul, (F32, I32, U32)), (MulHigh, (U32,)), (Div, (F32,)),
    (Less, (F32, I32, U32)), (LessEqual, (F32, I32, U32)), (Equal, (F32, I32, U32, BOOL)), (And, (BOOL, U32)),
    (Or, (BOOL, U32)), (Xor, (U32,)),
)  # fmt: skip
UNARY: tuple[tuple[type[Op], tuple[Type, ...]], ...] = (
    (Neg, (F32, I32)), (Abs, (F32, I32)), (Not, (BOOL,)), (ToF32, (I32,)), (ToU32, (I32,)), (ToI32, (U32,)),
    (ToBits, (F32,)), (FromBits, (U32,)),
)  # fmt: skip


def every_operation() -> Function:
    """One function that uses every operation on every type it takes: on two inputs, and with constants."""
    b = Builder()
    left = {type_: b.input(type_, f"left.{LETTERS[type_]}") for type_ in Type}
    right = {type_: b.input(type_, f"right.{LETTERS[type_]}") for type_ in Type}
    constant = {F32: b.f32(1e-45), I32: b.i32(-3), U32: b.u32(0x9E3779B1), BOOL: b.boolean(True)}
    values = [b.emit(op(left[t], right[t])) for op, types in BINARY for t in types]
    values += [b.emit(op(left[t], constant[t])) for op, types in BINARY for t in types]
    values += [b.emit(op(constant[t], right[t])) for op, types in BINARY for t in types]
    values += [b.emit(op(constant[t], constant[t])) for op, types in BINARY for t in types]
    values += [b.emit(op(left[t])) for op, types in UNARY for t in types]
    values += [b.sqrt(b.abs(left[F32])), b.emit(Rem(left[U32], b.u32(7))), b.emit(Div(left[U32], b.u32(24)))]
    values += [b.emit(Rem(b.u32(9), b.u32(8))), b.emit(Div(left[U32], b.u32(8)))]
    amount = b.emit(And(right[U32], b.u32(31)))
    values += [b.emit(ShiftLeft(left[U32], amount)), b.emit(ShiftRight(left[U32], amount))]
    values += [b.emit(ShiftLeft(b.u32(1), amount)), b.shift_right(left[U32], 31)]
    for t in (F32, I32, U32, BOOL):
        values += [b.select(left[BOOL], left[t], right[t]), b.select(left[BOOL], constant[t], right[t])]
    values += [b.select(left[BOOL], b.f32(0.3), b.f32(-0.0)), b.select(right[BOOL], b.i32(1), b.i32(-1))]
    values += [b.fma(left[F32], right[F32], right[F32]), b.fma(left[F32], b.f32(0.5), b.f32(1e-45))]
    values += [b.minimum(left[F32], right[F32]), b.maximum(left[F32], right[F32])]
    values += [b.add(b.mul(left[F32], right[F32]), left[F32]), b.sub(b.mul(left[F32], b.f32(0.1)), right[F32])]
    values += [b.lookup(TABLE, b.to_i32(b.emit(And(right[U32], b.u32(3)))))]
    values += [b.f32(-0.0), b.i32(-1), b.u32(2**32 - 1), b.boolean(False)]
    return b.finish("every", tuple(Output(f"out.{n}", v) for n, v in enumerate(dict.fromkeys(values))))


def inputs() -> dict[str, np.ndarray[Any, Any]]:
    """All pairs of edge values of each type."""
    edges = {
        "f": np.array(FLOATS, np.float32), "i": np.array(INTEGERS, np.int32), "u": np.array(UNSIGNED, np.uint32),
        "b": np.array([False, True]),
    }  # fmt: skip
    lanes = WIDE * -(-max(len(values) ** 2 for values in edges.values()) // WIDE)
    result = {}
    for letter, values in edges.items():
        pairs = np.array(list(itertools.product(values, values)), values.dtype)
        pairs = np.resize(pairs, (lanes, 2))
        result[f"left.{letter}"], result[f"right.{letter}"] = pairs[:, 0].copy(), pairs[:, 1].copy()
    return result


@pytest.mark.parametrize("at_once", ["a lane", "a vector"])
def test_every_operation_gives_the_bits_of_the_reference(at_once: str, tmp_path: Path) -> None:
    function = every_operation()
    assert {type(node.op) for node in function.nodes} == set(OPS) - {Element, Fold}
    printed = body(function)
    formatter = NumbaFormatter(printed)
    parameters = [parameter.name for parameter in printed.parameters]
    results = [formatter.typed(output.value) for output in printed.outputs]
    text = [
        "from numba import float32 as f32, int32 as i32, uint32 as u32",
        "from hamlet.launch.cpu.ops import *",
        "@traced",
        f"def every({', '.join(parameters)}, table_time_sin):",
        *(f"    {line.name} = {formatter.line(line.value)}" for line in printed.lines),
        f"    return {', '.join(results)}",
        "@kernel",
        f"def run({', '.join(parameters)}, table_time_sin, {', '.join(f'out{n}' for n in range(len(results)))}):",
        f"    for first in range(0, {parameters[0]}.shape[0], {'1' if at_once == 'a lane' else 'WIDE'}):",
        f"        lane = {'first' if at_once == 'a lane' else 'wide(first)'}",
        f"        {', '.join(f'part(out{n}, 0, 0)[lane]' for n in range(len(results)))} = every(",
        f"            {', '.join(f'part({name}, 0, 0)[lane]' for name in parameters)}, table_time_sin)",
    ]
    path = tmp_path / "every.py"
    path.write_text("\n".join(text))
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    given = inputs()
    expected = evaluate(function, given, (TABLE,))
    outputs = [np.zeros_like(expected[output.name]) for output in printed.outputs]
    names["run"](
        *(given[parameter.input] for parameter in printed.parameters), np.array(TABLE.values, np.float32), *outputs
    )
    for output, got in zip(printed.outputs, outputs, strict=True):
        wanted = expected[output.name]
        assert got.dtype == wanted.dtype
        different = got.view(np.uint8) != wanted.view(np.uint8)
        different &= ~np.isnan(wanted).repeat(4) if wanted.dtype == np.float32 else different
        assert not different.any(), formatter.typed(output.value)


@pytest.mark.parametrize(
    ("text", "make"),
    [
        ("f_0 + f32(0.3)", lambda b, v: b.add(v[F32], b.f32(0.30000001192092896))),
        ("add(i_0, -1)", lambda b, v: b.add(v[I32], b.i32(-1))),
        ("multiply(u_0, 0x9E3779B1)", lambda b, v: b.mul(v[U32], b.u32(0x9E3779B1))),
        ("f_0 / f32(-0.0)", lambda b, v: b.div(v[F32], b.f32(-0.0))),
        ("divide(u_0, 24)", lambda b, v: b.div(v[U32], b.u32(24))),
        ("remainder(u32(9), 8)", lambda b, v: b.rem(b.u32(9), b.u32(8))),  # noqa: ARG005, one shape for all
        ("fma(f_0, f32(0.5), f_0 - f_0)", lambda b, v: b.fma(v[F32], b.f32(0.5), b.sub(v[F32], v[F32]))),
        ("(f_0 - f32(1.0)) * f_0", lambda b, v: b.mul(b.sub(v[F32], b.f32(1.0)), v[F32])),
        ("less(i_0, 3)", lambda b, v: b.less(v[I32], b.i32(3))),
        ("b_0 & (~b_0)", lambda b, v: b.and_(v[BOOL], b.not_(v[BOOL]))),
        ("(f_0 < f32(1.0)) | b_0", lambda b, v: b.or_(b.less(v[F32], b.f32(1.0)), v[BOOL])),
        ("where(b_0, f32(0.5), f_0)", lambda b, v: b.select(v[BOOL], b.f32(0.5), v[F32])),
        ("where(b_0, i32(1), -1)", lambda b, v: b.select(v[BOOL], b.i32(1), b.i32(-1))),
        ("subtract(0, i_0)", lambda b, v: b.neg(v[I32])),
        ("-(f_0 + f_0)", lambda b, v: b.neg(b.add(v[F32], v[F32]))),
        ("square_root(f_0)", lambda b, v: b.sqrt(v[F32])),
        ("to_f32(i_0)", lambda b, v: b.to_f32(v[I32])),
        ("take(table_time_sin, i_0)", lambda b, v: b.lookup(TABLE, v[I32])),
        ("shift_right(bit_xor(u_0, 5), 16)", lambda b, v: b.shift_right(b.xor(v[U32], b.u32(5)), 16)),
    ],
)
def test_text(text: str, make: Any) -> None:
    b = Builder()
    values = {type_: b.input(type_, letter) for type_, letter in LETTERS.items()}
    printed = body(b.finish("f", (Output("out", make(b, values)),)))
    assert NumbaFormatter(printed).line(printed.outputs[0].value) == text


def test_an_operation_without_a_method_is_an_error() -> None:
    b = Builder()
    printed = body(b.finish("f", (Output("out", b.element("out"), 3),)))
    with pytest.raises(TypeError, match="no expression for Element"):
        NumbaFormatter(printed).operation(Element("out"))


def test_all_operations_are_in_this_file() -> None:
    used = {op for op, _ in (*BINARY, *UNARY)} | {
        Const,
        Input,
        Element,
        Fma,
        Lookup,
        Select,
        Sqrt,
        Rem,
        ShiftLeft,
        ShiftRight,
    }
    # A fold runs another function: tests/equivalence has one.
    assert used == set(OPS) - {Fold}
