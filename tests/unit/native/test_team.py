"""A team of threads in C: all run, what they count is added up, and nobody waits for a member that is not there."""

from __future__ import annotations

import ctypes
import os
import shutil
import threading
import time

import numpy as np
import pytest

from hamlet.launch.cpu import by_hand
from hamlet.launch.cpu.entry import BLOCK, CLAIMED, IDLE, STATE, entry
from hamlet.launch.cpu.memory import Array
from hamlet.launch.cpu.team import Functions, Job, Team
from hamlet.native.library import library
from hamlet.system import process

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="this machine has no compiler of C")

CALLED = """
#include "hamlet.h"
/* Adds up the numbers below that of its first word; then waits until its second word is 0. */
HAMLET_EXPORT i64 add_up(i64 *words) {
    for (i64 number = 0; number < words[0]; number++) words[2] += number, words[3] += 1;
    while (__atomic_load_n(words + 1, __ATOMIC_ACQUIRE) != 0) {
    }
    return 0;
}
"""
NUMBERS, WAITS, SUM, COUNT = range(4)
MANY = 1000


def functions() -> Functions:
    """Those in C."""
    return by_hand.team(by_hand.beside())


class Called:
    """What members of a team are to call, with a table each."""

    def __init__(self, threads: int) -> None:
        self._library = library(CALLED)
        self.tables = np.zeros((threads, 8), np.int64)
        self.tables[:, NUMBERS] = MANY
        own = [self._pairs(number) for number in range(1, threads)]
        addresses = [int(table.ctypes.data) for table in self.tables]
        function = ctypes.cast(self._library.add_up, ctypes.c_void_p).value
        assert function is not None
        kernel = entry(function, (), self._library)
        self.job = Job(kernel, addresses, [np.zeros((0, 3), np.int64), *own])

    def _pairs(self, number: int) -> Array:
        """What a member counts is added to what the leader does."""
        return np.array([[self.tables[of, SUM:].ctypes.data for of in (0, number)] + [2]], np.int64)


def test_all_run_and_what_they_count_is_added_up() -> None:
    called, team = Called(3), Team(3, functions)
    for launch in range(1, 200):
        team.run(called.job)
        added = called.tables[:, [SUM, COUNT]].sum(axis=0)
        # The leader takes back what nobody has begun, so some launches run in fewer threads.
        assert added[1] % MANY == 0
        assert launch * MANY <= added[1] <= 3 * launch * MANY
        assert added[0] == added[1] // MANY * (MANY * (MANY - 1) // 2)
        assert not called.tables[1:, [SUM, COUNT]].any()
        assert not team._blocks[:, STATE].any()


def test_every_member_runs_in_time_and_python_goes_on() -> None:
    """All wait for each other's words, which another thread of Python writes."""
    called, team = Called(3), Team(3, functions)
    called.tables[:, WAITS] = 1
    seen = []

    def release() -> None:
        late = time.monotonic() + 20
        while not (team._blocks[1:, STATE] == CLAIMED).all() and time.monotonic() < late:
            time.sleep(0.001)
        seen.append(team._blocks[1:, STATE].tolist())
        called.tables[:, WAITS] = 0

    other = threading.Thread(target=release)
    other.start()
    team.run(called.job)
    other.join()
    assert seen == [[CLAIMED, CLAIMED]]
    assert team._blocks[:, STATE].tolist() == [IDLE] * 3
    assert called.tables[0, COUNT] == 3 * MANY
    assert not called.tables[1:, [SUM, COUNT]].any()


def test_the_leader_waits_for_members_that_have_begun() -> None:
    """However long they take, and whether or not it sleeps: what they count is there when it returns."""
    called, team = Called(2), Team(2, functions)
    called.tables[:, WAITS] = 1
    led = threading.Thread(target=team.run, args=(called.job,))
    led.start()
    late = time.monotonic() + 20
    while team._blocks[1, STATE] != CLAIMED and time.monotonic() < late:
        time.sleep(0.001)
    called.tables[0, WAITS] = 0
    led.join(0.2)
    assert led.is_alive()
    called.tables[1, WAITS] = 0
    led.join(20)
    assert not led.is_alive()
    assert called.tables[:, COUNT].tolist() == [2 * MANY, 0]


def test_nobody_waits_for_a_member_that_is_not_there() -> None:
    """As after a fork: blocks whose threads never take what is posted."""
    called, blocks = Called(3), np.zeros((3, BLOCK), np.int64)
    for block, table in zip(blocks, called.tables, strict=True):
        block[1], block[2] = called.job.entry.address, table.ctypes.data
    for _ in range(3):
        functions().lead(int(blocks.ctypes.data), 3)
    assert called.tables[:, COUNT].tolist() == [3 * MANY, 0, 0]
    assert blocks[:, STATE].tolist() == [IDLE] * 3


def test_a_late_member_takes_nothing_that_was_taken_back() -> None:
    called, blocks = Called(2), np.zeros((2, BLOCK), np.int64)
    for block, table in zip(blocks, called.tables, strict=True):
        block[1], block[2] = called.job.entry.address, table.ctypes.data
    functions().lead(int(blocks.ctypes.data), 2)
    member = threading.Thread(target=functions().serve, args=(int(blocks[1].ctypes.data),))
    member.start()
    time.sleep(0.05)
    assert member.is_alive()
    blocks[1, STATE] = 3
    there = process()
    assert there is not None
    there.sem_post(ctypes.c_void_p(int(blocks[1, 8:].ctypes.data)))
    member.join(20)
    assert not member.is_alive()
    assert called.tables[1, COUNT] == 0


def test_a_fork_begins_others() -> None:
    called, team = Called(2), Team(2, functions)
    team.run(called.job)
    child = os.fork()
    if child == 0:
        called.tables[:, SUM:] = 0
        team.run(called.job)
        os._exit(0 if called.tables[0, COUNT] in (MANY, 2 * MANY) and team._begun == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
