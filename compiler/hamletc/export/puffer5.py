"""A universe as an environment of PufferLib 5, which builds one header together with its trainer."""

from __future__ import annotations

import re
from typing import Any

from hamlet import schema
from hamlet.numbers.binary32 import round32, spell32
from hamlet.universe import Universe
from hamletc.compilation import Compilation
from hamletc.errors import CompileError
from hamletc.export.c import rendered, values_of
from hamletc.export.cuda import values_of_cuda
from hamletc.export.exported import Exported
from hamletc.export.names import constants

BLOCK = 256
"""Lanes of an environment: a chunk of a kernel, which takes about as long for fewer."""


DEFINED = re.compile(r"^\s*#\s*define (?!_)(\w+)", re.MULTILINE)
TAKEN = frozenset({"OBS_SIZE", "NUM_ATNS", "ACT_SIZES", "PUF_BACKEND"})
"""Macros that PufferLib takes from an environment."""


def export_puffer5(compilation: Compilation, digest: int) -> Exported:
    """The header and the settings, where they stand in PufferLib's folder; arguments as of `export_c`.

    Raises:
        CompileError: PufferLib has no place for what the universe has.
    """
    return _exported(compilation.universe, values_of(compilation, digest), "h")


def export_puffer5_cuda(compilation: Compilation, digest: int) -> Exported:
    """The same in CUDA C, for an environment that lives on a GPU."""
    return _exported(compilation.universe, values_of_cuda(compilation, digest), "cu")


def _exported(universe: Universe, values: dict[str, Any], end: str) -> Exported:
    _check(universe)
    name, agents = values["name"], values["agents"]
    params = [each.lower() for each in constants("param", [param.name for param in universe.params])]
    values |= {
        "room": max(BLOCK, agents),
        "worlds": max(BLOCK // agents, 1),
        "on_gpu": end == "cu",
        "params": params,
        "ranges": [(f"{round32(each.low).hex()}f", f"{round32(each.high).hex()}f") for each in universe.controls],
    }
    defaults = [spell32(param.default) for param in universe.params]
    # What trainers include behind it has names of its own.
    defined = DEFINED.findall(rendered(f"puffer5.{end}.j2", values | {"macros": ()}))
    own = {each for each in defined if not each.startswith(f"{values['upper']}_")}
    text = rendered(f"puffer5.{end}.j2", values | {"macros": sorted({*own, "SCATTERED"} - TAKEN)})
    settings = rendered("puffer5.ini.j2", values | {"defaults": list(zip(params, defaults, strict=True))})
    return Exported({f"ocean/{name}/{name}.{end}": text.encode(), f"config/{name}.ini": settings.encode()})


def _check(universe: Universe) -> None:
    if universe.by_hand:
        raise CompileError("PufferLib has no episodes by hand: --abi plain has them")
    if universe.controls and len(schema.action_names(universe)) > 1:
        raise CompileError(
            f"policies of PufferLib have actions or controls: {universe.name} has both, and --abi plain gives them"
        )
