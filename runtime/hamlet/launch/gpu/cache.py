"""Where Triton keeps what it compiles: a cache of the user's, under hashes of source, types, options and versions."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache as once
from pathlib import Path
from typing import Any

from hamlet.package import cache
from hamlet.terminal import say_once

ROOM = 4 << 20
"""Bytes: kernels of a universe take about as much."""


def make_writable() -> None:
    """Triton cannot compile without files: where its folder cannot be written, or its disk is full, it gets another
    one, until this process ends."""
    from triton import knobs

    settings: Any = knobs.cache
    folder = str(settings.dir)
    writable = _replacement(folder)
    if writable is not None:
        settings.dir = writable


@once
def _replacement(folder: str) -> str | None:
    """A folder to take in the place of one that cannot be written."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM))
    except OSError as error:
        temporary = tempfile.mkdtemp(prefix="hamlet-triton-")
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        say_once(f"{folder} cannot be written, so every process compiles for Triton: {cache.reason(error)}")
        return temporary
    return None
