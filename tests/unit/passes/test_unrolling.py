"""A loop that is written out gives the bits of the loop."""

from __future__ import annotations

import numpy as np
import pytest

from hamletc.compile import Options, Stopwatch, optimise, specialise
from hamletc.ir.evaluate import evaluate
from hamletc.ir.ops import Fold
from hamletc.ir.verifier import verify_program
from hamletc.lowering import lower
from hamletc.lowering.cells_loop import CELLS, PER_ROW
from hamletc.passes.facts import facts_of
from hamletc.passes.unrolling import unrolled
from sample_universes import random_inputs, sample

LANES = 300


@pytest.mark.parametrize("name", ["town", "shifts"])
def test_cells_are_the_same_without_the_loop(name: str) -> None:
    universe = sample(name)
    program = lower(universe)
    straight = unrolled(program, CELLS)
    verify_program(straight)
    assert not any(isinstance(node.op, Fold) for function in straight.functions for node in function.nodes)
    function = program.function("observe")
    (fold,) = {node.op.count for node in function.nodes if isinstance(node.op, Fold)}
    assert fold == -(-sum(affordance.place is None for affordance in universe.affordances) // PER_ROW)
    inputs = random_inputs(universe, function, facts_of(universe, program), LANES, 3)
    expected = evaluate(function, inputs, program.tables, program.functions)
    actual = evaluate(straight.function("observe"), inputs, straight.tables)
    assert any(values.any() for name, values in expected.items() if name in ("grid", "window"))
    for output, values in expected.items():
        assert np.array_equal(values.view(np.uint32), actual[output].view(np.uint32))


def test_a_program_without_the_loop_stays() -> None:
    program = lower(sample("first_meal"))
    assert unrolled(program, CELLS) is program


def test_only_gpus_get_the_loop() -> None:
    universe, options, stopwatch = sample("town"), Options(), Stopwatch()
    program = optimise(lower(universe), universe, options, stopwatch)
    names = {
        target: [function.name for function in specialise(program, universe, target, options, stopwatch).functions]
        for target in options.targets
    }
    assert CELLS in names["triton"]
    assert CELLS not in names["numba"]
