"""The Triton backend with the executor of PTX in the place of a GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

from hamlet.backend.buffers import memory_of
from hamlet.backend.protocol import NetworkPolicy
from hamlet.errors import EnvError
from hamlet.launch.gpu.compile import Argument, Signature, compile_kernel, signature
from hamlet.launch.gpu.deciding import kernel_of
from hamlet.launch.gpu.launch import KernelBackend
from hamlet.launch.gpu.options import declared, interpreted
from hamlet.schema.abi import KERNELS, Kernel
from hamlet.universe import Universe
from hamlet_lab.ptx.memory import Memory
from hamlet_lab.ptx.parser import parse
from hamlet_lab.ptx.program import Launch, Program

if TYPE_CHECKING:
    from triton.runtime.jit import JITFunction


@dataclass(frozen=True, slots=True)
class PtxKernel:
    """PTX, and what a launch needs besides: warps of a block, its bytes of shared memory."""

    ptx: str
    warps: int
    shared_bytes: int


def compile_ptx(function: JITFunction[Any], signature: Signature, capability: int) -> PtxKernel:
    """PTX for compute capability `capability` (90: sm_90).

    Raises:
        EnvError: Triton cannot compile for it.
    """
    types, constants, options = dict(signature.types), dict(signature.constants), dict(signature.options)
    result = compile_kernel(function, types, constants, signature.aligned, options, capability)
    return PtxKernel(result.asm["ptx"], result.metadata.num_warps, result.metadata.shared)


class PtxBackend(KernelBackend):
    """Compiles every launch as Triton would on a GPU, and executes the PTX on CPU tensors.

    Arguments, grids, constants and options are those of `TritonBackend`.
    """

    def __init__(self, universe: Universe, kernels: ModuleType, capability: int) -> None:
        """`capability`: 80 for sm_80, 90 for sm_90.

        Raises:
            EnvError: the kernels were imported under TRITON_INTERPRET=1, which cannot compile.
        """
        if interpreted(kernels):
            raise EnvError("PTX cannot be compiled under TRITON_INTERPRET=1: start Python without it")
        executed = ModuleType(kernels.__name__)
        for name in KERNELS:
            setattr(executed, name, Executed(getattr(kernels, name), capability))
        self._executed = executed
        self._capability = capability
        self._networks: dict[str, Executed] = {}
        executed.__dict__.update(declared(kernels))
        super().__init__(f"ptx sm_{capability}", universe, executed, torch.device("cpu"), interpreted=False)

    def network_kernel(self, policy: NetworkPolicy) -> Executed:
        """The kernel of a network, compiled and executed like the others."""
        kernel = kernel_of(policy)
        return self._networks.setdefault(kernel.__name__, Executed(kernel, self._capability))

    def programs(self, kernel: Kernel) -> list[tuple[PtxKernel, Program]]:
        """The programs that were compiled for the launches of a kernel so far, with counts of what they executed."""
        executed: Executed = getattr(self._executed, kernel)
        return executed.compiled()


class Executed:
    """Has the place of a Triton kernel: `kernel[grid](*arguments, **constants_and_options)`."""

    def __init__(self, function: JITFunction[Any], capability: int) -> None:
        self._function = function
        self._capability = capability
        self._programs: dict[Signature, tuple[PtxKernel, Program]] = {}

    def __getitem__(self, grid: tuple[int]) -> Callable[..., None]:
        def launch(*values: Argument, **settings: int) -> None:
            names = self._function.arg_names
            arguments = dict(zip(names, values, strict=False))
            constants = {name: value for name, value in settings.items() if name in names}
            options = {name: value for name, value in settings.items() if name not in names}
            compiled, program = self._program(signature(self._function, arguments, constants, options))
            memory = Memory(1)
            bits = [_bits(memory, value) for value in arguments.values() if value is not None]
            # Triton adds two pointers, to scratch memory that these kernels do not have.
            missing = len(program.kernel.parameters) - len(bits)
            program.launch(memory, Launch([*bits, *[0] * missing], *grid, 32 * compiled.warps, compiled.shared_bytes))

        return launch

    def compiled(self) -> list[tuple[PtxKernel, Program]]:
        return list(self._programs.values())

    def _program(self, fitting: Signature) -> tuple[PtxKernel, Program]:
        if fitting not in self._programs:
            compiled = compile_ptx(self._function, fitting, self._capability)
            self._programs[fitting] = compiled, Program(parse(compiled.ptx))
        return self._programs[fitting]


def _bits(memory: Memory, value: torch.Tensor | int) -> int:
    """An argument as a kernel gets it; an array is placed in memory first."""
    if isinstance(value, int):
        return value
    value = memory_of(value)
    # Numpy has no bfloat16.
    return memory.place((value.view(torch.int16) if value.dtype is torch.bfloat16 else value).numpy())
