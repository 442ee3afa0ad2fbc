"""One world as an environment of Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from hamlet.env.environment import Env as Core
from hamlet.errors import EnvError
from hamlet_adapters.choosing import choosable, num_choices
from hamlet_adapters.frames import Frame
from hamlet_adapters.grouped import Way, handout
from hamlet_adapters.handover import FIRST, Handover
from hamlet_adapters.seeds import FirstSeed
from hamlet_adapters.single import SingleWorld
from hamlet_adapters.source import Source, made
from hamlet_adapters.worlds import Autoreset, Worlds
from hamlet_gym.arguments import WINDOWED, checked_render_mode, parts, window_of
from hamlet_gym.spaces import PER_SECOND, action_space, observation_space, parted
from hamlet_gym.taken import Taken, whole

Array = np.ndarray[Any, Any]


class Env(gymnasium.Env[Any, Any]):
    """A world of one agent. `VectorEnv` does the same for many, thousands of times faster.

    Attributes:
        env: the world, a `hamlet.env.environment.Env`.
    """

    metadata = {"render_modes": list(WINDOWED), "render_fps": PER_SECOND}  # noqa: RUF012

    def __init__(
        self,
        universe: Source | None = None,
        render_mode: str | None = None,
        observations: Way = "groups",
        **arguments: Any,
    ) -> None:
        """
        Args:
            universe: a module, a `.hamlet` file, a pack, or the folder of a generated package.
            render_mode: what `render` gives, "ansi" or "rgb_array"; with "human" a window of pygame shows each step.
            observations: how a universe that names groups of what it observes shows them: "groups", or "flat", one row.
            arguments: those of `hamlet.make` but `worlds` and `agents`. `first_world=7` makes world 7 of a
                `VectorEnv`. Without a `backend` the interpreter runs the first 1,000 steps, which needs nothing
                compiled, and kernels in C all others; the bits are the same. Without a `seed` a fresh one is drawn.

        Raises:
            EnvError: an argument is wrong.
        """
        self.render_mode = checked_render_mode(render_mode, WINDOWED)
        self._env = env = made(universe, 1, {"backend": FIRST} | arguments, shows_ends=True)
        self._handout = handout(env, observations)
        self.observation_space = observation_space(env, self._handout)
        self.action_space = action_space(env)
        self._worlds = Worlds(env, Autoreset.DISABLED, FirstSeed(arguments))
        self._handover = Handover(env, arguments)
        self._grouped = bool(self._handout.groups)
        self._all_chosen = num_choices(env) == env.num_actions
        self._lent = False
        self._single = self._alone()
        self._window = window_of(env, self.render_mode)
        self._reports = tuple(env.reports)
        # The last one is -1.
        most = max(len(env.universe.affordances), len(env.universe.causes) + 1)
        self._numbers = [*(np.int32(number) for number in range(most)), np.int32(-1)]
        # A step hands out nothing but what every universe has.
        self._plain = self._all_chosen and not (self._grouped or self._reports or self._window is not None)
        taken = Taken.by(env)
        self._taken, self._only = taken.of(self.action_space), taken.only(self.action_space)
        self._choices = taken.count
        self._np_random, self._np_random_seed = seeding.np_random(env.seed)

    @property
    def env(self) -> Core:
        """The world. Who has it can give its tensors other memory, for which every step looks from now on."""
        self._lent = True
        if self._single is not None:
            self._single.watching = True
            self._single.linger()
        return self._env

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, with `options={"params": ...}` as `hamlet.make` takes them. Without a seed it is the next
        one of the seed that the world has, `np_random_seed`.

        Raises:
            EnvError: an argument is wrong, or the environment is closed. Nothing was changed.
        """
        params, mask = parts("reset", options)
        if mask is not None:
            raise EnvError("a single environment has no reset_mask")
        if seed is None and params is None and self._single is not None and self._worlds.begun:
            self._single.begin()
            self._show()
            seen = self._single.observation.copy()
            return self._seen(seen) if self._grouped else seen, {"action_mask": self._chosen_from(self._single)}
        if self._single is not None:
            self._single.linger()
        frame = self._worlds.reset(seed, params)
        if seed is not None or self._env.seed != self._np_random_seed:
            super().reset(seed=self._env.seed)
        self._show()
        return self._seen(frame.array("observation")[0]), {"action_mask": _mask(self._env, frame)}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Run a tick with the number of an action, or with what else `action_space` has.

        Raises:
            EnvError: there is no such action, the environment is closed or was never reset, or its episode has ended.
                Nothing was changed.
        """
        single = self._single
        if single is None:
            if not self._handover.due():
                return self._stepped(action)
            single = self._single = self._alone()
            assert single is not None
        at_once = single.at_once
        if at_once is not None:
            return at_once(action)
        number, controls = self._taken(action)
        if not single.running:
            single.check()
        single.step(number, controls)
        if self._plain:
            self._plain = single.hasten(self._taken, self._choices, self._only, self._numbers)
        terminated, truncated = single.terminated[0], single.truncated[0]
        if terminated or truncated:
            single.end()
        if self._window is not None:
            self._show()
        # Numbers of numpy cannot be changed, so one of each is enough.
        numbered = self._numbers
        info: dict[str, Any] = {
            "action_mask": single.action_mask.copy() if self._all_chosen else self._chosen_from(single),
            "used": numbered[single.used[0]],
            "cause": numbered[single.cause[0]],
        }
        if self._reports:
            info["reports"] = dict(zip(self._reports, single.reports.copy(), strict=True))
        seen = single.observation.copy()
        # A call of Python takes a fiftieth of a step.
        return self._seen(seen) if self._grouped else seen, single.reward[0], terminated, truncated, info

    def _stepped(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """A step of a world that has no shorter way."""
        turn = self._worlds.step(*parted(self._env, self._batched(action)))
        frame = turn.frame
        self._show()
        names = ("observation", "reward", "terminated", "truncated", "used", "cause")
        observation, reward, terminated, truncated, used, cause = (frame.array(name)[0] for name in names)
        info: dict[str, Any] = {"action_mask": _mask(self._env, frame), "used": used, "cause": cause}
        if self._reports:
            info["reports"] = dict(zip(self._reports, frame.array("reports")[:, 0], strict=True))
        return self._seen(observation), float(reward), bool(terminated), bool(truncated), info

    def _seen(self, observation: Array) -> Any:
        """An observation [values] as it is handed out."""
        return self._handout.arrays(observation)

    def _chosen_from(self, single: SingleWorld) -> Array:
        """A copy of the present mask of the actions that the agent chooses from."""
        return choosable(self._env, single.action_mask.copy())

    def _alone(self) -> SingleWorld | None:
        """The shorter way to step the world, where its backend has one."""
        if not SingleWorld.fits(self._worlds):
            return None
        single = SingleWorld(self._worlds)
        single.watching = self._lent
        return single

    def _batched(self, action: Any) -> Any:
        """The actions of a batch of one agent."""
        space = self.action_space
        if isinstance(space, spaces.Discrete):
            return [whole(action, int(space.n))]
        if isinstance(space, spaces.Dict) and isinstance(action, dict) and set(action) == set(space):
            number = whole(action["action"], num_choices(self._env))
            return {"action": [number], "controls": np.asarray(action["controls"])[None]}
        return np.asarray(action)[None] if isinstance(action, (np.ndarray, list)) else action

    def render(self) -> Any:
        """A picture of the world, as `render_mode` says; `None` without one, and where a window shows it."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"give a render_mode to see the world: {', '.join(WINDOWED)}")
            return None
        return self._show() if self._window is not None else self._env.render(self.render_mode)

    def close(self) -> None:
        """No other call is taken from now on."""
        self._worlds.close()
        if self._single is not None:
            self._single.running = False
            self._single.linger()
        if self._window is not None:
            self._window.close()

    def _show(self) -> None:
        if self._window is not None:
            self._window.show(self._env.render("rgb_array"))  # type: ignore[arg-type]


def _mask(env: Core, frame: Frame) -> Array:
    mask: Array = choosable(env, frame.array("action_mask")[0]).view(np.int8)
    return mask
