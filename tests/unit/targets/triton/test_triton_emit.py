"""The text of `triton_kernels.py`: names, determinism, and what stays for an episode."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import numpy as np
import pytest

from hamlet.universe import Universe
from hamletc.ir.evaluate import evaluate
from hamletc.lowering import lower
from hamletc.passes.facts import facts_of
from hamletc.targets.triton.emit import emit
from hamletc.targets.triton.scene import split
from sample_universes import NAMES, random_inputs, sample

HOSTILE = ("tl", "triton", "state", "place", "tick", "lane", "lambda", "mask", "t1", "step", "outcome", "energy_1")
SCENES = {"town": 2, "shifts": 2}


def hostile(universe: Universe) -> Universe:
    """The universe with names of Python, Triton and the skeleton for meters that nothing refers to."""
    meters = tuple(replace(universe.meters[0], name=name) for name in HOSTILE)
    return replace(universe, meters=(*universe.meters, *meters))


@pytest.mark.parametrize("name", NAMES)
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
    universe = replace(sample("first_meal"), source='x"""\nimport os\n"""')
    with pytest.raises(SyntaxError):
        ast.parse('"""' + universe.source + '"""x')
    tree = ast.parse(emit(lower(universe), universe))
    assert not [node for node in tree.body if isinstance(node, ast.Import) and node.names[0].name == "os"]


@pytest.mark.parametrize("name", NAMES)
def test_a_scene_and_the_rest_are_the_whole(name: str) -> None:
    universe = sample(name)
    program = lower(universe)
    function = program.function("observe")
    scene, rest = split(function)
    assert len(scene.outputs) == SCENES.get(name, len(scene.outputs))
    inputs = random_inputs(universe, function, facts_of(universe, program), 300, 7)
    inputs.setdefault("layout", np.zeros(300, np.uint32))
    known = evaluate(scene, inputs, program.tables)
    whole, parts = evaluate(function, inputs, program.tables), evaluate(rest, inputs | known, program.tables)
    assert whole.keys() == parts.keys()
    for output, values in whole.items():
        assert np.array_equal(values.view(np.uint32), parts[output].view(np.uint32))
