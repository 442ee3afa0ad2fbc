"""What one agent does, as numbers of Python: an action, and controls. A world that is stepped alone takes these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces

from hamlet.env.environment import Env
from hamlet.errors import EnvError, shown
from hamlet_gym.spaces import Choice

FLOAT, ONE = np.dtype(np.float32), (1,)

Taking: TypeAlias = "Callable[[Any], tuple[int, Sequence[float]]]"
"""Gives the action in range and the controls of what an agent is said to do, or raises `EnvError`."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What the agent of an environment of one world may do.

    Attributes:
        env: the environment.
        count: the number of actions.
        wait: the number of the action that stands for doing nothing but steering.
        shape: of controls, [controls].
        low, high: the least and the greatest number of each control.
    """

    env: Env
    count: int
    wait: int
    shape: tuple[int, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @staticmethod
    def by(env: Env, space: Choice) -> Taking:
        """What takes the actions of an environment with this space of actions."""
        low, high = tuple(env.control_low.tolist()), tuple(env.control_high.tolist())
        taken = Taken(env, env.num_actions, env.action_names.index("WAIT"), (len(low),), low, high)
        if not low:
            return taken.action
        if not isinstance(space, spaces.Box):
            return taken.both
        return taken.control if len(low) == 1 else taken.controls

    def action(self, given: Any) -> tuple[int, Sequence[float]]:
        """The number of an action."""
        kind = type(given)
        number: int = given if kind is int else int(given) if kind is np.int64 else whole(given, self.count)
        if 0 <= number < self.count:
            return number, ()
        raise EnvError(f"action {number} does not exist: actions are 0 .. {self.count - 1}")

    def control(self, given: Any) -> tuple[int, Sequence[float]]:
        """The only control."""
        if type(given) is np.ndarray and given.dtype is FLOAT and given.shape == ONE:
            value = given.item()
            if self.low[0] <= value <= self.high[0]:
                return self.wait, (value,)
        return self.controls(given)

    def controls(self, given: Any) -> tuple[int, Sequence[float]]:
        """Controls as numbers of Python, each one that f32 has."""
        if type(given) is not np.ndarray or given.dtype is not FLOAT or given.shape != self.shape:
            given = self._converted(given)
        values: list[float] = given.tolist()
        for low, value, high in zip(self.low, values, self.high, strict=True):
            if not low <= value <= high:
                # It raises what is wrong, unless nobody is to look.
                self.env.checked_controls(given[:, None])
        return self.wait, values

    def both(self, given: Any) -> tuple[int, Sequence[float]]:
        """An action, and controls."""
        if not isinstance(given, dict) or set(given) != {"action", "controls"}:
            raise EnvError(f"agents do a dictionary of action and controls, not {shown(given)}")
        return self.action(given["action"])[0], self.controls(given["controls"])[1]

    def _converted(self, given: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
        controls = np.asarray(given)
        if controls.shape != self.shape or controls.dtype.kind != "f":
            raise EnvError(f"controls are an array {list(self.shape)} of floating-point numbers, not {shown(given)}")
        return controls.astype(FLOAT)


def whole(given: Any, count: int) -> int:
    """The number of an action that is given as an array of one, or as another type of numpy's.

    Raises:
        EnvError: it is no whole number.
    """
    number = np.asarray(given)
    if number.dtype.kind not in "iu" or number.size != 1:
        raise EnvError(f"an action is a whole number in 0 .. {count - 1}, not {shown(given)}")
    return int(number.reshape(()))
