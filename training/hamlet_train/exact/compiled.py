"""The kernels of training, which are written in C: compiled once for a machine, and called without Python's lock."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, TypeAlias

from hamlet.launch.cpu.memory import Array
from hamlet.native.library import library
from hamlet.native.texts import text

SOURCE, PREFIX = "exact.c", "hamlet_train_"
KINDS: dict[str, Any] = {
    "p": ctypes.c_void_p,
    "i": ctypes.c_int64,
    "u": ctypes.c_uint32,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
    "n": None,
}
"""Types of arguments and results: an address, i64, u32, f32, f64; nothing."""
MEMORY: Any = ctypes.c_char * 0

Address: TypeAlias = Any
"""An address, as `at` returns it, or `None` where there is nothing."""


@cache
def function(name: str, kinds: str, gives: str = "n") -> Any:
    """A kernel by its name behind `PREFIX`, with a letter of `KINDS` for each argument; compiled where nobody has.

    Raises:
        EnvError: see `hamlet.native.library.library`.
    """
    kernel = kernels()[f"{PREFIX}{name}"]
    kernel.argtypes, kernel.restype = [KINDS[kind] for kind in kinds.replace(" ", "")], KINDS[gives]
    return kernel


@cache
def kernels() -> ctypes.CDLL:
    """All of them; compiled where nobody has.

    Raises:
        EnvError: see `hamlet.native.library.library`.
    """
    return library(text(SOURCE, __package__))


def at(array: Array) -> Address:
    """Where an array lies, whose numbers are side by side in memory. It takes a tenth of the time of `array.ctypes`,
    which is as long as small kernels."""
    return MEMORY.from_buffer(array)


def lying(array: Array) -> tuple[Any, int, int]:
    """Where [values, lanes] lie, side by side in either order, and how far apart values are, and lanes."""
    by_value, by_lane = array.strides
    memory = at(array if array.flags.c_contiguous else array.T)
    return memory, by_value // array.itemsize, by_lane // array.itemsize
