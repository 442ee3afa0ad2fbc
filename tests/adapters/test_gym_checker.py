"""The checker of vector environments: it takes Gymnasium's own, and finds what is wrong with others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from hamlet.package.module import Module
from hamlet_gym import VectorEnv, check_vector_env

NEXT, SAME, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED


def cartpole(autoreset_mode: AutoresetMode, render_mode: str | None) -> Any:
    kinds = {"autoreset_mode": autoreset_mode}
    return gymnasium.make_vec(
        "CartPole-v1", num_envs=2, vectorization_mode="sync", vector_kwargs=kinds, render_mode=render_mode
    )


def test_gymnasiums_own() -> None:
    check_vector_env(cartpole, modes=[NEXT, SAME], steps=60, render=False, mistakes=False)
    with pytest.raises(AssertionError, match="reset takes the mask out of options"):
        check_vector_env(cartpole, modes=[DISABLED], steps=60, render=False, mistakes=False)


class Reusing(VectorEnv):
    """It hands out the environment's own memory."""

    def step(self, actions: Any) -> Any:
        observation, *rest = super().step(actions)
        self._kept = getattr(self, "_kept", observation.copy())
        self._kept[:] = observation
        return self._kept, *rest


class Forgetting(VectorEnv):
    """It forgets who ended."""

    def step(self, actions: Any) -> Any:
        *rest, infos = super().step(actions)
        if "_final_obs" in infos:
            infos["_final_obs"][:] = True
        return *rest, infos


class Paying(VectorEnv):
    """It pays for the step that begins an episode."""

    def step(self, actions: Any) -> Any:
        observation, reward, *rest = super().step(actions)
        return observation, reward + np.float32(1), *rest


class Unseeded(VectorEnv):
    """It does not look at seeds."""

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        del seed
        return super().reset(options=options)


class Careless(VectorEnv):
    """It steps before it looks at actions."""

    def step(self, actions: Any) -> Any:
        super().step(np.zeros(self.num_envs, int))
        return super().step(actions)


class Silent(VectorEnv):
    """It does not say who has a mask."""

    def step(self, actions: Any) -> Any:
        *rest, infos = super().step(actions)
        del infos["_action_mask"]
        return *rest, infos


class Outside(VectorEnv):
    """It shows numbers that its space does not have."""

    def step(self, actions: Any) -> Any:
        observation, *rest = super().step(actions)
        observation[0] = 99
        return observation, *rest


class Miscounting(RecordEpisodeStatistics):
    """Gymnasium's, as it was before 1.4: the first step after an end is none."""

    def step(self, actions: Any) -> Any:
        before = self.episode_lengths.copy()
        ended, self._ended = getattr(self, "_ended", np.zeros(self.num_envs, bool)), np.zeros(self.num_envs, bool)
        stepped = super().step(actions)
        self._ended = stepped[2] | stepped[3]
        self.episode_lengths[ended] = before[ended]
        return stepped


def test_it_says_whose_fault_it_is(stall: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> None:
        check_vector_env(lambda **given: VectorEnv(2, stall, backend="interpreter", **given), [SAME], 40, render=False)

    monkeypatch.setattr("gymnasium.wrappers.vector.RecordEpisodeStatistics", Miscounting)
    monkeypatch.setattr(gymnasium, "__version__", "1.4.0")
    with pytest.raises(AssertionError, match="counts other lengths"):
        check()
    monkeypatch.setattr(gymnasium, "__version__", "1.2.2")
    with pytest.warns(UserWarning, match=r"a fault of Gymnasium 1\.2\.2: RecordEpisodeStatistics.* 1\.4"):
        check()


CASES: list[tuple[type[VectorEnv], AutoresetMode, str]] = [
    (Reusing, SAME, "changed by a later call"),
    (Forgetting, SAME, "who ended"),
    (Paying, NEXT, "has a reward"),
    (Unseeded, NEXT, "same seed"),
    (Careless, SAME, "has changed something"),
    (Silent, SAME, "who has action_mask"),
    (Outside, SAME, "not in its space"),
]


@pytest.mark.parametrize(("broken", "mode", "said"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_it_finds(broken: Callable[..., VectorEnv], mode: AutoresetMode, said: str, stall: Module) -> None:
    def make(**given: Any) -> VectorEnv:
        return broken(2, stall, backend="interpreter", **given)

    with pytest.raises(AssertionError, match=said):
        check_vector_env(make, modes=[mode], steps=12, render=False)
