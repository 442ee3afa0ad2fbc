"""Range analysis: intervals hold every value, and are narrow where passes count on it."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from sample_universes import NAMES, random_inputs, sample

from hamlet.binary32 import round32
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output
from hamletc.ir.ops import Value
from hamletc.ir.types import Type
from hamletc.lowering import lower
from hamletc.passes.facts import Facts, facts_of
from hamletc.passes.interval import ANY_F32, Interval
from hamletc.passes.pipeline import run
from hamletc.passes.ranges import Ranges, ranges_of

LOW, HIGH = round32(0.1), round32(0.9)


@pytest.mark.parametrize("optimised", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_intervals_hold_all_values(name: str, optimised: bool) -> None:
    universe = sample(name)
    program = lower(universe)
    facts = facts_of(universe, program)
    if optimised:
        program = run(program, universe)
    for seed, function in enumerate(program.functions):
        ranges = ranges_of(function, facts)
        inputs = random_inputs(universe, function, facts, 400, seed)
        counts = {output.name: output.count for output in function.outputs}
        outputs = tuple(Output(f"node.{value}", value) for value in range(len(function.nodes)))
        for start in range(0, len(outputs), 200):
            del start
        elements = {name: count for name, count in counts.items() if count is not None}
        values = evaluate_all(function, inputs, elements, program.tables)
        for value, interval in enumerate(ranges):
            found = values[value].astype(np.float64)
            where = f"{function.name} %{value}: {interval}"
            missing = np.isnan(found)
            assert interval.nan or not missing.any(), where
            kept = found[~missing]
            assert (kept >= interval.low).all(), where
            assert (kept <= interval.high).all(), where
            assert interval.negative_zero or not (np.signbit(kept) & (kept == 0)).any(), where
