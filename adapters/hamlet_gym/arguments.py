"""Arguments of environments of Gymnasium, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from hamlet.env.pictures import RENDER_MODES
from hamlet.errors import EnvError, shown


def seed_of(seed: Any, count: int) -> int | None:
    """The one seed of all worlds. A list s, s + 1, ..., which is what Gymnasium makes of a number s, means s; any other
    list becomes a number that depends on all of it.

    Raises:
        EnvError: the list has another length, or something else in it than seeds.
    """
    if seed is None or isinstance(seed, (int, np.integer)):
        return None if seed is None else int(seed)
    listed = list(seed) if isinstance(seed, (list, tuple, np.ndarray)) else []
    right = [isinstance(each, (int, np.integer)) and 0 <= each < 1 << 64 for each in listed]
    if len(listed) != count or not all(right):
        raise EnvError(f"a seed is a whole number, or a list of {count} of them, in 0 .. 2**64 - 1")
    first = int(listed[0])
    if all(int(each) == first + number for number, each in enumerate(listed)):
        return first
    return int(np.random.SeedSequence([int(each) for each in listed]).generate_state(1, np.uint64)[0])


def parts(name: str, options: Any) -> tuple[Any, Any]:
    """The params and the mask of the worlds to reset, from the options of a reset.

    Raises:
        EnvError: there is another option.
    """
    given = {} if options is None else options
    if not isinstance(given, dict) or not set(given) <= {"params", "reset_mask"}:
        raise EnvError(f"options of {name} are a dictionary with params and reset_mask, not {options!r:.60}")
    return given.get("params"), given.get("reset_mask")


def checked_mode(mode: Any) -> AutoresetMode:
    """When episodes begin, or `EnvError`."""
    try:
        return AutoresetMode(mode)
    except ValueError as error:
        known = ", ".join(repr(each.value) for each in AutoresetMode)
        raise EnvError(f"autoreset_mode is one of {known}, not {shown(mode)}") from error


def checked_render_mode(mode: Any) -> str | None:
    """What `render` gives, or `EnvError`."""
    if mode is None or (isinstance(mode, str) and mode in RENDER_MODES):
        return mode
    raise EnvError(f"render_mode is None, {' or '.join(RENDER_MODES)}, not {shown(mode)}")


def checked_mask(mask: Any, count: int) -> np.ndarray[Any, Any]:
    """A mask of worlds as Gymnasium has it, or `EnvError`."""
    if isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (count,) and mask.any():
        return mask
    raise EnvError(f"reset_mask is an array [{count}] of numpy's bool that is True somewhere, not {shown(mask)}")
