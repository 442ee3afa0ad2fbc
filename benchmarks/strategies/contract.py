"""What a strategy is: a way to execute the ticks of a universe. Each is one file here, with the same small interface.

A strategy is made once for a universe and a device: what it computes or compiles ahead belongs there and is not timed.
Every world has one agent, so that a lane is a world and all lanes are alive at the beginning of a tick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from hamlet.backend.buffers import Statistics


@dataclass(frozen=True, slots=True)
class Start:
    """Where a run begins.

    Attributes:
        state: by name, as `hamlet.schema.state_fields` says: [rows, lanes] or [lanes], on the strategy's device.
        seed: 0 .. 2**64 - 1; it keys the layouts of new episodes.
        tick: ticks since the seed was set. Only a strategy that draws its own actions wants to know.
    """

    state: dict[str, Tensor]
    seed: int
    tick: int

    @property
    def lanes(self) -> int:
        return len(self.state["age"])

    @property
    def halves(self) -> tuple[int, int]:
        """The lower and the upper 32 bits of the seed."""
        return self.seed & 0xFFFFFFFF, self.seed >> 32


@dataclass(frozen=True, slots=True)
class Result:
    """What a run leaves: the state by name, and the outcomes of all ticks since `prepare`, summed."""

    state: dict[str, Tensor]
    statistics: Statistics


class Strategy(Protocol):
    """A way to execute ticks. `run` goes on from where the run before it ended."""

    def prepare(self, start: Start) -> None:
        """Take this state as the current one, and count from zero. Keeps no reference to the tensors of `start`."""
        ...

    def run(self, actions: Tensor) -> Result:
        """Execute ticks with actions i32 [ticks, lanes], new episodes included. The tensors of the result are the
        strategy's own and change in the next call."""
        ...


class NotAvailableError(Exception):
    """A strategy cannot run on this machine; the message says why."""
