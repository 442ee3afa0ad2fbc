"""Tables in place of distinctions of cases: the same bits, and what becomes of the town."""

from __future__ import annotations

import numpy as np
import pytest

from hamletc.compilation import Compilation
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Function, Output, Program
from hamletc.ir.ops import F32, I32, Equal, Lookup, Select, Type
from hamletc.ir.verifier import verify_program
from hamletc.lowering.plan import CPU, LIMITS, Limits
from hamletc.passes.interval import Interval
from hamletc.passes.ranges import Facts
from hamletc.passes.tabulation import is_made, tabulate
from samples import CONSTRUCTS, NAMES, sample, universe_of
from samples.inputs import random_inputs
from samples.written import many_affordances

LANES = 1500


def count(function: Function, kind: type) -> int:
    return sum(isinstance(node.op, kind) for node in function.nodes)


def same(function: Function, other: Function, inputs: dict[str, np.ndarray], before: Program, after: Program) -> None:
    expected, actual = (
        evaluate(each, inputs, program.tables, program.functions)
        for each, program in ((function, before), (other, after))
    )
    assert expected.keys() == actual.keys()
    for name, values in expected.items():
        assert values.tobytes() == actual[name].tobytes(), f"{function.name}: {name}"


NEEDS = """
universe fair
space grid 4 x 3
lifespan 16 ticks
meter food = uniform(0, 1)
meter calm = uniform(0, 1)
affordance Bed at random { needs food <= calm  instantly { calm -= 0.2 } }
affordance Sea at random { needs food <= 0.7  instantly { calm += 0.2 } }
affordance Tree at random { needs food <= 0.9 and calm >= 0.1  instantly { food += 0.2 } }
affordance Well at random { needs food >= 0.1  instantly { food -= 0.2 } }
reward food
observe { meters }
"""
"""Needs of a meter and of two, at most and at least."""


@pytest.mark.parametrize("limits", [LIMITS, CPU], ids=["computed", "kept"])
@pytest.mark.parametrize("name", [*NAMES, *CONSTRUCTS, "fair"])
def test_the_bits_are_the_same(name: str, limits: Limits) -> None:
    universe = universe_of(NEEDS) if name == "fair" else sample(name)
    compilation = Compilation.begin(universe, limits).run()
    program, facts = compilation.program, compilation.facts
    tabulated = tabulate(program, facts)
    verify_program(tabulated)
    for seed, (function, other) in enumerate(zip(program.functions, tabulated.functions, strict=True)):
        same(function, other, random_inputs(universe, function, facts, LANES, seed), program, tabulated)


def test_each_amount_of_the_town_is_one_lookup() -> None:
    compilation = Compilation.begin(sample("town"), CPU).run()
    tick = tabulate(compilation.program, compilation.facts).function("tick")
    assert count(tick, Lookup) >= 18
    assert count(tick, Equal) <= 6
    assert count(tick, Select) < count(compilation.program.function("tick"), Select) / 2


@pytest.mark.parametrize(("affordances", "rows"), [(6, 8), (7, 8), (8, 16)])
def test_tables_of_affordances_and_none_are_powers_of_two(affordances: int, rows: int) -> None:
    compilation = Compilation.begin(universe_of(many_affordances(affordances) + "inert allowed\n"), CPU).run()
    tables = tabulate(compilation.program, compilation.facts).tables
    assert rows in {len(table.values) for table in tables if is_made(table)}
    assert not {2 * rows} & {len(table.values) for table in tables if is_made(table)}


def test_rows_tell_which_construct_an_amount_belongs_to() -> None:
    compilation = Compilation.begin(sample("town"), CPU).run()
    tables = tabulate(compilation.program, compilation.facts).tables
    told = {
        (str(origin.construct), value)
        for table in tables
        for value, origin in zip(table.values, table.origins, strict=False)
        if origin is not None
    }
    affordances = {affordance.name for affordance in sample("town").affordances}
    assert {f"affordance {name}" for name in affordances} <= {construct for construct, _ in told}
    assert ("affordance Bed", 0.05) in {(construct, round(value, 6)) for construct, value in told}
    for table in tables:
        nothing = [value for value, origin in zip(table.values, table.origins, strict=False) if origin is None]
        assert len(set(map(repr, nothing))) <= 1, table.name


def chosen(needed: bool) -> tuple[Program, Facts]:
    """What four things cost, each of which can be had by who has something, and one by whom it is needed."""
    b = Builder()
    tried, money, need = b.input(I32, "tried"), b.input(F32, "money"), b.input(Type.BOOL, "need")
    amount, used = b.f32(-0.0), b.i32(-1)
    for number, price in enumerate((0.5, 0.25, 0.75, 0.0)):
        hit = b.equal(tried, b.i32(number))
        if number < 3:
            hit = b.and_(hit, b.less_equal(b.f32(price), money))
        if needed and number == 1:
            hit = b.and_(need, hit)
        amount, used = b.select(hit, b.f32(-price), amount), b.select(hit, b.i32(number), used)
    function = b.finish("tick", (Output("amount", amount), Output("used", used)))
    return Program("u", (function,), ()), Facts({"tried": Interval(-1, 3), "money": Interval(0.0, 1.0)}, {})


def every_case(things: int) -> dict[str, np.ndarray]:
    """Each thing tried, and none, with all that matters of money and need."""
    grid = np.meshgrid(np.arange(-1, things), np.linspace(0, 1, 9), [False, True])
    tried, money, need = (each.ravel() for each in grid)
    return {"tried": tried.astype(np.int32), "money": money.astype(np.float32), "need": need}


@pytest.mark.parametrize("needed", [False, True])
def test_needs_are_one_comparison(needed: bool) -> None:
    program, facts = chosen(needed)
    tabulated = tabulate(program, facts)
    function = tabulated.function("tick")
    assert count(function, Lookup) == 2
    same(program.function("tick"), function, every_case(4), program, tabulated)


def test_nothing_tried_is_not_what_is_refused() -> None:
    """-1, where nothing is, is among the numbers; what is used is -1 also where needs do not hold."""
    b = Builder()
    tried, money, need = b.input(I32, "tried"), b.input(F32, "money"), b.input(Type.BOOL, "need")
    amount = b.f32(-0.0)
    for number, price in enumerate((0.5, 0.25, 0.75)):
        hit = b.and_(b.equal(tried, b.i32(number)), b.less_equal(b.f32(price), money))
        amount = b.select(hit, b.f32(-price), amount)
    nothing = b.and_(b.equal(tried, b.i32(-1)), need)
    function = b.finish("tick", (Output("amount", amount), Output("nothing", nothing)))
    program = Program("u", (function,), ())
    tabulated = tabulate(program, Facts({"tried": Interval(-1, 2), "money": Interval(0, 1)}, {}))
    verify_program(tabulated)  # also where bounds are whole numbers
    assert count(tabulated.function("tick"), Lookup) == 2
    same(function, tabulated.function("tick"), every_case(3), program, tabulated)
