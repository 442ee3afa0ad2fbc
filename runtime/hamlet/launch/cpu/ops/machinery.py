"""Numba's own machinery, under the names that this folder uses. Numba annotates some of it, in each version others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numba.core.caching
import numba.core.cgutils
import numba.core.codegen
import numba.core.compiler
import numba.core.compiler_lock
import numba.core.imputils
import numba.core.registry
import numba.core.serialize
import numba.core.typed_passes
import numba.core.typing.templates
import numba.core.untyped_passes
import numba.extending

njit: Any = numba.njit
types: Any = numba.types
config: Any = numba.core.config
NullCache: Any = numba.core.caching.NullCache
dumps: Any = numba.core.serialize.dumps
cgutils: Any = numba.core.cgutils
codegen: Any = numba.core.codegen
compiler: Any = numba.core.compiler
compiler_lock: Any = numba.core.compiler_lock.global_compiler_lock
imputils: Any = numba.core.imputils
registry: Any = numba.core.registry
extending: Any = numba.extending
templates: Any = numba.core.typing.templates
typed_passes: Any = numba.core.typed_passes
untyped_passes: Any = numba.core.untyped_passes
models: Any = extending.models
signature: Any = templates.signature
Type: Any = types.Type
AbstractTemplate: Any = templates.AbstractTemplate


def intrinsic(function: Callable[..., Any]) -> Any:
    """Make an operation of a function from types to a signature and a generator of LLVM's instructions."""
    return extending.intrinsic(function)


def definition(operation: Any) -> Callable[..., Any] | None:
    """The function that an operation is made of; `None` of anything else."""
    return operation.__wrapped__ if isinstance(operation, Intrinsic) else None


Intrinsic: Any = type(intrinsic(lambda _context: None))
