"""Makes Triton's interpreter exact, where it is not: before 3.9 it rounds a fused multiply-add twice, which Triton's
compiler never has. PyPI's torch for CUDA brings such a version with it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch

from hamlet.interpreter.fma import fma

FIRST_EXACT = (3, 9)


@cache
def make_interpreter_exact() -> None:
    """From now on it rounds f32 once in every kernel of this process."""
    import triton
    from triton.runtime import interpreter

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
