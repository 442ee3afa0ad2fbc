"""Arguments of environments of Gymnasium, checked."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from gymnasium.vector import AutoresetMode

from hamlet.arguments import whole
from hamlet.env.attributes import MOST_TICKS
from hamlet.env.environment import Env
from hamlet.env.pictures import RENDER_MODES
from hamlet.errors import EnvError, shown
from hamlet_gym.spaces import PER_SECOND
from hamlet_look.window import Window

WINDOWED = ("human", *RENDER_MODES)
"""Modes of `render` of a single world: "human" returns nothing, but a window shows each step and each reset."""

Array = np.ndarray[Any, Any]

Seeds: TypeAlias = "int | list[int] | None"
"""A number s, which gives the worlds the seeds s, s + 1, ..., a list of their seeds, or nothing."""


def seeds_of(seed: Any, count: int, present: int | list[int], mask: Array | None = None) -> Seeds:
    """The seeds of a reset; of worlds that are not in the mask, [worlds] bool, those that they have at present.

    Raises:
        EnvError: a list has another length, or something else in it than seeds.
    """
    if seed is None or isinstance(seed, (int, np.integer)):
        return None if seed is None else int(seed)
    listed = list(seed) if isinstance(seed, (list, tuple, np.ndarray)) else []
    begin = [True] * count if mask is None else mask.tolist()
    seeds = [each for each, begins in zip(listed, begin, strict=False) if begins]
    if len(listed) == count and all(each is None for each in seeds):
        return None
    right = [isinstance(each, (int, np.integer)) and 0 <= each < 1 << 64 for each in seeds]
    if len(listed) != count or not all(right):
        raise EnvError(f"a seed is a whole number, or a list of {count} of them, in 0 .. 2**64 - 1")
    others = present if isinstance(present, list) else [present + number for number in range(count)]
    return [int(each) if begins else other for each, begins, other in zip(listed, begin, others, strict=True)]


def seed_of(seeds: Seeds) -> int | None:
    """The one seed of all worlds. A list s, s + 1, ..., which is what Gymnasium makes of a number s, means s; any other
    list becomes a number that depends on all of it."""
    if not isinstance(seeds, list):
        return seeds
    first = seeds[0]
    if all(each == first + number for number, each in enumerate(seeds)):
        return first
    return int(np.random.SeedSequence(seeds).generate_state(1, np.uint64)[0])


def parts(name: str, options: Any) -> tuple[Any, Any]:
    """The params and the mask of the worlds to reset, from the options of a reset.

    Raises:
        EnvError: there is another option.
    """
    reset_options = {} if options is None else options
    if not isinstance(reset_options, dict) or not set(reset_options) <= {"params", "reset_mask"}:
        raise EnvError(f"options of {name} are a dictionary with params and reset_mask, not {options!r:.60}")
    return reset_options.get("params"), reset_options.get("reset_mask")


def checked_mode(mode: Any) -> AutoresetMode:
    """When episodes begin, or `EnvError`."""
    try:
        return AutoresetMode(mode)
    except ValueError as error:
        modes = ", ".join(repr(each.value) for each in AutoresetMode)
        raise EnvError(f"autoreset_mode is one of {modes}, not {shown(mode)}") from error


def checked_render_mode(mode: Any, modes: tuple[str, ...] = RENDER_MODES) -> str | None:
    """The mode of `render`, one of `modes` or `None`, or `EnvError`."""
    if mode is None or (isinstance(mode, str) and mode in modes):
        return mode
    raise EnvError(f"render_mode is None, {', '.join(modes[:-1])} or {modes[-1]}, not {shown(mode)}")


def window_of(env: Env, mode: str | None) -> Window | None:
    """The window of an environment that is shown to a human.

    Raises:
        EnvError: pygame is not installed.
    """
    return Window(env.universe.name, PER_SECOND) if mode == "human" else None


def checked_limit(ticks: Any) -> int | None:
    """The most ticks of an episode, or `EnvError`."""
    return None if ticks is None else whole(ticks, 1, MOST_TICKS, "max_episode_steps is a whole number, at least 1")


def checked_mask(mask: Any, count: int) -> Array:
    """A mask of worlds as Gymnasium has it, or `EnvError`."""
    if isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (count,) and mask.any():
        return mask
    raise EnvError(f"reset_mask is an array [{count}] of numpy's bool that is True somewhere, not {shown(mask)}")
