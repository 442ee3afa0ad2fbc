"""Every pass keeps every output to the bit: alone, left out, and all together."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Function, Program
from hamletc.ir.verifier import verify
from hamletc.lowering import lower
from hamletc.passes.facts import facts_of
from hamletc.passes.pipeline import PASS_NAMES, Observer, default_passes, gpu_passes, run
from hamletc.passes.ranges import Facts
from samples import CONSTRUCTS, NAMES, sample
from samples.inputs import random_inputs

LANES = 1500
ALL = (*NAMES, *CONSTRUCTS)
Array = np.ndarray[Any, Any]


def same(where: str, expected: dict[str, Array], actual: dict[str, Array]) -> None:
    assert expected.keys() == actual.keys()
    for name, values in expected.items():
        other = actual[name]
        assert values.dtype == other.dtype
        bits = {4: np.uint32, 1: np.uint8}[values.dtype.itemsize]
        wrong = np.argwhere(values.view(bits) != other.view(bits))
        assert not len(wrong), f"{where}: {name}{wrong[0]}: {values[tuple(wrong[0])]!r}, {other[tuple(wrong[0])]!r}"


@lru_cache(maxsize=2)
def lowered(name: str) -> tuple[Program, Facts]:
    """The program of a sample, and what is known of it; the tests of a sample follow each other."""
    universe = sample(name)
    program = lower(universe)
    return program, facts_of(universe, program)


@lru_cache(maxsize=2)
def evaluated(name: str) -> list[tuple[dict[str, Array], dict[str, Array]]]:
    """Inputs of each function of the program, and its outputs."""
    program, facts = lowered(name)
    found = []
    for seed, function in enumerate(program.functions):
        inputs = random_inputs(sample(name), function, facts, LANES, seed)
        found.append((inputs, evaluate(function, inputs, program.tables, program.functions)))
    return found


def compare(name: str, variant: str, optimised: Program) -> None:
    universe, (program, _) = sample(name), lowered(name)
    pairs = zip(program.functions, optimised.functions, evaluated(name), strict=True)
    for function, other, (inputs, expected) in pairs:
        actual = evaluate(other, inputs, program.tables, optimised.functions)
        same(f"{variant}: {function.name}", expected, actual)
        if function.name == "tick":
            assert expected["terminated"].any() or not universe.causes
            assert not expected["terminated"].all()


def run_all(name: str, disabled: frozenset[str] = frozenset(), observer: Observer | None = None) -> Program:
    """The program after the passes for all targets and those for GPUs."""
    program, facts = lowered(name)
    program = run(program, facts, disabled, observer)
    return run(program, facts.of(program), disabled, observer, gpu_passes)


@pytest.mark.parametrize("name", ALL)
def test_all_passes(name: str) -> None:
    compare(name, "all", run_all(name))


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        pytest.param(name, each, marks=[pytest.mark.long] if (n + number) % 2 else [])
        for n, name in enumerate(NAMES)
        for number, each in enumerate(PASS_NAMES)
    ],
)
def test_without_a_pass(name: str, left_out: str) -> None:
    ran: list[tuple[str, Function, Function, float]] = []
    optimised = run_all(name, frozenset({left_out}), lambda *each: ran.append(each))
    compare(name, f"without {left_out}", optimised)
    assert {each[0] for each in ran} == set(PASS_NAMES) - {left_out}


@pytest.mark.parametrize("alone", PASS_NAMES)
@pytest.mark.parametrize("name", ALL)
def test_a_pass_alone(name: str, alone: str) -> None:
    program, facts = lowered(name)
    each = next(each for each in (*default_passes(facts), *gpu_passes(facts)) if each.name == alone)
    functions = tuple(each.run(function) for function in program.functions)
    for function in functions:
        verify(function, program.tables)
    compare(name, alone, Program(program.universe, functions, program.tables))


def test_every_pass_does_something_to_the_town() -> None:
    changed: set[str] = set()

    def observe(each: str, before: Function, after: Function, seconds: float) -> None:
        assert seconds >= 0
        if before != after:
            changed.add(each)

    run_all("town", observer=observe)
    assert changed >= {"constant_division", "merge_exclusive", "clamp_removal", "clamp_merging", "algebra", "dead_code"}


def test_the_town_shrinks() -> None:
    program, facts = lowered("town")
    before = program.function("tick")
    after = run(program, facts).function("tick")
    assert len(before.nodes) > 740
    assert len(after.nodes) <= 450
    assert run(program, facts, frozenset(PASS_NAMES)).function("tick") == before


def test_an_unknown_pass_is_refused() -> None:
    program = lower(sample("town"))
    with pytest.raises(ValueError, match="there is no pass inlining; there are constant_folding, algebra"):
        run(program, Facts({}, {}), frozenset({"inlining"}))
