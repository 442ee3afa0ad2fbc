"""Backends by name: objects that packages name in entry points of `hamlet.backends`.

Each is loaded when it is asked for: kernels for CPUs start without Triton, and the interpreter without either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, cast, get_args

from hamlet.plugins import load, named, working
from hamlet.terminal import say_once

if TYPE_CHECKING:
    import torch

    from hamlet.backend.protocol import Backend
    from hamlet.package.module import Module

GROUP = "hamlet.backends"
ON_REQUEST = frozenset(("wasm",))
"""Backends, and targets of the same names, that only those have who name them."""

Launch: TypeAlias = Literal["step", "graph"]
"""How `Env.step` runs a tick: by launching a kernel, or by replaying a CUDA graph of that."""
LAUNCHES: tuple[Launch, ...] = get_args(Launch)

Tune: TypeAlias = Literal["default", "max", "off"]
"""Which sizes of a block a backend may time: those that need no compiling, all, or none (always the same size)."""
TUNES: tuple[Tune, ...] = get_args(Tune)


class BackendKind(Protocol):
    """A kind of backends, and how to start one; the entry point has its name.

    Attributes:
        span: the agent-ticks of the first launch of a rollout, which take less than a second in any universe; the
            length of others follows from its time (`hamlet.env.act.pace`), so that Ctrl-C waits for less than a second.
            `None` where launches do not keep Ctrl-C waiting.
    """

    span: int | None

    def device(self, asked: torch.device | None) -> torch.device:
        """The device for tensors: the one that somebody wants, or the usual one.

        Raises:
            EnvError: the backend cannot run there.
        """

    def missing(self, module: Module) -> str:
        """Missing parts of this machine without which the kernels of a module do not run, as a message says it; empty
        where none is missing. Machine code in the package needs no compiler.
        """

    def launches(self, device: torch.device) -> tuple[Launch, ...]:
        """How steps can be launched on this device."""

    def start(self, module: Module, device: torch.device, tune: Tune) -> Backend:
        """The backend with the kernels of this module.

        Raises:
            ModuleError: the module was compiled without them.
        """


def backend_names() -> tuple[str, ...]:
    """Values of `backend=...` beside "auto"."""
    return tuple(named(GROUP))


def working_backends(module: Module) -> tuple[str, ...]:
    """The names of the backends that can be loaded, and that can run the kernels of a module on this machine, without
    those of `ON_REQUEST`; one line for each other is said on stderr."""
    usual = ((name, cast(BackendKind, kind)) for name, kind in working(GROUP).items() if name not in ON_REQUEST)
    return tuple(name for name, kind in usual if _is_complete(name, kind, module))


def _is_complete(name: str, kind: BackendKind, module: Module) -> bool:
    missing = kind.missing(module)
    if missing:
        say_once(f"backend {name!r} is left out: {missing}")
    return not missing


def backend_kind(name: str) -> BackendKind:
    """The kind of backend with one of these names.

    Raises:
        PluginError: it cannot be loaded.
    """
    return cast(BackendKind, load(GROUP, name))
