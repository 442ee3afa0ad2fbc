"""The names of backends: what `backend=...` takes beside "auto"."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

BackendName: TypeAlias = Literal["interpreter", "numba", "triton"]
BACKENDS: tuple[BackendName, ...] = get_args(BackendName)
