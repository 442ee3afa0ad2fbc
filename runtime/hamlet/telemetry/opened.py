"""The window of telemetry that is open: what a checkpoint keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hamlet.backend.buffers import Memory, Statistics, tensor_of
from hamlet.errors import EnvError


@dataclass(frozen=True, slots=True)
class Opened:
    """A window that is not full yet.

    Attributes:
        number: of the window.
        tick: `Env.tick` after its last tick.
        ticks: how many it has counted.
        counts: what it has counted, by the names of `Statistics.memory`.
    """

    number: int
    tick: int
    ticks: int
    counts: Mapping[str, Memory]

    def check(self, window: Statistics) -> None:
        """Raise `EnvError` unless telemetry that counts so can continue this window."""
        for name, memory in window.memory.items():
            here, there = self.counts.get(name), tensor_of(memory)
            if here is None or here.shape != there.shape or tensor_of(here).dtype is not there.dtype:
                raise EnvError(f"the checkpoint's open window of telemetry is of another environment: see {name}")

    def copy_to(self, window: Statistics) -> None:
        """Write the counts into those of telemetry.

        Raises:
            EnvError: they are of another environment. Nothing was changed.
        """
        self.check(window)
        for name, memory in window.memory.items():
            tensor_of(memory).copy_(tensor_of(self.counts[name]))
