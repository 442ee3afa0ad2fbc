"""The backend of kernels in WebAssembly, which wasmtime runs: the bits that a browser has."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from hamlet.errors import EnvError

if TYPE_CHECKING:
    import torch

    from hamlet.backend.protocol import Backend
    from hamlet.backend.registry import Launch, Tune
    from hamlet.package.module import Module

NEEDED = "backend \"wasm\" needs wasmtime: pip install 'hamletc[wasm]'"


class Wasm:
    """See `hamlet.backend.registry.BackendKind`."""

    span = 1 << 16

    def device(self, asked: torch.device | None) -> torch.device:
        """The CPU."""
        import torch

        if asked is not None and asked.type != "cpu":
            raise EnvError(f'backend "wasm" runs on the CPU, not on {asked}: use device="cpu" or backend="triton"')
        return torch.device("cpu")

    def missing(self, _module: Module) -> str:
        """Wasmtime."""
        return "" if find_spec("wasmtime") is not None else NEEDED

    def launches(self, _device: torch.device) -> tuple[Launch, ...]:
        """Kernels alone."""
        return ("step",)

    def start(self, module: Module, _device: torch.device, _tune: Tune) -> Backend:
        """The kernels of this module, compiled here by wasmtime.

        Raises:
            EnvError: wasmtime is not installed.
        """
        if missing := self.missing(module):
            raise EnvError(missing)
        from hamlet.launch.wasm.kernels import WasmBackend

        return WasmBackend(module)


BACKEND = Wasm()
"""Runs generated kernels in WebAssembly on CPU tensors, in one thread."""
