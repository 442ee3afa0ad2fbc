from __future__ import annotations

import pytest

from hamlet.universe import Span
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Origin, Table
from hamletc.ir.operands import TypingError
from hamletc.ir.ops import Add, Select, Type


def test_equal_operations_are_one_node() -> None:
    builder = Builder()
    a, b = builder.input(Type.F32, "a"), builder.input(Type.F32, "b")
    assert builder.add(a, b) == builder.add(a, b)
    assert builder.add(a, b) != builder.add(b, a)
    assert builder.add(a, b) != builder.sub(a, b)


def test_constants_are_told_apart_by_their_bits_and_types() -> None:
    builder = Builder()
    values = [builder.f32(0.0), builder.f32(-0.0), builder.i32(0), builder.u32(0), builder.boolean(False)]
    assert len(set(values)) == 5
    assert builder.u32(-1) == builder.u32(2**32 - 1)


def test_floats_are_not_rewritten() -> None:
    builder = Builder()
    a = builder.input(Type.F32, "a")
    value = builder.add(a, builder.f32(0.0))
    assert builder.nodes[value].op == Add(a, builder.f32(0.0))
    assert isinstance(builder.nodes[builder.select(builder.boolean(True), a, a)].op, Select)


def test_nodes_get_the_origin_of_the_innermost_construct() -> None:
    builder = Builder("rules")
    with builder.at(Construct("rule", "outer"), Span(3, 1, 3, 2)):
        first = builder.f32(1.0)
        with builder.at(Construct("cascade", "inner"), Span(4, 1, 4, 2)):
            second = builder.f32(2.0)
            again = builder.f32(1.0)
        third = builder.f32(3.0)
    outer, inner = (
        Origin("rules", Construct("rule", "outer"), 3),
        Origin("rules", Construct("cascade", "inner"), 4),
    )
    origins = [builder.nodes[value].origin for value in (first, second, again, third)]
    assert origins == [outer, inner, outer, outer]


def test_types_are_checked_when_a_node_is_made() -> None:
    builder = Builder()
    with pytest.raises(TypingError, match=r"Add does not take \(f32, i32\)"):
        builder.add(builder.f32(1.0), builder.i32(1))
    assert builder.type_of(builder.less(builder.f32(1.0), builder.f32(2.0))) is Type.BOOL
    assert builder.type_of(builder.lookup(Table("t", Type.U32, (1,)), builder.i32(0))) is Type.U32
