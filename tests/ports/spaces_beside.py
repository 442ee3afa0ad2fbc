"""Spaces of a port beside those of its original."""

from __future__ import annotations

from typing import Any

import gymnasium
from beside import ROOM
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test

import hamlet_gym
import hamlet_pettingzoo
from hamlet.package.module import Module


def same_spaces(module: Module, original: gymnasium.Env[Any, Any]) -> None:
    """The port has the original's space of actions, and observations of its kind within its bounds, and passes
    Gymnasium's own checks."""
    port = hamlet_gym.Env(module, backend="c")
    assert port.action_space == original.action_space
    ours, theirs = port.observation_space, original.observation_space
    assert type(ours) is type(theirs)
    if isinstance(ours, gymnasium.spaces.Box) and isinstance(theirs, gymnasium.spaces.Box):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        # Ranges of sines have room for rounding.
        assert (ours.low >= theirs.low - ROOM).all()
        assert (ours.high <= theirs.high + ROOM).all()
    else:
        assert ours == theirs
    check_env(port, skip_render_check=True)


def same_spaces_of_players(module: Module, original: Any) -> None:
    """The same of a world of several agents, with PettingZoo's checks."""
    port = hamlet_pettingzoo.ParallelEnv(module, backend="c")
    assert len(port.possible_agents) == len(original.possible_agents)
    for ours, theirs in zip(port.possible_agents, original.possible_agents, strict=True):
        assert port.action_space(ours) == original.action_space(theirs)
    parallel_api_test(port, num_cycles=50)
