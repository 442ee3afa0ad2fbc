"""Every operation: how it is written, and that what is written gives the bits of `hamletc.ir.evaluate`."""

from __future__ import annotations

from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hamlet.launch.cpu.ops import WIDE
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import DTYPES, evaluate
from hamletc.ir.function import Function, Output, Table
from hamletc.ir.ops import BOOL, F32, I32, OPS, PLAIN, U32, Element, Fold, Plain, Right, Type, Value
from hamletc.kernel.body import body
from hamletc.targets.numba.formatter import NumbaFormatter
from samples.functions import EDGES

LETTERS = {F32: "f", I32: "i", U32: "u", BOOL: "b"}
TABLE = Table("time.sin", F32, (0.0, -0.0, 0.5, 1e-45))
CELLS = np.array([[-0.0, 1e-45], [0.25, -3.0]], np.float32)

DIVISORS = (7, 24, 8, 2**31)


def every_operation() -> Function:
    """One function that uses every operation on every type it takes: on inputs, with constants, and on constants."""
    b = Builder()
    left = {type_: b.input(type_, f"left.{LETTERS[type_]}") for type_ in Type}
    right = {type_: b.input(type_, f"right.{LETTERS[type_]}") for type_ in Type}
    constant = {F32: b.f32(1e-45), I32: b.i32(-3), U32: b.u32(0x9E3779B1), BOOL: b.boolean(True)}
    amount = b.and_(right[U32], b.u32(31))

    def places(op: type[Plain], type_: Type) -> list[tuple[Value, ...]]:
        """What may stand in the place of each operand."""
        first, second = (left[type_], constant[type_]), (right[type_], constant[type_])
        match PLAIN[op].right if type_ is U32 else None:
            case None:
                return [first, second, second][: len(fields(op))]
            case Right.DIVISOR:
                return [first, tuple(b.u32(divisor) for divisor in DIVISORS)]
            case Right.AMOUNT:
                return [first, (amount, b.u32(31))]

    values = [b.emit(op(*on)) for op, traits in PLAIN.items() for t in traits.results for on in product(*places(op, t))]
    for t in Type:
        values += [b.select(left[BOOL], left[t], right[t]), b.select(left[BOOL], constant[t], right[t])]
    values += [b.select(left[BOOL], b.f32(0.3), b.f32(-0.0)), b.select(right[BOOL], b.i32(1), b.i32(-1))]
    values += [b.sqrt(b.abs(left[F32])), b.fma(left[F32], right[F32], right[F32])]
    values += [b.minimum(left[F32], right[F32]), b.maximum(left[F32], right[F32])]
    values += [b.add(b.mul(left[F32], right[F32]), left[F32]), b.sub(b.mul(left[F32], b.f32(0.1)), right[F32])]
    values += [b.lookup(TABLE, b.to_i32(b.and_(right[U32], b.u32(3))))]
    values += [b.fetch("cells.moss", b.to_i32(b.and_(left[U32], b.u32(3)))), b.fetch("cells.moss", b.i32(2))]
    values += [b.f32(-0.0), b.i32(-1), b.u32(2**32 - 1), b.boolean(False)]
    return b.finish("every", tuple(Output(f"out.{n}", v) for n, v in enumerate(dict.fromkeys(values))))


def inputs() -> dict[str, np.ndarray[Any, Any]]:
    """All pairs of edge values of each type."""
    edges = {LETTERS[type_]: np.array(values, DTYPES[type_]) for type_, values in EDGES.items()}
    lanes = WIDE * -(-max(len(values) ** 2 for values in edges.values()) // WIDE)
    result = {}
    for letter, values in edges.items():
        pairs = np.array(list(product(values, values)), values.dtype)
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
        f"def every({', '.join(parameters)}, table_time_sin, table_cells_moss):",
        *(f"    {line.name} = {formatter.line(line.value)}" for line in printed.lines),
        f"    return {', '.join(results)}",
        "@kernel",
        f"def run({', '.join(parameters)}, table_time_sin, table_cells_moss,",
        f"        {', '.join(f'out{n}' for n in range(len(results)))}):",
        f"    for first in range(0, {parameters[0]}.shape[0], {'1' if at_once == 'a lane' else 'WIDE'}):",
        f"        lane = {'first' if at_once == 'a lane' else 'wide(first)'}",
        f"        {', '.join(f'part(out{n}, 0, 0)[lane]' for n in range(len(results)))} = every(",
        f"            {', '.join(f'part({name}, 0, 0)[lane]' for name in parameters)},",
        "            table_time_sin, table_cells_moss)",
    ]
    path = tmp_path / "every.py"
    path.write_text("\n".join(text))
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    given = inputs()
    expected = evaluate(function, given | {"cells.moss": CELLS}, (TABLE,))
    outputs = [np.zeros_like(expected[output.name]) for output in printed.outputs]
    tables = np.array(TABLE.values, np.float32), CELLS.reshape(-1)
    names["run"](*(given[parameter.input] for parameter in printed.parameters), *tables, *outputs)
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
        ("take(table_cells_moss, i_0)", lambda b, v: b.fetch("cells.moss", v[I32])),
        ("shift_right(bit_xor(u_0, 5), 16)", lambda b, v: b.shift_right(b.xor(v[U32], b.u32(5)), 16)),
    ],
)
def test_text(text: str, make: Any) -> None:
    b = Builder()
    values = {type_: b.input(type_, letter) for type_, letter in LETTERS.items()}
    printed = body(b.finish("f", (Output("out", make(b, values)),)))
    assert NumbaFormatter(printed).line(printed.outputs[0].value) == text


def test_an_operation_without_an_expression_is_an_error() -> None:
    b = Builder()
    printed = body(b.finish("f", (Output("out", b.element("out"), 3),)))
    with pytest.raises(TypeError, match="no expression for Element"):
        NumbaFormatter(printed).operation(Element("out"))
