"""Compiles a Triton kernel for a GPU that need not be there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import torch

from hamlet.errors import EnvError
from hamlet.launch.gpu.cache import make_writable
from hamlet.launch.gpu.coalescing import without_coalescing
from hamlet.launch.gpu.selects import respelling

if TYPE_CHECKING:
    from triton.compiler import CompiledKernel
    from triton.runtime.jit import JITFunction

ALIGNMENT = 16
"""Triton compiles for whether addresses and integers are multiples of this."""

Argument: TypeAlias = torch.Tensor | int | None

POINTERS = {
    torch.float32: "*fp32",
    torch.bfloat16: "*bf16",
    torch.uint8: "*u8",
    torch.int32: "*i32",
    torch.uint32: "*u32",
    torch.int64: "*i64",
    torch.bool: "*u1",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """The signature for which a launch compiles a kernel. Equal signatures have the same PTX.

    Attributes:
        types: of all parameters, `constexpr` for constants.
        constants: the values of constants.
        aligned: the parameters that are multiples of 16.
        options: of the compiler.
    """

    types: tuple[tuple[str, str], ...]
    constants: tuple[tuple[str, int | None], ...]
    aligned: tuple[int, ...]
    options: tuple[tuple[str, int | bool], ...]


def signature(
    function: JITFunction[Any],
    arguments: Mapping[str, Argument],
    constants: Mapping[str, int],
    options: Mapping[str, int | bool],
) -> Signature:
    """The signature of a call: types, arguments that are absent, arguments that are multiples of 16."""
    types, absent, aligned = [], [], []
    for index, parameter in enumerate(function.params):
        value = arguments.get(parameter.name)
        match value:
            case None:
                types.append((parameter.name, "constexpr"))
                if parameter.name not in constants:
                    absent.append(parameter.name)
            case int():
                types.append((parameter.name, parameter.annotation_type))
                if value % ALIGNMENT == 0 and not parameter.do_not_specialize:
                    aligned.append(index)
            case torch.Tensor():
                types.append((parameter.name, POINTERS[value.dtype]))
                if value.data_ptr() % ALIGNMENT == 0:
                    aligned.append(index)
    values = tuple(constants.items()) + tuple((name, None) for name in absent)
    return Signature(tuple(types), values, tuple(aligned), tuple(options.items()))


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
    attributes |= {(index,): [] for index, name in enumerate(function.arg_names) if name in constants}
    # Constants have none, and all are in order: as Triton writes it, so that launches find this in Triton's cache.
    source = ASTSource(function, dict(types), dict(constants), dict(sorted(attributes.items())))
    make_writable()
    try:
        with without_coalescing(), respelling():
            return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=dict(options))
    except Exception as error:
        raise EnvError(f"Triton {triton.__version__} cannot compile for sm_{capability}: {error}") from error
