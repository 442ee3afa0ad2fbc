"""A CPU kernel as a function of C that takes the address of one table of words.

Arguments of a call from Python are unpacked one by one, which takes as long as a small step. A table is written once; a
launch fills in the words that changed. The same function looks at the range of actions, so that no other call has to.

The first words of a table are those of `HEAD`; then come the arguments of the kernel in their order, each as `words_of`
has it. Those of a team of threads are here too.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Value: TypeAlias = "np.ndarray[Any, Any] | int"
"""An argument of a kernel."""

C_FUNCTION: Any = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
WRONG = -1
"""What a call gives where an action is out of range: nothing was done."""

HEAD = KERNEL, ACTIONS, LANES, COUNT, WIDE, NARROWED = range(6)
"""The first words: 1, or 0 to launch nothing; the address of actions and their number, 0 to look at none; how many
actions there are; whether they are i64, and the address to which they are then written as i32."""

LINE = 64
"""Bytes of a cache line."""

SHARE = LINE // 8
"""Words of a thread's share of worlds: a cache line, since each thread writes into its own."""
FREE, NEXT, LAST = range(3)
"""The first of them: the first world that nobody has taken, and the end of such worlds in the upper half of the word;
then the first of those that the thread has taken and not begun, and their end."""

ARRAY = 5
"""Words of an array before its shape and strides; the last of them is its address."""


TEAM = "hamlet_team"
"""What the names of the functions of a team of threads begin with, see team.c."""
BLOCK = 24
"""Words of a member, three cache lines: its state and what it is to call, then two semaphores."""
STATE, CALLED, ARGUMENT, COUNTS, PAIRS, START, DONE = 0, 1, 2, 3, 4, 8, 16
IDLE, POSTED, CLAIMED, ENDED = range(4)
"""States of a member. Whoever takes a posted call claims it: the member, or the leader to take it back."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel for arguments of certain types.

    Attributes:
        address: of the function of C, i64 (i8 *).
        call: the same for Python: takes the address of a table, and gives `WRONG` or 0.
        places: the word of each argument; of an array that of its address.
    """

    address: int
    call: Callable[[int], int]
    places: tuple[int, ...]

    def table(self, values: Iterable[Value]) -> list[int]:
        """The words of a table with these arguments, which looks at no actions."""
        words = [0] * len(HEAD)
        words[KERNEL] = 1
        return words + [word for value in values for word in words_of(value)]

    def run(self, values: Iterable[Value]) -> None:
        """Launch the kernel with these arguments."""
        words = array("q", self.table(values))
        self.call(words.buffer_info()[0])


def words_of(value: Value) -> list[int]:
    """An argument in a table."""
    if isinstance(value, np.ndarray):
        return [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]
    return [int(value)]


def places(values: Iterable[Value]) -> tuple[int, ...]:
    """The word of each of these arguments in a table; of an array that of its address."""
    found, following = [], len(HEAD)
    for value in values:
        found.append(following + ARRAY - 1 if isinstance(value, np.ndarray) else following)
        following += len(words_of(value))
    return tuple(found)


def entry(address: int, values: Sequence[Value], *kept: Any) -> Entry:
    """The entry at an address for arguments of the types of these; it keeps what its machine code lives in."""
    function = C_FUNCTION(address)
    function.kept = kept
    return Entry(address, function, places(values))


def shares_of(parts: Iterable[tuple[int, int]]) -> np.ndarray[Any, Any]:
    """Shares [threads, SHARE] i64 of which nobody has taken anything: the first world of each, and its end."""
    begun = [[end << 32 | first] + [0] * (SHARE - 1) for first, end in parts]
    return np.array(begun, np.int64).reshape(-1, SHARE)
