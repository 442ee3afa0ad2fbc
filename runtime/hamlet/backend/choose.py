"""Which backend runs a universe on which device, and how its steps are launched."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from hamlet.arguments import word
from hamlet.backend.protocol import Backend
from hamlet.backend.registry import LAUNCHES, Launch, Tune, backend_kind, backend_names
from hamlet.errors import EnvError, shown
from hamlet.package.module import Module

GONE = "numba"
"""The backend for CPUs of earlier versions, which programs still name."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A backend, the device its tensors live on, why, and how steps are launched."""

    backend: str
    device: torch.device
    reason: str
    launch: Launch = "step"

    @property
    def launches(self) -> tuple[Launch, ...]:
        """The launches that there are for this backend and device."""
        return backend_kind(self.backend).launches(self.device)

    def __str__(self) -> str:
        launch = f", launch {self.launch}" if len(self.launches) > 1 else ""
        return f"{self.backend} on {describe(self.device)}{launch}: {self.reason}"


def describe(device: torch.device) -> str:
    """The device in words."""
    if device.type == "cuda":
        return f"{device} ({torch.cuda.get_device_name(device)})"
    return str(device)


def choose(backend: str, device: str | torch.device | None) -> Choice:
    """The backend of this name on this device; `auto` is triton where CUDA is, kernels in C elsewhere. Without a device
    triton takes the current CUDA device, the others the CPU.

    Raises:
        EnvError: there is no such backend or device, or the backend cannot run there. Nothing is substituted.
    """
    asked = None if device is None else _device(device)
    if isinstance(backend, str) and backend == GONE:
        raise EnvError(f'backend "{GONE}" is gone: kernels for CPUs are in C, so take backend="c", or "auto"')
    word("backend", backend, ("auto", *backend_names()))
    if backend != "auto":
        return Choice(backend, backend_kind(backend).device(asked), "as asked for")
    if asked is None:
        cuda = torch.cuda.is_available()
        reason = "there is a CUDA device" if cuda else "there is no CUDA device"
        return Choice("triton", _device("cuda"), reason) if cuda else Choice("c", torch.device("cpu"), reason)
    if asked.type == "cuda":
        return Choice("triton", asked, "the device is CUDA")
    return Choice("c", torch.device("cpu"), "the device is the CPU")


def start(module: Module, choice: Choice, tune: Tune = "default") -> Backend:
    """The backend that was chosen, with the kernels of this module.

    Raises:
        ModuleError: the module was compiled without them.
    """
    return backend_kind(choice.backend).start(module, choice.device, tune)


def candidates(choice: Choice, launch: str, anywhere: bool) -> tuple[Choice, ...]:
    """The choices that this one leaves open, the one to take without measuring first: all launches where `launch` is
    `auto`, and kernels in C where a GPU was taken and it may run `anywhere`.

    Raises:
        EnvError: there is no such launch, or not for this choice.
    """
    word("launch", launch, ("auto", *LAUNCHES))
    choices = tuple(replace(choice, launch=each) for each in choice.launches if launch in ("auto", each))
    if not choices:
        raise EnvError(
            f'launch "graph" needs backend "triton" on a CUDA device, not {choice.backend} on {choice.device}: '
            'take "step" or "auto"'
        )
    if anywhere and choice.backend == "triton" and launch != "graph":
        return (*choices, Choice("c", torch.device("cpu"), "there is a CUDA device"))
    return choices


def _device(device: str | torch.device) -> torch.device:
    try:
        # Torch takes numbers too: those of CUDA devices, whatever is meant.
        asked = torch.device(device) if isinstance(device, (str, torch.device)) else None
    except (RuntimeError, TypeError) as error:
        raise EnvError(f'{device!r} is no device: take "cpu", "cuda" or "cuda:0"') from error
    if asked is None:
        raise EnvError(f'{shown(device)} is no device: take "cpu", "cuda" or "cuda:0"')
    if asked.type not in ("cpu", "cuda"):
        raise EnvError(f'device {str(asked)!r} is not supported: take "cpu", "cuda" or "cuda:0"')
    if asked.type == "cpu":
        if asked.index:
            raise EnvError(f'there is no device {str(asked)!r}: all CPUs are one device, "cpu"')
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise EnvError(f'device {str(asked)!r} needs CUDA, and torch finds none here: use device="cpu"')
    index = torch.cuda.current_device() if asked.index is None else asked.index
    if index >= torch.cuda.device_count():
        raise EnvError(f"there is no device {str(asked)!r}: torch finds {torch.cuda.device_count()} CUDA device(s)")
    return torch.device("cuda", index)
