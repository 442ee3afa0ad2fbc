"""Every pass keeps every output to the bit: alone, left out, and all together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hamlet.universe import Universe
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


def compare(name: str, variant: str, optimised: Program) -> None:
    universe = sample(name)
    program = lower(universe)
    facts = facts_of(universe, program)
    for seed, (function, other) in enumerate(zip(program.functions, optimised.functions, strict=True)):
        inputs = random_inputs(universe, function, facts, LANES, seed)
        expected = evaluate(function, inputs, program.tables, program.functions)
        actual = evaluate(other, inputs, program.tables, optimised.functions)
        same(f"{variant}: {function.name}", expected, actual)
        if function.name == "tick":
            assert expected["terminated"].any() or not universe.causes
            assert not expected["terminated"].all()


def run_all(universe: Universe, disabled: frozenset[str] = frozenset(), observer: Observer | None = None) -> Program:
    """The program after the passes for all targets and those for GPUs."""
    program = lower(universe)
    facts = facts_of(universe, program)
    program = run(program, facts, disabled, observer)
    return run(program, facts.of(program), disabled, observer, gpu_passes)


@pytest.mark.parametrize("name", ALL)
def test_all_passes(name: str) -> None:
    universe = sample(name)
    compare(name, "all", run_all(universe))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("left_out", PASS_NAMES)
def test_without_a_pass(name: str, left_out: str) -> None:
    universe = sample(name)
    ran: list[tuple[str, Function, Function, float]] = []
    optimised = run_all(universe, frozenset({left_out}), lambda *each: ran.append(each))
    compare(name, f"without {left_out}", optimised)
    assert {each[0] for each in ran} == set(PASS_NAMES) - {left_out}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("alone", PASS_NAMES)
def test_a_pass_alone(name: str, alone: str) -> None:
    universe = sample(name)
    program = lower(universe)
    facts = facts_of(universe, program)
    each = next(each for each in (*default_passes(facts), *gpu_passes(facts)) if each.name == alone)
    functions = tuple(each.run(function) for function in program.functions)
    for function in functions:
        verify(function, program.tables)
    compare(name, alone, Program(program.universe, functions, program.tables))


def test_every_pass_does_something_to_the_town() -> None:
    universe = sample("town")
    changed: set[str] = set()

    def observe(each: str, before: Function, after: Function, seconds: float) -> None:
        assert seconds >= 0
        if before != after:
            changed.add(each)

    run_all(universe, observer=observe)
    assert changed >= {"constant_division", "merge_exclusive", "clamp_removal", "clamp_merging", "algebra", "dead_code"}


def test_the_town_shrinks() -> None:
    universe = sample("town")
    program = lower(universe)
    facts, before = facts_of(universe, program), program.function("tick")
    after = run(program, facts).function("tick")
    assert len(before.nodes) > 740
    assert len(after.nodes) <= 450
    assert run(program, facts, frozenset(PASS_NAMES)).function("tick") == before


def test_an_unknown_pass_is_refused() -> None:
    program = lower(sample("town"))
    with pytest.raises(ValueError, match="there is no pass inlining; there are constant_folding, algebra"):
        run(program, Facts({}, {}), frozenset({"inlining"}))
