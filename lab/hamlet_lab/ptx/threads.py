"""The threads of a launch while they run: their registers, which of them are active, what they can reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from hamlet_lab.ptx.memory import Memory
from hamlet_lab.ptx.types import Array

WARP = 32
POISON = 0xA5A5A5A5A5A5A5A5
"""The content of registers that were never written: a kernel that depends on it gives obviously wrong results."""


def poison(raw: np.dtype[np.generic]) -> Array:
    """The poison of a register: one value for all threads."""
    return np.array([POISON & ((1 << 8 * raw.itemsize) - 1)]).astype(raw)


Mask: TypeAlias = npt.NDArray[np.bool_]

Meeting = Enum("Meeting", ["NONE", "WARP", "BLOCK"])
"""Which threads wait for each other."""


@dataclass(slots=True)
class Threads:
    """Threads side by side: those of all blocks, block after block.

    Attributes:
        count: how many.
        block: how many in a block.
        parameters: raw bits by name.
        variables: addresses by name, as all memory but shared memory has them.
        own: variables that each thread has: where they begin, and how many bytes they have.
        special: special registers by name.
        memory: global memory.
        shared: the shared memory of all blocks, one after the other.
        shared_bytes: of one block.
        registers: raw values of each register; an array of one element where all threads have the same.
        active: who executes the current instructions.
        everyone: whether all do.
    """

    count: int
    block: int
    parameters: dict[str, Array]
    variables: dict[str, Array]
    own: tuple[tuple[Array, int], ...]
    special: dict[str, Array]
    memory: Memory
    shared: Memory
    shared_bytes: int
    registers: list[Array]
    active: Mask
    everyone: bool = field(default=True)

    def write(self, register: int, values: Array, mask: Mask | None = None) -> None:
        """Give a register values in the active threads, or those of them that are wanted."""
        if mask is not None:
            values = np.where(self.active & mask, values, self.registers[register])
        elif not self.everyone:
            values = np.where(self.active, values, self.registers[register])
        self.registers[register] = values

    def owns(self, addresses: Array, size: int, executing: Mask | None) -> bool:
        """Whether so many bytes at these addresses are each thread's own."""
        inside = np.zeros(addresses.shape, bool)
        for begin, extent in self.own:
            first = chosen(begin, executing)
            inside = inside | ((addresses >= first) & (addresses + np.uint64(size) <= first + np.uint64(extent)))
        return bool(inside.all())

    def warps(self) -> int:
        """How many warps have an active thread."""
        return self.count // WARP if self.everyone else int(self.active.reshape(-1, WARP).any(axis=1).sum())

    def met(self, here: Mask, meeting: Meeting) -> bool:
        """Whether these threads wait for no others: whole warps, or blocks, are here."""
        if meeting is Meeting.NONE:
            return True
        groups = here.reshape(-1, WARP if meeting is Meeting.WARP else self.block)
        return np.array_equal(groups.any(axis=1), groups.all(axis=1))

    def executing(self, mask: Mask | None) -> Mask | None:
        """The active threads, or those of them that are wanted; `None` for all threads."""
        if mask is not None:
            return self.active & mask
        return None if self.everyone else self.active


Effect: TypeAlias = Callable[[Threads, Mask | None], None]
"""The effect of an instruction in the active threads, or in those of them that a mask has."""


def chosen(values: Array, threads: Mask | None) -> Array:
    """The values of some threads; of all of them as they are, where one may stand for all."""
    if threads is None:
        return values
    return np.asarray(np.broadcast_to(values, threads.shape)[threads])
