"""PTX of a kernel, as Triton would make it on a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hamlet.launch.gpu.compile import Signature, compile_kernel

if TYPE_CHECKING:
    from triton.runtime.jit import JITFunction


@dataclass(frozen=True, slots=True)
class PtxKernel:
    """PTX, and what a launch needs besides: warps of a block, its bytes of shared memory."""

    ptx: str
    warps: int
    shared_bytes: int


def compile_ptx(function: JITFunction[Any], wanted: Signature, capability: int) -> PtxKernel:
    """PTX for compute capability `capability` (90: sm_90).

    Raises:
        EnvError: Triton cannot compile for it.
    """
    types, constants, options = dict(wanted.types), dict(wanted.constants), dict(wanted.options)
    result = compile_kernel(function, types, constants, wanted.aligned, options, capability)
    return PtxKernel(result.asm["ptx"], result.metadata.num_warps, result.metadata.shared)
