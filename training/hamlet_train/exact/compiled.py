"""The decorator of kernels: machine code is kept in the user's cache, under all that it depends on."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from hamlet.launch.cpu import ops
from hamlet.launch.cpu.ops.caching import KernelCache

Compiled = TypeVar("Compiled", bound=Callable[..., Any])


def kernel(function: Compiled) -> Compiled:
    """Compile an entry point when it is first called."""
    result: Any = ops.kernel(function)
    result._cache = KernelCache(function.__name__, *_sources())
    kernel_: Compiled = result
    return kernel_


@cache
def _sources() -> tuple[str, int]:
    """The sha256 of this folder's texts, and their length."""
    texts = [file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py"))]
    return sha256(b"\0".join(texts)).hexdigest(), sum(map(len, texts))
