"""Common random numbers: each variant of a sweep has the same worlds, in one launch as in many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.package.module import Module
from hamlet.schema.roles import fewest_agents
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.sweep import Measured, Trial, measure
from hamlet_lab.sweep import run as running
from hamlet_lab.sweep.common import repeating
from hamlet_lab.sweep.grid import Values
from hamletc.compile import check_file, lower
from hamletc.frontend import Stopwatch
from samples.shop import SHOP

WORLDS, VARIANTS, TICKS = 3, 3, 12
CPU = torch.device("cpu")
GALLERY = Path(__file__).parents[3] / "universes" / "gallery"


@pytest.mark.parametrize("name", ["wolves", "forest_fire", "bandit", "berries", "cartpole", "epidemic"])
def test_all_that_is_random_begins_again_with_each_variant(name: str) -> None:
    """Draws of agents, worlds, cells and episodes, layouts, starts, actions and controls."""
    universe = check_file(GALLERY / f"{name}.hamlet", Stopwatch()).universe
    program, agents = lower(universe).program, max(fewest_agents(universe), 2)
    together = repeating(program, WORLDS, agents)
    states = []
    for each, variants in ((program, 1), (together, VARIANTS)):
        buffers = allocate(universe, Shape(WORLDS * variants, agents), CPU, None)
        backend = Executed(universe, each, "ir")
        backend.reset(buffers, Stream(5, 0))
        backend.rollout(buffers, TICKS, RandomPolicy(), Stream(5, 0), False, None)
        states.append(buffers.state | {"mask": buffers.mask})
    alone, many = states
    for field, values in alone.items():
        for part in many[field].chunk(VARIANTS, dim=-1):
            assert torch.equal(part, values), field


def wages(number: int, end: int) -> dict[str, Values]:
    return {"wage": np.linspace(0, 0.5, 70)[number:end]}


def numbers(measured: Measured) -> list[list[float]]:
    """Lives and returns of each variant, without the room for more."""
    lives = [row[row != np.iinfo(np.int32).max].tolist() for row in measured.lives]
    returns = [row[np.isfinite(row)].tolist() for row in measured.returns]
    return [a + b for a, b in zip(lives, returns, strict=True)]


def test_a_variant_is_the_same_wherever_it_stands(
    compiled: Callable[[str], Module], monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial(compiled(SHOP), worlds=4, ticks=150, seed=3, backend="c")
    monkeypatch.setattr(running, "FIRST_LANES", 40)
    together = [row for batch in measure(trial, wages, 70) for row in numbers(batch)]
    # By the definition, one after the other: the interpreter has no kernels that begin anew.
    defined = replace(trial, backend="interpreter")
    places = (0, 1, 37, 69)
    alone = [row for number in places for batch in measure(defined, wages, 1, number) for row in numbers(batch)]
    assert alone == [together[number] for number in places]


def test_independent_variants_have_worlds_of_their_own(compiled: Callable[[str], Module]) -> None:
    trial = Trial(compiled(SHOP), worlds=4, ticks=80, backend="interpreter", numbers="independent")
    same: dict[str, Values] = {"wage": np.full(3, 0.25)}
    (batch,) = measure(trial, lambda number, end: {name: each[number:end] for name, each in same.items()}, 3)
    assert len({tuple(row) for row in numbers(batch)}) == 3
    third = replace(trial, numbers="common", first_world=8)
    (alone,) = measure(third, lambda *_: {"wage": np.array([0.25])}, 1)
    assert numbers(alone) == numbers(batch)[2:]
