"""A ring of windows on their way from the device to whoever takes them; nothing waits for them but its own thread.

On a GPU a window is stacked into one array on the stream of the ticks, and copied from there into pinned memory on a
stream of its own, while the next ticks run. On a CPU it is one plain copy.
"""

from __future__ import annotations

import os
import queue
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from hamlet.errors import EnvError

SLOTS = 8
"""Windows that may be on their way at a time; ticks wait only where whoever takes them is slower than all of these."""
PAUSE = 0.05
"""Seconds that the thread rests after it handed over what there was, while at least half the slots are free: to wake it
costs the ticks as much as a hundred steps of few worlds."""
PATIENCE = 10.0
"""Seconds that a program which ends waits for its last windows."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The arrays of a window: so many counters i64, sums i64, and lanes f32."""

    counters: int
    sums: int
    lanes: int

    @property
    def bytes(self) -> int:
        """The bytes of all of them, one after the other."""
        return 8 * (self.counters + self.sums) + 4 * self.lanes


class Slot:
    """Memory on the host for a window, and on a GPU for what is copied there.

    Attributes:
        counters, sums, returns: views of it, [counters] i64, [sums] i64, [lanes] f32.
    """

    def __init__(self, sizes: Sizes, device: torch.device) -> None:
        cuda = device.type == "cuda"
        self._host = torch.zeros(sizes.bytes, dtype=torch.uint8, pin_memory=cuda)
        self._staged = torch.zeros(sizes.bytes, dtype=torch.uint8, device=device) if cuda else None
        memory = self._host.numpy()
        first, second = 8 * sizes.counters, 8 * (sizes.counters + sizes.sums)
        self.counters: NDArray[np.int64] = memory[:first].view(np.int64)
        self.sums: NDArray[np.int64] = memory[first:second].view(np.int64)
        self.returns: NDArray[np.float32] = memory[second:].view(np.float32)

    def fill(self, parts: Sequence[torch.Tensor], side: torch.cuda.Stream | None) -> torch.cuda.Event | None:
        """Copy counters, sums and returns here; on a GPU the event says when they have arrived."""
        if side is None or self._staged is None:
            # numpy copies in this thread: torch would wake others, which takes longer than the copy.
            *counters, sums, returns = (each.numpy() for each in parts)
            np.concatenate(counters, out=self.counters)
            self.sums[:] = sums
            self.returns[:] = returns
            return None
        torch.cat([each.view(torch.uint8) for each in parts], out=self._staged)
        side.wait_stream(torch.cuda.current_stream(self._staged.device))
        with torch.cuda.stream(side):
            self._host.copy_(self._staged, non_blocking=True)
        event: torch.cuda.Event = side.record_event()
        return event


@dataclass(frozen=True, slots=True)
class Sent:
    """A window on its way.

    Attributes:
        slot: where it arrives.
        arrived: when it has; `None` where it is there already.
        about: what the ring is told about it.
    """

    slot: Slot
    arrived: torch.cuda.Event | None
    about: Any


class Ring:
    """Slots that go around, and the thread that hands over what arrived, in order."""

    def __init__(self, sizes: Sizes, device: torch.device, take: Callable[[Slot, Any], None]) -> None:
        self._free: queue.Queue[Slot] = queue.Queue()
        for _ in range(SLOTS):
            self._free.put(Slot(sizes, device))
        cuda = device.type == "cuda"
        self._side = torch.cuda.Stream(device) if cuda else None  # type: ignore[no-untyped-call]
        self._sent: queue.Queue[Sent | None] = queue.Queue()
        self._urgent = threading.Event()
        self._failed: list[Exception] = []
        self._process = os.getpid()
        work = (self._sent, self._free, self._urgent, self._failed, take)
        self._thread = threading.Thread(target=_hand_over, args=work, name="hamlet-telemetry", daemon=True)
        self._thread.start()
        self._end = weakref.finalize(self, _end, self._sent, self._urgent, self._thread)

    def send(self, parts: Sequence[torch.Tensor], about: Any) -> None:
        """Send a window: counters, sums, returns.

        Raises:
            EnvError: an earlier window could not be taken, or this is another process than the one that began.
        """
        self._check_process()
        slot = self._free.get()
        self._sent.put(Sent(slot, slot.fill(parts, self._side), about))
        if self._free.qsize() < SLOTS // 2:
            self._urgent.set()
        self._check()

    def wait(self) -> None:
        """Wait until everything that was sent is taken. Raises `EnvError` like `send`."""
        self._check_process()
        self._urgent.set()
        self._sent.join()
        self._check()

    def close(self) -> None:
        """End the thread, after everything that was sent is taken."""
        self._end()

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise EnvError("telemetry stays with the process that began it: begin it anew after a fork")

    def _check(self) -> None:
        if self._failed:
            error = self._failed.pop(0)
            said = str(error).strip().partition("\n")[0]
            raise EnvError(f"telemetry was not taken: {said or type(error).__name__}") from error


def _hand_over(
    sent: queue.Queue[Sent | None],
    free: queue.Queue[Slot],
    urgent: threading.Event,
    failed: list[Exception],
    take: Callable[[Slot, Any], None],
) -> None:
    """What the thread does, until it is told to end."""
    while (window := sent.get()) is not None:
        try:
            if window.arrived is not None:
                window.arrived.synchronize()
            take(window.slot, window.about)
        except Exception as error:  # whatever a sink does, the ticks go on until they are told
            failed.append(error)
        finally:
            free.put(window.slot)
            sent.task_done()
        if sent.empty():
            urgent.wait(PAUSE)
            urgent.clear()
    sent.task_done()


def _end(sent: queue.Queue[Sent | None], urgent: threading.Event, thread: threading.Thread) -> None:
    sent.put(None)
    urgent.set()
    if thread.is_alive() and thread is not threading.current_thread():
        thread.join(PATIENCE)
