"""Range analysis: intervals hold every value, and are narrow where passes count on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamlet.numbers.binary32 import round32
from hamlet.universe import Universe
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.function import Function, Output, Table
from hamletc.ir.ops import Type, Value
from hamletc.ir.verifier import element_of
from hamletc.lowering import lower
from hamletc.passes.facts import facts_of
from hamletc.passes.interval import ANY_F32, Interval
from hamletc.passes.pipeline import run
from hamletc.passes.ranges import Facts, Ranges, ranges_of
from samples import NAMES, sample
from samples.functions import TABLES, functions, random_arrays
from samples.inputs import random_inputs

NO_FACTS = Facts({}, {"time.sin": Interval(0.0, 0.5, False, True), "steps": Interval(-1, 2**31 - 1)})


def hold(function: Function, facts: Facts, inputs: dict[str, Array], tables: tuple[Table, ...]) -> None:
    """Every node's values are in its interval."""
    counts = {output.name: output.count for output in function.outputs}
    nodes = [
        Output(f"node.{value}", value, None if element is None else counts[element])
        for value, element in enumerate(element_of(function))
    ]
    whole = replace(function, outputs=(*function.outputs, *nodes))
    values = evaluate(whole, inputs, tables, tuple(facts.functions.values()))
    for value, interval in enumerate(ranges_of(function, facts)):
        with np.errstate(invalid="ignore"):
            found = values[f"node.{value}"].astype(np.float64)
        where = f"{function.name} %{value}: {function.nodes[value]} {interval}"
        missing = np.isnan(found)
        assert interval.nan or not missing.any(), where
        kept = found[~missing]
        assert (kept >= interval.low).all(), where
        assert (kept <= interval.high).all(), where
        assert interval.negative_zero or not (np.signbit(kept) & (kept == 0)).any(), where


