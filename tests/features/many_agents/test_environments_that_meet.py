"""Environments of worlds whose agents meet: how many agents fit, what a checkpoint holds."""

from __future__ import annotations

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.env.make import checked_shape
from hamlet.package.module import Module
from samples import universe_of

TEXT = """
universe bakery
space none
lifespan 20 ticks
meter food = 0.6 { decay 0.02 }
world {
    meter loaves = 4 in 0 .. 20
    rule sold:   loaves -= count(used == Oven)
    rule baking: loaves += uniform(0, 2)
}
affordance Oven { capacity loaves to highest 1 - food  instantly { food += 0.5 } }
reward food
report gap: highest(food) - lowest(food)
observe { meters  world }
"""


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Module:
    folder = tmp_path_factory.mktemp("bakery")
    path = folder / "bakery.hamlet"
    path.write_text(TEXT)
    return hamlet.compile(path, folder / "package")


def test_at_most_1024_agents_meet() -> None:
    universe = universe_of(TEXT)
    assert checked_shape(universe, 2, 1024, 0).agents == 1024
    with pytest.raises(EnvError, match=r"^agents of bakery meet, so at most 1024 of them fit in a world, not 1025$"):
        checked_shape(universe, 2, 1025, 0)
    apart = universe_of(
        "universe apart\nspace none\nlifespan 5 ticks\nmeter a = 1 { decay 0.1 }\nreward a\nobserve { meters }\n"
    )
    assert checked_shape(apart, 2, 5000, 0).agents == 5000


def test_a_checkpoint_holds_the_meters_of_worlds(bakery: Module) -> None:
    env = hamlet.make(bakery, worlds=6, agents=5, backend="interpreter", seed=3)
    env.rollout(13)
    saved = env.state_dict()
    assert saved["state"]["world_meters"].shape == (1, 6)
    env.rollout(9)
    other = hamlet.make(bakery, worlds=6, agents=5, backend="interpreter", seed=4)
    other.load_state_dict(saved)
    other.rollout(9)
    for name, value in env.state_dict()["state"].items():
        assert torch.equal(value, other.state_dict()["state"][name]), name
    saved["state"]["world_meters"][0, 0] = 20.5
    with pytest.raises(EnvError, match="loaves"):
        other.load_state_dict(saved)


def test_worlds_are_the_same_in_shards(bakery: Module) -> None:
    """Draws of a world follow from its number among all shards."""
    whole = hamlet.make(bakery, worlds=6, agents=5, backend="interpreter", seed=3)
    whole.rollout(15)
    part = hamlet.make(bakery, worlds=2, agents=5, backend="interpreter", seed=3, first_world=3)
    part.rollout(15)
    assert torch.equal(whole.state["world_meters"][:, 3:5], part.state["world_meters"])
    assert torch.equal(whole.state["meters"][:, 15:25], part.state["meters"])
    assert torch.equal(whole.reports["gap"][15:25], part.reports["gap"])
    assert len(set(whole.state["world_meters"][0].tolist())) > 1
    assert torch.equal(whole.observation[:, 1], whole.state["world_meters"][0].repeat_interleave(5))
