"""Makes Triton's interpreter exact, where it is not, and faster.

Before 3.9 it rounds a fused multiply-add twice, which Triton's compiler never has. PyPI's torch for CUDA brings such a
version with it. A third of its time goes into sums and products anew in i64, to see whether they overflow: it looks at
that only where it debugs.
"""

from __future__ import annotations

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
