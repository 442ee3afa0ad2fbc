"""One world of one agent in numbers of Python: a step of it takes as long as some statements of Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import torch

from hamlet.adapters.worlds import Worlds
from hamlet.backend.protocol import Singling
from hamlet.env.single import SingleSteps

Array: TypeAlias = np.ndarray[Any, Any]


class SingleWorld:
    """The only world of `Worlds` that begin no episode by themselves, on a CPU. The arrays are the environment's own
    memory, which the next call changes: hand out copies.

    Attributes:
        observation, action_mask: [values], and [actions] int8.
        reward, terminated, truncated, used, cause: [1], whose element is a number of Python, or whether it is so.
        reports: [reports] f32.
    """

    def __init__(self, worlds: Worlds) -> None:
        """`fits` says whether worlds are such."""
        env = worlds.env
        self._worlds, self._steps = worlds, SingleSteps(env)
        self._over = torch.ones(1, dtype=torch.bool)
        self._look()

    @staticmethod
    def fits(worlds: Worlds) -> bool:
        """Whether a world is alone, and its backend has a shorter way to step it."""
        env = worlds.env
        return env.num_lanes == 1 and env.device.type == "cpu" and isinstance(env._backend, Singling)

    def watch(self) -> None:
        """From now on look whether somebody has given tensors of the environment other memory."""
        self._steps.watching = True

    def step(self, action: int, controls: Sequence[float] = ()) -> bool:
        """Run a tick with an action and controls in range; gives whether the episode ended.

        Raises:
            EnvError: see `hamlet.adapters.worlds.Worlds.step`.
        """
        worlds, steps = self._worlds, self._steps
        if not worlds.ready():
            worlds.check_ready()
            worlds.ended(None)
        if steps.step(action, controls):
            self._look()
        over: bool = self.terminated[0] or self.truncated[0]
        if over:
            worlds.ended(self._over)
        return over

    def begin(self) -> None:
        """Begin the next episode.

        Raises:
            EnvError: see `hamlet.adapters.worlds.Worlds.reset`.
        """
        self._worlds.check_open()
        if self._steps.begin():
            self._look()
        self._worlds.ended(None)

    def __reduce__(self) -> tuple[Any, ...]:
        # Memory and functions of C are found again.
        return SingleWorld, (self._worlds,)

    def _look(self) -> None:
        """Find the memory of the environment."""
        own = self._steps.outputs
        tensors, outcome = own.tensors(), own.buffers.outcome
        self.observation: Array = tensors["observation"][0].numpy()
        self.action_mask: Array = tensors["action_mask"][0].numpy().view(np.int8)
        # Their elements are numbers of Python of several types.
        self.reward, self.terminated, self.truncated, self.used, self.cause = (
            cast("memoryview[Any]", outcome[name].numpy().data)
            for name in ("reward", "terminated", "truncated", "used", "cause")
        )
        self.reports: Array = outcome["reports"][:, 0].numpy() if "reports" in outcome else np.zeros(0, np.float32)
