"""Kernels of Triton."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hamlet.errors import EnvError

if TYPE_CHECKING:
    import torch

    from hamlet.backend.protocol import Backend
    from hamlet.backend.registry import Launch, Tune
    from hamlet.package.module import Module

NEEDED = 'backend "triton" needs Triton: pip install \'hamletc[gpu]\', or use backend="c"'


class Triton:
    """See `hamlet.backend.registry.BackendKind`."""

    # Kernels run beside Python, which waits for them only when it looks at results.
    span = None

    def device(self, asked: torch.device | None) -> torch.device:
        """A CUDA device; any in Triton's own interpreter."""
        import torch

        if sys.platform != "linux":
            raise EnvError('backend "triton" needs Linux: use backend="c"')
        if os.environ.get("TRITON_INTERPRET") == "1":
            return asked or torch.device("cpu")
        if asked is not None and asked.type == "cpu":
            raise EnvError('backend "triton" runs on CUDA devices, not on the CPU: use backend="c"')
        if asked is None and not torch.cuda.is_available():
            raise EnvError(
                'backend "triton" needs a CUDA device, and torch finds none here: use backend="c", or set '
                "TRITON_INTERPRET=1 before Python starts to run its kernels, slowly, on the CPU"
            )
        return asked or torch.device("cuda", torch.cuda.current_device())

    def missing(self, module: Module) -> str:
        """Triton, unless the package has machine code for GPUs."""
        from hamlet.launch.gpu.cubins import capabilities

        return "" if find_spec("triton") is not None or any(capabilities(module.sources)) else NEEDED

    def launches(self, device: torch.device) -> tuple[Launch, ...]:
        """Kernels, and on CUDA also graphs of them."""
        return ("step", "graph") if device.type == "cuda" else ("step",)

    def start(self, module: Module, device: torch.device, tune: Tune) -> Backend:
        """The kernels of this module for GPUs."""
        from hamlet.launch.gpu.start import start_triton

        return start_triton(module, device, tune)


BACKEND = Triton()
