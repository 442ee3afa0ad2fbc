"""Runs the kernel `tap` of a module that tells what the lines of a generated function compute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import torch

from hamlet.launch.gpu.options import interpreted, options
from hamlet.package.module import execute

Array: TypeAlias = np.ndarray[Any, Any]
LANES_OF_A_BLOCK = 32
DTYPES = {"f32": np.float32, "i32": np.int32, "u32": np.uint32}


def run_numba_tap(source: str, inputs: Sequence[Array | str], rows: int, lanes: int) -> Array:
    """The bits that `tap` writes, i32 [rows, lanes]. `inputs`: arrays [lanes], and the names of tables."""
    kernels = _imported(source, "numba")
    taps = np.zeros((rows, lanes), np.int32)
    tables = {name: np.array(values, DTYPES[dtype]) for name, dtype, values in kernels.TABLES}
    kernels.tap(*_arguments(inputs, tables), taps)
    return taps


def run_triton_tap(
    source: str, inputs: Sequence[Array | str], rows: int, lanes: int, device: torch.device, capability: int | None
) -> Array:
    """As `run_numba_tap`; on this device, or with a compute capability (90: sm_90) as PTX on the CPU."""
    kernels = _imported(source, "triton")
    taps = torch.zeros((rows, lanes), dtype=torch.int32, device=device)
    tables = {name: np.array(values, DTYPES[dtype]) for name, dtype, values in kernels.TABLES}
    arrays = [torch.from_numpy(_signed(each).copy()).to(device) for each in _arguments(inputs, tables)]
    block = 1 << (lanes - 1).bit_length() if interpreted(kernels) else LANES_OF_A_BLOCK
    tap = kernels.tap
    if capability is not None:
        from hamlet_lab.ptx.backend import Executed

        tap = Executed(tap, capability)
    tap[(-(-lanes // block),)](*arrays, taps, lanes, BLOCK=block, **options(block, False))
    return taps.cpu().numpy()


def _signed(array: Array) -> Array:
    return array.view(np.int32) if array.dtype == np.uint32 else array


def _arguments(inputs: Sequence[Array | str], tables: Mapping[str, Array]) -> list[Array]:
    return [tables[item] if isinstance(item, str) else np.ascontiguousarray(item) for item in inputs]


def _imported(source: str, target: str) -> ModuleType:
    return execute("tapped", f"tapped_{target}_kernels.py", source.encode())
