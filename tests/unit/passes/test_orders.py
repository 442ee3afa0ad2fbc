"""Passes in any order, some more than once, keep every output to the bit; the text form of what they leave is exact."""

from __future__ import annotations

import random

import pytest

from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Program
from hamletc.ir.text import parse_program, print_program
from hamletc.ir.verifier import verify_program
from hamletc.lowering import lower
from hamletc.passes.facts import facts_of
from hamletc.passes.pipeline import default_passes, gpu_passes
from samples import NAMES, sample
from samples.inputs import random_inputs

ORDERS = 2
"""Orders that each universe is tried with."""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("order", range(ORDERS))
def test_any_order_of_passes_keeps_the_bits(name: str, order: int) -> None:
    universe = sample(name)
    program = lower(universe)
    facts = facts_of(universe, program)
    known = {each.name: each for each in (*default_passes(facts), *gpu_passes(facts))}
    shuffled = random.Random(f"{name} {order}").choices(sorted(known), k=len(known))
    functions = program.functions
    for chosen in shuffled:
        functions = tuple(known[chosen].run(function) for function in functions)
        verify_program(Program(program.universe, functions, program.tables))
    changed = Program(program.universe, functions, program.tables)
    assert changed != program
    assert parse_program(print_program(changed)) == changed
    for seed, (before, after) in enumerate(zip(program.functions, functions, strict=True)):
        if any(parameter == "row" for parameter in (getattr(node.op, "name", "") for node in before.nodes)):
            continue
        inputs = random_inputs(universe, before, facts, 300, seed)
        expected = evaluate(before, inputs, program.tables, program.functions)
        actual = evaluate(after, inputs, program.tables, functions)
        for output, values in expected.items():
            assert values.tobytes() == actual[output].tobytes(), (shuffled, before.name, output)
