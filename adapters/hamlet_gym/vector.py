"""Many worlds as one vector environment of Gymnasium."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from hamlet.env.environment import Env
from hamlet.env.pictures import RENDER_MODES
from hamlet.errors import EnvError, shown
from hamlet_adapters.choosing import choosable, num_choices
from hamlet_adapters.grouped import Handout, Way, handout
from hamlet_adapters.seeds import FirstSeed
from hamlet_adapters.source import Source, made
from hamlet_adapters.worlds import Autoreset, Ended, Turn, Worlds
from hamlet_gym.arguments import (
    Seeds,
    checked_limit,
    checked_mask,
    checked_mode,
    checked_render_mode,
    parts,
    seed_of,
    seeds_of,
)
from hamlet_gym.attributes import attribute_of_worlds, set_attribute_of_worlds
from hamlet_gym.infos import Infos
from hamlet_gym.spaces import PER_SECOND, action_space, observation_space, parted

Array = np.ndarray[Any, Any]

SINGLE = {
    "observation_space": "single_observation_space",
    "action_space": "single_action_space",
    **{name: name for name in ("render_mode", "metadata", "spec", "np_random", "np_random_seed")},
}
"""Attributes of a single `Env`, and those of `VectorEnv` that are the same."""


class VectorEnv(gymnasium.vector.VectorEnv[Any, Array, Array]):
    """W worlds of one agent each. It does to the bit what Gymnasium's `SyncVectorEnv` does with W environments `Env`,
    world w of which was made with `first_world=w`, and `info` has the same entries. No array is changed later, and
    none is copied for that: the next step writes the memory of observations that nobody refers to any more. On CUDA
    every array is a copy on the host; where that is too slow, take `hamlet_torchrl` or `env` itself.

    Attributes:
        env: the worlds, a `hamlet.env.environment.Env`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        universe: Source | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        observations: Way = "groups",
        **arguments: Any,
    ) -> None:
        """
        Args:
            num_envs: the number of worlds.
            universe: a module, a `.hamlet` file, a pack, or the folder of a generated package.
            autoreset_mode: when a world whose episode ended begins the next one; "NextStep", "SameStep" or "Disabled".
            render_mode: what `render` gives of each world, "ansi" or "rgb_array".
            max_episode_steps: after so many ticks an episode is truncated, at least 1; by default only the universe
                ends episodes. The `cause` is -1 then, and the agent is alive.
            observations: how a universe that names groups of what it observes shows them: "groups", or "flat", one row.
            arguments: those of `hamlet.make` but `worlds`, `agents` and `autoreset`: `seed`, `params`, `backend`,
                `device`, .... Without a `seed` a fresh one is drawn.

        Raises:
            EnvError: an argument is wrong.
        """
        # Before 1.3 Gymnasium closes environments that are deleted, one that could not be made too.
        self.closed = True
        self.autoreset_mode = checked_mode(autoreset_mode)
        self.render_mode = checked_render_mode(render_mode)
        limit = checked_limit(max_episode_steps)
        shows_ends = self.autoreset_mode is not AutoresetMode.SAME_STEP
        self.env = made(universe, num_envs, arguments, shows_ends=shows_ends)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": PER_SECOND,
            "autoreset_mode": self.autoreset_mode,
        }
        self.num_envs = self.env.num_worlds
        self._handout = handout(self.env, observations)
        self.single_observation_space = observation_space(self.env, self._handout)
        self.single_action_space = action_space(self.env)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._worlds = Worlds(self.env, Autoreset(self.autoreset_mode.value), FirstSeed(arguments), limit)
        self._choices = num_choices(self.env)
        self._seeds: Seeds = None
        self._np_random, self._np_random_seed = seeding.np_random(self.env.seed)
        self.closed = False

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes.

        Args:
            seed: of all worlds. A list s, s + 1, ... means s; another list becomes one seed, which depends on all of
                it. Without a seed every world begins its next episode; `np_random_seed` is the seed that worlds have.
            options: `params`, a dictionary as `hamlet.make` takes it; `reset_mask`, an array [num_envs] bool of the
                worlds that begin an episode, where the others go on. A seed has to be the one that those have; the
                entries that a list has for them are not looked at.

        Raises:
            EnvError: an argument is wrong, or the environment is closed. Nothing was changed.
        """
        params, mask = parts("reset", options)
        if mask is not None:
            mask = checked_mask(mask, self.num_envs)
        present = self.env.seed if self._seeds is None else self._seeds
        seeds = seeds_of(seed, self.num_envs, present, mask)
        seed_of_all = seed_of(seeds)
        frame = self._worlds.reset(seed_of_all, params, mask)
        if seed_of_all is not None and (mask is None or mask.all()):
            self._seeds = seeds
        # A copy of an environment that nobody seeded has drawn a seed now.
        if seed_of_all is not None or self.env.seed != self._np_random_seed:
            super().reset(seed=self.env.seed)
        begun = np.ones(self.num_envs, np.bool_) if mask is None else mask.copy()
        masks = choosable(self.env, frame.array("action_mask")).view(np.int8)
        if mask is not None:
            masks = masks * begun[:, None]
        return self._handout.arrays(frame.array("observation")), _batched({"action_mask": masks}, begun)

    def step(self, actions: Any) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        """Run a tick with actions [num_envs] of an integer type, or with what else `action_space` has.

        Returns:
            Observations [num_envs, values], or of each group [num_envs, ...]; rewards f32, terminations, truncations,
            and infos: `action_mask` [num_envs, actions] int8; `used` and `cause` int32, as
            `hamlet.env.environment.Env.step` has them; `reports`, a dictionary; with SAME_STEP `final_obs` and
            `final_info`. `_used` says which worlds have a `used`, and so on.

        Raises:
            EnvError: actions are wrong, the environment is closed or was never reset, or, with DISABLED, a world whose
                episode ended was not reset. Nothing was changed.
        """
        chosen, controls = parted(self.env, actions)
        turn = self._worlds.step(self._actions(chosen), controls)
        array = turn.frame.array
        seen = self._handout.arrays(array("observation"))
        return seen, array("reward"), array("terminated"), array("truncated"), self._infos(turn)

    def render(self) -> tuple[Any, ...] | None:
        """A picture of every world, as `render_mode` says; `None` without one."""
        if self.render_mode is None:
            gymnasium.logger.warn("give a render_mode to see worlds: ansi or rgb_array")
            return None
        return tuple(self.env.render(self.render_mode, world) for world in range(self.num_envs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """The values of an attribute for all worlds: the number of a param or of an input, a space or the render mode
        of a single `Env`, or else an attribute of `env`, which all worlds share.

        Raises:
            EnvError: there is no such attribute, or it is a method or an array with all worlds, which `env` has.
        """
        if name in SINGLE and name not in (*self.env.params, *self.env.inputs):
            return (getattr(self, SINGLE[name]),) * self.num_envs
        return attribute_of_worlds(self.env, name)

    def set_attr(self, name: str, values: Any) -> None:
        """Write a param or an input, from the next tick on.

        Args:
            name: of the param or the input.
            values: a number for all worlds, or a list, a tuple or an array with a number for each.

        Raises:
            EnvError: the universe has no such param and no such input, or a value is wrong. Nothing was changed.
        """
        set_attribute_of_worlds(self.env, name, values)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The results of a method of a single `Env` for each world: `render`, or, with the name of an attribute,
        `get_wrapper_attr`. The name of an attribute itself is as good.

        Raises:
            EnvError: worlds have no such method or attribute, or were given arguments that it does not take.
        """
        match name, args:
            case "get_wrapper_attr", (attribute,) if not kwargs:
                return self.get_attr(attribute)
            case _, () if not kwargs:
                pictures = self.render() if name == "render" else self.get_attr(name)
                return (None,) * self.num_envs if pictures is None else pictures
            case _:
                raise EnvError(f"worlds have render and get_wrapper_attr to call, not {shown(name)} with arguments")

    def close_extras(self, **_: Any) -> None:
        """No other call is taken from now on."""
        self._worlds.close()

    def _actions(self, actions: Any) -> Any:
        if isinstance(actions, np.ndarray) and actions.dtype.kind in "iu":
            # torch takes no arrays that cannot be written, and does not write this one.
            plain = actions if actions.flags.writeable else actions.copy()
            if not self.env.validate and plain.size and not (plain.min() >= 0 and plain.max() < self._choices):
                raise EnvError(f"actions are 0 .. {self._choices - 1}, not {plain.min()} .. {plain.max()}")
            if plain.dtype.itemsize > 2 and plain.dtype.kind == "i":
                tensor = torch.from_numpy(plain)
                return tensor if self.env.device.type == "cpu" else tensor.to(self.env.device)
        return actions

    def _infos(self, turn: Turn) -> dict[str, Any]:
        frame = turn.frame
        stepped: dict[str, Any] = {"used": frame.array("used"), "cause": frame.array("cause")}
        if self.env.reports:
            stepped["reports"] = dict(zip(self.env.reports, frame.array("reports"), strict=True))
        infos = Infos({"action_mask": choosable(self.env, frame.array("action_mask")).view(np.int8)})
        return infos.later(partial(_of_step, turn, stepped, self.env, self._handout))


