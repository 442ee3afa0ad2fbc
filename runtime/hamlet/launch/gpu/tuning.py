"""How many lanes a block has: measured once per kernel, device and size, and kept in the user's cache.

All give the same bits; only the speed differs. A kernel changes what it is given, so candidates run on copies.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter
from types import ModuleType
from typing import Protocol

import torch

from hamlet.backend.registry import Tune
from hamlet.launch.gpu.call import Launch, Signature
from hamlet.launch.gpu.options import LARGEST_OBSERVING_BLOCK
from hamlet.package import cache
from hamlet.schema import abi

FACTORS = (1, 2, 4)
"""Candidates are blocks of these multiples of the lanes that a block has without tuning."""
FEWEST_LANES = 1 << 16
"""With fewer, a launch takes longer than the kernel, and there is nothing to gain."""
MOST_TICKS = 64
"""Of a rollout that is timed."""
ROUNDS = {"default": 5, "max": 15, "off": 0}
SECONDS = {"default": 0.3, "max": 10.0, "off": 0.0}
"""The seconds after which no further round begins."""
GAIN = 1.02
"""How many times faster another block must be: less may be noise."""


class Clock(Protocol):
    """The times of a device, for tuning."""

    def seconds(self, work: Callable[[], object]) -> float:
        """How long the device takes."""
        ...

    def capturing(self) -> bool:
        """Whether a CUDA graph is being captured: nothing may be timed or allocated."""
        ...

    def free(self) -> int:
        """Bytes of memory."""
        ...


class CudaClock:
    """The clock of a CUDA device."""

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def seconds(self, work: Callable[[], object]) -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]  # torch's
        begin.record()
        work()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) / 1e3

    def capturing(self) -> bool:
        return torch.cuda.is_current_stream_capturing()

    def free(self) -> int:
        return torch.cuda.mem_get_info(self._device)[0]


class Tuner:
    """Chooses blocks for the launches of a backend."""

    def __init__(
        self,
        mode: Tune,
        kernels: ModuleType,
        identity: cache.Key,
        clock: Clock,
        ready: Callable[[Launch, int], bool],
    ) -> None:
        """
        Args:
            mode: how much may be tried.
            kernels: has the kernels by name.
            identity: of kernels, device and versions.
            clock: of the device.
            ready: whether a launch in blocks of this size needs no compiling.
        """
        self._mode = mode
        self._kernels = kernels
        self._identity = identity
        self._clock = clock
        self._ready = ready
        self._chosen: dict[Signature, int] = {}

    def block(self, launch: Launch, default: int) -> int | None:
        """The lanes of a block; `default` is what they are without tuning. `None` where that cannot be measured now."""
        if launch.lanes < FEWEST_LANES:
            return default
        key = (*launch.signature(default), launch.lanes.bit_length())
        if key not in self._chosen:
            fastest = self._find(launch, default, " ".join(map(str, key)))
            if fastest is None:
                return None
            self._chosen[key] = fastest
        return self._chosen[key]

    def _find(self, launch: Launch, default: int, name: str) -> int | None:
        """The block that is fastest; `None` where it cannot be measured now."""
        key = {**self._identity, "launch": name}
        blocks = candidates(launch, default)
        saved = cache.load("tuned", key)
        if saved is not None and saved.get("block") in blocks:
            return int(saved["block"])
        if self._mode == "default":
            blocks = [block for block in blocks if block == default or self._ready(launch, block)]
        if len(blocks) == 1:
            return default
        if self._clock.capturing() or self._clock.free() < 2 * _bytes(launch):
            return None
        times = self._measure(launch, blocks)
        best = min(blocks, key=lambda block: times[block])
        chosen = best if times[best] * GAIN < times[default] else default
        cache.save("tuned", key, {"block": chosen, "seconds": {str(block): times[block] for block in blocks}})
        return chosen

    def _measure(self, launch: Launch, blocks: list[int]) -> dict[int, float]:
        """Median seconds of a launch, by block. The candidates take turns."""
        copy = _copied(launch)
        times: dict[int, list[float]] = {block: [] for block in blocks}
        for block in blocks:
            copy.run(self._kernels, block)
        begin = perf_counter()
        for _ in range(ROUNDS[self._mode]):
            for block in blocks:
                times[block].append(self._clock.seconds(partial(copy.run, self._kernels, block)))
            if perf_counter() - begin > SECONDS[self._mode]:
                break
        return {block: statistics.median(seconds) for block, seconds in times.items()}


def candidates(launch: Launch, default: int) -> list[int]:
    """The blocks that a launch can have; the first is the default."""
    largest = LARGEST_OBSERVING_BLOCK if launch.observes else 1024
    return [default, *(default * factor for factor in FACTORS[1:] if default * factor <= largest)]


def _copied(launch: Launch) -> Launch:
    """The same launch on copies of its arrays; a rollout of few ticks."""
    arguments = [value.clone() if isinstance(value, torch.Tensor) else value for value in launch.arguments]
    scalars = abi.scalar_arguments(launch.kernel)
    if "ticks" in scalars:
        position = scalars.index("ticks") - len(scalars)
        ticks = arguments[position]
        arguments[position] = min(ticks, MOST_TICKS) if isinstance(ticks, int) else ticks
    return replace(launch, arguments=tuple(arguments))


def _bytes(launch: Launch) -> int:
    arrays = (value for value in launch.arguments if isinstance(value, torch.Tensor))
    return sum(value.numel() * value.element_size() for value in arrays)
