"""The text of `triton_kernels.py`: names, determinism, and what stays for an episode."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import numpy as np
import pytest

from hamlet.universe import Universe
from hamletc.ir.evaluate import evaluate
from hamletc.ir.ops import Type
from hamletc.kernel.expressions import Name
from hamletc.lowering import lower
from hamletc.passes.facts import facts_of
from hamletc.targets.scene import split
from hamletc.targets.triton.blocks import same_bits
from hamletc.targets.triton.emit import emit
from hamletc.targets.triton.survey import SceneWord
from samples import CONSTRUCTS, EVERY, NAMES, sample, text, universe_of
from samples.inputs import random_inputs

HOSTILE = ("tl", "triton", "state", "place", "tick", "lane", "lambda", "mask", "t1", "step", "outcome", "energy_1")
SCENES = {"town": 2, "shifts": 2}


def stores(text: str, function: str) -> list[str]:
    """The addresses that a function of kernels writes to."""
    found = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == function)
    calls = [node for node in ast.walk(found) if isinstance(node, ast.Call)]
    return [ast.unparse(call.args[0]) for call in calls if ast.unparse(call.func) == "tl.store"]


def hostile(universe: Universe) -> Universe:
    """The universe with names of Python, Triton and kernels for meters that nothing refers to."""
    meters = tuple(replace(universe.meters[0], name=name) for name in HOSTILE)
    return replace(universe, meters=(*universe.meters, *meters))


@pytest.mark.parametrize("name", EVERY)
def test_text(name: str) -> None:
    universe = sample(name)
    program = lower(universe)
    text = emit(program, universe)
    assert text == emit(program, universe)
    ast.parse(text)
    assert text.isascii()
    assert text.endswith("\n")
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
    assert "\n\n\n\n" not in text


def test_names_of_authors_meet_no_other_names() -> None:
    universe = hostile(sample("town"))
    tree = ast.parse(emit(lower(universe), universe))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    modules = {"tl", "triton", "TABLES", *(function.name for function in functions)}
    assert len(modules) == len(functions) + 3
    found = set()
    for function in functions:
        parameters = [argument.arg for argument in function.args.args]
        assert len(set(parameters)) == len(parameters)
        stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        assert not modules & (stored | set(parameters)), function.name
        found |= stored
    assert {f"meter_{name}" for name in HOSTILE} <= found


def test_an_author_cannot_write_code() -> None:
    universe = replace(sample("first_meal"), sources=('x"""\nimport os\n"""',))
    with pytest.raises(SyntaxError):
        ast.parse('"""' + universe.sources[0] + '"""x')
    tree = ast.parse(emit(lower(universe), universe))
    assert not [node for node in tree.body if isinstance(node, ast.Import) and node.names[0].name == "os"]


ODD_NAMES = """
universe odd
space none
episodes by hand
track uses
param `a b` = 1 in 0 .. 2
input `a.b` = 0 in 0 .. 1
meter `a-b` = 1 { decay 0.01 * `a b` + 0.1 * `a.b` }
meter `a_b` = 1 { decay 0.02 }
meter `a+b` = 1 { decay 0.03 }
affordance ptr { instantly { `a-b` += 0.1 } }
affordance `if` { instantly { `a_b` += 0.1 } }
affordance `\'\"\"\"` { instantly { `a+b` += 0.1 } }
action `Fast Food` { `a-b` += 0.01 }
action `Fast_Food` { `a_b` += 0.01 }
dies when `a-b` <= 0 or `a+b` <= 0
reward `r 1`: `a_b`
reward `r_1`: `a-b` + streak of ptr - streak of `if`
report `r-1`: `a+b` + visited
observe { meters  here  params }
"""


def test_odd_names() -> None:
    universe = universe_of(ODD_NAMES)
    text = emit(lower(universe), universe)
    loaded = next(n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef) and n.name == "_load").body[-1]
    assert isinstance(loaded, ast.Return)
    assert isinstance(loaded.value, ast.Tuple)
    variables = [ast.unparse(variable) for variable in loaded.value.elts]
    assert len(variables) == len(set(variables))
    assert {"meter_a_b", "meter_a_b_2", "meter_a_b_3", "param_a_b", "input_a_b"} <= set(variables)
    # The array is called `seen_ptr`.
    assert "row = seen_ptr + lane_there\n    seen_ptr_2 = tl.load(row," in text
    # Each value is stored once, in the row behind the one before it or in the first row of an array.
    body = text.split("def _store(")[1].split("@triton.jit")[0]
    stored = [line.split(",")[1].strip() for line in body.splitlines() if "tl.store(row," in line]
    assert len(stored) == len(set(stored)) == body.count("row = ") + body.count("row += ")
    assert {value.split(".")[0] for value in stored} < set(variables)
    firsts = [line.split(" = ")[1].split()[0] for line in body.splitlines() if "row = " in line]
    assert len(firsts) == len(set(firsts))
    assert stores(text, "_store_outcome")[-3:] == [
        "reports_ptr + lane",
        "reports_ptr + 1 * lanes + lane",
        "reports_ptr + 2 * lanes + lane",
    ]


def test_what_is_the_same_for_all_lanes_becomes_a_block() -> None:
    """Loops over ticks need it: a value keeps its type."""
    text = """