def _of_step(turn: Turn, stepped: dict[str, Any], env: Env, handout: Handout) -> dict[str, Any]:
    """Infos of a step beside masks: nothing of worlds that began an episode in it, but `final_info`."""
    count = env.num_worlds
    infos: dict[str, Any] = {"_action_mask": np.ones(count, np.bool_)}
    ended, begun = turn.ended, turn.begun
    if ended is not None:
        infos |= _finals(ended, _rows(stepped, _numpy(ended.numbers)), env, handout)
    if begun is None:
        return infos | _batched(stepped, np.ones(count, np.bool_))
    others = ~_numpy(begun)
    if others.any():
        infos |= _batched(_or_zero(stepped, others), others)
    return infos


def _finals(ended: Ended, stepped: dict[str, Any], env: Env, handout: Handout) -> dict[str, Any]:
    """`final_obs` and `final_info`, as Gymnasium's vector environments have them, of what these worlds have."""
    numbers, count = _numpy(ended.numbers), env.num_worlds
    over = np.zeros(count, np.bool_)
    over[numbers] = True
    final_obs = np.empty(count, object)
    for number, row in zip(numbers.tolist(), _numpy(ended.observation()), strict=True):
        final_obs[number] = handout.arrays(row)
    masks = _numpy(choosable(env, ended.action_mask)).view(np.int8)
    info = _batched(_spread({"action_mask": masks} | stepped, numbers, count), over)
    return {"final_obs": final_obs, "_final_obs": over, "final_info": info, "_final_info": over.copy()}


