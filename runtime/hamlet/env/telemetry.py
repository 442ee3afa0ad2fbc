"""Telemetry of an environment: what its steps and rollouts count, in windows of ticks."""

from __future__ import annotations

from typing import Any

from hamlet.arguments import flag, whole
from hamlet.env.attributes import MOST_TICKS
from hamlet.env.pictures import Pictured
from hamlet.errors import EnvError
from hamlet.telemetry.sinks import sinks_of
from hamlet.telemetry.telemetry import Telemetry


class Measured(Pictured):
    """An environment that telemetry can count."""

    def telemetry(self, every: int = 1000, to: Any = None, gather: bool = False) -> Telemetry:
        """Count every step and rollout from now on, in windows of so many ticks: episodes, their returns, lengths and
        ends, uses of affordances, meters at the end of episodes. Counts gather on the device, and leave it without
        anybody waiting; a thread makes a `hamlet.telemetry.Record` of each window and hands it on, in order.

        Args:
            every: the ticks of a window. A rollout over a boundary is cut there.
            to: `hamlet.telemetry.JsonLines("run.jsonl")`, `TensorBoard("runs/name")`, a function that takes a record,
                or a list of these.
            gather: add up the windows of all ranks of `torchrun`, and hand them to the sinks of rank 0. Every rank
                must begin, flush and close telemetry alike then.

        Returns:
            The telemetry, with `flush` and `close`; it is a context manager, too.

        Raises:
            EnvError: an argument is wrong, or telemetry of this environment is not closed yet.

        Example:
            with env.telemetry(every=1000, to=print):
                env.rollout(5000)
        """
        every = whole(every, 1, MOST_TICKS, "telemetry takes a window of 1 or more ticks")
        sinks, together = sinks_of(to), flag("gather", gather)
        if self._now.telemetry is not None:
            raise EnvError("this environment has telemetry already: close that first, or give it several sinks")
        begun = Telemetry(self.universe, self._counting.zeroed, self._buffers, every, sinks, together)
        opened, self._now.opened = self._now.opened, None
        if opened is not None and opened.tick == self._now.tick:
            begun.go_on(opened)
        begun.ends_with(self._silent)
        self._now.telemetry = begun
        return begun

    def _silent(self) -> None:
        """Telemetry was closed."""
        self._now.telemetry = None
