"""Backends, started for a module: where one is added, it gets a case here."""

from __future__ import annotations

from hamlet.backend.choose import Choice
from hamlet.backend.protocol import Backend
from hamlet.launch.gpu.tuning import Tune
from hamlet.package.module import Module


def start(module: Module, choice: Choice, tune: Tune = "default") -> Backend:
    """The backend that was chosen, with the kernels of this module.

    Raises:
        ModuleError: the module was compiled without them.
    """
    # One backend is imported, so that numba starts without triton and the interpreter without either.
    match choice.backend:
        case "interpreter":
            from hamlet.interpreter import Interpreter

            return Interpreter(module.universe, choice.device)
        case "numba":
            from hamlet.launch.cpu.launch import NumbaBackend

            return NumbaBackend(module.universe, module.kernels("numba"))
        case "triton":
            from hamlet.launch.gpu.start import start_triton

            return start_triton(module, choice.device, tune)