universe same
space none
episodes by hand
meter wit = 1 in 0 .. 1
rule again: wit = 0.5
reward 0.25
report quarter: 0.25
affordance Book { instantly { wit += 0.1 } }
inert allowed
observe { meters }
"""
    universe = universe_of(text)
    text = emit(lower(universe), universe)
    for name in ("next_meter_wit", "report_quarter"):
        assert f"    {name} = tl.broadcast_to({name}, [BLOCK])\n" in text


def test_comments_name_the_file() -> None:
    universe = sample("line")
    program = lower(universe)
    moved = [
        replace(
            function,
            nodes=tuple(replace(node, origin=replace(node.origin, file=1)) for node in function.nodes),
        )
        for function in program.functions
    ]
    universe = replace(universe, sources=("line.hamlet", "other file.yaml"))
    text = emit(replace(program, functions=tuple(moved)), universe)
    assert re.search(r"^    # decay: meter fuel, other file\.yaml:\d+$", text, re.MULTILINE)
    assert ", line.hamlet:" not in text


def test_by_hand_no_episode_begins() -> None:
    for name, universe in {name: sample(name) for name in CONSTRUCTS}.items():
        text = emit(lower(universe), universe)
        for kernel in ("step", "rollout"):
            called = set(re.findall(r"\b_\w+(?=\()", text.split(f"\ndef {kernel}(")[1].split("\n@triton")[0]))
            assert ("_conclude" in called) is not universe.by_hand, name
            assert "_begin" not in called
        assert ("tl.where(alive, reward, 0.0)" in text) is not universe.by_hand


def test_places_stay_in_memory() -> None:
    universe = sample("fourfold")
    text = emit(lower(universe), universe)
    begun, stored = (text.split(f"def {name}(")[1].split("@triton.jit")[0] for name in ("_begin", "_store"))
    written = begun[begun.index("row = places_ptr + world_there") :]
    assert (written.count("row += worlds"), stores(text, "_begin").count("row")) == (4, 5)
    assert "row = places_ptr" not in stored


def test_kernels_do_not_grow_with_actions() -> None:
    every = text("many_moves")
    few, many = (universe_of(each) for each in (re.sub(r"    M(?!\d?\d ).*\n", "", every), every))
    assert (len(few.moves), len(many.moves)) == (100, 200)
    lines = [emit(lower(universe), universe).count("\n") for universe in (few, many)]
    tables = (200 - 100) * 3 / 10
    assert lines[1] - lines[0] < tables


@pytest.mark.parametrize("name", [*NAMES, "fourfold", "vast"])
def test_a_scene_and_the_rest_are_the_whole(name: str) -> None:
    universe = sample(name)
    program = lower(universe)
    function = program.function("observe")
    scene, rest = split(function)
    assert len(scene.outputs) == SCENES.get(name, len(scene.outputs))
    inputs = random_inputs(universe, function, facts_of(universe, program), 300, 7)
    inputs.setdefault("layout", np.zeros(300, np.uint32))
    known = evaluate(scene, inputs, program.tables, program.functions)
    whole = evaluate(function, inputs, program.tables, program.functions)
    parts = evaluate(rest, inputs | known, program.tables, program.functions)
    assert whole.keys() == parts.keys()
    for output, values in whole.items():
        assert np.array_equal(values.view(np.uint32), parts[output].view(np.uint32))


def test_lanes_that_are_no_agents_hold_numbers_within_bounds() -> None:
    """They are computed like others, and a number may say where memory is read."""
    universe = universe_of("""
        universe u
        space grid 5
        param price = -3 in -4 .. -2
        meter depth = 7 in 6 .. 9 { decay 0.1  only falls }
        cells { meter height = 2 in 1 .. 3  rule grows: height < 3 -> height += 1 }
        observe { meters  window 1 of height }
        reward depth + price
    """)
    loaded = set(re.findall(r"(\w+) = tl\.load\(.*, other=(.*)\)", emit(lower(universe), universe)))
    assert loaded >= {("param_price", "-2.0"), ("meter_depth", "6.0"), ("old_0", "1.0"), ("age", "0")}


def test_a_word_of_the_scene_is_read_as_what_it_keeps() -> None:
    read, bits = {each: SceneWord(0, "x", each).loaded for each in Type}, Name("x_bits")
    assert (read[Type.I32], read[Type.BOOL]) == (bits, bits.differs(0))
    assert (read[Type.F32], read[Type.U32]) == (same_bits(bits, "float32"), same_bits(bits, "uint32"))
