"""Runs generated kernels for CPUs on tensors, in threads that share the worlds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from hamlet.backend.buffers import Buffers, Shape, Statistics
from hamlet.backend.protocol import (
    NOTHING_BY_TICK,
    ByTick,
    NetworkPolicy,
    Policy,
    RandomPolicy,
    RecordedPolicy,
    Stream,
    TabularPolicy,
)
from hamlet.distributed import on_this_machine
from hamlet.errors import EnvError
from hamlet.launch.cpu.entry import shares_of
from hamlet.launch.cpu.kernels import SHORT, Kernels
from hamlet.launch.cpu.memory import Array, Arrays, BufferArrays, array_of
from hamlet.launch.cpu.packed import Packing
from hamlet.launch.cpu.playing import Playing, Spare
from hamlet.launch.cpu.single import Single
from hamlet.launch.cpu.steps import Steps
from hamlet.launch.cpu.streaming import Streaming, fills_lines, large, parts
from hamlet.launch.cpu.team import ALONE, Team, possible
from hamlet.schema import abi
from hamlet.system import cpus
from hamlet.terminal import say_once
from hamlet.universe import Universe

NETWORK = 16
"""Ticks that take as long as one with a network, at least."""
LANE_TICKS = 4096
"""So many ticks of a lane are worth another thread."""

NO_ACTIONS = np.zeros((0, 0), np.int32)
NO_F32 = np.zeros(0, np.float32)
NO_GIVEN = np.zeros((0, 0), np.float32)
NO_I32 = np.zeros(0, np.int32)
NO_I64 = np.zeros(0, np.int64)
NO_LANE_COUNTS = np.zeros((0, 0), np.int32)
NO_LANE_RETURNS = np.zeros((0, 0), np.float32)
NOTHING_COUNTED: Arrays = {
    **dict.fromkeys(abi.SUMS, NO_I64),
    "finished_return": NO_F32,
    **dict.fromkeys(abi.LANE_COUNTS, NO_LANE_COUNTS),
    "lane_episodes": NO_I32,
    "lane_returns": NO_LANE_RETURNS,
}
NO_POLICY: Arrays = {
    "actions": NO_ACTIONS,
    **dict.fromkeys(abi.TABULAR, NO_I32),
    "bins": NO_F32,
    **dict.fromkeys(abi.GIVEN, NO_GIVEN),
    **NOTHING_COUNTED,
}
"""What a rollout is given that acts at random and counts nothing."""
NO_SHARES = shares_of(())
NONE_BEGIN = np.zeros(0, np.bool_)


class CpuBackend:
    """The backend of kernels; see `hamlet.backend.protocol.Backend`. Results do not depend on how many threads there
    are."""

    name = "c"

    def __init__(
        self,
        universe: Universe,
        kernels: Kernels,
        threads: int | None = None,
        streamed: int | None = None,
    ) -> None:
        """Steps write the rows of observations from `streamed` on past the caches; by default they find out from which
        on, if all are too large for the caches.

        Raises:
            EnvError: `threads`, or without it the variable HAMLET_THREADS, is no positive number.
        """
        self.threads = threads_here() if threads is None else threads
        if self.threads < 1:
            raise EnvError(f"threads must be at least 1, not {threads}")
        self._streamed = streamed
        self._kernels, self.origin = kernels, kernels.origin
        self._by_hand = universe.by_hand
        self._names = abi.array_arguments(universe, "rollout")
        self._scalars = abi.scalar_arguments("rollout")
        self._memory = BufferArrays()
        self._begin_pool()
        self._team = Team(self.threads, kernels.team)
        self._steps: Steps | None = None
        self._others: Steps | None = None
        self._streamings: dict[tuple[Shape, torch.dtype], Streaming] = {}
        self._packing, self._spare = Packing(), Spare()

    def _begin_pool(self) -> None:
        self._process = os.getpid()
        self._pool = ThreadPoolExecutor(self.threads, "hamlet-kernels")

    def reset(self, buffers: Buffers, stream: Stream, worlds: torch.Tensor | None = None) -> None:
        """Start a new episode in every world, or in some; then observations and masks."""
        if worlds is None:
            scalars = _seeds(stream) | {"tick": 0, "kept_episodes": 0, "ticks": 0}
            every = np.ones(buffers.shape.worlds, np.bool_)
            self._run(buffers, self._without_final(buffers), scalars, begins=every)
        else:
            # Steps know the buffers, and where affordances stand in the worlds that go on.
            counted = None if self._steps is None else self._steps.statistics
            self._steps_of(buffers, counted).begin(buffers, worlds.contiguous(), stream.seed)

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        scalars = dict.fromkeys(("seed_low", "seed_high", "tick", "kept_episodes", "ticks"), 0)
        self._run(buffers, self._without_final(buffers), scalars)

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
        controls: torch.Tensor | None = None,
    ) -> bool:
        """See `hamlet.backend.protocol.Checking`."""
        steps = self._steps
        if steps is None or steps.statistics is not statistics or not steps.fit(buffers):
            steps = self._steps_of(buffers, statistics)
        return steps.run(buffers, actions, seed, tick, count, controls)

    def single(self, buffers: Buffers) -> Single:
        """See `hamlet.backend.protocol.Singling`."""
        return self._prepared(buffers, None).single()

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        by_tick: ByTick = NOTHING_BY_TICK,
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
        for name, rows in by_tick.items():
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
            self._run(buffers, arrays, scalars, every_tick=observe_every_tick)

    def _run(
        self,
        buffers: Buffers,
        arrays: Arrays,
        scalars: dict[str, int],
        every_tick: bool = False,
        begins: Array = NONE_BEGIN,
    ) -> None:
        values = self._values(buffers, arrays, scalars, every_tick, begins)
        whole = buffers.shape.lanes * max(scalars["ticks"], 1) > SHORT
        entry = self._kernels.entry(list(values.values()), whole)
        self._share(entry.run, values, self._shares(buffers.shape, scalars["ticks"]))
        self._memory.cells_are_known()

    def _values(
        self, buffers: Buffers, arrays: Arrays, scalars: dict[str, int], every_tick: bool, begins: Array = NONE_BEGIN
    ) -> dict[str, Any]:
        """The arguments of `rollout` by name, in their order, of a thread that has no share."""
        shape = buffers.shape
        arrays = self._memory.of(buffers) | arrays
        scalars |= {"worlds": shape.worlds, "agents": shape.agents, "first_world": shape.first_world}
        scalars["waits"] = int(shape.waits)
        values: dict[str, Any] = {name: arrays[name] for name in self._names}
        values |= {name: scalars[name] for name in self._scalars}
        if self._kernels.cells:
            cells = self._memory.cells(self._kernels.cells, buffers)
            values |= zip(("cells", "layouts", "known"), cells, strict=True)
        own = {"shares": NO_SHARES, "begins": begins, "thread": 0, "every_tick": every_tick}
        # Nothing is written past the caches.
        return values | own | {"streamed": len(arrays["observation"])}

    def _without_final(self, buffers: Buffers) -> Arrays:
        """What a kernel is given that runs no ticks: it writes no final observations."""
        return NO_POLICY | {"final_observation": self._memory.of(buffers)["observation"]}

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
        arrays = NO_POLICY | counted | {"actions": actions}
        values = self._values(buffers, arrays, scalars, every_tick=True)
        streaming = self._streaming(buffers)
        # Steps that are timed are to be those that go on.
        whole = streaming is not None or shape.lanes > SHORT
        entry = self._kernels.entry(list(values.values()), whole)
        shares = self._shares(shape, 1)
        if len(shares) > 1 and not possible():
            say_once(ALONE)
            shares = [(0, shape.worlds)]
        values |= {"shares": shares_of(shares)}
        return Steps(entry, values, buffers, shares, self._team, streaming, statistics)

    def _streaming(self, buffers: Buffers) -> Streaming | None:
        """What steps write past the caches, if anything may be."""
        observed = buffers.observation
        if observed is None or not fills_lines(buffers.shape, observed, self._kernels.lanes):
            return None
        if self._streamed is not None:
            return Streaming([min(self._streamed, len(observed))])
        if observed.nbytes < large(self.threads):
            return None
        return self._streamings.setdefault((buffers.shape, observed.dtype), Streaming(parts(len(observed))))

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
        player, arrays_of = self._kernels.player(), self._memory.of(buffers)
        kept, lanes = (self._packing, self._spare), self._kernels.lanes
        playing = Playing(player, *kept, lanes, policy, shape, arrays_of, stream, self._by_hand, observe)
        values = self._values(buffers, arrays, scalars, every_tick=True)
        names = list(values)

        def run(by_tick: Iterable[Any]) -> None:
            """What a thread does, which is given the arguments of a kernel."""
            mine = dict(zip(names, by_tick, strict=True))
            share = mine["shares"], mine["thread"]
            with playing.own() as own:
                frame, _kept = playing.frame(self._kernels, mine | {"thread": 0}, own, ticks)
                passed = frame, playing.network, own, playing.worlds, playing.stored, playing.recalling()
                player.play(*passed, *share, playing.per_chunk, ticks)

        self._share(run, values, self._shares(shape, ticks * NETWORK, playing.per_chunk))
        self._memory.cells_are_known()

    def _shares(self, shape: Shape, ticks: int, per_chunk: int | None = None) -> list[tuple[int, int]]:
        """The worlds of each thread, in whole chunks; by default those of kernels."""
        threads = min(self.threads, 1 + shape.lanes * ticks // LANE_TICKS)
        return _ranges(shape.worlds, per_chunk or max(self._kernels.lanes // shape.agents, 1), threads)

    def _share(
        self, call: Callable[[Iterable[Any]], None], values: dict[str, Any], parts: list[tuple[int, int]]
    ) -> None:
        """Call with the arguments of a kernel in several threads, this one among them."""
        if self._process != os.getpid():
            # A fork leaves threads behind.
            self._begin_pool()
        shares = shares_of(parts)
        # Threads count apart: the sum of integers does not depend on who counted.
        private = [{name: np.zeros_like(values[name]) for name in abi.SUMS} for _ in parts[1:]]
        waiting = [
            # Whoever compiles first knows who is to be told of it.
            self._pool.submit(copy_context().run, call, (values | own | {"shares": shares, "thread": thread}).values())
            for thread, own in enumerate(private, 1)
        ]
        try:
            call((values | {"shares": shares}).values())
        finally:
            for future in waiting:
                # A thread that has not begun finds no share left.
                if not future.cancel():
                    future.result()
        for own in private:
            for name, counted in own.items():
                values[name] += counted


def threads_here() -> int:
    """HAMLET_THREADS, or the CPUs this process may use; under torchrun its share of them."""
    wanted = os.environ.get("HAMLET_THREADS")
    if wanted is None:
        return max(cpus() // on_this_machine().count, 1)
    if not wanted.isdecimal() or int(wanted) < 1:
        raise EnvError(f"HAMLET_THREADS must be a positive number, not {wanted!r}")
    return int(wanted)


def _seeds(stream: Stream) -> dict[str, int]:
    return {"seed_low": stream.low, "seed_high": stream.high}


def _ranges(worlds: int, per_chunk: int, threads: int) -> list[tuple[int, int]]:
    """At most `threads` ranges of worlds of about the same size, each of whole chunks (the last one may be shorter)."""
    chunks = -(-worlds // per_chunk)
    bounds = [chunks * thread // threads * per_chunk for thread in range(threads + 1)]
    return [(begin, min(end, worlds)) for begin, end in pairwise(bounds) if begin < end]
