"""Kernels in C: a library for each type of observations, compiled where it is needed."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence

import numpy as np

from hamlet.errors import ModuleError
from hamlet.launch.cpu.entry import Entry, Value, entry
from hamlet.launch.cpu.team import Functions
from hamlet.native.library import header, library
from hamlet.package.ahead import Tables
from hamlet.package.module import Module, text_of
from hamlet.schema import abi
from hamlet.universe import Universe

ENTRY = "hamlet_rollout"
"""The function of a library that a table of words calls."""
OBSERVED = {"float32": "f32", "uint8": "u8", "uint16": "u16"}
"""What the macro `OBSERVED` is, by numpy's names of types: observations in bf16 are u16 with its bits."""
SUFFIX = "c"
CELLS, LANES = (re.compile(rf"^#define {name} (\d+)$", re.MULTILINE) for name in ("CELLS", "LANES"))


class CKernels:
    """See `hamlet.launch.cpu.kernels.Kernels`."""

    backend = "c"

    def __init__(self, module: Module, reason: str = "") -> None:
        """`reason` says in words why nothing was compiled ahead of time, where somebody might expect it.

        Raises:
            ModuleError: the module was compiled without kernels in C.
        """
        self._text = text_of(module, "c", SUFFIX).decode()
        cells, lanes = CELLS.search(self._text), LANES.search(header())
        if cells is None or lanes is None:
            raise ModuleError(f"{module.path} has kernels in C of another version: compile {module.name} again")
        # Their tables are constants.
        self.tables: Tables = ()
        self.cells, self.lanes = int(cells[1]), int(lanes[1])
        self.origin = "just in time, C" + (f" ({reason})" if reason else "")
        self._observation = place_of_observations(module.universe)
        self._libraries: dict[str, ctypes.CDLL] = {}

    def entry(self, values: Sequence[Value]) -> Entry:
        """Compiles where nobody has."""
        observed = observed_in(values, self._observation)
        if observed not in self._libraries:
            self._libraries[observed] = library(self._text, {"OBSERVED": observed})
        return entry_in(self._libraries[observed], values)

    def team(self) -> Functions:
        """Compiles where nobody has."""
        from hamlet.launch.cpu.ops.teams import functions

        return functions()


def place_of_observations(universe: Universe) -> int:
    """The place of observations among the arguments of a kernel."""
    return abi.array_arguments(universe, "rollout").index("observation")


def observed_in(values: Sequence[Value], place: int) -> str:
    """The type of observations in arguments of a kernel: what its text calls `OBSERVED`."""
    observed = values[place]
    assert isinstance(observed, np.ndarray), "observations are an array"
    return OBSERVED[observed.dtype.name]


def entry_in(found: ctypes.CDLL, values: Sequence[Value]) -> Entry:
    """The entry of a library, for arguments of the types of these."""
    address = ctypes.cast(getattr(found, ENTRY), ctypes.c_void_p).value
    assert address is not None, "a function has an address"
    return entry(address, values, found)
