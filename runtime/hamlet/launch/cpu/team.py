"""A team of threads that launch together, see `team.c` of `hamlet.native`."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hamlet.launch.cpu.entry import (
    ARGUMENT,
    BLOCK,
    CALLED,
    COUNTS,
    DONE,
    ENDED,
    PAIRS,
    START,
    STATE,
    TEAM,
    Entry,
)
from hamlet.launch.cpu.memory import Array
from hamlet.system import process

NAMES = SERVE, LEAD = f"{TEAM}_serve", f"{TEAM}_lead"


ALONE = "steps take one thread on this system, which has no semaphores without a name; rollouts take all"


@cache
def possible() -> bool:
    """Whether this system has semaphores without a name, which threads of a team wait at: macOS and Windows do not."""
    begin = getattr(process(), "sem_init", None)
    return begin is not None and begin(ctypes.create_string_buffer(8 * (DONE - START)), 0, 0) == 0


@dataclass(frozen=True, slots=True)
class Functions:
    """What threads of a team run.

    Attributes:
        serve: takes the address of a member's block; returns when its state is `ENDED`.
        lead: takes the address of the leader's block, those of members behind it, and how many blocks there are; calls
            the function at `CALLED`, i64 (i8 *), of every block with its `ARGUMENT`, the leader's own in this thread.
            At `COUNTS` a member has so many `PAIRS` of arrays i64, each by two addresses and a length: what it counted
            in the second is added to the first, and begins at 0 again.
    """

    serve: Callable[[int], None]
    lead: Callable[[int, int], None]


def functions_at(serve: int, lead: int, *kept: Any) -> Functions:
    """The functions at these addresses; they keep what their machine code lives in."""
    serving: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(serve)
    leading: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(lead)
    serving.kept = leading.kept = kept
    return Functions(serving, leading)


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """What the threads of a team call.

    Attributes:
        entry: the kernel.
        tables: [threads] i64, what each thread gives it.
        counts: [threads][pairs, 3] i64, what the thread counts apart, see `Functions`; nothing of the first.
    """

    entry: Entry
    tables: Sequence[int]
    counts: Sequence[Array]


class Team:
    """Whichever thread leads, one at a time, and others that wait for it, from the first time that they are needed to
    the end of the team. A process that was forked begins others."""

    def __init__(self, threads: int, functions: Callable[[], Functions]) -> None:
        """`threads` are all of them, this one too; `functions` is asked when there is something to run."""
        self._functions = functions
        self._threads = threads
        self._form()

    def _form(self) -> None:
        """Begin as this thread alone."""
        self._process = os.getpid()
        self._blocks = np.zeros((self._threads, BLOCK), np.int64)
        self._address = int(self._blocks.ctypes.data)
        self._begun = 1
        self._job: Job | None = None
        self._ending = weakref.finalize(self, _end, self._blocks)

    def run(self, job: Job) -> None:
        """As many threads as there are tables call the function; returns when all have. Where no team is possible, this
        thread calls it for each table."""
        if not possible():
            for table in job.tables:
                job.entry.call(table)
            return
        if self._process != os.getpid():
            self._ending.detach()
            self._form()
        if job is not self._job:
            self._prepare(job)
        self._lead(self._address, self._count)

    def _prepare(self, job: Job) -> None:
        self._job, self._count = job, len(job.tables)
        functions = self._functions()
        self._lead = functions.lead
        for number, (table, counts) in enumerate(zip(job.tables, job.counts, strict=True)):
            block = self._blocks[number]
            block[CALLED], block[ARGUMENT] = job.entry.address, table
            block[COUNTS], block[PAIRS] = counts.ctypes.data, len(counts)
        while self._begun < self._count:
            _begin(functions, self._blocks, self._begun)
            self._begun += 1


def _at(blocks: Array, number: int, word: int) -> int:
    """The address of a word of a member's block."""
    return int(blocks.ctypes.data) + (number * BLOCK + word) * 8


def _begin(functions: Functions, blocks: Array, number: int) -> None:
    for word in (START, DONE):
        _call("sem_init", _at(blocks, number, word), 0, 0)
    thread = threading.Thread(
        target=_serve, args=(functions, blocks, number), name=f"hamlet-step-{number}", daemon=True
    )
    thread.start()


def _serve(functions: Functions, blocks: Array, number: int) -> None:
    """What a member does all its life; the blocks live as long."""
    functions.serve(_at(blocks, number, STATE))


def _end(blocks: Array) -> None:
    blocks[:, STATE] = ENDED
    for number in range(1, len(blocks)):
        _call("sem_post", _at(blocks, number, START))


def _call(name: str, semaphore: int, *arguments: int) -> None:
    getattr(process(), name)(ctypes.c_void_p(semaphore), *arguments)
