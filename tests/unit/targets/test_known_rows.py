"""Rows of observations that are known but for a bit: found where they are, with the same values, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hamlet import schema
from hamletc.compile import Options, lower, optimise, specialise
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import Element, Type
from hamletc.passes.facts import facts_of
from hamletc.targets.known_rows import known_rows
from hamletc.targets.scene import split
from samples import sample, universe_of
from samples.inputs import random_inputs
from samples.written import household

FOUND = {"town": ["grid", "here"], "first_meal": ["grid"], "shifts": ["window"], "household": ["grid", "window"]}


@pytest.mark.parametrize("name", FOUND)
def test_known_rows_are_the_rows(name: str) -> None:
    universe = universe_of(household()) if name == "household" else sample(name)
    program = specialise(optimise(lower(universe)), "triton").program
    function = program.function("observe")
    rest, found = known_rows(split(function)[1])
    assert [rows.output for rows in found] == FOUND[name]
    assert {output.name for output in rest.outputs} >= {
        segment.name for segment in schema.observation_segments(universe) if segment.name not in FOUND[name]
    }
    lanes = 200
    inputs = random_inputs(universe, function, facts_of(universe, program), lanes, 1)
    scene = split(function)[0]
    inputs |= evaluate(scene, inputs, program.tables, program.functions)
    expected = evaluate(function, inputs, program.tables, program.functions)
    given = evaluate(rest, inputs, program.tables, program.functions)
    for rows in found:
        number = np.arange(rows.count)[:, None]
        bits = [(given[word][None, :] >> (number[:32] % 32).astype(np.uint32)) & 1 for word in rows.words]
        marked = np.concatenate(bits)[: rows.count] == 1 if bits else np.zeros((rows.count, lanes), bool)
        own = number == given[rows.own] if rows.own else np.zeros((rows.count, lanes), bool)
        plain_values, own_values = np.array(rows.values, np.float32), np.array(rows.own_values, np.float32)
        result = np.where(own, own_values[marked.astype(int)], plain_values[marked.astype(int)])
        assert (result.view(np.uint32) == expected[rows.output].view(np.uint32)).all()
        assert own.any() == (rows.own is not None)
        assert not rows.words or (((marked & own).any() or rows.own is None) and (marked & ~own).any())


def test_outputs_of_which_a_row_is_more_than_a_constant_are_left() -> None:
    by_rows = Options(disabled_passes=("window_words",))
    program = specialise(optimise(lower(sample("shifts"), by_rows)), "triton").program
    function = program.function("observe")
    assert known_rows(function) == (function, ())
    short = replace(function, outputs=tuple(o for o in function.outputs if o.count is None))
    assert known_rows(short) == (short, ())


@pytest.mark.parametrize("ahead", [0, 1])
def test_the_bit_of_another_row_is_no_bit_of_its_own(ahead: int) -> None:
    builder = Builder()
    row = builder.add(builder.node(Element("seen"), Type.I32), builder.i32(ahead))
    bit = builder.shift_left(builder.u32(1), builder.to_u32(row))
    marked = builder.not_(builder.equal(builder.and_(builder.input(Type.U32, "word"), bit), builder.u32(0)))
    seen = Output("seen", builder.select(marked, builder.f32(1.0), builder.f32(0.0)), 3)
    function = builder.finish("observe", (seen,))
    rest, rows = known_rows(function)
    assert (rest == function) == bool(ahead)
    assert [each.output for each in rows] == ([] if ahead else ["seen"])
