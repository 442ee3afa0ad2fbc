"""`torch.cuda` on the simulated device."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any
from unittest.mock import patch

import torch

from rehearsal.device import Device, DeviceError

FREE, TOTAL = 60 << 30, 80 << 30
"""Bytes of memory, as it is said to be."""
BUSY = 50
"""The utilisation in percent, as it is said to be."""


@dataclass(frozen=True, slots=True)
class Properties:
    """What `torch.cuda.get_device_properties` gives."""

    name: str
    major: int
    minor: int
    multi_processor_count: int = 132
    total_memory: int = TOTAL


class Stream:
    """A stream. All work is done at once, whatever its stream."""

    _numbers = count(1)

    def __init__(self, _: object = None, number: int | None = None) -> None:
        self.cuda_stream = next(self._numbers) if number is None else number

    def wait_stream(self, other: Stream) -> None:
        """The other one's work is done."""

    def record_event(self) -> Event:
        """The moment at which the work that it has now is done."""
        event = Event()
        event.record()
        return event

    def synchronize(self) -> None:
        """Its work is done."""


class Event:
    """A moment, by the clock of the CPU."""

    def __init__(self, enable_timing: bool = False, **_: object) -> None:
        self._timing = enable_timing
        self._moment: float | None = None

    def record(self, _: Stream | None = None) -> None:
        """The moment is now."""
        self._moment = time.perf_counter()

    def synchronize(self) -> None:
        """It is over."""

    def elapsed_time(self, other: Event) -> float:
        """Milliseconds to another moment."""
        if not self._timing or not other._timing or self._moment is None or other._moment is None:
            raise DeviceError("events that were not recorded with enable_timing have no time between them")
        return (other._moment - self._moment) * 1e3


class Graph:
    """A CUDA graph: what is launched, and what torch does, while it is recorded."""

    def __init__(self) -> None:
        self.work: list[Callable[[], None]] | None = None

    def replay(self) -> None:
        """Do it all again."""
        if self.work is None:
            raise DeviceError("a graph was replayed that was never recorded")
        for each in self.work:
            each()


class Cuda:
    """The functions that take the places of those of `torch.cuda`, on one device."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._stream = self._default = Stream(number=0)
        major, minor = divmod(device.capability, 10)
        self._properties = Properties(f"simulated sm_{device.capability}", major, minor)

    @contextlib.contextmanager
    def on(self, device: object) -> Iterator[None]:
        """`torch.cuda.device`."""
        self._checked(device)
        yield

    @contextlib.contextmanager
    def stream(self, stream: Stream) -> Iterator[None]:
        """`torch.cuda.stream`."""
        before, self._stream = self._stream, stream
        try:
            yield
        finally:
            self._stream = before

    @contextlib.contextmanager
    def graph(self, graph: Graph, **_: object) -> Iterator[None]:
        """`torch.cuda.graph`: what happens inside is recorded and not done."""
        if self._device.recording is not None:
            raise DeviceError("graphs cannot be recorded one inside the other")
        self._device.recording = work = []
        try:
            with self.stream(Stream()):
                yield
        finally:
            self._device.recording = None
        graph.work = work

    def synchronize(self, device: object = None) -> None:
        """`torch.cuda.synchronize`."""
        self._checked(device)
        if self._device.recording is not None or self._device.waiting_is_an_error:
            raise DeviceError("torch.cuda.synchronize waits for the device")

    def set_sync_debug_mode(self, mode: str) -> None:
        """`torch.cuda.set_sync_debug_mode`, of "default" and "error"."""
        self._device.waiting_is_an_error = {"default": False, "error": True}[mode]

    def reset_peak_memory_stats(self, device: object = None) -> None:
        """`torch.cuda.reset_peak_memory_stats`."""
        self._checked(device)
        self._device.peak = self._device.memory()

    def memory_stats(self, device: object = None) -> dict[str, int]:
        """`torch.cuda.memory_stats`, as far as somebody asks for them: of tensors that kernels can touch."""
        self._checked(device)
        return {"allocation.all.allocated": self._device.allocations}

    def patches(self) -> dict[str, Any]:
        """What takes the place of what in `torch.cuda`."""
        properties = self._properties
        return {
            "Event": Event,
            "Stream": Stream,
            "CUDAGraph": Graph,
            "device": self.on,
            "graph": self.graph,
            "stream": self.stream,
            "synchronize": self.synchronize,
            "set_sync_debug_mode": self.set_sync_debug_mode,
            "is_available": lambda: True,
            "is_initialized": lambda: True,
            "init": lambda: None,
            "device_count": lambda: 1,
            "current_device": lambda: 0,
            "set_device": self._checked,
            "current_stream": lambda _=None: self._stream,
            "default_stream": lambda _=None: self._default,
            "is_current_stream_capturing": lambda: self._device.recording is not None,
            "get_device_capability": lambda _=None: (properties.major, properties.minor),
            "get_device_name": lambda _=None: properties.name,
            "get_device_properties": lambda _=None: properties,
            "mem_get_info": lambda _=None: (FREE, TOTAL),
            "empty_cache": lambda: None,
            "memory_stats": self.memory_stats,
            "memory_allocated": lambda _=None: self._device.memory(),
            "max_memory_allocated": lambda _=None: self._device.peak,
            "memory_reserved": lambda _=None: self._device.peak,
            "reset_peak_memory_stats": self.reset_peak_memory_stats,
            "utilization": lambda _=None: BUSY,
        }

    def _checked(self, device: object) -> None:
        wanted = torch.device("cuda", device) if isinstance(device, int) else torch.device(device or "cuda")
        if wanted.type != "cuda" or wanted.index not in (None, 0):
            raise DeviceError(f"there is no {wanted}")


@contextlib.contextmanager
def patched(device: Device) -> Iterator[None]:
    """Torch with a CUDA device, but for tensors."""
    cuda, generator = Cuda(device), torch.Generator
    with (
        patch.multiple(torch.cuda, create=True, **cuda.patches()),
        patch.object(torch._C, "_cuda_getCurrentRawStream", lambda _: cuda._stream.cuda_stream, create=True),
        # Those of CUDA draw other numbers than those of the CPU; nobody here counts on which. Torch's own annotations
        # name the class.
        patch.object(torch, "Generator", type("Generator", (), {"__new__": lambda *_, **__: generator()})),
        patch.object(torch, "compile", lambda function=None, **_: function),
    ):
        yield
