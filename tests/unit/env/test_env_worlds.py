"""What a rollout counts of each world, beside a count tick by tick; and meters by name."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.package.module import Module

WORLDS = 24
BY_HAND = """
universe yard
space grid 3 x 3
episodes by hand
meter food = 1 { decay 0.1 }
affordance Bowl at random { instantly { food += 0.3 } }
dies when food <= 0
reward food
observe { meters }
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize("agents", [1, 3])
def test_counts_per_world_are_those_of_steps(valley: Module, backend: str, agents: int) -> None:
    env, stepped = (
        hamlet.make(valley, worlds=WORLDS, agents=agents, backend=each, seed=4) for each in (backend, "interpreter")
    )
    script = torch.randint(7, (90, WORLDS * agents), generator=torch.Generator().manual_seed(2))
    ended, episodes, ticks = (torch.zeros(WORLDS, dtype=torch.int64) for _ in range(3))
    returns, running = torch.zeros(WORLDS * agents), torch.zeros(WORLDS, dtype=torch.int64)
    for actions in script:
        before = stepped.state["episode"].clone()
        earned = stepped.state["episode_return"].clone()
        _, reward, terminated, truncated, _ = stepped.step(actions)
        over = terminated | truncated
        episodes += over.view(WORLDS, agents).sum(dim=1)
        returns += torch.where(over, earned + reward, 0.0)
        anew = stepped.state["episode"] != before
        running += 1
        ended += anew
        ticks += running * anew
        running *= ~anew
    counts = env.rollout(33, script[:33], per_world=True).counts
    result = env.rollout(57, script[33:], statistics=counts)
    assert torch.equal(result.world_episodes(), episodes)
    assert int(result.world_episodes().sum()) == result.episodes() > 3 * WORLDS
    assert torch.equal(result.world_mean_length(), ticks.double() / ended)
    assert torch.equal(result.world_mean_return(), returns.double().view(WORLDS, agents).sum(dim=1) / episodes)
    assert result.world_mean_return().dtype == result.world_mean_length().dtype == torch.float64
    assert len(set(result.world_episodes().tolist())) > 1
    if agents == 1:
        whole = (result.world_mean_length() * result.world_episodes()).sum() / result.episodes()
        assert math.isclose(float(whole), result.mean_length(), rel_tol=1e-12)


def test_worlds_without_an_end_have_no_mean(valley: Module) -> None:
    result = hamlet.make(valley, worlds=2, backend="interpreter").rollout(1, per_world=True)
    assert result.world_episodes().tolist() == [0, 0]
    assert result.world_mean_return().isnan().all()
    assert result.world_mean_length().isnan().all()


def test_a_rollout_that_did_not_count_per_world_says_so(valley: Module) -> None:
    env = hamlet.make(valley, worlds=2, backend="interpreter")
    result = env.rollout(1)
    for method in (result.world_episodes, result.world_mean_return, result.world_mean_length):
        with pytest.raises(EnvError, match=r"did not count per world: call rollout\(..., per_world=True\)"):
            method()
    with pytest.raises(EnvError, match="begun without counts per world"):
        env.rollout(1, statistics=result.counts, per_world=True)
    with pytest.raises(EnvError, match="leave out statistics=False"):
        env.rollout(1, statistics=False, per_world=True)


def test_worlds_that_start_anew_by_hand(tmp_path: Path) -> None:
    (tmp_path / "yard.hamlet").write_text(BY_HAND)
    env = hamlet.make(
        hamlet.compile(tmp_path / "yard.hamlet", tmp_path / "yard"), worlds=6, agents=2, backend="interpreter", seed=1
    )
    wait = torch.full((40, 12), env.action_names.index("WAIT"))
    assert env.rollout(5, wait[:5], per_world=True).world_episodes().tolist() == [0] * 6
    result = env.rollout(35, wait[5:], per_world=True)
    assert result.world_episodes().tolist() == [2] * 6
    with pytest.raises(EnvError, match="start anew by hand only"):
        result.world_mean_length()


def test_a_meter_by_name(valley: Module) -> None:
    env = hamlet.make(valley, worlds=3, agents=2, backend="interpreter")
    food = env.meter("food")
    assert (food.shape, food.dtype) == ((6,), torch.float32)
    assert food.data_ptr() == env.state["meters"][1].data_ptr()
    env.step([5] * 6)
    assert torch.equal(food, env.state["meters"][1])
    with pytest.raises(EnvError, match="the universe has no meter 'fod': did you mean 'food'"):
        env.meter("fod")


def test_names_of_what_is_observed(valley: Module, luck: Module) -> None:
    names = hamlet.make(luck, worlds=1, backend="interpreter").observation_names
    assert names == (*(f"grid[{x},{y}]" for y in range(3) for x in range(3)), "meter.wealth")
    env = hamlet.make(valley, worlds=40, backend="interpreter", seed=2)
    assert len(set(env.observation_names)) == len(env.observation_names)
    assert env.observation is not None
    env.rollout(3)
    farm, nothing = (env.observation[:, env.observation_names.index(name)] for name in ("here[Farm]", "here[nothing]"))
    x, y = env.state["position"]
    assert torch.equal(farm == 1, (x == 0) & (y == 0))
    assert (farm == 1).any()
    assert (nothing == 1).any()
    # Fire is one of the other eleven cells; who stands at the Farm sees what lies west of it: nothing.
    west = env.observation[:, env.observation_names.index("window[-1,0]")]
    assert not west[farm == 1].any()
