"""Steps of the same buffers, prepared once: tables of words that a step fills in, see `hamlet.launch.cpu.entry`.

A step of few worlds takes less time than ten calls of torch: everything here counts.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TypeAlias

import numpy as np
import torch

from hamlet.backend.buffers import Buffers, Statistics
from hamlet.launch.cpu.entry import (
    ACTIONS,
    COUNT,
    KERNEL,
    LANES,
    LINE,
    NARROWED,
    WIDE,
    WRONG,
    Entry,
    shares_of,
)
from hamlet.launch.cpu.memory import Array
from hamlet.launch.cpu.single import Single
from hamlet.launch.cpu.streaming import Streaming
from hamlet.launch.cpu.team import Job, Team
from hamlet.schema import abi

Values: TypeAlias = Mapping[str, "Array | int"]
"""The arguments of a kernel by name, in their order."""
Shares: TypeAlias = Sequence[tuple[int, int]]
"""The first world of each thread, and the end of its worlds."""

data_ptr = torch.Tensor.data_ptr
WORD = 0xFFFFFFFF


class Steps:
    """Steps of buffers of a shape and a type of observations, wherever their tensors are.

    Attributes:
        statistics: what they count in, if anything.
    """

    def __init__(
        self,
        entry: Entry,
        values: Values,
        buffers: Buffers,
        shares: Shares,
        team: Team,
        streaming: Streaming | None,
        statistics: Statistics | None,
    ) -> None:
        """`values` has any array [threads, SHARE] i64 for `shares`, any number for `thread`, and the arrays of
        statistics, which are empty where nothing is counted. `streaming` says which rows of observations are
        written past the caches, where they begin a cache line; without it none are."""
        self.statistics = statistics
        self._buffers = buffers
        self._shape = buffers.shape
        self._dtype = None if buffers.observation is None else buffers.observation.dtype
        self._tensors = _stored(buffers)
        self._addresses = [each.data_ptr() for each in self._tensors.values()]
        # Tables and the cell cache, whose addresses are in the words.
        self._kept = [value for name, value in values.items() if name not in self._tensors]
        self._entry, self._call = entry, entry.call
        self._at = at = dict(zip(values, entry.places, strict=True))
        self._actions, self._observation = at["actions"], at["observation"]
        self._low, self._high, self._tick = at["seed_low"], at["seed_high"], at["tick"]
        self._thread, self._known = at["thread"], at.get("known", 0)
        self._ticks, self._begins = at["ticks"], at["begins"]
        self._seed, self._lanes = -1, buffers.shape.lanes
        layouts = values.get("layouts")
        # The first step fills the cell cache.
        self._fills = isinstance(layouts, np.ndarray) and len(layouts) > 0
        self._narrowed = np.zeros(buffers.shape.lanes, np.int32)
        self._shares = array("q", shares_of(shares).tobytes())
        # They begin a cache line.
        self._left = array("q", bytes(LINE)) + self._shares
        unaligned = self._left.buffer_info()[0]
        begin = -unaligned % LINE // 8
        self._aligned = slice(begin, begin + len(self._shares))
        words = array("q", entry.table(values.values()))
        words[NARROWED] = self._narrowed.ctypes.data
        words[at["shares"]] = unaligned + 8 * begin
        self._words, *self._others = (array("q", words) for _ in shares)
        self._address = self._words.buffer_info()[0]
        self._own, counts = self._counts_of_threads(values)
        self._team = team
        self._job = Job(entry, [each.buffer_info()[0] for each in (self._words, *self._others)], counts)
        self._streamed, self._streaming = at["streamed"], streaming
        self._rows = 0 if buffers.observation is None else len(buffers.observation)

    def single(self) -> Single:
        """The same ticks for who has one world, and counts nothing."""
        tensors, observation = [*self._tensors.values()], self._buffers.observation
        if observation is not None:
            tensors.append(observation)
            self._words[self._observation] = observation.data_ptr()
        share = self._shares[: len(self._shares) // (1 + len(self._others))]
        controls = self._buffers.state.get("controls")
        return Single(self._entry, self._at, self._words, share, tensors, controls, self._lanes, self)

    def _counts_of_threads(self, values: Values) -> tuple[list[dict[int, int]], list[Array]]:
        """Threads count apart: the words of each one but the first that differ, and the pairs of arrays of all."""
        counted = {self._at[name]: np.asarray(values[name]) for name in abi.SUMS}
        own: list[dict[int, int]] = []
        pairs = [np.zeros((0, 3), np.int64)]
        for number, _ in enumerate(self._others, 1):
            apart = {place: np.zeros_like(counts) for place, counts in counted.items()}
            self._kept.extend(apart.values())
            own.append({self._thread: number} | {place: counts.ctypes.data for place, counts in apart.items()})
            rows = [(counts.ctypes.data, apart[place].ctypes.data, counts.size) for place, counts in counted.items()]
            pairs.append(np.array(rows, np.int64))
        return own, pairs

    def fit(self, buffers: Buffers) -> bool:
        """Whether these are steps of such buffers; from now on they are of these."""
        if buffers is not self._buffers:
            observed = buffers.observation
            dtype = None if observed is None else observed.dtype
            if buffers.shape != self._shape or dtype is not self._dtype:
                return False
            mine = self._buffers
            if buffers.state is not mine.state or buffers.outcome is not mine.outcome or buffers.mask is not mine.mask:
                self._buffers, self._tensors = buffers, _stored(buffers)
        addresses = list(map(data_ptr, self._tensors.values()))
        if addresses != self._addresses:
            self._addresses = addresses
            for name, address in zip(self._tensors, addresses, strict=True):
                self._words[self._at[name]] = address
        return True

    def run(
        self,
        buffers: Buffers,
        actions: torch.Tensor,
        seed: int,
        tick: int,
        count: int,
        controls: torch.Tensor | None = None,
    ) -> bool:
        """Run a tick with actions [lanes], i32 or i64.

        Args:
            count: actions are 0 .. count - 1; 0 if nobody is to look, and then they are i32.
            controls: [controls, lanes] f32, which the state takes over; without it controls are those of the state.

        Returns:
            Whether all are in this range; otherwise nothing was done.
        """
        words, address = self._words, data_ptr(actions)
        words[ACTIONS] = address
        if actions.dtype is torch.int32:
            words[WIDE], words[self._actions] = 0, address
        else:
            words[WIDE], words[self._actions] = 1, words[NARROWED]
        words[COUNT], words[LANES] = count, self._lanes if count else 0
        if controls is not None:
            # A step with wrong actions leaves controls as they are too.
            if not self._in_range():
                return False
            buffers.state["controls"].copy_(controls)
        self._fill_in(buffers, seed, tick)
        streaming = self._streaming
        if streaming is None or words[self._streamed] != streaming.first:
            return self._launch()
        if not streaming.trying:
            streaming.passed()
            return self._launch()
        begin = perf_counter()
        done = self._launch()
        streaming.took(perf_counter() - begin)
        return done

    def begin(self, buffers: Buffers, worlds: torch.Tensor, seed: int) -> None:
        """Begin an episode in some worlds, [worlds] bool side by side in memory; then observe all of them."""
        words, begins = self._words, self._begins
        words[COUNT], words[LANES], words[self._ticks] = 0, 0, 0
        # The length of an array follows its address.
        words[begins], words[begins + 1] = data_ptr(worlds), len(worlds)
        try:
            self._fill_in(buffers, seed, 0)
            self._launch()
        finally:
            words[begins + 1], words[self._ticks] = 0, 1

    def _fill_in(self, buffers: Buffers, seed: int, tick: int) -> None:
        """The words of seed and tick, and of observations, whose rows are written past the caches where they begin
        cache lines."""
        words = self._words
        if seed != self._seed:
            self._seed, words[self._low], words[self._high] = seed, seed & WORD, seed >> 32
        words[self._tick] = tick
        if buffers.observation is not None:
            words[self._observation] = address = data_ptr(buffers.observation)
            if self._streaming is not None:
                words[self._streamed] = self._streaming.first if address % LINE == 0 else self._rows

    def _launch(self) -> bool:
        """Launch with the words that are there; gives whether all actions are in range."""
        words = self._words
        self._left[self._aligned] = self._shares
        done = self._run_in_threads() if self._others else self._call(self._address) != WRONG
        if done and self._fills:
            words[self._known], self._fills = 1, False
        return done

    def _in_range(self) -> bool:
        """Whether all actions are in range; if so, nobody looks again."""
        words, kernel = self._words, self._words[KERNEL]
        if not words[LANES]:
            return True
        words[KERNEL] = 0
        right = self._call(self._address) != WRONG
        words[KERNEL], words[LANES] = kernel, 0
        return right

    def _run_in_threads(self) -> bool:
        """Launch in this thread and in others, if actions are in range: one looks before any begins."""
        if not self._in_range():
            return False
        words = self._words
        for other, own in zip(self._others, self._own, strict=True):
            other[:] = words
            for place, word in own.items():
                other[place] = word
        self._team.run(self._job)
        return True


def _stored(buffers: Buffers) -> dict[str, torch.Tensor]:
    """All tensors but observations, by name."""
    named = {**buffers.state, **buffers.outcome, "mask": buffers.mask}
    final = buffers.final_observation
    return named if final is None else {**named, "final_observation": final}
