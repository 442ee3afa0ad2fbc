"""Rows of an observation have the names that environments give them, and lead to the output that computes them."""

from __future__ import annotations

import pytest
import torch

from hamlet import schema
from hamlet_lab.divergence.arrays import Difference
from hamlet_lab.divergence.cause import OutputPlace, output_of
from hamletc.lowering.lower import lower
from samples import sample


@pytest.mark.parametrize("name", ["first_meal", "town"])
def test_each_row_leads_to_its_output(name: str) -> None:
    universe = sample(name)
    program = lower(universe)
    names = schema.observation_names(universe)
    assert len(set(names)) == len(names) == schema.observation_rows(universe)
    expected = [
        OutputPlace("observe", segment.name, element)
        for segment in schema.observation_segments(universe)
        for element in range(segment.count)
    ]
    one = torch.ones(1)
    found = [output_of(universe, program, Difference("observation", row, "lane", 0, one, one)) for row in names]
    assert found == expected
    assert max(place.element for place in expected) > 10
