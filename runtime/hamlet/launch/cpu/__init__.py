"""Backends for CPUs: kernels of numba, and kernels in C."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hamlet.errors import EnvError

if TYPE_CHECKING:
    import torch

    from hamlet.backend.protocol import Backend
    from hamlet.backend.registry import Launch, Tune
    from hamlet.package.module import Module


class Cpu:
    """What both have in common; see `hamlet.backend.registry.BackendKind`."""

    name: str
    span = 1 << 18

    def device(self, wanted: torch.device | None) -> torch.device:
        """The CPU."""
        import torch

        if wanted is not None and wanted.type != "cpu":
            raise EnvError(
                f'backend "{self.name}" runs on the CPU, not on {wanted}: use device="cpu" or backend="triton"'
            )
        return torch.device("cpu")

    def missing(self) -> str:
        """Nothing that pip does not install."""
        return ""

    def launches(self, _device: torch.device) -> tuple[Launch, ...]:
        """Kernels alone."""
        return ("step",)


class Numba(Cpu):
    """Kernels of numba."""

    name = "numba"

    def start(self, module: Module, _device: torch.device, _tune: Tune) -> Backend:
        """The kernels of this module for CPUs: in machine code where it has them for this one, or else numba's."""
        from hamlet.launch.cpu.ahead import find
        from hamlet.launch.cpu.kernels import JustInTime
        from hamlet.launch.cpu.launch import CpuBackend

        ahead, reason = find(module)
        return CpuBackend(module.universe, ahead or JustInTime(module.kernels("numba"), reason))


class InC(Cpu):
    """Kernels in C."""

    name = "c"

    def missing(self) -> str:
        """A compiler of C."""
        from hamlet.native.compilers import compiler

        try:
            compiler()
        except EnvError as error:
            return str(error)
        return ""

    def start(self, module: Module, _device: torch.device, _tune: Tune) -> Backend:
        """The kernels of this module in C: in machine code where it has them for this CPU, or else compiled here."""
        from hamlet.launch.cpu.c_ahead import find
        from hamlet.launch.cpu.c_kernels import just_in_time
        from hamlet.launch.cpu.launch import CpuBackend

        ahead, reason = find(module)
        return CpuBackend(module.universe, ahead or just_in_time(module, reason))


BACKEND, C = Numba(), InC()
