"""The recorded traces, where they are, and what they are replayed on."""

from __future__ import annotations

import json
from collections.abc import Hashable
from functools import cache
from pathlib import Path
from typing import Any

SHARED = Path(__file__).parents[3] / "shared" / "townlet"
"""Beside the repository: packs, and traces recorded from HAMLET's engine. They are not part of it."""


def traces() -> list[Path]:
    """The traces by name."""
    return sorted((SHARED / "traces").glob("*.npz"))


@cache
def about(trace: Path) -> dict[str, Any]:
    """What stands beside a trace."""
    result: dict[str, Any] = json.loads(trace.with_suffix(".json").read_text(encoding="utf-8"))
    return result


def pack_of(trace: Path) -> Path:
    """The pack that a trace was recorded from."""
    return SHARED / str(about(trace)["pack_dir"])


def of_each_kind() -> list[Path]:
    """One trace of each kind of space, in a plane also with and without temporal mechanics and partial observability:
    the first, or one of random states, which do the most."""
    found: dict[Hashable, Path] = {}
    for trace in traces():
        chosen = found.setdefault(_kind(trace), trace)
        if trace.stem.endswith("randstate") and not chosen.stem.endswith("randstate"):
            found[_kind(trace)] = trace
    return list(found.values())


def _kind(trace: Path) -> tuple[Any, ...]:
    meta = about(trace)
    space = str(meta["substrate"]["cls"])
    if space.startswith("Continuous"):
        return ("Continuous", "2D" in space)
    return (space, meta["temporal"], meta["pomdp"]) if space.startswith("Grid2D") else (space,)
