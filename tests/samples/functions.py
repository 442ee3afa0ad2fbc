"""Hypothesis strategies: random valid functions and programs of the tick IR."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hamlet.numbers.binary32 import round32
from hamlet.universe import Span
from hamletc.ir.builder import Builder
from hamletc.ir.function import PHASES, Construct, Function, Output, Program, Table
from hamletc.ir.ops import BOOL, F32, I32, PLAIN, U32, Const, Lookup, ToBits, Type, Value

TABLES = (Table("time.sin", F32, (0.0, -0.0, 0.5, round32(0.1))), Table("steps", I32, (-1, 0, 2**31 - 1, 5)))
EDGES: dict[Type, list[Any]] = {
    F32: [
        0.0, -0.0, 1e-45, -1e-45, -7e-39, 1.17549435e-38, 0.3, 0.29999998, 1.0, -1.0, 2.5, 3.0, 16777217.0,
        3.4028235e38,
    ],
    I32: [0, 1, -1, 2, 7, -8, 31, 2**24 + 1, 2**31 - 1, -(2**31) + 1, -(2**31)],
    U32: [0, 1, 2, 7, 8, 31, 2**16, 2**31, 2**32 - 1, 0x9E3779B9],
    BOOL: [False, True],
}  # fmt: skip
"""Values on which operations could go wrong."""

WIDTH = 4
COUNT = 5

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
LITERALS = {
    F32: st.one_of(st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.25]), FLOATS),
    I32: st.one_of(st.integers(-2, 9), st.integers(-(2**31), 2**31 - 1)),
    U32: st.one_of(st.sampled_from([0, 1, 2, 8, 2**31]), st.integers(0, 2**32 - 1)),
    BOOL: st.booleans(),
}
SPANS = st.builds(Span, st.integers(0, 999), st.just(1), st.just(1), st.just(2), st.integers(0, 3)) | st.none()
CONSTRUCTS = st.builds(
    Construct, st.sampled_from(["", "cascade", "dies when"]), st.sampled_from(["", "hunger_sickens", "a: b; c :4"])
)


@st.composite
def functions(draw: st.DrawFn, size: int = 40) -> Function:
    """A function over inputs of all types, one output per type, one with elements and one repeated."""
    builder = Builder()
    by_type: dict[Type, list[Value]] = {}
    for type_, names in ((F32, "ab"), (I32, "ij"), (U32, "uv"), (BOOL, "pq")):
        by_type[type_] = [builder.input(type_, f"in.{name}") for name in names]
        by_type[type_].append(builder.node(Const(type_, draw(LITERALS[type_])), type_))
    steps = draw(st.integers(1, size))
    for _ in range(steps):
        with builder.at(draw(CONSTRUCTS), draw(SPANS), draw(st.sampled_from(PHASES))):
            value = _node(draw, builder, by_type)
        by_type[builder.type_of(value)].append(value)
    outputs = [Output(f"out.{type_.value}", values[-1]) for type_, values in by_type.items()]
    element = builder.element("grid")
    cell = builder.select(builder.less(element, by_type[I32][-1]), element, by_type[I32][0])
    outputs += [Output("grid", cell, COUNT), Output("meter.Fast; Food = 1", by_type[F32][-1], COUNT)]
    return builder.finish(draw(st.sampled_from(["tick", "observe"])), tuple(outputs))


def _node(draw: st.DrawFn, builder: Builder, by_type: dict[Type, list[Value]]) -> Value:
    def pick(type_: Type) -> Value:
        return draw(st.sampled_from(by_type[type_]))

    kind = draw(st.integers(0, 10))
    if kind == 0:
        type_ = draw(st.sampled_from(Type))
        return builder.node(Const(type_, draw(LITERALS[type_])), type_)
    if kind in (1, 2):
        type_ = draw(st.sampled_from([F32, F32, I32, U32, BOOL]))
        return builder.select(pick(BOOL), pick(type_), pick(type_))
    if kind == 3:
        index = builder.to_i32(builder.rem(pick(U32), builder.u32(WIDTH)))
        table = draw(st.sampled_from(TABLES))
        return builder.node(Lookup(table.name, index), table.type)
    op, traits = draw(st.sampled_from(list(PLAIN.items())))
    type_ = draw(st.sampled_from(list(traits.results)))
    on = [pick(type_) for _ in fields(op)]
    if type_ is U32 and traits.right is not None:
        on[1] = builder.u32(draw(st.sampled_from(traits.right.value)))
    if op is ToBits:
        # A NaN may have other bits elsewhere.
        on = [builder.select(builder.equal(on[0], on[0]), on[0], builder.f32(1.0))]
    return builder.emit(op(*on))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program of one or two functions and the tables."""
    first, second = draw(functions(12)), draw(functions(12))
    both = (first,) if first.name == second.name else (first, second)
    return Program("town", both, TABLES)


def random_arrays(seed: int, lanes: int = 64) -> dict[str, np.ndarray[Any, Any]]:
    """Values for the inputs of `functions`: everything, but infinities and NaNs."""
    generator = np.random.default_rng(seed)
    bits = generator.integers(0, 2**32, (6, lanes), dtype=np.uint64).astype(np.uint32)
    floats = bits[:2].view(np.float32).copy()
    floats[~np.isfinite(floats)] = -0.0
    small = generator.random((2, lanes)) < 0.5
    floats[small] = generator.choice(np.array([0.0, -0.0, 1.0, -2.0, 0.3, 1e-45], np.float32), int(small.sum()))
    few = generator.random((2, lanes)) < 0.5
    bits[2:4][few] = generator.integers(0, 9, int(few.sum()), dtype=np.uint32)
    return {
        "in.a": floats[0], "in.b": floats[1], "in.i": bits[2].view(np.int32), "in.j": bits[4].view(np.int32),
        "in.u": bits[3], "in.v": bits[5], "in.p": generator.random(lanes) < 0.5, "in.q": generator.random(lanes) < 0.5,
    }  # fmt: skip
