"""Copies and pickles of environments that were reset: they go on as the originals do, and apart from them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from tensordict import TensorDict

from hamlet.package.module import Module

COPIES = {"pickle": lambda env: pickle.loads(pickle.dumps(env)), "deepcopy": copy.deepcopy}


def acted(env: Any) -> Any:
    """What a step with the actions 5 gives, as the adapter has it."""
    if hasattr(env, "possible_agents"):
        return env.step(dict.fromkeys(env.agents, 5))
    if hasattr(env, "batch_size"):
        stepped = env.step(TensorDict({"action": torch.full((2,), 5)}, [2]))["next"]
        return {name: values.tolist() for name, values in stepped.items(True, True)}
    if hasattr(env, "num_actions"):
        return env.step(torch.eye(env.num_actions)[[5, 5]])
    return env.step(np.full(env.num_envs, 5) if hasattr(env, "num_envs") else 5)


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES.keys())
def test_a_copy_goes_on(adapted: Callable[..., Any], copied: Callable[[Any], Any], stall: Module) -> None:
    env = adapted(stall, backend="interpreter", seed=3)
    env.reset()
    acted(env)
    other = copied(env)
    for _ in range(3):
        assert str(acted(env)) == str(acted(other))
    for name, values in env.env.state.items():
        assert torch.equal(values, other.env.state[name]), name
    before = {name: values.clone() for name, values in other.env.state.items()}
    acted(env)
    assert all(torch.equal(values, before[name]) for name, values in other.env.state.items())
