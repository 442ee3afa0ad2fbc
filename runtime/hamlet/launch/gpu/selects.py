"""Spells selects of PTX so that NVIDIA's assembler reads them right: it takes -0.0 for +0.0 beside 1.0 or -1.0.

From `selp.f32 r, 1.0, -0.0, p` behind a comparison of numbers `ptxas` makes `FSET.BF`, which gives 1.0 or +0.0, and
with -1.0 the conversion of an integer, -1 or 0: with CUDA 12.8, 12.9 and 13.4 alike. A sum `x + (p ? 1.0 : -0.0)` then
is +0.0 where x is -0.0, as an H200 showed. The same select of words, `selp.b32`, is read as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

NEGATIVE_ZERO = "0f80000000"
MISREAD = re.compile(
    rf"\bselp\.f32(?P<target>\s+[^,\s]+,\s*)0f(?P<then>[3B]F800000(?=,\s*{NEGATIVE_ZERO})|80000000(?=,\s*0f[3B]F800000))"
    r",\s*0f(?P<otherwise>[0-9A-F]{8})(?=,)"
)
_ours: ContextVar[bool] = ContextVar("_ours", default=False)


def respelled(ptx: str) -> str:
    """A kernel in PTX whose selects from 1.0 or -1.0 and -0.0 are selects of words, which are the same bits."""
    if NEGATIVE_ZERO not in ptx:
        return ptx
    return MISREAD.sub(lambda each: f"selp.b32{each['target']}0x{each['then']}, 0x{each['otherwise']}", ptx)


@contextmanager
def respelling() -> Iterator[None]:
    """Kernels that this thread compiles meanwhile are respelled; others are as ever."""
    _guard_stage()
    token = _ours.set(True)
    try:
        yield
    finally:
        _ours.reset(token)


@cache
def _guard_stage() -> None:
    """Make Triton respell what it wrote for the assembler. Its hook for stages would change the keys by which launches
    find what was compiled ahead of time."""
    from triton.backends.nvidia.compiler import CUDABackend

    write = CUDABackend.make_ptx

    def write_and_respell(*arguments: Any) -> str:
        ptx: str = write(*arguments)
        return respelled(ptx) if _ours.get() else ptx

    CUDABackend.make_ptx = write_and_respell
