"""Which rows of observations steps write through the caches, and which past them.

What is written through the caches stays in the last one, if it fits there, until somebody reads it; what is written
past them costs the way to memory, which on some CPUs takes four times as long. How much fits is not to be known: other
machines of the same processor, and whatever runs between two steps, have a part of that cache. So steps try.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from statistics import median

import torch

from hamlet.backend.buffers import Shape
from hamlet.launch.cpu.entry import LINE

CACHE = 1 << 20
"""Bytes of the second cache of a core, where nobody says."""

PARTS = 4
"""Steps try to write 0, 1, .. `PARTS` of so many equal parts of the rows past the caches."""
WARM, TIMED, ROUNDS = 2, 3, 2
"""Steps with each of them, one after the other and the other way round, so many times, since a busy moment of the
machine, or what a program does between two of its steps, hits some of them: the first steps find in the caches what
others left there."""
SAVES = 0.9
"""Rows are written through the caches, where others have something too, if a step then takes less than this part of its
time."""
AGAIN = 1 << 14
"""After as many steps they try again: what else runs may have changed."""


def large(threads: int) -> int:
    """The bytes of observations from which on it is tried to write them past the caches: twice what the second caches
    of so many cores hold."""
    try:
        cache = os.sysconf("SC_LEVEL2_CACHE_SIZE")
    except (AttributeError, ValueError, OSError):
        cache = 0
    return 2 * threads * max(cache, CACHE)


def fills_lines(shape: Shape, observation: torch.Tensor, lanes: int) -> bool:
    """Whether every row of observations of every chunk of so many lanes begins a cache line, if the first one does."""
    chunk = max(lanes // shape.agents, 1) * shape.agents
    return all(lanes * observation.element_size() % LINE == 0 for lanes in (shape.lanes, chunk))


def parts(rows: int) -> list[int]:
    """The first rows that are tried, from none on past the caches to all of them."""
    return sorted({rows * part // PARTS for part in range(PARTS + 1)}, reverse=True)


class Streaming:
    """Finds from which row on observations are best written past the caches, by the time that steps take.

    Attributes:
        first: the first such row in the next step; as many as there are rows where there is none.
        trying: whether `took` is to be told of the next step, rather than `passed`.
    """

    def __init__(self, choices: Sequence[int]) -> None:
        """`choices`: what `first` may be, at last all rows; where it is one there is nothing to find."""
        self._choices = choices
        self._begin()

    def _begin(self) -> None:
        self._turns = [*self._choices, *reversed(self._choices)] * ROUNDS
        self._times: dict[int, list[float]] = {choice: [] for choice in self._choices}
        self._steps, self._left = 0, AGAIN
        self.first, self.trying = self._choices[0], len(self._choices) > 1

    def took(self, seconds: float) -> None:
        """A step with `first` has taken so long."""
        turn, step = divmod(self._steps, WARM + TIMED)
        if step >= WARM:
            self._times[self._turns[turn]].append(seconds)
        self._steps += 1
        turn = self._steps // (WARM + TIMED)
        if turn < len(self._turns):
            self.first = self._turns[turn]
            return
        typical = {choice: median(times) for choice, times in self._times.items()}
        best, past = min(typical, key=lambda choice: typical[choice]), self._choices[-1]
        self.first, self.trying = best if typical[best] < SAVES * typical[past] else past, False

    def passed(self) -> None:
        """A step with `first` has run."""
        self._left -= 1
        if self._left == 0:
            self._begin()
