"""One world as an environment of Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from hamlet.adapters.frames import Frame
from hamlet.adapters.seeds import FirstSeed
from hamlet.adapters.source import Source, made
from hamlet.adapters.worlds import Autoreset, Worlds
from hamlet.env.pictures import RENDER_MODES
from hamlet.errors import EnvError, shown
from hamlet_gym.arguments import checked_render_mode, parts
from hamlet_gym.spaces import PER_SECOND, action_space, observation_space, parted

Array = np.ndarray[Any, Any]


class Env(gymnasium.Env[Array, Any]):
    """A world of one agent. `VectorEnv` does the same for many, thousands of times faster.

    Attributes:
        env: the world, a `hamlet.env.environment.Env`.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": PER_SECOND}  # noqa: RUF012

    def __init__(self, universe: Source | None = None, render_mode: str | None = None, **arguments: Any) -> None:
        """
        Args:
            universe: a module, a `.hamlet` file, a pack, or the folder of a generated package.
            render_mode: what `render` gives, "ansi" or "rgb_array".
            arguments: those of `hamlet.make` but `worlds` and `agents`. `first_world=7` makes world 7 of a
                `VectorEnv`. The backend is by default "interpreter", which starts at once; the bits are the same.
                Without a `seed` a fresh one is drawn.

        Raises:
            EnvError: an argument is wrong.
        """
        self.render_mode = checked_render_mode(render_mode)
        self.env = made(universe, 1, {"backend": "interpreter"} | arguments, shows_ends=True)
        self.observation_space = observation_space(self.env)
        self.action_space = action_space(self.env)
        self._worlds = Worlds(self.env, Autoreset.DISABLED, FirstSeed(arguments))
        self._np_random, self._np_random_seed = seeding.np_random(self.env.seed)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begin an episode, with `options={"params": ...}` as `hamlet.make` takes them. Without a seed it is the next
        one of the seed that the world has, `np_random_seed`.

        Raises:
            EnvError: an argument is wrong, or the environment is closed. Nothing was changed.
        """
        params, mask = parts("reset", options)
        if mask is not None:
            raise EnvError("a single environment has no reset_mask")
        frame = self._worlds.reset(seed, params)
        if seed is not None or self.env.seed != self._np_random_seed:
            super().reset(seed=self.env.seed)
        return frame.array("observation")[0], {"action_mask": _mask(frame)}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Run a tick with the number of an action, or with what else `action_space` has.

        Raises:
            EnvError: there is no such action, the environment is closed or was never reset, or its episode has ended.
                Nothing was changed.
        """
        turn = self._worlds.step(*parted(self.env, self._batched(action)))
        frame = turn.frame
        names = ("observation", "reward", "terminated", "truncated", "used", "cause")
        observation, reward, terminated, truncated, used, cause = (frame.array(name)[0] for name in names)
        info: dict[str, Any] = {"action_mask": _mask(frame), "used": used, "cause": cause}
        if self.env.reports:
            info["reports"] = {name: np.float32(float(value)) for name, value in turn.reports().items()}
        return observation, float(reward), bool(terminated), bool(truncated), info

    def _batched(self, action: Any) -> Any:
        """What a batch of one agent does."""
        space = self.action_space
        if isinstance(space, spaces.Discrete):
            return _number(action, space)
        if isinstance(space, spaces.Dict) and isinstance(action, dict) and set(action) == set(space):
            number = _number(action["action"], space["action"])  # type: ignore[arg-type]
            return {"action": number, "controls": np.asarray(action["controls"])[None]}
        return action[None] if isinstance(action, np.ndarray) else action

    def render(self) -> Any:
        """A picture of the world, as `render_mode` says; `None` without one."""
        if self.render_mode is None:
            gymnasium.logger.warn("give a render_mode to see the world: ansi or rgb_array")
            return None
        return self.env.render(self.render_mode)

    def close(self) -> None:
        """No other call is taken from now on."""
        self._worlds.close()


def _number(action: Any, space: spaces.Discrete[Any]) -> list[int]:
    number = np.asarray(action)
    if number.dtype.kind not in "iu" or number.size != 1:
        raise EnvError(f"an action is a whole number in 0 .. {int(space.n) - 1}, not {shown(action)}")
    return [int(number.reshape(()))]


def _mask(frame: Frame) -> Array:
    mask: Array = frame.array("action_mask")[0].view(np.int8)
    return mask
