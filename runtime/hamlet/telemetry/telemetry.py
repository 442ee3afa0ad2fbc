"""Counts of windows of ticks: they gather on the device while ticks run, and leave it when a window is full."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from types import TracebackType
from typing import Any

import numpy as np
import torch
import torch.distributed as dist

from hamlet import distributed
from hamlet.backend.buffers import Buffers, Memory, Statistics, with_ended_meters
from hamlet.errors import EnvError
from hamlet.schema import abi
from hamlet.telemetry.opened import Opened
from hamlet.telemetry.ring import Ring, Sizes, Slot
from hamlet.telemetry.sinks import Closing, Sink
from hamlet.telemetry.window import Layout
from hamlet.universe import Universe


@dataclass(frozen=True, slots=True)
class About:
    """The number of a window, the tick at its end, and how many ticks it has."""

    number: int
    tick: int
    ticks: int


class Telemetry:
    """Counts that leave a running environment every so many ticks; `Env.telemetry` makes it.

    Attributes:
        every: the ticks of a window.
        left: the ticks until the present window is full.
        window: what the present window has counted; steps add to it.
    """

    def __init__(
        self,
        universe: Universe,
        zeroed: Callable[[], Statistics],
        buffers: Buffers,
        every: int,
        sinks: tuple[Sink, ...],
        gather: bool,
    ) -> None:
        self.every = self.left = self._size = every
        self._sinks = sinks
        self._gather = gather
        self.window, self._sums = _side_by_side(with_ended_meters(zeroed(), len(universe.meters)))
        self._layout = Layout(universe)
        self._number = 0
        self._tick = 0
        sizes = Sizes(sum(abi.counters(universe).values()), buffers.shape.lanes)
        # The thread must not keep this object alive, whose end is to end the thread.
        group = dist.new_group(backend="gloo") if gather and distributed.begin().count > 1 else None
        self._ring = Ring(sizes, buffers.mask.device, partial(_deliver, self._layout, sinks, gather, group))
        self._closed = False
        self._done: Callable[[], None] = lambda: None

    def ends_with(self, done: Callable[[], None]) -> None:
        """Call this when telemetry is closed."""
        self._done = done

    def counted_step(self, tick: int) -> None:
        """A step has counted in `window`, up to this tick."""
        self._tick = tick
        self.left -= 1
        if self.left == 0:
            self._send(tick)

    def counts(self, callers: Statistics | None) -> Statistics:
        """The statistics that a rollout counts in: those of the caller and the window's meters, or else the window."""
        if callers is None:
            return self.window
        return replace(callers, memory={**callers.memory, abi.ENDED_METERS: self.window.memory[abi.ENDED_METERS]})

    def before(self, callers: Statistics | None) -> Mapping[str, Memory] | None:
        """Counts of the caller before a rollout, to be passed to `counted` after it."""
        if callers is None:
            return None
        return {name: callers.memory[name] + 0 for name in abi.COUNTS}

    def counted(self, callers: Statistics | None, before: Mapping[str, Memory] | None, ticks: int, tick: int) -> None:
        """So many ticks of a rollout have run, up to this one. Of counts of the caller's the window gets what they grew
        by, which is all where they had nothing `before`: returns of lanes in f32."""
        if callers is not None:
            for name in abi.COUNTS:
                own: Any = self.window.memory[name]
                own += callers.memory[name] if before is None else callers.memory[name] - before[name]
        self._tick = tick
        self.left -= ticks
        if self.left == 0:
            self._send(tick)

    def opened(self) -> Opened | None:
        """The window that is open, for a checkpoint: its counts go on changing. `None` where it has no tick yet."""
        passed = self._size - self.left
        return Opened(self._number, self._tick, passed, self.window.memory) if passed else None

    def go_on(self, opened: Opened) -> None:
        """Continue a window of a checkpoint in the place of the present one; it has a tick more at least.

        Raises:
            EnvError: it is of another environment. Nothing was changed.
        """
        opened.copy_to(self.window)
        self._number, self._tick = opened.number, opened.tick
        self._size = max(self.every, opened.ticks + 1)
        self.left = self._size - opened.ticks

    def flush(self) -> None:
        """End the present window, if a tick of it has passed, and wait until every record is where it goes. With
        `gather` every rank must call this.

        Raises:
            EnvError: telemetry was closed, or something could not be written.
        """
        self._open()
        if self.left < self._size:
            self._send(self._tick)
        self._ring.wait()

    def close(self) -> None:
        """`flush`, then close files; the environment counts no more. A second call does nothing.

        Raises:
            EnvError: something could not be written.
        """
        if self._closed:
            return
        try:
            self.flush()
        finally:
            self._closed = True
            self._done()
            self._ring.close()
            for sink in self._sinks:
                if isinstance(sink, Closing):
                    sink.close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def __enter__(self) -> Telemetry:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> None:
        if self._closed:
            raise EnvError("this telemetry was closed: begin it anew with Env.telemetry")

    def _send(self, tick: int) -> None:
        about = About(self._number, tick % (1 << 32), self._size - self.left)
        try:
            self._ring.send(self._sums, self.window.memory["finished_return"], about)
        finally:
            # Whatever an earlier window met with, the next one begins here.
            self._begin()

    def _begin(self) -> None:
        """Begin a window."""
        self._sums[:] = 0
        self.window.memory["finished_return"][:] = 0
        self._number += 1
        self.left = self._size = self.every


def _side_by_side(counts: Statistics) -> tuple[Statistics, Memory]:
    """Counts whose sums of integers are side by side in one array, and that array: it leaves the device as a whole."""
    parts: list[Any] = [counts.memory[name] for name in abi.SUMS]
    together = np.concatenate(parts) if isinstance(parts[0], np.ndarray) else torch.cat(parts)
    ends = list(accumulate(map(len, parts)))
    views = {name: together[end - len(part) : end] for name, part, end in zip(abi.SUMS, parts, ends, strict=True)}
    return replace(counts, memory={**counts.memory, **views}), together


def _deliver(layout: Layout, sinks: tuple[Sink, ...], gather: bool, group: Any, slot: Slot, about: About) -> None:
    """Make a record of a window that arrived, and hand it to the sinks; with `gather` of all ranks, on rank 0."""
    window = layout.packed(slot.counters, slot.returns)
    if gather and distributed.shard().count > 1:
        window = distributed.total(torch.from_numpy(window), group).numpy()
        if distributed.shard().number > 0:
            return
    record = layout.record(np.asarray(window), about.number, about.tick, about.ticks)
    for sink in sinks:
        sink(record)
