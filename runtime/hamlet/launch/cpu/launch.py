"""Runs generated numba kernels on CPU tensors, in threads that share the worlds."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import torch

from hamlet.backend.buffers import Buffers, Shape, Statistics
from hamlet.backend.protocol import (
    NOTHING_GIVEN,
    Given,
    NetworkPolicy,
    Policy,
    RandomPolicy,
    RecordedPolicy,
    Stream,
    TabularPolicy,
)
from hamlet.distributed import on_this_machine
from hamlet.errors import EnvError
from hamlet.launch.cpu.memory import Array, Arrays, BufferArrays, array_of, large
from hamlet.launch.cpu.ops import (
    LANES,
    NO_ACTIONS,
    NO_F32,
    NO_GIVEN,
    NO_I32,
    NO_I64,
    NO_LANE_COUNTS,
    NO_LANE_RETURNS,
)
from hamlet.launch.cpu.ops.entries import entry_of
from hamlet.launch.cpu.ops.playing import play
from hamlet.launch.cpu.playing import Playing
from hamlet.launch.cpu.steps import Steps
from hamlet.launch.cpu.team import Team
from hamlet.schema import abi
from hamlet.universe import Universe

NETWORK = 16
"""Ticks that take as long as one with a network, at least."""
LANE_TICKS = 4096
"""So many ticks of a lane are worth another thread."""

NOTHING_COUNTED: Arrays = {
    **dict.fromkeys(abi.SUMS, NO_I64),
    "finished_return": NO_F32,
    **dict.fromkeys(abi.LANE_COUNTS, NO_LANE_COUNTS),
    "lane_episodes": NO_I32,
    "lane_returns": NO_LANE_RETURNS,
    abi.LAST_METERS: NO_LANE_RETURNS,
}
NO_POLICY: Arrays = {
    "actions": NO_ACTIONS,
    **dict.fromkeys(abi.TABULAR, NO_I32),
    "bins": NO_F32,
    **dict.fromkeys(abi.GIVEN, NO_GIVEN),
    **NOTHING_COUNTED,
}
"""What a rollout is given that acts at random and counts nothing."""
DTYPES = {"f32": np.float32, "i32": np.int32, "u32": np.uint32}


class NumbaBackend:
    """The backend of a kernels module; see `hamlet.backend.protocol.Backend`. Results do not depend on how many
    threads there are."""

    name = "numba"
    origin = "just in time, numba"

    def __init__(
        self, universe: Universe, kernels: ModuleType, threads: int | None = None, stream_from: int | None = None
    ) -> None:
        """Steps write observations of `stream_from` bytes or more past the caches; by default those that are too large
        for them.

        Raises:
            EnvError: `threads`, or without it the variable NUMBA_NUM_THREADS, is no positive number.
        """
        self.threads = _threads() if threads is None else threads
        if self.threads < 1:
            raise EnvError(f"threads must be at least 1, not {threads}")
        self._stream_from = large(self.threads) if stream_from is None else stream_from
        self._kernels = kernels
        self._by_hand = universe.by_hand
        self._names = {kernel: abi.array_arguments(universe, kernel) for kernel in abi.KERNELS}
        self._scalars = {kernel: abi.scalar_arguments(kernel) for kernel in abi.KERNELS}
        self._tables = [np.array(values, DTYPES[dtype]) for _, dtype, values in kernels.TABLES]
        self._memory = BufferArrays()
        self._cells: int = kernels.CELLS
        self._pool = ThreadPoolExecutor(self.threads, "hamlet-numba")
        self._compiled: set[tuple[abi.Kernel, torch.dtype | None]] = set()
        self._team = Team(self.threads)
        self._steps: Steps | None = None
        self._others: Steps | None = None

    def reset(self, buffers: Buffers, stream: Stream) -> None:
        """Start a new episode in every world; then observations and masks."""
        self._run("reset", buffers, {}, _seeds(stream))

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        self._run("observe", buffers, {}, {})

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        """One tick with actions [lanes] i32."""
        self._steps_of(buffers, statistics).run(buffers, actions.contiguous(), *stream, 0)

    def step_in_range(
        self,
        buffers: Buffers,
        actions: torch.Tensor,
        seed: int,
        tick: int,
        count: int,
        statistics: Statistics | None = None,
    ) -> bool:
        """One tick with actions [lanes] i32 or i64, if all are in 0 .. count - 1; gives whether they are."""
        steps = self._steps
        if steps is None or steps.statistics is not statistics or not steps.fit(buffers):
            steps = self._steps_of(buffers, statistics)
        return steps.run(buffers, actions, seed, tick, count)

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        given: Given = NOTHING_GIVEN,
    ) -> None:
        """So many ticks in one go."""
        arrays: Arrays = dict(NO_POLICY)
        match policy:
            case RandomPolicy():
                pass
            case RecordedPolicy(recorded):
                arrays["actions"] = array_of(recorded.contiguous())
            case TabularPolicy():
                table = {name: getattr(policy, name) for name in abi.TABULAR}
                arrays |= {name: array_of(tensor.reshape(-1)) for name, tensor in table.items() if tensor is not None}
            case NetworkPolicy():
                pass
        for name, rows in given.items():
            # Rows that lie in memory side by side are no copy.
            arrays[f"given_{name}"] = array_of(rows.reshape(-1, rows.shape[-1]).contiguous())
        kept = 0
        if statistics is not None:
            arrays |= {name: array_of(memory) for name, memory in statistics.memory.items()}
            kept = len(arrays["lane_lengths"])
        scalars = _seeds(stream) | {"tick": stream.tick, "kept_episodes": kept, "ticks": ticks}
        if isinstance(policy, NetworkPolicy):
            self._play(policy, buffers, arrays, scalars, stream, observe_every_tick)
        else:
            self._run("rollout", buffers, arrays, scalars, (observe_every_tick, False, False))

    def _run(
        self,
        kernel: abi.Kernel,
        buffers: Buffers,
        arrays: Arrays,
        scalars: dict[str, int],
        switches: tuple[bool, ...] = (),
    ) -> None:
        values = self._values(kernel, buffers, arrays, scalars)
        ordered, others = self._parted(kernel, values)
        function = getattr(self._kernels, kernel)
        with self._compiling(kernel, buffers):
            self._share(function, kernel, ordered, others, buffers.shape, scalars.get("ticks", 1), switches)
        self._memory.cells_are_known()

    def _values(self, kernel: abi.Kernel, buffers: Buffers, arrays: Arrays, scalars: dict[str, int]) -> dict[str, Any]:
        """The arguments of a kernel by name, in their order, up to the shares of threads."""
        shape = buffers.shape
        arrays = self._memory.of(buffers) | arrays
        scalars |= {"worlds": shape.worlds, "agents": shape.agents, "first_world": shape.first_world}
        values: dict[str, Any] = {name: arrays[name] for name in self._names[kernel]}
        values |= {f"table {number}": table for number, table in enumerate(self._tables)}
        values |= {name: scalars[name] for name in self._scalars[kernel]}
        if self._cells:
            values |= zip(("cells", "layouts", "known"), self._memory.cells(self._cells, buffers), strict=True)
        return values

    def _steps_of(self, buffers: Buffers, statistics: Statistics | None) -> Steps:
        """Steps of these buffers that count so: those of the last step or the ones before, if they fit."""
        steps = self._steps
        if steps is None or steps.statistics is not statistics:
            self._steps, self._others = self._others, steps
            steps = self._steps
        if steps is None or steps.statistics is not statistics or not steps.fit(buffers):
            self._steps = steps = self._prepared(buffers, statistics)
        return steps

    def _prepared(self, buffers: Buffers, statistics: Statistics | None) -> Steps:
        """A step is a rollout of one tick with recorded actions, which observes it."""
        shape = buffers.shape
        scalars = {"seed_low": 0, "seed_high": 0, "tick": 0, "ticks": 1}
        memory = {} if statistics is None else statistics.memory
        counted = {name: array_of(counts) for name, counts in memory.items()}
        scalars["kept_episodes"] = len(counted.get("lane_lengths", ()))
        actions = np.zeros((1, shape.lanes), np.int32)
        values = self._values("rollout", buffers, NO_POLICY | counted | {"actions": actions}, scalars)
        shares = self._shares(shape, 1)
        values |= {"shares": np.array(shares, np.int64), "thread": 0}
        values |= {"every_tick": True, "fresh": False, "streamed": False}
        with self._compiling("rollout", buffers):
            entry = entry_of(self._kernels.rollout, list(values.values()))
        return Steps(entry, values, buffers, shares, self._team, self._stream_from, statistics)

    @contextmanager
    def _compiling(self, kernel: abi.Kernel, buffers: Buffers) -> Iterator[None]:
        first = (kernel, None if buffers.observation is None else buffers.observation.dtype)
        with nullcontext() if first in self._compiled else _without_collector():
            yield
        self._compiled.add(first)

    def _play(
        self,
        policy: NetworkPolicy,
        buffers: Buffers,
        arrays: Arrays,
        scalars: dict[str, int],
        stream: Stream,
        observe: bool,
    ) -> None:
        """A rollout of a network: each thread calls the kernel for one tick of a chunk at a time."""
        shape, ticks = buffers.shape, scalars["ticks"]
        playing = Playing(policy, shape, self._memory.of(buffers), stream, self._by_hand, observe)
        values = self._values("rollout", buffers, arrays, scalars)
        names = [*values, "shares", "thread", "every_tick", "fresh", "streamed"]

        def run(*given: Any) -> None:
            """What a thread does, which is given the arguments of a kernel."""
            *values, shares, thread = given
            own = playing.own()
            frame, _kept = playing.frame(
                self._kernels.rollout, names, [*values, shares, 0, True, False, False], own, ticks
            )
            play(frame, playing.network, own, playing.worlds, playing.stored, shares, thread, playing.per_chunk, ticks)

        ordered, others = self._parted("rollout", values)
        with _without_collector():
            self._share(run, "rollout", ordered, others, shape, ticks * NETWORK, (), playing.per_chunk)
        self._memory.cells_are_known()

    def _parted(self, kernel: abi.Kernel, values: dict[str, Any]) -> tuple[list[Array], list[Array | int]]:
        """The arrays of a kernel, and the tables, numbers and cells behind them."""
        ordered = [values[name] for name in self._names[kernel]]
        return ordered, [value for name, value in values.items() if name not in self._names[kernel]]

    def _shares(self, shape: Shape, ticks: int, per_chunk: int | None = None) -> list[tuple[int, int]]:
        """The worlds of each thread, in whole chunks; by default those of kernels."""
        threads = min(self.threads, 1 + shape.lanes * ticks // LANE_TICKS)
        return _ranges(shape.worlds, per_chunk or max(LANES // shape.agents, 1), threads)

    def _share(
        self,
        function: Callable[..., None],
        kernel: abi.Kernel,
        arrays: list[Array],
        others: list[Array | int],
        shape: Shape,
        ticks: int,
        switches: tuple[bool, ...],
        per_chunk: int | None = None,
    ) -> None:
        """Call a kernel in several threads, this one among them."""
        parts = self._shares(shape, ticks, per_chunk)
        # Threads count apart: the sum of integers does not depend on who counted.
        counters = [index for index, name in enumerate(self._names[kernel]) if name in abi.SUMS]
        waiting = []
        private = []
        shares = np.array(parts, np.int64)
        for thread in range(1, len(parts)):
            own = [np.zeros_like(array) if index in counters else array for index, array in enumerate(arrays)]
            private.append(own)
            waiting.append(self._pool.submit(function, *own, *others, shares, thread, *switches))
        try:
            function(*arrays, *others, shares, 0, *switches)
        finally:
            for future in waiting:
                # A thread that has not begun finds no share left.
                if not future.cancel():
                    future.result()
        for own in private:
            for index in counters:
                arrays[index] += own[index]


@contextmanager
def _without_collector() -> Iterator[None]:
    """The first call compiles, which makes many objects and no garbage: a quarter faster without Python's collector."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _threads() -> int:
    """NUMBA_NUM_THREADS, or the CPUs this process may use; under torchrun its share of them."""
    wanted = os.environ.get("NUMBA_NUM_THREADS")
    if wanted is None:
        return max(len(os.sched_getaffinity(0)) // on_this_machine().count, 1)
    if not wanted.isdecimal() or int(wanted) < 1:
        raise EnvError(f"NUMBA_NUM_THREADS must be a positive number, not {wanted!r}")
    return int(wanted)


def _seeds(stream: Stream) -> dict[str, int]:
    return {"seed_low": stream.low, "seed_high": stream.high}


def _ranges(worlds: int, per_chunk: int, threads: int) -> list[tuple[int, int]]:
    """At most `threads` ranges of worlds of about the same size, each of whole chunks (the last one may be shorter)."""
    chunks = -(-worlds // per_chunk)
    bounds = [chunks * thread // threads * per_chunk for thread in range(threads + 1)]
    return [(begin, min(end, worlds)) for begin, end in pairwise(bounds) if begin < end]
