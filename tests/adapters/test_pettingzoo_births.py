"""Agents that are born within an episode, in PettingZoo: `agents` shrinks and grows, and nobody comes back."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test

from hamlet_pettingzoo import AECEnv, ParallelEnv

FOLD = """
universe fold
space none
lifespan 40 ticks
role sheep: 4 agents {
    begins with 2
    meter energy = 0.5 in 0 .. 1
    action BREED { spawn sheep { energy = 0.4 } }
    action DIE { energy = 0 }
    dies when energy <= 0
    reward energy
}
role dog: 1 agent {
    respawns after 2 ticks
    meter hunger = 0 in 0 .. 1
    rule starves: chance(0.1) -> hunger = 1
    dies when hunger >= 1
    reward count(sheep)
}
actions WAIT BREED DIE
observe { lifetime }
role sheep { observe { meters energy } }
"""
WAIT, BREED, DIE = range(3)


@pytest.fixture
def fold(tmp_path: Path) -> Path:
    path = tmp_path / "fold.hamlet"
    path.write_text(FOLD, encoding="utf-8")
    return path


def test_who_is_born_is_in_the_results_of_the_tick(fold: Path) -> None:
    world = ParallelEnv(fold, seed=1)
    observations, _ = world.reset()
    assert world.agents == list(observations) == ["sheep_0", "sheep_1", "dog_0"]
    acted = {"sheep_0": BREED, "sheep_1": DIE, "dog_0": WAIT}
    observations, rewards, terminations, _, infos = world.step(acted)
    assert list(rewards) == ["sheep_0", "sheep_1", "dog_0", "sheep_2"]
    assert rewards["sheep_2"] == 0.0
    assert observations["sheep_2"].tolist() == [0.0, float(np.float32(0.4))]
    assert infos["sheep_2"]["action_mask"].tolist() == [1, 1, 1]
    assert terminations == {"sheep_0": False, "sheep_1": True, "dog_0": False, "sheep_2": False}
    assert world.agents == ["sheep_0", "dog_0", "sheep_2"]
    world.step(dict.fromkeys(world.agents, WAIT) | {"sheep_0": BREED})
    assert "sheep_1.2" in world.agents
    assert world.possible_agents[-1] == "sheep_1.2"
    assert world.observation_space("sheep_1.2") is world.observation_space("sheep_1")
    world.reset()
    assert world.agents == ["sheep_0", "sheep_1", "dog_0"]


def test_the_tests_of_the_interfaces_pass(fold: Path) -> None:
    fold.write_text(FOLD.replace("DIE { energy = 0 }", "DIE { energy -= 0.1 }"), encoding="utf-8")
    world = ParallelEnv(fold, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "No agents present but")  # possible_agents need not all live
        parallel_api_test(world, num_cycles=100)
    assert any("." in name for name in world.possible_agents)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(AECEnv(fold, seed=1), num_cycles=300)
