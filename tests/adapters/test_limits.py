"""`max_episode_steps`: vector environments truncate where Gymnasium's own of environments with `TimeLimit` do."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit
from test_gym import MODES, ROOT, same

import hamlet
import hamlet_gym
from hamlet.package.module import Module
from hamlet_gym import Env, VectorEnv, check_vector_env

WORLDS, LIMIT = 4, 5
MEAL = ROOT / "universes" / "first_meal.hamlet"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("universe", ["stall", "by_hand"])
def test_it_is_what_gymnasium_does(mode: AutoresetMode, universe: str, request: pytest.FixtureRequest) -> None:
    """Some episodes reach the limit, some end before it, and some end of themselves in its last tick."""
    module = request.getfixturevalue(universe)
    # Draws of a tick follow the count of ticks, which goes on in a world that rests, and stands still in an `Env`.
    given = {"params": {"noise": 0.0 if mode is AutoresetMode.NEXT_STEP else 1.0}, "backend": "c"}
    env = VectorEnv(WORLDS, module, mode, max_episode_steps=LIMIT, **given)
    singles = [lambda world=world: TimeLimit(Env(module, first_world=world, **given), LIMIT) for world in range(WORLDS)]
    other = SyncVectorEnv(singles, autoreset_mode=mode)
    rng, late, early, both = np.random.default_rng(0), 0, 0, 0
    one, two = env.reset(seed=5), other.reset(seed=[5] * WORLDS)
    for _ in range(40):
        assert np.array_equal(one[0], two[0])
        same(one[-1], two[-1])
        actions = rng.integers(0, 6, WORLDS)
        one, two = env.step(actions), other.step(actions)
        for each, wanted in zip(one[:4], two[:4], strict=True):
            assert np.array_equal(each, wanted)
        same(one[4], two[4])
        _, _, terminated, truncated, _ = one
        late += int((truncated & ~terminated).sum())
        early += int((terminated & ~truncated).sum())
        both += int((terminated & truncated).sum())
        over = terminated | truncated
        if mode is AutoresetMode.DISABLED and over.any():
            one, two = (each.reset(options={"reset_mask": over.copy()}) for each in (env, other))
    assert min(late, early, both) > 0, (late, early, both)


def test_the_checker(stall: Module) -> None:
    def make(**given: Any) -> VectorEnv:
        return VectorEnv(3, stall, backend="c", max_episode_steps=3, **given)

    check_vector_env(make, steps=16, render=False)


def test_kernels() -> None:
    meal = hamlet.load(ROOT / "generated" / "first_meal")
    for mode in MODES:
        envs = [VectorEnv(3, meal, mode, max_episode_steps=3, backend=backend) for backend in ("c", "interpreter")]
        for env in envs:
            env.reset(seed=1)
        for _ in range(8):
            one, two = (env.step(np.array([0, 5, 4])) for env in envs)
            assert all(np.array_equal(x, y) for x, y in zip(one[:4], two[:4], strict=True))
            same(one[4], two[4])
            if mode is AutoresetMode.DISABLED and (one[2] | one[3]).any():
                for env in envs:
                    env.reset(options={"reset_mask": one[2] | one[3]})


def test_names_take_it() -> None:
    for made in (
        gymnasium.make_vec("hamlet/first_meal-v0", num_envs=2, max_episode_steps=3, backend="interpreter"),
        gymnasium.make_vec(hamlet_gym.spec(MEAL, 3, backend="interpreter"), num_envs=2),
    ):
        made.reset(seed=1)
        truncated = [made.step(np.zeros(2, int))[3].tolist() for _ in range(4)]
        assert truncated == [[False] * 2, [False] * 2, [True] * 2, [False] * 2]
    single = gymnasium.make(hamlet_gym.spec(MEAL, 2))
    single.reset(seed=1)
    assert [single.step(0)[3] for _ in range(2)] == [False, True]
