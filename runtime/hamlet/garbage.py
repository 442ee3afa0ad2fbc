"""Cycles among objects, which Python looks for now and then, and which must wait."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Inside, nobody looks for cycles: not among the millions of objects of a text that is read, which takes a fifth
    of the time for nothing; nor while a CUDA graph is recorded, which the end of another graph would break off."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
