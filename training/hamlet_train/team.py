"""Threads that share the groups of a kernel: each takes the next few, and no result depends on who takes which."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np

from hamlet_train.exact.network import Array

PORTIONS = 4
"""Portions of the work for each thread, so that one that is held up does less."""


class Team:
    """Some threads, each with memory of its own."""

    def __init__(self, threads: int, scratch: int, pool: ThreadPoolExecutor | None = None) -> None:
        """`scratch` is the number of f32 of each thread's memory; `pool` are threads that are there already."""
        self.threads = threads
        self._memory = [np.zeros(scratch, np.float32) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads, "hamlet-train") if pool is None else pool

    def beside(self, scratch: int) -> Team:
        """The same threads, with other memory: that of a network must have its padding zero."""
        return Team(self.threads, scratch, self._pool)

    def share(self, work: Callable[[int, int, Array], None], count: int) -> None:
        """Call work(first, end, memory) for portions of 0 .. count - 1."""
        if self.threads == 1:
            work(0, count, self._memory[0])
            return
        portions, lock = _portions(count, self.threads * PORTIONS), Lock()

        def take(memory: Array) -> None:
            while True:
                with lock:
                    portion = next(portions, None)
                if portion is None:
                    return
                work(*portion, memory)

        waiting = [self._pool.submit(take, memory) for memory in self._memory[1:]]
        take(self._memory[0])
        for future in waiting:
            future.result()


def _portions(count: int, portions: int) -> Iterator[tuple[int, int]]:
    for number in range(portions):
        first, end = count * number // portions, count * (number + 1) // portions
        if first < end:
            yield first, end
