"""Leaves out the one pass of Triton that takes most of the time and changes nothing in our kernels.

`TritonGPUCoalesce` decides how many neighbouring elements a thread reads or writes at once. Our blocks have at most one
lane per thread, so there is nothing to decide. But to find out, it collects, for every load and store, all that is
connected with it, instruction by instruction: time that grows with the cube of a kernel's size, three quarters of all
for the town. PTX is the same but for the names of registers (`tests/ptx/test_ptx_coalescing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

_left_out: ContextVar[bool] = ContextVar("_left_out", default=False)


@contextmanager
def without_coalescing() -> Iterator[None]:
    """Kernels that this thread compiles meanwhile are compiled without the pass; others as ever."""
    _guard_pass()
    token = _left_out.set(True)
    try:
        yield
    finally:
        _left_out.reset(token)


@cache
def _guard_pass() -> None:
    """Make Triton ask before it adds the pass."""
    from triton._C.libtriton import passes

    add = passes.ttgpuir.add_coalesce

    def add_unless_left_out(manager: object) -> None:
        if not _left_out.get():
            add(manager)

    passes.ttgpuir.add_coalesce = add_unless_left_out
