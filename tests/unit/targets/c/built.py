"""Shared objects made of `hamlet.h`, whose functions take arrays of numpy."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

HERE = Path(__file__).parent
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
ADDED = "HAMLET_C_FLAGS"
"""The variable with further flags of all shared objects: sanitisers."""


def compiler() -> list[str] | None:
    """The command of the C compiler, `cc` or what `CC` says; `None` where there is none."""
    words = os.environ.get("CC", "cc").split()
    return words if shutil.which(words[0]) else None


def header_folder() -> Path:
    """The folder of `hamlet.h`."""
    import hamlet.native

    return Path(hamlet.native.__file__).parent


def build(
    target: Path, *flags: str, source: Path = HERE / "wrappers.c", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Make a shared object of a source file over the header of a folder."""
    command = compiler()
    assert command is not None, "who builds has asked for a compiler"
    added = os.environ.get(ADDED, "").split()
    paths = [f"-I{folder or header_folder()}", str(source), "-o", str(target)]
    return subprocess.run(
        [*command, *STRICT, *flags, *added, "-shared", "-fPIC", *paths], capture_output=True, text=True, check=False
    )


class View(ctypes.Structure):
    """An array as kernels get it."""

    _fields_ = (("data", ctypes.c_void_p), ("rows", ctypes.c_int64), ("columns", ctypes.c_int64))


def view(array: Array) -> View:
    """The view of an array of one or two dimensions."""
    return View(array.ctypes.data, array.shape[0], array.shape[1] if array.ndim == 2 else 1)


class Header:
    """The functions of a shared object. Arrays are passed by address, integers as i64, floats as f32."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self.wide = self.call("wide")

    def call(self, name: str, *arguments: Any, gives: Any = ctypes.c_int64) -> Any:
        """Call a function; what it gives is of a type of ctypes."""
        function = getattr(self._library, name)
        function.restype = gives
        return function(*map(_passed, arguments))

    def computed(self, way: str, operation: str, dtype: Any, operands: Sequence[Array]) -> Array:
        """What an operation gives, lane by lane or vector by vector: of arrays, of which the last has all lanes."""
        result = np.zeros(len(operands[-1]), dtype)
        self.call(f"{way}_{operation}", *operands, result, len(result), gives=None)
        return result


def _passed(argument: Any) -> Any:
    match argument:
        case np.ndarray():
            assert argument.flags.c_contiguous
            return ctypes.c_void_p(argument.ctypes.data)
        case bool():
            return ctypes.c_bool(argument)
        case int():
            return ctypes.c_int64(argument)
        case float() | np.float32():
            return ctypes.c_float(argument)
        case _:
            return argument
