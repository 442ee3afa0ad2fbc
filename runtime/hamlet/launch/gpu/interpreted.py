"""Makes Triton's interpreter exact, where it is not, and faster.

Before 3.9 it rounds a fused multiply-add twice, which Triton's compiler never has. PyPI's torch for CUDA brings such a
version with it. A third of its time goes into sums and products anew in i64, to see whether they overflow: it looks at
that only where it debugs. A fifth goes into replacing all that `triton.language` has, for each function that a kernel
calls, where the kernel had it replaced already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch

from hamlet.interpreter.fma import fma

FIRST_EXACT = (3, 9)


@cache
def make_interpreter_exact() -> None:
    """From now on it rounds f32 once in every kernel of this process, and leaves out what it ignores."""
    import triton
    from triton.runtime import interpreter

    options = interpreter.interpreter_builder.options
    if not options.debug:
        interpreter.interpreter_builder.options = replace(options, sanitize_overflow=False)
    _replace_language_once(interpreter.InterpretedFunction)
    if tuple(int(part) for part in triton.__version__.split(".")[:2]) >= FIRST_EXACT:
        return
    builder: Any = interpreter.InterpreterBuilder
    of_triton = builder.create_fma

    def create_fma(self: Any, x: Any, y: Any, z: Any) -> Any:
        if z.data.dtype != np.float32:
            return of_triton(self, x, y, z)
        parts = (torch.from_numpy(np.ascontiguousarray(handle.data)) for handle in (x, y, z))
        shape = np.broadcast_shapes(x.data.shape, y.data.shape, z.data.shape)
        return interpreter.TensorHandle(fma(*parts).numpy().reshape(shape), z.dtype.scalar)

    builder.create_fma = create_fma


def _replace_language_once(function: Any) -> None:
    """Call functions as they are where the language that they see is the interpreter's already."""
    from triton import language

    call_anew = function.__call__

    @cache
    def seen_by(written: Callable[..., Any]) -> tuple[Any, ...]:
        seen = {id(value) for value in written.__globals__.values()}
        return tuple(each for each in (language, language.core) if id(each) in seen)

    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if any(language.core.is_builtin(each.load) for each in seen_by(self.fn)):
            return call_anew(self, *arguments, **named)
        return self.rewrite()(*arguments, **named)

    function.__call__ = call
