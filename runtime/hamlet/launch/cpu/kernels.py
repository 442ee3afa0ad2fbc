"""Kernels for CPUs, as the launcher sees them: compiled just in time, or ahead of time (`hamlet.launch.cpu.ahead`)."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Protocol

from hamlet.launch.cpu.entry import Entry, Value
from hamlet.launch.cpu.player import Player
from hamlet.launch.cpu.team import Functions
from hamlet.package.ahead import Tables


class Kernels(Protocol):
    """The kernel `rollout` of a package, which is all of them: others run no ticks, or one.

    Attributes:
        backend: the name of the backend that they are of.
        tables: what it is given, as `TABLES` of the generated text.
        cells: rows of the cell cache, 0 where there is none.
        lanes: of a chunk.
        origin: says in words where machine code comes from.
    """

    backend: str
    tables: Tables
    cells: int
    lanes: int
    origin: str

    def entry(self, values: Sequence[Value]) -> Entry:
        """The kernel for arguments of the types of these."""
        ...

    def team(self) -> Functions:
        """What a team of threads runs."""
        ...

    def player(self) -> Player:
        """What plays rollouts of networks."""
        ...


class JustInTime:
    """Lets numba compile the kernels of a module when they are needed; see `Kernels`."""

    backend = "numba"

    def __init__(self, module: ModuleType, reason: str = "") -> None:
        """`reason` says in words why nothing was compiled ahead of time, where somebody might expect it."""
        self.tables: Tables = tuple(module.TABLES)
        self.cells: int = module.CELLS
        self.lanes: int = module.LANES
        self.origin = "just in time, numba" + (f" ({reason})" if reason else "")
        self._module = module

    def entry(self, values: Sequence[Value]) -> Entry:
        """Compiles where nobody has."""
        from hamlet.launch.cpu.ops.entries import entry_of

        return entry_of(self._module.rollout, values)

    def team(self) -> Functions:
        """Compiles where nobody has."""
        from hamlet.launch.cpu.ops.teams import functions

        return functions()

    def player(self) -> Player:
        """Compiles where nobody has."""
        from hamlet.launch.cpu.ops.playing import PLAYER

        return PLAYER
