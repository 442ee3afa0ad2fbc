"""`agent` and `agents`: the numbers of agents, the same on every backend, in worlds smaller and larger than a chunk."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import hamlet
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.schema.room import MOST_COUNTED

TEXT = """
universe roles
space none
lifespan 9 ticks
meter energy = 1 { decay 0.03 * (1 + agent / agents) }
meter food = 1 { decay 0.02 }
affordance Bed { needs agent >= 2  instantly { energy += 0.4 when agents > 2 } }
action SHARE { needs mod(agent, 3) == 1  food += 0.01 * agent }
allow INTERACT when agent > 3 or energy < 0.5
dies when energy <= 0.3 + 0.1 * mod(agent, 4)
reward energy + food when agent != 1
report number: agent
report many: agents
observe { meters }
"""


@pytest.fixture(scope="module")
def module(compiled: Callable[[str], Module]) -> Module:
    return compiled(TEXT)


def test_they_are_counted_in_every_world(module: Module) -> None:
    env = hamlet.make(module, worlds=2, agents=5, backend="interpreter", seed=1)
    env.reset()
    env.step(torch.zeros(10, dtype=torch.int32))
    assert env.reports["number"].tolist() == [*range(5), *range(5)]
    assert env.reports["many"].tolist() == [5.0] * 10


@pytest.mark.parametrize(("worlds", "agents"), [(131, 1), (9, 7), (40, 3), (2, 300), (1, 257)])
def test_kernels_in_c_count_alike(module: Module, worlds: int, agents: int) -> None:
    first, second = (
        hamlet.make(module, worlds=worlds, agents=agents, backend=backend, seed=7) for backend in ("interpreter", "c")
    )
    for env in (first, second):
        env.reset()
        for _ in range(4):
            env.step(torch.arange(env.num_lanes, dtype=torch.int32) % 3)
        env.rollout(12)
    assert torch.equal(first.action_mask, second.action_mask)
    for name, value in first.reports.items():
        assert torch.equal(value, second.reports[name]), name
    for name, value in first.state.items():
        assert torch.equal(value, second.state[name]), name
    assert first.reports["number"].max() == agents - 1


def test_a_world_has_no_more_than_can_be_counted(module: Module) -> None:
    with pytest.raises(EnvError, match="roles counts agents: take at most 16777216 in a world, not 16777217"):
        hamlet.make(module, worlds=1, agents=MOST_COUNTED + 1, backend="interpreter")


def test_a_meter_of_that_name_goes_on_working(compiled: Callable[[str], Module]) -> None:
    text = """
    universe old
    space none
    lifespan 9 ticks
    param agents = 0.5 in 0 .. 1
    meter agent = 1 { decay 0.25 * agents }
    reward `agent`
    observe { meters }
    """
    env = hamlet.make(compiled(text), worlds=1, agents=3, backend="c")
    env.reset()
    assert env.step(torch.zeros(3, dtype=torch.int32))[1].tolist() == [0.875] * 3
