"""A ring of windows on their way from the device to whoever takes them; nothing waits for them but its own thread.

On a GPU a window is stacked into one array on the stream of the ticks, and copied from there into pinned memory on a
stream of its own, while the next ticks run. On a CPU it is one plain copy.
"""

from __future__ import annotations

import os
import queue
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from hamlet.backend.buffers import Memory, tensor_of
from hamlet.errors import EnvError

FEWEST, MOST, BYTES = 8, 32, 1 << 22
"""How many windows may be on their way, and how many bytes they should have together; ticks wait only where whoever
takes windows is slower than all of these."""
PAUSE = 0.2
"""Seconds that the thread rests after it handed over what there was, while at least half the slots are free: to wake it
costs the ticks as much as a hundred steps of few worlds."""
PATIENCE = 10.0
"""Seconds that a program which ends waits for its last windows."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The arrays of a window: so many counters i64, and lanes f32."""

    counters: int
    lanes: int

    @property
    def bytes(self) -> int:
        """The bytes of all of them, one after the other."""
        return 8 * self.counters + 4 * self.lanes

    @property
    def slots(self) -> int:
        """How many windows may be on their way."""
        return max(FEWEST, min(MOST, BYTES // self.bytes))


class Slot:
    """Memory on the host for a window, and on a GPU for what is copied there.

    Attributes:
        counters, returns: views of it, [counters] i64 and [lanes] f32.
    """

    def __init__(self, sizes: Sizes, device: torch.device) -> None:
        cuda = device.type == "cuda"
        self._host = torch.zeros(sizes.bytes, dtype=torch.uint8, pin_memory=cuda)
        self._staged = torch.zeros(sizes.bytes, dtype=torch.uint8, device=device) if cuda else None
        memory = self._host.numpy()
        first = 8 * sizes.counters
        self.counters: NDArray[np.int64] = memory[:first].view(np.int64)
        self.returns: NDArray[np.float32] = memory[first:].view(np.float32)

    def fill(self, counters: Memory, returns: Memory, side: torch.cuda.Stream | None) -> torch.cuda.Event | None:
        """Copy them here; on a GPU the event says when they have arrived."""
        if side is None or self._staged is None:
            # numpy copies in this thread: torch would wake others, which takes longer than the copy.
            self.counters[:], self.returns[:] = counters, returns
            return None
        torch.cat([tensor_of(each).view(torch.uint8) for each in (counters, returns)], out=self._staged)
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


Sending: TypeAlias = "queue.SimpleQueue[Sent | threading.Event | None]"
"""Windows; who waits for all before it; `None` at the end."""


class Ring:
    """Slots that go around, and the thread that hands over what arrived, in order."""

    def __init__(self, sizes: Sizes, device: torch.device, take: Callable[[Slot, Any], None]) -> None:
        self._slots = sizes.slots
        self._free: queue.SimpleQueue[Slot] = queue.SimpleQueue()
        for _ in range(self._slots):
            self._free.put(Slot(sizes, device))
        cuda = device.type == "cuda"
        self._side = torch.cuda.Stream(device) if cuda else None  # type: ignore[no-untyped-call]
        self._sent: Sending = queue.SimpleQueue()
        self._urgent = threading.Event()
        self._failed: list[Exception] = []
        self._process = os.getpid()
        work = (self._sent, self._free, self._urgent, self._failed, take)
        self._thread = threading.Thread(target=_hand_over, args=work, name="hamlet-telemetry", daemon=True)
        self._thread.start()
        self._end = weakref.finalize(self, _end, self._sent, self._urgent, self._thread)

    def send(self, counters: Memory, returns: Memory, about: Any) -> None:
        """Send a window: [counters] i64, [lanes] f32.

        Raises:
            EnvError: an earlier window could not be taken, or this is another process than the one that began.
        """
        self._check_process()
        slot = self._free.get()
        self._sent.put(Sent(slot, slot.fill(counters, returns, self._side), about))
        if self._free.qsize() < self._slots // 2:
            self._urgent.set()
        self._check()

    def wait(self) -> None:
        """Wait until everything that was sent is taken. Raises `EnvError` like `send`."""
        self._check_process()
        taken = threading.Event()
        self._sent.put(taken)
        self._urgent.set()
        taken.wait()
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
    sent: Sending,
    free: queue.SimpleQueue[Slot],
    urgent: threading.Event,
    failed: list[Exception],
    take: Callable[[Slot, Any], None],
) -> None:
    """The loop of the thread, until it is told to end."""
    while (window := sent.get()) is not None:
        if isinstance(window, threading.Event):
            window.set()
            continue
        try:
            if window.arrived is not None:
                window.arrived.synchronize()
            take(window.slot, window.about)
        except Exception as error:  # whatever a sink does, the ticks go on until they are told
            failed.append(error)
        finally:
            free.put(window.slot)
        if sent.empty():
            urgent.wait(PAUSE)
            urgent.clear()


def _end(sent: Sending, urgent: threading.Event, thread: threading.Thread) -> None:
    sent.put(None)
    urgent.set()
    if thread.is_alive() and thread is not threading.current_thread():
        thread.join(PATIENCE)
