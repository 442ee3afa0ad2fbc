"""Worlds of one agent each as a vectorised environment of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.vec_env import base_vec_env

from hamlet.errors import EnvError, shown
from hamlet_adapters.choosing import choosable
from hamlet_adapters.grouped import Handout, Way, handout
from hamlet_adapters.seeds import FirstSeed
from hamlet_adapters.source import Source, made
from hamlet_adapters.worlds import Autoreset, Turn, Worlds
from hamlet_gym.arguments import checked_render_mode
from hamlet_gym.spaces import action_space, observation_space, parted

Array = np.ndarray[Any, Any]
Indices = int | Iterable[int] | None


class VecEnv(base_vec_env.VecEnv):
    """W worlds of one agent each. No array is changed later. The info of a world whose episode ended has
    `terminal_observation`, `TimeLimit.truncated`, `cause` and the last `reports`; other infos are empty, since a
    dictionary per world takes longer than a tick of all. `action_masks` is what MaskablePPO of sb3-contrib asks for.

    Attributes:
        env: the worlds, a `hamlet.env.environment.Env`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        universe: Source | None = None,
        render_mode: str | None = None,
        observations: Way = "groups",
        **arguments: Any,
    ) -> None:
        """
        Args:
            num_envs: the number of worlds.
            universe: a module, a `.hamlet` file, a pack, or the folder of a generated package.
            render_mode: what a picture of a world is, "ansi" or "rgb_array".
            observations: how a universe that names groups of what it observes shows them: "groups", or "flat", one row.
            arguments: those of `hamlet.make` but `worlds` and `agents`: `seed`, `params`, `backend`, `device`, ....
                Without a `seed` a fresh one is drawn.

        Raises:
            EnvError: an argument is wrong.
        """
        self._shown_as = checked_render_mode(render_mode)
        self.env = made(universe, num_envs, arguments)
        self._worlds = Worlds(self.env, Autoreset.SAME_STEP, FirstSeed(arguments))
        self._masks: Array | None = None
        self._chosen: Any = None
        done = action_space(self.env)
        if isinstance(done, spaces.Dict):
            raise EnvError("Stable-Baselines3 knows no agents that choose an action and give controls too")
        # Stable-Baselines3 counts from 0 on.
        self._first = done.start if isinstance(done, spaces.MultiDiscrete) else None
        done = spaces.MultiDiscrete(done.nvec) if isinstance(done, spaces.MultiDiscrete) else done
        self._handout = handout(self.env, observations, texts=False)
        super().__init__(self.env.num_worlds, observation_space(self.env, self._handout), done)

    def reset(self) -> Any:
        """Begin an episode in every world; with the seed that was given to `seed` since, from the start. `set_options`
        gives `{"params": ...}` to all worlds alike.

        Raises:
            EnvError: options are wrong, or the environment is closed. Nothing was changed.
        """
        if any(each != self._options[0] for each in self._options) or not set(self._options[0]) <= {"params"}:
            raise EnvError("options are a dictionary with params, the same for all worlds: params can be arrays")
        frame = self._worlds.reset(self._seeds[0], self._options[0].get("params"))
        self._masks = choosable(self.env, frame.array("action_mask"))
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return self._handout.arrays(frame.array("observation"))

    def step_async(self, actions: Array) -> None:
        """Take actions [num_envs] of an integer type for `step_wait`."""
        self._chosen = actions

    def step_wait(self) -> tuple[Any, Array, Array, list[dict[str, Any]]]:
        """Run a tick.

        Raises:
            EnvError: actions are wrong, the environment is closed or was never reset. Nothing was changed.
        """
        if self._chosen is None:
            raise EnvError("call step_async before step_wait")
        chosen, self._chosen = self._chosen, None
        if self._first is not None and isinstance(chosen, np.ndarray):
            chosen = chosen + self._first
        turn = self._worlds.step(*parted(self.env, chosen))
        self._masks = choosable(self.env, turn.frame.array("action_mask"))
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        _tell(turn, infos, self._handout)
        seen = self._handout.arrays(turn.frame.array("observation"))
        return seen, turn.frame.array("reward"), _numpy(turn.over).copy(), infos

    def action_masks(self) -> Array:
        """[num_envs, actions] bool: which actions make sense now.

        Raises:
            EnvError: the environment was never reset.
        """
        if self._masks is None:
            raise EnvError("call reset before action_masks")
        return self._masks

    def get_images(self) -> Sequence[Array | None]:
        """A picture of every world."""
        if self._shown_as != "rgb_array":
            raise EnvError('pictures need render_mode="rgb_array"')
        return [self.env.render("rgb_array", world) for world in range(self.num_envs)]  # type: ignore[misc]

    def close(self) -> None:
        """No other call is taken from now on."""
        self._worlds.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of `env`, once per world; all worlds share it. `action_masks` is there for sb3-contrib."""
        own = {"render_mode": self._shown_as, "action_masks": self.action_masks}
        value = own[attr_name] if attr_name in own else getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:  # noqa: ARG002
        """Refused: worlds have no attributes of their own. Params are given by `set_options`.

        Raises:
            EnvError: always.
        """
        raise EnvError(f"{attr_name} of single worlds cannot be {shown(value)}: worlds share one environment")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` or `render` of worlds.

        Raises:
            EnvError: another method was asked for, or one with arguments.
        """
        if method_args or method_kwargs:
            raise EnvError(f"{method_name} of worlds takes no arguments")
        worlds = list(self._get_indices(indices))
        match method_name:
            case "action_masks":
                return list(self.action_masks()[worlds])
            case "render":
                return [self.env.render(self._shown_as or "ansi", world) for world in worlds]
            case _:
                raise EnvError(f"worlds have action_masks and render, not {method_name}: call it on env")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:  # noqa: ARG002
        """No world is wrapped."""
        return [False for _ in self._get_indices(indices)]


def _tell(turn: Turn, infos: list[dict[str, Any]], handout: Handout) -> None:
    """Write the infos of worlds whose episode ended."""
    if turn.ended is None:
        return
    numbers = _numpy(turn.ended.numbers)
    last = _numpy(turn.ended.observation())
    cause, truncated = (turn.frame.array(name)[numbers].tolist() for name in ("cause", "truncated"))
    names = turn.frame.outputs.reports
    reports = dict(zip(names, turn.frame.array("reports")[:, numbers].tolist(), strict=True)) if names else {}
    for place, world in enumerate(numbers.tolist()):
        infos[world] |= {
            "terminal_observation": handout.arrays(last[place]),
            "TimeLimit.truncated": truncated[place],
            "cause": cause[place],
        }
        if reports:
            infos[world]["reports"] = {name: values[place] for name, values in reports.items()}


def _numpy(tensor: torch.Tensor) -> Array:
    return tensor.cpu().numpy()
