"""Names, order and folding of printed functions."""

from __future__ import annotations

from hamlet.universe import Span
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output
from hamletc.ir.operands import operands
from hamletc.ir.ops import Type
from hamletc.kernel.body import FOLDED_OPERATIONS, Body, body, comment, identifier
from hamletc.lowering import lower
from samples import NAMES, sample


def clamped() -> Function:
    builder = Builder()
    with builder.at(Construct("rule", "tire"), Span(3, 1, 3, 2)):
        energy, other = builder.input(Type.F32, "meter.energy"), builder.input(Type.F32, "meter.energy_1")
        less = builder.sub(energy, builder.f32(0.5))
        zero = builder.f32(0.0)
        energy = builder.select(builder.less(less, zero), zero, less)
        reward = builder.mul(builder.add(energy, other), builder.abs(other))
    outputs = (Output("meter.energy", energy), Output("meter.energy_1", other), Output("reward", reward))
    return builder.finish("tick", outputs)


def test_versions_of_a_state_are_numbered() -> None:
    printed = body(clamped())
    assert [parameter.name for parameter in printed.parameters] == ["energy_0", "energy_1_0"]
    assert [line.name for line in printed.lines] == ["energy_1", "energy_2", "reward_0"]
    assert [printed.names[output.value] for output in printed.outputs] == ["energy_2", "energy_1_0", "reward_0"]
    assert [line.origin is not None for line in printed.lines] == [True, False, False]


def test_names_that_would_meet_are_told_apart() -> None:
    builder = Builder()
    values = [builder.input(Type.F32, name) for name in ("meter.x", "position.x", "meter.a b", "meter.a_b")]
    printed = body(builder.finish("tick", tuple(Output(f"out{i}", value) for i, value in enumerate(values))))
    assert [parameter.name for parameter in printed.parameters] == ["x_0", "x_1", "a_b_0", "a_b_1"]


def test_what_no_output_needs_is_left_out() -> None:
    builder = Builder()
    a, b = builder.input(Type.F32, "meter.a"), builder.input(Type.F32, "meter.b")
    builder.add(a, b)
    printed = body(builder.finish("tick", (Output("meter.a", a),)))
    assert [parameter.input for parameter in printed.parameters] == ["meter.a"]
    assert printed.lines == ()


def test_a_loop_has_what_depends_on_its_element() -> None:
    builder = Builder()
    x = builder.input(Type.I32, "position.x")
    there = builder.add(x, builder.i32(1))
    own = builder.equal(builder.element("grid"), there)
    cell = builder.select(own, builder.f32(1.0), builder.f32(0.0))
    printed = body(builder.finish("observe", (Output("grid", cell, 9), Output("there", there))))
    (loop,) = printed.loops
    assert (loop.output, loop.count, loop.element, loop.value) == ("grid", 9, "element_0", cell)
    assert [line.value for line in loop.lines] == [cell]
    assert [line.value for line in printed.lines] == [there]


def size(printed: Body, value: int) -> int:
    below = (v for v in operands(printed.op(value)) if v not in printed.names and operands(printed.op(v)))
    return 1 + sum(size(printed, v) for v in below)


def test_samples() -> None:
    folded = 0
    for name in NAMES:
        for function in lower(sample(name)).functions:
            printed = body(function)
            lines = [*printed.lines, *(line for loop in printed.loops for line in loop.lines)]
            assert len({line.name for line in lines}) == len(lines)
            for name in (name for line in lines for name in line.name.split(", ") if name != "_"):
                assert name[-1].isdigit()
                assert name.isidentifier()
            defined = {value for value, name in printed.names.items()} - {line.value for line in lines}
            for line in lines:
                assert size(printed, line.value) <= FOLDED_OPERATIONS
                folded += size(printed, line.value) - 1
                defined.add(line.value)
                used = [operand for operand in operands(printed.op(line.value)) if operand in printed.names]
                assert defined.issuperset(used)
    assert folded > 500


def test_comments_stay_on_their_line() -> None:
    assert comment("rule a\nimport os\r\x00") == "rule a import os  "
    assert identifier("param.p") == "param_p"
    assert identifier("meter.energy") == "energy"
