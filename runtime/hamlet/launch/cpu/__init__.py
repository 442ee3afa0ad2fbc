"""Kernels of numba."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hamlet.errors import EnvError

if TYPE_CHECKING:
    import torch

    from hamlet.backend.protocol import Backend
    from hamlet.backend.registry import Launch, Tune
    from hamlet.package.module import Module


class Numba:
    """See `hamlet.backend.registry.BackendKind`."""

    span = 1 << 18

    def device(self, wanted: torch.device | None) -> torch.device:
        """The CPU."""
        import torch

        if wanted is not None and wanted.type != "cpu":
            raise EnvError(f'backend "numba" runs on the CPU, not on {wanted}: use device="cpu" or backend="triton"')
        return torch.device("cpu")

    def launches(self, _device: torch.device) -> tuple[Launch, ...]:
        """Kernels alone."""
        return ("step",)

    def start(self, module: Module, _device: torch.device, _tune: Tune) -> Backend:
        """The kernels of this module for CPUs: in machine code where it has them for this one, or else numba's."""
        from hamlet.launch.cpu.ahead import find
        from hamlet.launch.cpu.kernels import JustInTime
        from hamlet.launch.cpu.launch import NumbaBackend

        ahead, reason = find(module)
        return NumbaBackend(module.universe, ahead or JustInTime(module.kernels("numba"), reason))


BACKEND = Numba()
