"""Kernels for CPUs that a package has in machine code: `aot/x86-64-v3/kernels.json`, and an object file for each type
of observations beside it. They need neither numba nor LLVM.

Made by `hamlet.launch.cpu.compile_ahead`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from hamlet.errors import EnvError
from hamlet.launch.cpu import object_file
from hamlet.launch.cpu.entry import Entry, Value, entry
from hamlet.launch.cpu.levels import NAMES, usable
from hamlet.launch.cpu.player import Player
from hamlet.launch.cpu.team import LEAD, SERVE, Functions, functions_at
from hamlet.package import ahead as index
from hamlet.package.ahead import INDEX, Tables, folder
from hamlet.package.manifest import sha256
from hamlet.package.module import Module, kernels_file

FORMAT = 1
"""The version of `kernels.json` and of tables of words."""

ENTRY = "hamlet_rollout"
"""The name of the function in each file."""

Types = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Objects:
    """The kernels of a package for one level of CPUs.

    Attributes:
        level: see `hamlet.launch.cpu.levels`.
        source: sha256 of the text that they were made of.
        numba, llvmlite: the versions that made them.
        tables, cells, lanes: see `hamlet.launch.cpu.kernels.Kernels`.
        files: for each file the types of arguments that its kernel takes, see `types_of`.
    """

    level: str
    source: str
    numba: str
    llvmlite: str
    tables: Tables
    cells: int
    lanes: int
    files: Mapping[str, Types]


def types_of(values: Sequence[Value]) -> Types:
    """The types of arguments: "f32 2" of an array with two dimensions, `int` or `bool` of a number."""
    return tuple(_type(value) for value in values)


def _type(value: Value) -> str:
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    odd = "" if value.flags.c_contiguous and value.flags.writeable and value.flags.aligned else " odd"
    return f"{value.dtype.str[1:]} {value.ndim}{odd}"


def to_json(objects: Objects) -> str:
    """The index."""
    return index.to_json(objects, FORMAT)


def from_json(text: str) -> Objects | None:
    """See `hamlet.package.ahead.from_json`."""
    return index.from_json(text, FORMAT, _objects)


def _objects(found: dict[str, Any], tables: Tables) -> Objects:
    files = {name: tuple(types) for name, types in found.pop("files").items()}
    return Objects(**found, tables=tables, files=files)


def levels(files: Mapping[str, bytes]) -> Iterator[str]:
    """Those that a package has kernels for, the best one first."""
    return (name for name in NAMES if f"{folder(name)}/{INDEX}" in files)


def find(module: Module) -> tuple[AheadKernels | None, str]:
    """The package's kernels for this machine, and in words why there are none (empty where it never had any)."""
    there = tuple(levels(module.sources))
    mine, why = usable()
    level = next((name for name in mine if name in there), None)
    if level is None:
        return None, f"the package has machine code for {', '.join(there)}, and {why}" if there else ""
    objects = from_json(module.sources[f"{folder(level)}/{INDEX}"].decode())
    if objects is None:
        return None, "machine code in the package is of another version"
    if objects.source != sha256(module.sources.get(kernels_file("numba"), b"")):
        return None, "machine code in the package is of other kernels"
    kernels = AheadKernels(objects, module.sources)
    try:
        kernels.load_one()
    except (OSError, object_file.ObjectError) as error:
        return None, f"machine code in the package cannot be loaded: {error}"
    return kernels, ""


class AheadKernels:
    """See `hamlet.launch.cpu.kernels.Kernels`."""

    backend = "numba"

    def __init__(self, objects: Objects, sources: Mapping[str, bytes]) -> None:
        """`sources` are the files of the package."""
        self.tables = objects.tables
        self.cells = objects.cells
        self.lanes = objects.lanes
        self.origin = f"ahead of time, {objects.level}"
        self._level = objects.level
        self._files = {types: sources[f"{folder(objects.level)}/{name}"] for name, types in objects.files.items()}

    def load_one(self) -> None:
        """See whether machine code can be loaded here at all.

        Raises:
            ObjectError, OSError: it cannot.
        """
        for content in list(self._files.values())[:1]:
            _loaded(content)

    def entry(self, values: Sequence[Value]) -> Entry:
        """Raises `EnvError` where there is no machine code for arguments of these types."""
        content = self._files.get(types_of(values))
        if content is None:
            raise EnvError(
                f"the package has machine code for {self._level}, but not for these observations: compile it again"
            )
        loaded = _loaded(content)
        return entry(loaded.addresses[ENTRY], values, loaded)

    def team(self) -> Functions:
        """Every file has these functions."""
        loaded = _loaded(next(iter(self._files.values())))
        return functions_at(loaded.addresses[SERVE], loaded.addresses[LEAD], loaded)

    def player(self) -> Player:
        """Compiles where nobody has."""
        from hamlet.launch.cpu.ops.playing import PLAYER

        return PLAYER


@cache
def _loaded(content: bytes) -> object_file.Loaded:
    return object_file.load(content)
