"""The agents of one role as a vectorised environment of Stable-Baselines3, while the others act at random."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from tasks import Task, by_chance

Array = np.ndarray[Any, Any]
Indices = int | Iterable[int] | None


class Seats(VecEnv):
    """One environment for each agent of the role; its episode ends with that of the agent. All agents of the role of a
    world must end at once, as where it has one."""

    def __init__(self, task: Task, seed: int) -> None:
        """Seats in new worlds."""
        self._env = task.env(task.worlds, seed)
        crew = task.crew(self._env)
        assert crew.lanes is not None
        assert crew.actions is not None
        self._lanes, self._numbers = torch.from_numpy(crew.lanes), torch.from_numpy(crew.actions)
        self._width, self._chosen = len(crew.reach), by_chance(self._env)
        self.render_mode = None
        seen = spaces.Box(-crew.reach, crew.reach, dtype=np.float32)
        super().__init__(len(crew.lanes), seen, spaces.Discrete(crew.choices))

    def _seen(self, observation: torch.Tensor) -> Array:
        return observation[self._lanes, : self._width].numpy()

    def reset(self) -> Array:
        """The first observations."""
        self._env.reset()
        assert self._env.observation is not None
        return self._seen(self._env.observation)

    def step_async(self, actions: Array) -> None:
        """Take actions [seats]."""
        self._chosen = by_chance(self._env)
        self._chosen[self._lanes] = self._numbers[torch.from_numpy(actions)].to(torch.int32)

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Run a tick."""
        seen, reward, terminated, truncated, info = self._env.step(self._chosen)
        last = info["final_observation"]
        assert seen is not None
        assert last is not None
        ended = (terminated | truncated)[self._lanes].numpy()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        finals, cut = self._seen(last), truncated[self._lanes].numpy()
        for seat in ended.nonzero()[0]:
            infos[seat] = {"terminal_observation": finals[seat], "TimeLimit.truncated": bool(cut[seat])}
        return self._seen(seen), reward[self._lanes].numpy(), ended, infos

    def action_masks(self) -> Array:
        """[seats, actions] bool: which actions make sense now."""
        return self._env.action_mask[self._lanes][:, self._numbers].numpy()

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute, once for each seat."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """There is none of a seat."""
        raise NotImplementedError

    def env_method(self, method_name: str, *args: Any, indices: Indices = None, **kwargs: Any) -> list[Any]:
        """What a method gives, a row for each seat."""
        rows = getattr(self, method_name)(*args, **kwargs)
        return [rows[seat] for seat in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Indices = None) -> list[bool]:  # noqa: ARG002
        """No seat is wrapped."""
        return [False for _ in self._get_indices(indices)]