def _rows(values: dict[str, Any], worlds: Array) -> dict[str, Any]:
    """Values of these worlds."""
    return {name: _rows(each, worlds) if isinstance(each, dict) else each[worlds] for name, each in values.items()}


def _spread(rows: dict[str, Any], worlds: Array, count: int) -> dict[str, Any]:
    """Arrays of which these worlds have a row, and others 0."""
    infos: dict[str, Any] = {}
    for name, each in rows.items():
        if isinstance(each, dict):
            infos[name] = _spread(each, worlds, count)
        else:
            infos[name] = np.zeros((count, *each.shape[1:]), each.dtype)
            infos[name][worlds] = each
    return infos


def _or_zero(values: dict[str, Any], has: Array) -> dict[str, Any]:
    """Values of worlds, and 0 for worlds that have none."""
    return {
        name: _or_zero(each, has) if isinstance(each, dict) else np.where(has, each, each.dtype.type(0))
        for name, each in values.items()
    }


def _batched(values: dict[str, Any], has: Array) -> dict[str, Any]:
    """Entries of infos: each with an array that says which worlds have it, dictionaries inside too."""
    infos: dict[str, Any] = {}
    for name, each in values.items():
        infos[name] = _batched(each, has) if isinstance(each, dict) else each
        infos[f"_{name}"] = has.copy()
    return infos


def _numpy(tensor: torch.Tensor) -> Array:
    return tensor.cpu().numpy()
