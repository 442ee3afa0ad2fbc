"""Compiles a Triton kernel to PTX for the arguments of a launch, as Triton would on a GPU, without one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import torch

from hamlet.launch.gpu.compile import ALIGNMENT, compile_kernel

if TYPE_CHECKING:
    from triton.runtime.jit import JITFunction

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
    """What a launch compiles a kernel for. Equal signatures have the same PTX.

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


@dataclass(frozen=True, slots=True)
class Compiled:
    """PTX, and what a launch needs besides: warps of a block, its bytes of shared memory."""

    ptx: str
    warps: int
    shared_bytes: int


def signature(
    function: JITFunction[Any],
    arguments: Mapping[str, Argument],
    constants: Mapping[str, int],
    options: Mapping[str, int | bool],
) -> Signature:
    """What Triton compiles for: types, what is absent, what is a multiple of 16."""
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


def compile_ptx(function: JITFunction[Any], wanted: Signature, capability: int) -> Compiled:
    """PTX for compute capability `capability` (90: sm_90).

    Raises:
        EnvError: Triton cannot compile for it.
    """
    types, constants, options = dict(wanted.types), dict(wanted.constants), dict(wanted.options)
    result = compile_kernel(function, types, constants, wanted.aligned, options, capability)
    return Compiled(result.asm["ptx"], result.metadata.num_warps, result.metadata.shared)