@pytest.mark.parametrize("optimised", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_intervals_hold_all_values_of_universes(name: str, optimised: bool) -> None:
    universe = sample(name)
    program = lower(universe)
    facts = facts_of(universe, program)
    if optimised:
        program = run(program, facts)
    for seed, function in enumerate(program.functions):
        hold(function, facts, random_inputs(universe, function, facts, 400, seed), program.tables)


@settings(max_examples=examples(150), deadline=None)
@given(functions(), st.integers(0, 1000))
def test_intervals_hold_all_values_of_random_functions(function: Function, seed: int) -> None:
    hold(function, NO_FACTS, random_arrays(seed), TABLES)


class Scene:
    """A builder with its ranges and a meter in 0 .. 1."""

    def __init__(self) -> None:
        self.builder = Builder()
        known = {"m": Interval(0.0, 1.0, False, True), "any": ANY_F32, "i": Interval(0, 9)}
        self.ranges = Ranges(self.builder.nodes, Facts(known, {}), {"grid": 64})
        self.meter = self.builder.input(Type.F32, "m")

    def of(self, value: Value) -> Interval:
        return self.ranges[value]


def test_a_clamp_bounds_its_operand() -> None:
    scene = Scene()
    builder = scene.builder
    moved = builder.add(scene.meter, builder.f32(round32(0.3)))
    assert scene.of(moved) == Interval(round32(0.3), round32(1.3))
    assert scene.of(builder.clamp(moved, builder.f32(0.0), builder.f32(1.0))) == Interval(round32(0.3), 1.0)
    unknown = builder.clamp(builder.input(Type.F32, "any"), builder.f32(0.0), builder.f32(1.0))
    assert scene.of(unknown) == Interval(0.0, 1.0, True, True)


def test_a_select_learns_what_its_condition_says_about_what_is_computed_in_it() -> None:
    scene = Scene()
    builder = scene.builder
    threshold = builder.f32(0.25)
    missing = builder.sub(threshold, scene.meter)
    assert scene.of(missing) == Interval(-0.75, 0.25)
    low = builder.less(scene.meter, threshold)
    deficit = builder.select(low, builder.div(missing, threshold), builder.f32(0.0))
    assert (scene.of(deficit).low, scene.of(deficit).high) == (0.0, 1.0)
    other = builder.select(builder.not_(low), missing, builder.f32(0.0))
    assert (scene.of(other).low, scene.of(other).high) == (-0.75, 0.0)


def test_a_small_number_without_a_sign_is_the_same_with_one() -> None:
    scene = Scene()
    builder = scene.builder
    moved = builder.sub(builder.input(Type.I32, "i"), builder.i32(3))
    assert scene.of(moved) == Interval(-3, 6)

    def within(most: int, holds: bool = True) -> Interval:
        inside = builder.less(builder.to_u32(moved), builder.u32(most))
        return scene.of(builder.select(inside if holds else builder.not_(inside), moved, builder.i32(2)))

    assert within(5) == Interval(0, 4)
    assert within(2**31) == Interval(0, 6)
    assert within(2**31 + 1) == Interval(-3, 6)
    assert within(5, holds=False) == Interval(-3, 6)


def test_a_comparison_with_a_nan_says_nothing_where_it_fails() -> None:
    scene = Scene()
    builder, half = scene.builder, scene.builder.f32(0.5)
    unknown = builder.input(Type.F32, "any")
    high = builder.clamp(unknown, half, builder.f32(1.0))
    assert scene.of(high) == Interval(0.5, 1.0, True)
    assert scene.of(builder.select(builder.less(scene.meter, high), half, scene.meter)).low == 0.0
    low = builder.clamp(unknown, builder.f32(0.0), half)
    assert scene.of(builder.select(builder.less(low, scene.meter), half, scene.meter)).high == 1.0
    kept = scene.of(builder.select(builder.less(scene.meter, unknown), half, unknown))
    assert (kept.high, kept.nan) == (1.0, True)


def test_signs_of_zeros() -> None:
    scene = Scene()
    builder, meter = scene.builder, scene.meter
    assert not scene.of(builder.add(meter, builder.f32(0.0))).negative_zero
    assert scene.of(builder.add(meter, builder.f32(-0.0))).negative_zero
    assert not scene.of(builder.sub(meter, builder.f32(0.5))).negative_zero
    assert scene.of(builder.sub(meter, builder.f32(0.0))).negative_zero
    assert scene.of(builder.mul(builder.f32(0.5), builder.sub(builder.f32(0.0), meter))).negative_zero
    assert not scene.of(builder.mul(builder.f32(0.5), builder.abs(meter))).negative_zero


def test_integers_wrap_to_everything() -> None:
    scene = Scene()
    builder = scene.builder
    i = builder.input(Type.I32, "i")
    assert scene.of(builder.add(i, builder.i32(-4))) == Interval(-4, 5)
    assert scene.of(builder.add(i, builder.i32(2**31 - 1))) == Interval(-(2**31), 2**31 - 1)
    assert scene.of(builder.sub(builder.to_u32(i), builder.u32(1))) == Interval(0, 2**32 - 1)
    assert scene.of(builder.element("grid")) == Interval(0, 63)
    assert scene.of(builder.less(i, builder.i32(10))) == Interval(1, 1)


def facts_for(universe: Universe) -> Facts:
    return facts_of(universe, lower(universe))


def test_a_meter_that_a_tick_can_leave_out_of_bounds_may_be_any_number() -> None:
    facts = facts_for(sample("sticky")).inputs
    most = 2.0**128 - 2.0**104
    assert facts["meter.mood"].within(Interval(-most, most, False, True))
    assert facts["meter.fuel"] == Interval(0.0, 1.0, False, True)
    town = facts_for(sample("town")).inputs
    assert {town[f"meter.{meter.name}"] for meter in sample("town").meters} == {Interval(0.0, 1.0, False, True)}
    assert town["action"] == Interval(0, 7)
    assert town["position.x"] == Interval(0, 7)
