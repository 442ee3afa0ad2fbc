"""Environments that nobody seeded: each lives a life of its own, which its seed repeats."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_gym import Env, VectorEnv


def test_an_adapter_without_a_seed(adapted: Callable[..., Any], first: Callable[[Any], Any], stall: Module) -> None:
    one, other = (adapted(stall, backend="interpreter") for _ in range(2))
    assert one.env.seed != other.env.seed
    seen = first(one)
    assert not np.array_equal(seen, first(other))
    again = adapted(stall, backend="interpreter", seed=one.env.seed)
    assert np.array_equal(seen, first(again))
    assert np.array_equal(first(adapted(stall, backend="interpreter", seed=5)), first(adapted(stall, seed=5)))
    assert adapted(stall, seed=None).env.seed not in (0, one.env.seed)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_before_the_first_reset(
    adapted: Callable[..., Any], first: Callable[[Any], Any], copied: Callable[[Any], Any], stall: Module
) -> None:
    """SuperSuit makes a vector environment of pickles of one world, and nobody seeds them."""
    env = adapted(stall, backend="interpreter")
    if hasattr(env, "episode_length_buf"):
        pytest.skip("rsl_rl's environments begin when they are made")
    seen = [first(each).tobytes() for each in (copied(env), copied(env), copied(copied(env)), env)]
    assert len(set(seen)) == 4
    seeded = adapted(stall, backend="interpreter", seed=3)
    assert first(copied(seeded)).tobytes() == first(seeded).tobytes()
    again = copied(env)
    assert again.env.seed == env.env.seed
    assert first(again).tobytes() == first(env).tobytes()


def test_a_shard_without_a_seed_is_refused(adapted: Callable[..., Any], stall: Module) -> None:
    with pytest.raises(EnvError, match="same seed"):
        adapted(stall, shard=(0, 2))


def test_gymnasium_reports_it(stall: Module) -> None:
    for env in (Env(stall), VectorEnv(2, stall, backend="interpreter")):
        drawn = env.np_random_seed
        seen, _ = env.reset()
        assert drawn == env.np_random_seed == env.env.seed
        assert np.array_equal(seen, env.reset(seed=drawn)[0])
        env.reset(seed=3)
        assert env.np_random_seed == 3
    assert Env(stall, seed=8).np_random_seed == 8
    for env in (copy.deepcopy(Env(stall)), copy.deepcopy(VectorEnv(2, stall, backend="interpreter"))):
        env.reset()
        assert env.np_random_seed == env.env.seed
    copies = SyncVectorEnv([lambda: Env(stall)] * 4)
    observations, _ = copies.reset()
    assert len({each.tobytes() for each in observations}) == 4
    assert len(set(copies.np_random_seed or ())) == 4
