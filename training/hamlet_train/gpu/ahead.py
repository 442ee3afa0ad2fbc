"""Compiles the learner's kernels ahead of time, for a GPU that need not be there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from hamlet.errors import EnvError
from hamlet.launch.gpu.cache import make_writable
from hamlet.launch.gpu.compile import ALIGNMENT, POINTERS
from hamlet.launch.gpu.options import options
from hamlet.launch.gpu.selects import respelling
from hamlet_train.gpu.launches import Argument, Launch

if TYPE_CHECKING:
    from triton.compiler import CompiledKernel

LONG = {torch.float64: "*fp64"}
"""Pointers that kernels of universes have not."""


def passed(launch: Launch) -> list[Argument]:
    """The arguments that the compiled kernel of a launch takes: 1 is a constant for Triton, and so is nothing."""
    pairs = zip(launch.kernel.params, launch.arguments, strict=False)
    return [value for parameter, value in pairs if not _is_constant(parameter, value)]


def _is_constant(parameter: Any, value: Argument) -> bool:
    return value is None or (isinstance(value, int) and value == 1 and not parameter.do_not_specialize)


def compile_ahead(launch: Launch, capability: int) -> CompiledKernel:
    """The kernel of a launch for compute capability `capability` (90: sm_90), as the launch itself compiles it.

    Raises:
        EnvError: Triton cannot compile for it, or runs its kernels by its interpreter.
    """
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    function: Any = launch.kernel
    if not hasattr(function, "create_binder"):
        raise EnvError("kernels cannot be compiled under TRITON_INTERPRET=1: start Python without it")
    types, constants, aligned = dict[str, str](), dict[str, Any](launch.constants), list[int]()
    for index, (parameter, value) in enumerate(zip(function.params, launch.arguments, strict=False)):
        name = parameter.name
        if isinstance(value, torch.Tensor):
            types[name] = (POINTERS | LONG)[value.dtype]
            if value.data_ptr() % ALIGNMENT == 0:
                aligned.append(index)
        elif isinstance(value, float):
            types[name] = "fp32"
        elif value is None or _is_constant(parameter, value):
            types[name], constants[name] = "constexpr", value
        else:
            types[name] = parameter.annotation_type or "i32"
            if value % ALIGNMENT == 0 and not parameter.do_not_specialize:
                aligned.append(index)
    types |= dict.fromkeys(launch.constants, "constexpr")
    attributes = {(index,): [["tt.divisibility", ALIGNMENT]] for index in aligned}
    make_writable()
    try:
        with respelling():
            source = ASTSource(function, types, constants, attributes)
            return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options(launch.threads))
    except Exception as error:
        raise EnvError(f"Triton {triton.__version__} cannot compile for sm_{capability}: {error}") from error
