"""Affordances and cascades as tables: the same bits as unrolled, from code whose size does not depend on them."""

from __future__ import annotations

from dataclasses import replace
from time import process_time

import numpy as np
import pytest

from hamlet.universe import Universe
from hamletc.compilation import Compilation
from hamletc.compile import Options, build, check
from hamletc.frontend import Stopwatch
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.function import Program
from hamletc.ir.ops import Fold
from hamletc.ir.text import parse_program, print_program
from hamletc.ir.verifier import VerificationError, verify_program
from hamletc.language.source import Source
from hamletc.lowering.lower import lower
from hamletc.lowering.plan import LIMITS, Limits
from hamletc.lowering.tables import affordance_table
from hamletc.passes.facts import facts_of
from hamletc.passes.pipeline import gpu_passes
from hamletc.read import parsed
from samples import CONSTRUCTS, NAMES, SHIPPED, sample, universe_of
from samples.inputs import random_inputs
from samples.written import many_affordances, many_cascades

LANES = 2000
TABLES = Limits(0, 0, 0, actions=0)
UNROLLED = Limits(10**6, 10**6, 10**6, actions=10**6)
EDGES = """
universe edges
space grid 4 x 4
meter a = 0.4
meter b = 2 in -1 .. 3
meter c = 0.5
param p = 1.0 in 0 .. 2
cascade itself: a < 0.5 -> { a += 0.3  b -= deficit * p  a -= 0.1 * shortfall }
cascade set: b < 1.5 -> { c = 0.2 * b + abs(a)  b += clamp(shortfall, 0, c) }
cascade low: c < 0.75 -> a -= if b > 1 then 0.05 else 0.01
rule between: c -= 0.01
cascade late: c < 0.5 -> { b -= 0.1 * deficit  c += 0.02 * deficit }
cascade free: b < 1 -> a = 1.2 unclamped
cascade final: a < 0.9 -> { c -= 0.002 * deficit }
affordance Bed at random { instantly { a += 0.5  b += 1 } }
lifespan 9 ticks
reward a + b + c
observe { meters }
"""
TEXTS = {
    "edges": EDGES,
    "affordances": many_affordances(40, 9),
    "fixed": many_affordances(40, 9, fixed=True),
    "cascades": many_cascades(45, 5),
}


def universe(name: str) -> Universe:
    return universe_of(TEXTS[name]) if name in TEXTS else sample(name)


@pytest.mark.parametrize("name", [*NAMES, *CONSTRUCTS, *TEXTS, "launched"])
def test_tables_give_the_bits_of_unrolled_code(name: str) -> None:
    made = universe(name)
    compilation = Compilation.begin(made, TABLES)
    unrolled, tabled = lower(made, UNROLLED), compilation.program
    verify_program(tabled)
    of_rows = ("action", "affordance", "cascades", "fixed", "move", "mask")
    # An observed progress looks up durations, also where affordances are unrolled.
    names = {table.name for table in unrolled.tables} - {"affordance.duration"}
    assert not any(name.startswith(of_rows) for name in names)
    optimised = compilation.run().run(gpu_passes).program
    facts = facts_of(made, unrolled)
    lasting = [n for n, affordance in enumerate(made.affordances) if affordance.duration is not None]
    for function in unrolled.functions:
        inputs = random_inputs(made, function, facts, LANES, 3)
        if "engaged" in inputs:
            # What an agent is engaged in lasts; often it is where the agent stands.
            choices = np.array([*lasting, -1], np.int32)
            inputs["engaged"] = np.random.default_rng(1).choice(choices, LANES)
        expected = evaluate(function, inputs, unrolled.tables, unrolled.functions)
        for program in (tabled, optimised):
            actual = evaluate(program.function(function.name), inputs, program.tables, program.functions)
            same(function.name, expected, actual)
        if function.name == "tick" and name not in ("edges", "many_moves"):
            assert (expected["used"] >= 0).sum() > 20


def same(function: str, expected: dict[str, Array], actual: dict[str, Array]) -> None:
    if function == "mask":
        # Moves of one table share an output: compare action by action.
        expected, actual = ({"mask": np.vstack(list(each.values()))} for each in (expected, actual))
    assert expected.keys() == actual.keys()
    for output, values in expected.items():
        assert values.tobytes() == actual[output].tobytes(), (function, output)


def folds(program: Program) -> set[str]:
    return {node.op.function for node in program.function("tick").nodes if isinstance(node.op, Fold)}


def test_what_a_loop_cannot_run_is_unrolled() -> None:
    program = lower(universe("edges"), TABLES)
    assert folds(program) == {"cascades0", "cascades1", "cascades2"}
    origins = {str(node.origin.construct) for node in program.function("tick").nodes}
    assert {"rule between", "cascade free"} <= origins
    assert "cascade late" not in origins
    steps = {node.op.function: node.op.count for node in program.function("tick").nodes if isinstance(node.op, Fold)}
    assert steps == {"cascades0": 6, "cascades1": 2, "cascades2": 1}


