"""The two ways of asking whether an affordance stands on a cell agree, for fixed and random places."""

from __future__ import annotations

import numpy as np
import pytest

from hamlet import schema
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.function import Output
from hamletc.lowering import occupancy
from hamletc.lowering.lane import input_lane
from hamletc.lowering.places import grid_of
from hamletc.lowering.plan import LIMITS, Limits, plan
from hamletc.passes.dead_code import DeadCodeElimination
from samples import sample, universe_of
from samples.written import many_affordances


def occupied(name: str, limits: Limits = LIMITS) -> Array:
    """[cells, layouts]: where affordances stand."""
    builder = Builder()
    planned = plan(sample(name), limits)
    lane = input_lane(planned, builder)
    asked = occupancy.occupancy(lane).at(builder.to_u32(builder.element("cell")))
    function = builder.finish("f", (Output("cell", asked, schema.cells(grid_of(sample(name)))),))
    layouts = np.arange(0, 2**32, 2**25 + 7, np.int64).astype(np.uint32)
    loops = tuple(occupancy.loops(planned, function))
    return evaluate(DeadCodeElimination().run(function), {"layout": layouts}, planned.tables, loops)["cell"]


@pytest.mark.parametrize("name", ["town", "wrap", "bounce", "sticky"])
def test_by_mask_and_by_permutation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_mask = occupied(name)
    assert np.array_equal(by_mask, occupied(name, Limits(0, 0)))
    monkeypatch.setattr(occupancy, "LARGEST_MASK", 0)
    by_permutation = occupied(name)
    assert np.array_equal(by_mask, by_permutation)
    assert np.array_equal(by_mask, occupied(name, Limits(0, 0)))
    assert (by_mask.sum(axis=0) == len(sample(name).affordances)).all()
    assert by_mask.shape[1] > 100


def test_few_affordances_at_random_are_marked_without_a_loop() -> None:
    loops = []
    for count in (4, 5):
        planned, builder = plan(universe_of(many_affordances(count, 12) + "inert allowed\n"), LIMITS), Builder()
        asked = occupancy.occupancy(input_lane(planned, builder)).at(builder.to_u32(builder.element("cell")))
        function = builder.finish("f", (Output("cell", asked, 144),))
        loops.append(len(tuple(occupancy.loops(planned, function))))
    assert loops == [0, 1]


@pytest.mark.parametrize("name", ["town", "wrap", "bounce", "sticky"])
@pytest.mark.parametrize("per_row", [1, 2, 3])
def test_with_and_without_a_loop(name: str, per_row: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(occupancy, "PER_ROW", per_row)
    monkeypatch.setattr(occupancy, "FEWEST", 1)
    by_loop = occupied(name)
    monkeypatch.setattr(occupancy, "FEWEST", 1 << 30)
    assert np.array_equal(by_loop, occupied(name))
