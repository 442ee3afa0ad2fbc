"""Decorators of generated functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hamlet.launch.cpu.ops.caching import KernelCache
from hamlet.launch.cpu.ops.compiling import KernelCompiler, linked
from hamlet.launch.cpu.ops.machinery import njit
from hamlet.package.module import Contents

Compiled = TypeVar("Compiled", bound=Callable[..., Any])


def kernel(function: Compiled, own: bool = False) -> Compiled:
    """Compile an entry point. Its machine code is kept where it is of a module that was loaded from its contents, or
    `own`, one of this folder."""
    result: Any = njit(
        error_model="numpy",
        nogil=True,
        boundscheck=False,
        no_cfunc_wrapper=True,
        _nrt=False,
        pipeline_class=KernelCompiler,
    )(function)
    loader = function.__globals__.get("__loader__")
    if isinstance(loader, Contents):
        result._cache = KernelCache(function.__name__, loader.digest, len(loader.text))
    elif own:
        result._cache = KernelCache(function.__name__, "", 0)
    kernel_: Compiled = result
    return kernel_


def own_kernel(function: Compiled) -> Compiled:
    """Compile an entry point of this folder."""
    return kernel(function, own=True)


def helper(function: Compiled) -> Compiled:
    """Compile a function that kernels call."""
    result: Compiled = linked(function, inlined=False)
    return result


def inline(function: Compiled) -> Compiled:
    """Compile a function with loops that becomes part of the loop that calls it."""
    result: Compiled = linked(function, inlined=True)
    return result
