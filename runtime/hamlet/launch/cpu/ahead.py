"""Kernels in C that a package has in machine code: `aot/x86-64-v3/kernels.json`, and a shared library for each type
of observations beside it. They need no compiler."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from hamlet.errors import EnvError
from hamlet.launch.cpu.by_hand import SOURCE
from hamlet.launch.cpu.kernels import OBSERVED, SUFFIX, Kernels, text_in
from hamlet.launch.cpu.levels import LEVELS, NAMES, Level, usable
from hamlet.native.drafts import Loaded
from hamlet.native.library import machine_code, opened, probed
from hamlet.native.texts import text as native
from hamlet.package import ahead as index
from hamlet.package.ahead import INDEX, Tables, folder
from hamlet.package.manifest import sha256
from hamlet.package.module import Module, kernels_file
from hamlet.schema import encodes
from hamlet.system import cpus

FORMAT = 3
"""The version of `kernels.json` and of tables of words."""
BESIDE = "beside.so"
"""The library of a team of threads and of networks, for all types of observations."""


@dataclass(frozen=True, slots=True)
class Libraries:
    """The kernels of a package for one level of CPUs.

    Attributes:
        level: see `hamlet.launch.cpu.levels`.
        source: sha256 of the text that they were made of.
        tables: none.
        files: by values of the macro `OBSERVED`.
        beside: the file with what is written by hand.
    """

    level: str
    source: str
    tables: Tables
    files: Mapping[str, str]
    beside: str


def compile_ahead(
    module: Module,
    done: Callable[[str], None] = lambda _level: None,
    levels: Sequence[Level] = LEVELS,
    observations: Sequence[str] = tuple(OBSERVED),
) -> dict[str, bytes]:
    """The files for levels of CPUs, by name in the package.

    Args:
        module: a package with kernels in C.
        done: told each level that is ready.
        levels: by default all.
        observations: types of observations; those that the universe cannot have are left out.

    Raises:
        EnvError: there is no compiler, or it fails.
        ModuleError: the package has no kernels in C.
    """
    text = text_in(module)
    types = [name for name in observations if name != "uint8" or encodes(module.universe)]
    with ThreadPoolExecutor(cpus()) as pool:
        made = {
            (level.name, name): pool.submit(machine_code, text, {"OBSERVED": OBSERVED[name]}, level.name)
            for level in levels
            for name in types
        }
        beside = {level.name: pool.submit(machine_code, native(SOURCE), {}, level.name) for level in levels}
        written: dict[str, bytes] = {}
        for level in levels:
            for name in types:
                written[f"{folder(level.name)}/{name}.so"] = made[level.name, name].result()
            files = {OBSERVED[name]: f"{name}.so" for name in types}
            written[f"{folder(level.name)}/{BESIDE}"] = beside[level.name].result()
            listing = Libraries(level.name, sha256(text.encode()), (), files, BESIDE)
            written[f"{folder(level.name)}/{INDEX}"] = index.to_json(listing, FORMAT).encode()
            done(level.name)
    return written


def find(module: Module) -> tuple[Kernels | None, str]:
    """The package's kernels for this machine, and in words why there are none (empty where it never had any)."""
    there = tuple(name for name in NAMES if f"{folder(name)}/{INDEX}" in module.sources)
    mine, why = usable()
    level = next((name for name in mine if name in there), None)
    if level is None:
        return None, f"the package has machine code for {', '.join(there)}, and {why}" if there else ""
    listing = index.from_json(module.sources[f"{folder(level)}/{INDEX}"].decode(), FORMAT, _libraries)
    if listing is None:
        return None, "machine code in the package is of another version"
    if listing.source != sha256(module.sources.get(kernels_file("c", SUFFIX), b"")):
        return None, "machine code in the package is of other kernels"

    def loaded(observed: str) -> ctypes.CDLL:
        file = listing.files.get(observed)
        if file is None:
            raise EnvError(
                f"the package has machine code for {level}, but not for these observations: compile it again"
            )
        return probed(opened(module.sources[f"{folder(level)}/{file}"]))

    def by_hand() -> ctypes.CDLL:
        return probed(opened(module.sources[f"{folder(level)}/{listing.beside}"]))

    try:
        # See whether machine code can be loaded here at all.
        for observed in list(listing.files)[:1]:
            loaded(observed)
    except OSError as error:
        return None, f"machine code in the package cannot be loaded: {error}"
    return Kernels(module, f"ahead of time, {level}", lambda observed: Loaded(loaded(observed)), by_hand), ""


def _libraries(found: dict[str, Any], tables: Tables) -> Libraries:
    return Libraries(**{**found, "files": dict(found["files"])}, tables=tables)
