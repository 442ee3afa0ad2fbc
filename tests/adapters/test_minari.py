"""Data sets that Minari loads: the spaces of the other adapters, and episodes that their environments do again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import hamlet_minari
from hamlet.errors import EnvError
from hamlet_gym import Env
from hamlet_pettingzoo import ParallelEnv
from samples import SHIPPED

minari = pytest.importorskip("minari", reason="hamletc[minari] is not installed")
pytest.importorskip("h5py", reason="hamletc[minari] is not installed")

TAG = SHIPPED / "gallery" / "tag.hamlet"
STALL = """
universe stall
space grid 3 x 3
lifespan 9 ticks { reward 1.0 }
meter food = uniform(0.2, 1.0) { decay 0.1 + uniform(0, 0.05) }
affordance Stall at random { instantly { food += 0.3 } }
dies when food <= 0
reward food
observe { grid  meters  lifetime }
"""
GLIDER = """
universe glider
space grid 3 x 2
param lift = 0.1 in 0 .. 1
control pull in -1 .. 1
meter height = uniform(0.2, 0.8)
action REEL { height += 0.1 }
rule sinks { height += lift * pull - 0.05 + uniform(-0.02, 0.02) }
dies when height <= 0
reward height
observe { group place { position relative } group self { meters } }
"""
"""Groups, a control, a space, and no lifespan."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Minari's data sets."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "sets"))
    return tmp_path / "sets"


def recorded(universe: Path, name: str = "set/some-v0", **arguments: Any) -> Any:
    hamlet_minari.record(universe, name, backend="interpreter", **arguments)
    return minari.load_dataset(name)


def of_tick(values: Any, tick: int) -> Any:
    """The element of a tick, of arrays of all of them."""
    return {name: each[tick] for name, each in values.items()} if isinstance(values, dict) else values[tick]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return np.asarray(one).dtype == np.asarray(other).dtype and np.array_equal(one, other)


def episodes(dataset: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    about = dataset.storage.get_episode_metadata(range(dataset.total_episodes))
    return zip(dataset.iterate_episodes(), about, strict=True)


def test_every_episode_is_done_again_by_the_environment_that_the_data_set_names(tmp_path: Path) -> None:
    path = tmp_path / "stall.hamlet"
    path.write_text(STALL)
    dataset = recorded(path, worlds=6, seed=2**64 - 1)
    env = Env(path, seed=0, backend="interpreter")
    assert (dataset.observation_space, dataset.action_space) == (env.observation_space, env.action_space)
    about = dataset.storage.metadata
    assert (about["universe"], about["digest"], about["algorithm_name"]) == ("stall", env.env.module.digest, "random")
    ends = set()
    for number, (episode, whose) in enumerate(episodes(dataset)):
        assert (whose["world"], whose["agent"], whose["seed"]) == (number, 0, 2**64 - 1)
        again = dataset.recover_environment(first_world=number, backend="interpreter")
        seen, info = again.reset(seed=whose["seed"])
        for tick in range(len(episode)):
            assert same(seen, episode.observations[tick])
            assert same(info["action_mask"], episode.infos["action_mask"][tick])
            seen, *happened, info = again.step(episode.actions[tick])
            assert happened == [episode.rewards[tick], episode.terminations[tick], episode.truncations[tick]]
        assert same(seen, episode.observations[-1])
        assert any(happened[1:])
        ends.add(tuple(happened[1:]))
    assert number == 5
    assert ends == {(True, False), (False, True)}


def test_dictionaries_of_groups_and_of_controls_are_dictionaries_there(tmp_path: Path) -> None:
    path = tmp_path / "glider.hamlet"
    path.write_text(GLIDER)
    dataset = recorded(path, worlds=3, ticks=3)
    env = Env(path, first_world=2, seed=0, backend="interpreter")
    assert (dataset.observation_space, dataset.action_space) == (env.observation_space, env.action_space)
    episode = dataset[2]
    seen, _ = env.reset(seed=0)
    for tick in range(len(episode)):
        assert same(seen, of_tick(episode.observations, tick))
        seen, reward, terminated, _, _ = env.step(of_tick(episode.actions, tick))
        assert (reward, terminated) == (episode.rewards[tick], episode.terminations[tick])
    # It has no lifespan: what ends it is the data set, as the specification of its environment says.
    assert len(episode) == dataset.spec.env_spec.max_episode_steps == 3
    assert not terminated
    assert episode.truncations[-1]


def test_each_role_has_a_data_set_of_what_its_agents_saw_and_did() -> None:
    sets = {
        role: recorded(TAG, f"tag/{role}-v0", worlds=2, agents=4, ticks=12, role=role, seed=3)
        for role in ("it", "runner")
    }
    env = ParallelEnv(TAG, agents=4, first_world=1, seed=3, backend="interpreter")
    observed, _ = env.reset(seed=3)
    names = {lane: name for name, lane in zip(env.possible_agents, range(4), strict=True)}
    mine: dict[str, Any] = {}
    for role, dataset in sets.items():
        for episode, whose in episodes(dataset):
            if whose["world"] == 1:
                name = names[int(whose["agent"])]
                assert name.startswith(role)
                assert env.observation_space(name) == dataset.observation_space
                assert env.action_space(name) == dataset.action_space
                mine[name] = episode
    assert set(mine) == set(env.possible_agents)
    for tick in range(12):
        assert all(same(observed[name], mine[name].observations[tick]) for name in observed)
        observed, rewards, *_ = env.step({name: int(mine[name].actions[tick]) for name in env.agents})
        assert all(reward == mine[name].rewards[tick] for name, reward in rewards.items())


def test_blocks_of_worlds_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "stall.hamlet"
    path.write_text(STALL)
    together = recorded(path, "set/together-v0", worlds=5)
    monkeypatch.setattr("hamlet_minari.writing.ROOM", 4 * 9 * len(together[0].observations[0]) * 2)
    apart = recorded(path, "set/apart-v0", worlds=5)
    for one, other in zip(together, apart, strict=True):
        assert same(one.observations, other.observations)
        assert same(one.actions, other.actions)


def test_a_function_is_a_script_that_plays(tmp_path: Path) -> None:
    path = tmp_path / "stall.hamlet"
    path.write_text(STALL)

    def waits(_: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return torch.full((len(mask),), mask.shape[1] - 1)

    dataset = recorded(path, worlds=3, policy=waits)
    assert dataset.storage.metadata["algorithm_name"] == "waits"
    assert all((each.actions == dataset.action_space.n - 1).all() for each in dataset)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": "some"}, "Minari names data sets as in first_meal/random-v0, not 'some'"),
        ({"name": "../some-v0"}, "Minari names data sets"),
        ({"role": "it"}, "there is no role 'it': the universe has none"),
        ({"worlds": 0}, "a data set is of 1 or more worlds"),
        ({"ticks": 0}, "an episode has 1 or more ticks"),
        ({"policy": lambda _, __: [0]}, "actions"),
    ],
)
def test_what_is_refused_leaves_nothing(arguments: dict[str, Any], said: str, tmp_path: Path, home: Path) -> None:
    path = tmp_path / "stall.hamlet"
    path.write_text(STALL)
    with pytest.raises(EnvError, match=said):
        recorded(path, **{"worlds": 2} | arguments)
    assert not [each for each in home.rglob("*") if each.is_file()]
