"""Kernels for CPUs: a library for each type of observations, compiled where it is needed, at first as a draft
(`hamlet.native.drafts`), or ahead of time (`hamlet.launch.cpu.ahead`)."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext

import numpy as np

from hamlet.errors import ModuleError
from hamlet.launch.cpu import by_hand
from hamlet.launch.cpu.entry import Entry, Value, entry
from hamlet.launch.cpu.player import Player
from hamlet.launch.cpu.team import Functions
from hamlet.native.drafts import Loaded, allowed, drafted, without_drafts
from hamlet.native.library import header, library
from hamlet.package.module import Module, text_of
from hamlet.schema import abi

ENTRY = "hamlet_rollout"
"""The function of a library that a table of words calls."""
OBSERVED = {"float32": "f32", "bfloat16": "u16", "uint8": "u8"}
"""What the macro `OBSERVED` is, by the names of types of observations: bf16 is a u16 with its bits."""
SUFFIX = "c"
SHORT = 1 << 14
"""Lane-ticks that a draft runs in some milliseconds, of a universe that is slow in a second. Whoever runs more of them
in one launch waits for the library."""
CELLS, LANES = (re.compile(rf"^#define {name} (\d+)$", re.MULTILINE) for name in ("CELLS", "LANES"))


class Kernels:
    """The kernel `rollout` of a package, which is all of them: others run no ticks, or one.

    Attributes:
        cells: rows of the cell cache, 0 where there is none.
        lanes: of a chunk.
        origin: says in words where machine code comes from.
    """

    def __init__(
        self,
        module: Module,
        origin: str,
        libraries: Callable[[str], Loaded],
        beside: Callable[[], ctypes.CDLL] = by_hand.beside,
    ) -> None:
        """`libraries` gives the library for a type of observations, one of the values of `OBSERVED`, and `beside` that
        of what is written by hand.

        Raises:
            ModuleError: the module was compiled without kernels in C.
        """
        cells, lanes = CELLS.search(text_in(module)), LANES.search(header())
        if cells is None or lanes is None:
            raise ModuleError(f"{module.path} has kernels in C of another version: compile {module.name} again")
        self.cells, self.lanes, self.origin = int(cells[1]), int(lanes[1]), origin
        self._observation = abi.array_arguments(module.universe, "rollout").index("observation")
        self._find, self._beside = libraries, beside
        self._player: Player | None = None
        self._libraries: dict[str, Loaded] = {}

    def entry(self, values: Sequence[Value], whole: bool) -> Entry:
        """The kernel for these arguments; where it need not be the `whole` library, a draft of it will do.

        Compiles where nobody has; raises `EnvError` where that fails, or nothing was compiled ahead of time for such
        observations."""
        observations = values[self._observation]
        assert isinstance(observations, np.ndarray), "observations are an array"
        observed = f"{observations.dtype.kind}{8 * observations.itemsize}"
        if observed not in self._libraries:
            with without_drafts() if whole else nullcontext():
                self._libraries[observed] = self._find(observed)
        either = self._libraries[observed]
        loaded = either.whole() if whole else either.now
        address = ctypes.cast(loaded[ENTRY], ctypes.c_void_p).value
        assert address is not None, "a function has an address"
        return entry(address, values, loaded)

    def team(self) -> Functions:
        """What a team of threads runs; compiled where nobody has."""
        return by_hand.team(self._beside())

    def player(self) -> Player:
        """What plays rollouts of networks; compiled where nobody has."""
        if self._player is None:
            self._player = by_hand.player(self._beside())
        return self._player


def just_in_time(module: Module, reason: str = "") -> Kernels:
    """The kernels of a module, which a compiler of this machine compiles. `reason` says in words why nothing was
    compiled ahead of time, where somebody might expect it."""
    text = text_in(module)
    origin = "just in time, C" + (f" ({reason})" if reason else "")
    if allowed():
        return Kernels(module, origin, lambda observed: drafted(text, {"OBSERVED": observed}, ENTRY))
    return Kernels(module, origin, lambda observed: Loaded(library(text, {"OBSERVED": observed})))


def text_in(module: Module) -> str:
    """The text of the kernels of a module."""
    return text_of(module, "c", SUFFIX).decode()
