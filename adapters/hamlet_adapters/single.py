"""One world of one agent in numbers of Python: a step of it takes as long as some statements of Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import torch

from hamlet.backend.protocol import Singling
from hamlet.env.single import SingleSteps
from hamlet.errors import EnvError
from hamlet.launch.cpu.single import Single
from hamlet.launch.cpu.turn import OUTCOMES, Answer, Step, is_able
from hamlet_adapters.worlds import Worlds

Array: TypeAlias = np.ndarray[Any, Any]
Taking: TypeAlias = "Callable[[Any], tuple[int, Sequence[float]]]"
"""Gives the action in range and the controls of what an agent is said to do, or raises `EnvError`."""
Control: TypeAlias = tuple[int, float, float]


class SingleWorld(SingleSteps):
    """The only world of `Worlds` that begin no episode by themselves, on a CPU. The arrays are the environment's own
    memory, which the next call changes: hand out copies.

    Attributes:
        running: whether the episode goes on, so that `step` may be called; else `check` says so or refuses.
        observation, action_mask: [values], and [actions] int8.
        reward, terminated, truncated, used, cause: [1], whose element is a number of Python, or whether it is so.
        reports: [reports] f32.
        at_once: `step` and the tuple that Gymnasium's gives, as one call, while an episode goes on; `None` before
            `hasten`.
    """

    def __init__(self, worlds: Worlds) -> None:
        """`fits` says whether worlds are such."""
        self._worlds = worlds
        self._over = torch.ones(1, dtype=torch.bool)
        self.running = False
        self.at_once: Step | None = None
        self._hastened: Step | None = None
        super().__init__(worlds.env)

    @staticmethod
    def fits(worlds: Worlds) -> bool:
        """Whether a world is alone, and its backend has a shorter way to step it."""
        env = worlds.env
        return env.num_lanes == 1 and env.device.type == "cpu" and isinstance(env._backend, Singling)

    def check(self) -> None:
        """See whether a step may be run.

        Raises:
            EnvError: see `hamlet_adapters.worlds.Worlds.step`.
        """
        self._worlds.check_ready()
        self._worlds.ended(None)
        self.running = True

    def end(self) -> None:
        """Note that the last step ended the episode."""
        self.running, self.at_once = False, None
        self._worlds.ended(self._over)

    def hasten(self, taken: Taking, actions: int, control: Control | None, numbers: list[Any]) -> bool:
        """Make `at_once` after a step, and give whether it can be: not where a step has more to look at, params and
        inputs that may be written in place or tensors that somebody else has, and not without a compiler.

        Args:
            taken, actions, numbers: see `hamlet.launch.cpu.turn.Answer`.
            control: the idle action with the bounds of the only control, where agents say that alone.
        """
        single = self._single
        looks = self.watching or self._checked or self._now.telemetry is not None
        if looks or not is_able() or not isinstance(single, Single):
            return False
        outcomes = {name: self.outputs.buffers.outcome[name].numpy() for name in OUTCOMES}
        idle, *bounds = (0, math.inf, -math.inf) if control is None else control
        shown = self.observation, self.action_mask
        answer = Answer(taken, actions, idle, (bounds[0], bounds[1]), *shown, outcomes, numbers, self.end)
        try:
            self._hastened = single.at_once(self._now, answer)
        except EnvError:
            # Machine code that came with a package needs no compiler.
            return False
        # A step then writes the action where this tensor has it.
        self._now.acted = single.actions
        self.at_once = self._hastened
        return True

    def linger(self) -> None:
        """Drop `at_once`: what it knows of the environment changes."""
        self.at_once = self._hastened = None

    def begin(self) -> None:
        """Begin the next episode.

        Raises:
            EnvError: see `hamlet_adapters.worlds.Worlds.reset`.
        """
        self._worlds.check_open()
        super().begin()
        self._worlds.ended(None)
        self.running, self.at_once = True, self._hastened

    def __reduce__(self) -> tuple[Any, ...]:
        # Memory and functions of C are found again.
        return SingleWorld, (self._worlds,)

    def _look(self) -> None:
        super()._look()
        self.linger()
        tensors, outcome = self.outputs.tensors(), self.outputs.buffers.outcome
        self.observation: Array = tensors["observation"][0].numpy()
        self.action_mask: Array = tensors["action_mask"][0].numpy().view(np.int8)
        # Their elements are numbers of Python of several types.
        self.reward, self.terminated, self.truncated, self.used, self.cause = (
            cast("memoryview[Any]", outcome[name].numpy().data)
            for name in ("reward", "terminated", "truncated", "used", "cause")
        )
        self.reports: Array = outcome["reports"][:, 0].numpy() if "reports" in outcome else np.zeros(0, np.float32)
