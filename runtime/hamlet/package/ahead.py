"""Machine code in a generated package: a folder `aot/TARGET` for each GPU and each level of CPUs, with the files of its
kernels and an index, `kernels.json`, of the version that the target gives it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from hamlet.errors import ModuleError
from hamlet.package.manifest import AHEAD

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

INDEX = "kernels.json"

Tables: TypeAlias = "tuple[tuple[str, str, tuple[float | int, ...]], ...]"
"""Name, type and values of each of the tables that kernels read."""

Index = TypeVar("Index")


def folder(target: str) -> str:
    """Where the machine code for a target is in a package."""
    return f"{AHEAD}/{target}"


def to_json(index: DataclassInstance, version: int) -> str:
    """The index of a folder."""
    return json.dumps({"format": version} | asdict(index), indent=1) + "\n"


def from_json(text: str, version: int, build: Callable[[dict[str, Any], Tables], Index]) -> Index | None:
    """The index that `build` makes of what a text says and its tables; `None` where it is of another version.

    Raises:
        ModuleError: it is no index.
    """
    try:
        content: dict[str, Any] = json.loads(text)
        if content.pop("format") != version:
            return None
        tables = tuple((name, dtype, tuple(values)) for name, dtype, values in content.pop("tables"))
        return build(content, tables)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModuleError(f"{AHEAD}/*/{INDEX} lists no kernels ({error}): compile the universe again") from error
