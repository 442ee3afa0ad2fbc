"""What one agent does, as numbers of Python: an action, and controls. A world that is stepped alone takes these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from hamlet.env.environment import Env
from hamlet.errors import EnvError, shown
from hamlet_gym.spaces import Choice

NUMBERS = (int, np.int64, np.int32)
"""Types of actions, which are whole numbers as they are."""
FLOAT = np.dtype(np.float32)


@dataclass(frozen=True, slots=True)
class Taken:
    """What the agent of an environment of one world may do.

    Attributes:
        env: the environment.
        space: its space of actions.
        count: the number of actions.
        wait: the number of the action that stands for doing nothing but steering; `None` where an action is given.
        shape: of controls, [controls].
        bounds: the least and the greatest number of each control.
        only: those of the only control, if there is one.
    """

    env: Env
    space: Choice
    count: int
    wait: int | None
    shape: tuple[int, ...]
    bounds: tuple[tuple[float, float], ...]
    only: tuple[float, float] | None

    @classmethod
    def of(cls, env: Env, space: Choice) -> Taken:
        """That of an environment with this space of actions."""
        wait = env.action_names.index("WAIT") if isinstance(space, spaces.Box) else None
        bounds = tuple(zip(env.control_low.tolist(), env.control_high.tolist(), strict=True))
        only = bounds[0] if len(bounds) == 1 else None
        return cls(env, space, env.num_actions, wait, (env.num_controls,), bounds, only)

    def numbers(self, given: Any) -> tuple[int, Sequence[float]]:
        """An action in range, and controls.

        Raises:
            EnvError: the agent cannot do that.
        """
        if not self.bounds:
            return self.action(given), ()
        if self.wait is not None:
            return self.wait, self.controls(given)
        if not isinstance(given, dict) or set(given) != {"action", "controls"}:
            raise EnvError(f"agents do a dictionary of action and controls, not {shown(given)}")
        return self.action(given["action"]), self.controls(given["controls"])

    def action(self, given: Any) -> int:
        """The number of an action."""
        number: int = given if type(given) in NUMBERS else whole(given, self.count)
        if 0 <= number < self.count:
            return number
        raise EnvError(f"action {number} does not exist: actions are 0 .. {self.count - 1}")

    def controls(self, given: Any) -> Sequence[float]:
        """Controls as numbers of Python, each one that f32 has."""
        if type(given) is not np.ndarray or given.dtype is not FLOAT or given.shape != self.shape:
            given = self._converted(given)
        if self.only is not None:
            value = given.item()
            if self.only[0] <= value <= self.only[1]:
                return (value,)
        values: list[float] = given.tolist()
        for value, (low, high) in zip(values, self.bounds, strict=False):
            if not low <= value <= high:
                # It raises what is wrong, unless nobody is to look.
                self.env.checked_controls(given[:, None])
        return values

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
