"""Machine code in a generated package: `aot/sm_90/kernels.json`, and a file per kernel beside it.

Made by `hamlet.launch.gpu.compile_ahead`, found by `hamlet.launch.gpu.ahead`. A kernel is launched by the driver alone:
Triton need not be there, nor a compiler, and so no version has to be the one that made it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hamlet.package import ahead as index
from hamlet.package.ahead import INDEX, Tables
from hamlet.package.manifest import AHEAD

FORMAT = 2
"""The version of `kernels.json`."""

CAPABILITIES = (75, 80, 86, 87, 89, 90, 100, 103, 120, 121)
"""The GPUs that there are, from Turing on. For others Triton's assembler ends the process."""


@dataclass(frozen=True, slots=True)
class Cubin:
    """A kernel in machine code.

    Attributes:
        kernel: its name.
        types: of its arguments: the name of a torch type for an array, `int`, `None` for an array that is absent.
        given: the constants and options that it was compiled with.
        parameters: how those of its arguments that are not absent lie in memory, in the notation of `struct`; `scratch`
            are pointers after them that are null.
        scratch: how many.
        threads: of a block.
        shared: bytes of shared memory of a block.
        file: in the folder of the index.
    """

    kernel: str
    types: tuple[str | None, ...]
    given: Mapping[str, int | bool]
    parameters: str
    scratch: int
    threads: int
    shared: int
    file: str


@dataclass(frozen=True, slots=True)
class Cubins:
    """The kernels of a package for one compute capability (90: sm_90).

    Attributes:
        capability: of the devices that run them.
        triton: the version of Triton that compiled them.
        tables: name, type and values, as `TABLES` of the kernels.
        kept: `KEPT` of the kernels.
        registers: `REGISTERS` of the kernels.
        kernels: what there is.
    """

    capability: int
    triton: str
    tables: Tables
    kept: int
    registers: int | None
    kernels: tuple[Cubin, ...]


def folder(capability: int) -> str:
    """Where they are in a package."""
    return index.folder(f"sm_{capability}")


def to_json(cubins: Cubins) -> str:
    """The index."""
    return index.to_json(cubins, FORMAT)


def from_json(text: str) -> Cubins | None:
    """See `hamlet.package.ahead.from_json`."""
    return index.from_json(text, FORMAT, _cubins)


def _cubins(index: dict[str, Any], tables: Tables) -> Cubins:
    kernels = tuple(Cubin(**each | {"types": tuple(each["types"])}) for each in index.pop("kernels"))
    return Cubins(**index, tables=tables, kernels=kernels)


def capabilities(files: Mapping[str, bytes]) -> Iterator[int]:
    """Capabilities of GPUs that a package has kernels for."""
    for name in files:
        parts = name.split("/")
        if len(parts) == 3 and parts[0] == AHEAD and parts[1].startswith("sm_") and parts[2] == INDEX:
            yield int(parts[1].removeprefix("sm_"))