def test_small_universes_have_no_tables() -> None:
    for source in SHIPPED.glob("*.hamlet"):
        program = lower(sample(source.stem))
        assert {table.name for table in program.tables} <= {"time.sin", "time.cos", "affordance.duration"}
        assert not folds(program)


def test_affordances_with_a_capacity_share_no_kind() -> None:
    """Whoever is granted one claims it apart from all others, also from those with the same capacity; all others that
    are alike share one."""
    head = "universe crowd\nspace grid 12 x 12\nlifespan 9 ticks\nmeter energy = 0.5\nreward energy\nobserve { here }\n"
    each = "affordance A{0} at random {{ {1} instantly {{ energy += 0.01 }} }}\n"
    for claimed in (0, 3):
        capacity = ["capacity 2 to lowest number"] * claimed + [""] * (70 - claimed)
        table = affordance_table(universe_of(head + "".join(map(each.format, range(70), capacity))), LIMITS.affordances)
        assert table is not None
        assert len(table.kinds) == claimed + 1


def test_the_limits() -> None:
    assert (LIMITS.affordances, LIMITS.cascades, LIMITS.moves, LIMITS.actions) == (64, 256, 16, 64)
    names = [{table.name for table in lower(universe_of(many_affordances(n, 12))).tables} for n in (64, 65)]
    assert "affordance.kind" not in names[0]
    assert "affordance.kind" in names[1]
    line = "cascade c{0}: energy < 0.5 -> mood -= 0.00{0} * deficit\n"
    text = many_cascades(0, 5) + "".join(line.format(number) for number in range(100, 356))
    assert not folds(lower(universe_of(text)))
    assert folds(lower(universe_of(text + line.format(356)))) == {"cascades0"}


@pytest.mark.parametrize(("width", "height", "values"), [(8, 4, 1), (32, 32, 32), (33, 32, 1056)])
def test_cells_of_a_map_share_words_that_registers_hold(width: int, height: int, values: int) -> None:
    rows = [f'    "{"." * width}"'] * (height - 1) + [f'    "#{"." * (width - 1)}"']
    lines = ["universe hall", "space grid map { starts anywhere }", "map {", *rows, '    wall "#"', "}"]
    lines += ["meter energy = 1 { decay 0.01 }", "reward energy", "observe { meters  position absolute }"]
    lines += ["affordance Bed at (1, 1) { instantly { energy += 0.5 } }"]
    tables = {table.name: table.values for table in lower(universe_of("\n".join(lines) + "\n")).tables}
    assert len(tables["map.kind"]) == values


@pytest.mark.parametrize("make", [many_affordances, many_cascades])
def test_kernels_do_not_grow(make: object) -> None:
    sizes = []
    for count in (300, 900):
        made = universe_of(make(count, 64))
        program = Compilation.begin(made).run().program
        sizes.append([len(function.nodes) for function in program.functions])
    assert sizes[0] == pytest.approx(sizes[1], abs=3)


@pytest.mark.parametrize(
    "text", [
        pytest.param(many_affordances(2_000), marks=pytest.mark.long),
        many_affordances(1_000, fixed=True),
        many_cascades(500),
    ],
    ids=["affordances", "fixed", "cascades"],
)  # fmt: skip
def test_large_universes_compile_in_time(text: str) -> None:
    begin = process_time()
    source = Source(SHIPPED / "large.hamlet", text)
    texts = build(check(parsed(source)).universe, Options(), Stopwatch())
    # Some 3 s on a quiet machine, three times that on a busy one; what is quadratic takes longer.
    assert process_time() - begin < 15
    for name in ("tick.ir", "c_kernels.c", "triton_kernels.py"):
        assert len(texts[name]) < 1_000_000


def test_loops_are_printed_and_read_again() -> None:
    program = lower(universe("cascades"), TABLES)
    assert parse_program(print_program(program)) == program
    assert " = fold cascades0, cascades0.meter.energy, 54, cascades0.first, " in print_program(program)


def test_ranges_of_loops() -> None:
    made = universe("cascades")
    facts = facts_of(made, lower(made, TABLES))
    assert facts.inputs["meter.energy"].low == 0.0
    assert facts.inputs["meter.heat"].high == 5.0


def broken(**changes: object) -> Program:
    program = lower(universe("cascades"), TABLES)
    tick = program.function("tick")
    nodes = tuple(
        replace(node, op=replace(node.op, **changes)) if isinstance(node.op, Fold) else node for node in tick.nodes
    )
    functions = tuple(replace(f, nodes=nodes) if f.name == "tick" else f for f in program.functions)
    return replace(program, functions=functions)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"function": "absent"}, "there is no such function"),
        ({"function": "mask"}, "its outputs have other names"),
        ({"tables": ("cascades0.source",)}, "it reads another table"),
        ({"tables": ("absent",)}, "there is no table absent"),
        ({"count": 0}, "runs no row"),
        ({"output": "absent"}, "computed twice|is none of the outputs"),
    ],
)
def test_malformed_loops(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(VerificationError, match=problem):
        verify_program(broken(**changes))
