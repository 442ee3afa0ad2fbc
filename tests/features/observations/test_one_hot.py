"""A row per value of a whole number: names, values, and what leaves the range."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet.package.module import Module
from hamlet.schema import observation_names
from samples import universe_of

TAXI = """
universe taxi
space grid 5 x 4
lifespan 20 ticks
meter fuel = 1 { decay 0.01 }
state task: int in -1 .. 2 = integer(-1, 2)
state rain: no drizzle yes = no
state late = false
state tip: real in 0 .. 1 = 0
world { state day: int in 1 .. 3 = 1  rule day: day = integer(1, 3) }
cells {
    state ground: int in 0 .. 2 = integer(0, 2)
    state grass: low high = low
    rule grows: chance(0.1) -> grass = high
}
rule tasks: chance(0.3) -> { task = integer(-1, 2)  late = not late  tip = uniform(0, 1) }
rule rains: rain = choice(no, drizzle, yes)
reward fuel
observe {
    hot task rain day ground
    hot column: floor(position x / 2)
    meters
    state
    hot near: position y < 2
    hot grass
    hot far: 3 - task
}
"""
NAMES = (
    *("task[-1]", "task[0]", "task[1]", "task[2]", "state.rain[no]", "state.rain[drizzle]", "state.rain[yes]"),
    *("day[1]", "day[2]", "day[3]", "ground[0]", "ground[1]", "ground[2]", "column[0]", "column[1]", "column[2]"),
    *("meter.fuel", "state.late", "state.tip", "near[0]", "near[1]", "cell.grass[low]", "cell.grass[high]"),
    *("far[1]", "far[2]", "far[3]", "far[4]"),
)


def test_each_value_has_a_row_and_state_leaves_them_out() -> None:
    assert observation_names(universe_of(TAXI)) == NAMES


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_one_row_is_1(backend: str, compiled: Callable[[str], Module]) -> None:
    env = hamlet.make(compiled(TAXI), worlds=64, seed=3, backend=backend)
    for _ in range(30):
        env.step(torch.randint(0, env.num_actions, (64,)))
        rows = dict(zip(NAMES, env.observation.T, strict=True))
        for name, values in (("task", range(-1, 3)), ("day", range(1, 4))):
            for value in values:
                assert torch.equal(rows[f"{name}[{value}]"], (env.meter(name) == value).float())
        for number, option in enumerate(("no", "drizzle", "yes")):
            assert torch.equal(rows[f"state.rain[{option}]"], (env.meter("rain") == number).float())
        for value in range(1, 5):
            assert torch.equal(rows[f"far[{value}]"], (3 - env.meter("task") == value).float())
        assert torch.equal(rows["near[1]"], (env.state["position"][1] < 2).float())
        assert torch.equal(sum(rows[f"column[{value}]"] for value in range(3)), torch.ones(64))


def test_the_kernels_agree_in_what_leaves_the_range(compiled: Callable[[str], Module]) -> None:
    """A state that is out of its bounds has no row."""
    seen = []
    for backend in ("interpreter", "c"):
        env = hamlet.make(compiled(TAXI), worlds=8, seed=3, backend=backend)
        env.meter("task")[:] = torch.tensor([-2.0, -1, 0, 0.5, 2, 3, float("inf"), -0.0])
        env.observe()
        seen.append(env.observation.clone())
    assert torch.equal(*seen)
    assert seen[0][:, :4].sum(1).tolist() == [0, 1, 1, 0, 1, 0, 0, 1]


def test_an_affordance_called_hot_is_one() -> None:
    """A word that the language got later gives way to declarations, of affordances and things too."""
    universe = universe_of("""
universe small
space grid 4 x 4
lifespan 20 ticks
meter energy = 1 { decay 0.01 }
state signal: int in 0 .. 4 = 0
rule r: signal += 1
affordance hot at random { instantly { energy += 0.1 } }
affordance wool at random { instantly { energy += 0.2 } }
reward energy
observe { meters  state signal  here hot wool }
""")
    assert observation_names(universe) == ("meter.energy", "state.signal", "here[hot]", "here[wool]")
