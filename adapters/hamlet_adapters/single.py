"""One world of one agent in numbers of Python: a step of it takes as long as some statements of Python."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

import numpy as np
import torch

from hamlet.backend.protocol import Singling
from hamlet.env.single import SingleSteps
from hamlet_adapters.worlds import Worlds

Array: TypeAlias = np.ndarray[Any, Any]


class SingleWorld(SingleSteps):
    """The only world of `Worlds` that begin no episode by themselves, on a CPU. The arrays are the environment's own
    memory, which the next call changes: hand out copies.

    Attributes:
        running: whether the episode goes on, so that `step` may be called; else `check` says so or refuses.
        observation, action_mask: [values], and [actions] int8.
        reward, terminated, truncated, used, cause: [1], whose element is a number of Python, or whether it is so.
        reports: [reports] f32.
    """

    def __init__(self, worlds: Worlds) -> None:
        """`fits` says whether worlds are such."""
        self._worlds = worlds
        self._over = torch.ones(1, dtype=torch.bool)
        self.running = False
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
        self.running = False
        self._worlds.ended(self._over)

    def begin(self) -> None:
        """Begin the next episode.

        Raises:
            EnvError: see `hamlet_adapters.worlds.Worlds.reset`.
        """
        self._worlds.check_open()
        super().begin()
        self._worlds.ended(None)
        self.running = True

    def __reduce__(self) -> tuple[Any, ...]:
        # Memory and functions of C are found again.
        return SingleWorld, (self._worlds,)

    def _look(self) -> None:
        super()._look()
        tensors, outcome = self.outputs.tensors(), self.outputs.buffers.outcome
        self.observation: Array = tensors["observation"][0].numpy()
        self.action_mask: Array = tensors["action_mask"][0].numpy().view(np.int8)
        # Their elements are numbers of Python of several types.
        self.reward, self.terminated, self.truncated, self.used, self.cause = (
            cast("memoryview[Any]", outcome[name].numpy().data)
            for name in ("reward", "terminated", "truncated", "used", "cause")
        )
        self.reports: Array = outcome["reports"][:, 0].numpy() if "reports" in outcome else np.zeros(0, np.float32)
