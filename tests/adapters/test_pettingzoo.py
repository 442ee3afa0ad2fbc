"""PettingZoo's interface, checked by its own tests, and against the environment below."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test
from stable_baselines3 import PPO

import hamlet
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_pettingzoo import ParallelEnv

AGENTS = 3


def test_its_own_checks(stall: Module) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(ParallelEnv(stall, agents=AGENTS), num_cycles=20)
    parallel_seed_test(lambda: ParallelEnv(stall, agents=AGENTS), num_cycles=10)


@pytest.mark.parametrize("universe", ["stall", "by_hand"])
def test_it_is_the_environment(universe: str, request: pytest.FixtureRequest) -> None:
    """Episodes follow each other as they do below, and the last observation is the one of the end."""
    module = request.getfixturevalue(universe)
    env = ParallelEnv(module, agents=AGENTS)
    below = hamlet.make(module, agents=AGENTS, backend="interpreter", seed=4)
    observations, infos = env.reset(seed=4)
    rng, episodes = np.random.default_rng(0), 0
    for _ in range(30):
        assert below.observation is not None
        for lane, name in enumerate(env.agents if len(env.agents) == AGENTS else []):
            assert np.array_equal(observations[name], below.observation[lane].numpy())
            assert np.array_equal(infos[name]["action_mask"], below.action_mask[lane].numpy())
        actions = {name: int(rng.integers(6)) for name in env.agents}
        lanes = [actions.get(name, 5) for name in env.possible_agents]
        _, reward, terminated, truncated, info = below.step(lanes)
        observations, rewards, terminations, truncations, infos = env.step(actions)
        for lane, name in enumerate(env.possible_agents):
            if name in actions:
                assert rewards[name] == float(reward[lane])
                assert (terminations[name], truncations[name]) == (bool(terminated[lane]), bool(truncated[lane]))
                assert infos[name]["cause"] == int(below.outcome["cause"][lane])
                assert infos[name]["reports"]["hunger"] == float(below.reports["hunger"][lane])
        if not env.agents:
            final = below.observation if below.universe.by_hand else info["final_observation"]
            assert final is not None
            for name in actions:
                lane = env.possible_agents.index(name)
                assert np.array_equal(observations[name], final[lane].numpy())
                assert below.universe.by_hand or infos[name]["action_mask"].tolist() == [0, 0, 0, 0, 0, 1]
            if below.universe.by_hand:
                below.reset()
            observations, infos = env.reset()
            episodes += 1
    assert episodes > 1
    assert below.state["episode"].tolist() == env.env.state["episode"].tolist() == [episodes]


def test_roles(compiled: Callable[[str], Module]) -> None:
    """Agents have the names, the observations and the actions of their roles."""
    text = (Path(__file__).parents[2] / "universes" / "gallery" / "tag.hamlet").read_text()
    env = ParallelEnv(compiled(text), agents=4)
    roles = env.env.roles
    assert env.possible_agents == ["it_0", "runner_0", "runner_1", "runner_2"]
    observations, infos = env.reset(seed=1)
    for _ in range(5):
        for name, observation in observations.items():
            role = roles[name.partition("_")[0]]
            assert observation.shape == (len(role.observation_names),)
            assert observation in env.observation_space(name)
            assert env.action_space(name).n == len(infos[name]["action_mask"]) == len(role.action_names)
        actions = dict.fromkeys(env.agents, 0)
        before = env.env.state["position"].clone()
        observations, _, _, _, infos = env.step(actions)
        for lane, name in enumerate(env.possible_agents):
            if name in env.agents:
                assert roles[name.partition("_")[0]].action_names[0] == "LEFT"
                assert int(env.env.state["position"][0, lane]) == (int(before[0, lane]) - 1) % 11


def test_nobody_is_left(stall: Module) -> None:
    """A step without actions gives nothing then, as in PettingZoo's own environments: SuperSuit takes such steps."""
    env = ParallelEnv(stall, agents=2)
    with pytest.raises(EnvError, match="call reset before"):
        env.step({})
    env.reset(seed=1)
    while env.agents:
        env.step(dict.fromkeys(env.agents, 5))
    before = env.env.tick
    assert env.step({}) == ({}, {}, {}, {}, {})
    assert env.env.tick == before
    for actions in ({"agent_0": 5}, [], None):
        with pytest.raises(EnvError, match="every episode has ended"):
            env.step(actions)  # type: ignore[arg-type]
    env.reset()
    assert env.agents == ["agent_0", "agent_1"]


def test_supersuit(stall: Module) -> None:
    """Its `black_death_v3` steps after the last end, and its copies of a world that nobody seeded differ."""
    supersuit = pytest.importorskip("supersuit", reason="supersuit is not installed")
    world = supersuit.pettingzoo_env_to_vec_env_v1(supersuit.black_death_v3(ParallelEnv(stall, agents=2)))
    envs = supersuit.concat_vec_envs_v1(world, 4, num_cpus=1, base_class="stable_baselines3")
    first = envs.reset()
    assert len({first[2 * copy : 2 * copy + 2].tobytes() for copy in range(4)}) == 4
    model = PPO("MlpPolicy", envs, n_steps=24, batch_size=96, n_epochs=1, policy_kwargs={"net_arch": [8]})
    assert model.learn(400).num_timesteps >= 400


def test_agents_by_default(stall: Module, compiled: Callable[[str], Module]) -> None:
    """Two, or as many as roles ask for."""
    gallery = Path(__file__).parents[2] / "universes" / "gallery"
    assert len(ParallelEnv(stall).possible_agents) == 2
    assert ParallelEnv(compiled((gallery / "wolves.hamlet").read_text())).possible_agents == [
        "wolf_0",
        "wolf_1",
        "sheep_0",
    ]


def test_looking(stall: Module) -> None:
    env = ParallelEnv(stall, agents=2, render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().dtype == np.uint8
    assert env.state().shape == (2, len(env.env.observation_names))
    assert str(env) == "stall"


def test_what_is_wrong_changes_nothing(stall: Module) -> None:
    env = ParallelEnv(stall, agents=2)
    with pytest.raises(EnvError, match="call reset before"):
        env.step({"agent_0": 5, "agent_1": 5})
    env.reset(seed=1)
    before = env.state()
    for actions in ({}, {"agent_0": 5}, {"agent_0": 5, "agent_2": 5}, {"agent_0": 5, "agent_1": 6}, [5, 5], None):
        with pytest.raises(EnvError) as caught:
            env.step(actions)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
    for options in ({"params": {"hast": 1}}, 3):
        with pytest.raises(EnvError):
            env.reset(options=options)  # type: ignore[arg-type]
    with pytest.raises(EnvError, match="no agent"):
        env.action_space("wolf_0")
    assert env.env.tick == 0
    assert np.array_equal(env.state(), before)
    env.close()
    with pytest.raises(EnvError, match="closed"):
        env.reset()
