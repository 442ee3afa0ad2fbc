"""The backend for CPUs: kernels in C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hamlet.errors import EnvError

if TYPE_CHECKING:
    import torch

    from hamlet.backend.protocol import Backend
    from hamlet.backend.registry import Launch, Tune
    from hamlet.package.module import Module


class C:
    """See `hamlet.backend.registry.BackendKind`."""

    span = 1 << 18

    def device(self, wanted: torch.device | None) -> torch.device:
        """The CPU."""
        import torch

        if wanted is not None and wanted.type != "cpu":
            raise EnvError(f'backend "c" runs on the CPU, not on {wanted}: use device="cpu" or backend="triton"')
        return torch.device("cpu")

    def missing(self, module: Module) -> str:
        """A compiler of C, unless the package has machine code for this CPU."""
        from hamlet.launch.cpu.ahead import find
        from hamlet.native.compilers import compiler

        if find(module)[0] is not None:
            return ""
        try:
            compiler()
        except EnvError as error:
            return str(error)
        return ""

    def launches(self, _device: torch.device) -> tuple[Launch, ...]:
        """Kernels alone."""
        return ("step",)

    def start(self, module: Module, _device: torch.device, _tune: Tune) -> Backend:
        """The kernels of this module: in machine code where it has them for this CPU, or else compiled here."""
        from hamlet.launch.cpu.ahead import find
        from hamlet.launch.cpu.kernels import just_in_time
        from hamlet.launch.cpu.launch import CpuBackend

        ahead, reason = find(module)
        return CpuBackend(module.universe, ahead or just_in_time(module, reason))


BACKEND = C()
"""Runs generated kernels in C on CPU tensors, in threads that share the worlds."""
