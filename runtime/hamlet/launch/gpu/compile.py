"""Compiles a Triton kernel for a GPU that need not be there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hamlet.errors import EnvError
from hamlet.launch.gpu.cache import make_writable
from hamlet.launch.gpu.coalescing import without_coalescing

if TYPE_CHECKING:
    from triton.compiler import CompiledKernel
    from triton.runtime.jit import JITFunction

ALIGNMENT = 16
"""Triton compiles for whether addresses and integers are multiples of this."""


def compile_kernel(
    function: JITFunction[Any],
    types: Mapping[str, str],
    constants: Mapping[str, object],
    aligned: Iterable[int],
    options: Mapping[str, int | bool],
    capability: int,
) -> CompiledKernel:
    """A kernel for compute capability `capability` (90: sm_90), for blocks with at most one lane per thread.

    Args:
        function: the kernel.
        types: of all parameters, `constexpr` for constants.
        constants: their values; `None` for an array that is absent.
        aligned: the numbers of the parameters that are multiples of `ALIGNMENT`.
        options: of the compiler.
        capability: of the GPU.

    Raises:
        EnvError: Triton cannot compile for it.
    """
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    attributes = {(index,): [["tt.divisibility", ALIGNMENT]] for index in aligned}
    source = ASTSource(function, dict(types), dict(constants), attributes)
    make_writable()
    try:
        with without_coalescing():
            return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=dict(options))
    except Exception as error:
        raise EnvError(f"Triton {triton.__version__} cannot compile for sm_{capability}: {error}") from error
