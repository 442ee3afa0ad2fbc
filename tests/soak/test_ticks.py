"""The first ticks of the soak: `make soak-ticks` plays ten million."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from ticks import MOST_GROWTH, UNIVERSES, Soaked, soaked

PAGE = Path(__file__).parents[2] / "benchmarks" / "results" / "soak_ticks.json"


@pytest.mark.parametrize("name", ["town", "cartpole"])
def test_steps_rollouts_and_the_interpreter_agree(name: str) -> None:
    found = soaked(name, 1200, compared=3, beside=10)
    assert found.differences == []
    assert (found.ticks, found.beside) == (1200, 30)
    assert found.rollouts >= 3
    assert sum(found.ends.values()) > 100
    assert sum(found.uses.values()) > 100 or not found.uses


def test_a_difference_of_a_bit_is_found() -> None:
    found = Soaked("town")
    zeros = {"meters": torch.zeros(3)}
    found.compare(zeros, {"meters": torch.zeros(3)}, 1)
    assert (found.differences, found.values) == ([], 3)
    found.compare(zeros, {"meters": torch.tensor([0.0, -0.0, 0.0])}, 2)
    found.compare(zeros, {**zeros, "age": torch.zeros(3)}, 3)
    assert found.differences == ["meters at tick 2", "names at tick 3"]


def test_the_page_has_ten_million_ticks_without_a_difference() -> None:
    found = json.loads(PAGE.read_text(encoding="utf-8"))["universes"]
    assert [each["universe"] for each in found] == list(UNIVERSES)
    for each in found:
        assert each["ticks"] == 10_000_000
        assert each["differences"] == []
        assert sum(each["ends"].values()) > 1_000_000
        assert each["megabytes"][1] - each["megabytes"][0] <= MOST_GROWTH
