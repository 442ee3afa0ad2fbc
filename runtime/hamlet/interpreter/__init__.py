"""The interpreter: `docs/semantics.md` as a program, and the backend that all others are compared with.

It looks everything up at run time, by name, and works on all lanes at once with torch tensors. A lane's numbers are
shaped [worlds, agents], a world's [worlds, 1]: so a world's numbers broadcast over its agents. Read it in the order of
a tick: `tick.py`, then the phases that it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hamlet.interpreter.coverage import Coverage
from hamlet.interpreter.interpreter import Interpreter
from hamlet.interpreter.trace import Trace, Write

if TYPE_CHECKING:
    import torch

    from hamlet.backend.protocol import Backend
    from hamlet.backend.registry import Launch, Tune
    from hamlet.package.module import Module

__all__ = ["BACKEND", "Coverage", "Interpreter", "Trace", "Write"]


class Interpreted:
    """See `hamlet.backend.registry.BackendKind`."""

    span = 1 << 14

    def device(self, asked: torch.device | None) -> torch.device:
        """Any device of torch; the CPU where nobody wants another."""
        import torch

        return asked or torch.device("cpu")

    def missing(self, _module: Module) -> str:
        """Nothing: it compiles none."""
        return ""

    def launches(self, _device: torch.device) -> tuple[Launch, ...]:
        """Ticks alone."""
        return ("step",)

    def start(self, module: Module, device: torch.device, _tune: Tune) -> Backend:
        """The interpreter for the universe of this module."""
        return Interpreter(module.universe, device)


BACKEND = Interpreted()
