"""Decorators of generated functions."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from hamlet.launch.numba_ops.compiling import KernelCompiler, linked
from hamlet.launch.numba_ops.machinery import njit

_FILES = sorted(Path(__file__).parent.glob("*.py"))
_VERSION = sha256(b"".join(file.read_bytes() for file in _FILES)).hexdigest()[:16]

Compiled = TypeVar("Compiled", bound=Callable[..., Any])


def kernel(function: Compiled) -> Compiled:
    """Compile an entry point; the machine code is cached beside the module, or where the user's caches are."""
    # Numba names the cache after the function and checks the age of the module, but not of what the module imports.
    function.__qualname__ = f"{function.__name__}_{_VERSION}"
    options = {
        "error_model": "numpy",
        "nogil": True,
        "boundscheck": False,
        "no_cfunc_wrapper": True,
        "_nrt": False,
        "pipeline_class": KernelCompiler,
    }
    try:
        result: Compiled = njit(cache=True, **options)(function)
    except RuntimeError:
        # There is no folder to cache in: compile in every process.
        result = njit(**options)(function)
    return result


def helper(function: Compiled) -> Compiled:
    """Compile a function that kernels call."""
    result: Compiled = linked(function, inlined=False)
    return result


def inline(function: Compiled) -> Compiled:
    """Compile a function with loops that becomes part of the loop that calls it."""
    result: Compiled = linked(function, inlined=True)
    return result
