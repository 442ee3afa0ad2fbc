"""The action and the controls of one agent, as numbers of Python. A world that is stepped alone takes these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from hamlet.env.environment import Env
from hamlet.errors import EnvError, shown
from hamlet.schema.actions import idle_action
from hamlet_adapters.choosing import num_choices
from hamlet_adapters.single import Control, Taking
from hamlet_adapters.worlds import whole_controls
from hamlet_gym.spaces import Choice, called, numbers_of

FLOAT, ONE = np.dtype(np.float32), (1,)


@dataclass(frozen=True, slots=True)
class Taken:
    """The conversion of actions and controls for the agent of an environment of one world.

    Attributes:
        env: the environment.
        count: the number of actions.
        wait: the number of the action that stands for doing nothing but steering.
        shape: of controls, [controls].
        low, high: the least and the greatest number of each control.
        whole: whether controls are whole numbers.
    """

    env: Env
    count: int
    wait: int
    shape: tuple[int, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    whole: bool

    @staticmethod
    def by(env: Env) -> Taken:
        """The conversion for an environment."""
        low, high = tuple(env.control_low.tolist()), tuple(env.control_high.tolist())
        return Taken(env, num_choices(env), idle_action(env.universe), (len(low),), low, high, whole_controls(env))

    def only(self, space: Choice) -> Control | None:
        """The control that agents with this space of actions say alone, if they do, and it is no whole number."""
        alone = len(self.low) == 1 and not self.whole and not isinstance(space, spaces.Dict)
        return (self.wait, self.low[0], self.high[0]) if alone else None

    def of(self, space: Choice) -> Taking:
        """A function that converts the actions of this space."""
        if not self.low:
            return self.action
        if isinstance(space, spaces.Dict):
            return self.both
        return self.controls if self.only(space) is None else self.control

    def action(self, argument: Any) -> tuple[int, Sequence[float]]:
        """The number of an action."""
        kind = type(argument)
        number: int = argument if kind is int else int(argument) if kind is np.int64 else whole(argument, self.count)
        if 0 <= number < self.count:
            return number, ()
        raise EnvError(f"action {number} does not exist: actions are 0 .. {self.count - 1}")

    def control(self, argument: Any) -> tuple[int, Sequence[float]]:
        """The only control."""
        if type(argument) is np.ndarray and argument.dtype is FLOAT and argument.shape == ONE:
            value = argument.item()
            if self.low[0] <= value <= self.high[0]:
                return self.wait, (value,)
        return self.controls(argument)

    def controls(self, argument: Any) -> tuple[int, Sequence[float]]:
        """Controls as numbers of Python, each one that f32 has."""
        plain = type(argument) is np.ndarray and argument.dtype is FLOAT and argument.shape == self.shape
        if self.whole or not plain:
            argument = self._converted(argument)
        values: list[float] = argument.tolist()
        for low, value, high in zip(self.low, values, self.high, strict=True):
            if not low <= value <= high:
                # It raises what is wrong, unless nobody is to look.
                self.env.checked_controls(argument[:, None])
        return self.wait, values

    def both(self, argument: Any) -> tuple[int, Sequence[float]]:
        """An action, and controls."""
        if not isinstance(argument, dict) or set(argument) != {"action", "controls"}:
            raise EnvError(f"agents do a dictionary of action and controls, not {shown(argument)}")
        return self.action(argument["action"])[0], self.controls(argument["controls"])[1]

    def _converted(self, argument: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
        controls = np.asarray(argument)
        if controls.shape != self.shape or controls.dtype.kind not in numbers_of(self.env):
            numbers = called(self.env)
            raise EnvError(f"controls are an array {list(self.shape)} of {numbers}, not {shown(argument)}")
        return controls.astype(FLOAT)


def whole(argument: Any, count: int) -> int:
    """The number of an action that is given as an array of one, or as another type of numpy's.

    Raises:
        EnvError: it is no whole number.
    """
    number = np.asarray(argument)
    if number.dtype.kind not in "iu" or number.size != 1:
        raise EnvError(f"an action is a whole number in 0 .. {count - 1}, not {shown(argument)}")
    return int(number.reshape(()))
