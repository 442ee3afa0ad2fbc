"""Which backend runs a universe on which device, and how its steps are launched."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import torch

from hamlet.arguments import word
from hamlet.backend.names import BACKENDS, BackendName
from hamlet.errors import EnvError, shown

Launch: TypeAlias = Literal["step", "graph"]
"""How `Env.step` runs a tick: by launching a kernel, or by replaying a CUDA graph of that."""
LAUNCHES: tuple[Launch, ...] = get_args(Launch)


@dataclass(frozen=True, slots=True)
class Choice:
    """A backend, the device its tensors live on, why, and how steps are launched."""

    backend: BackendName
    device: torch.device
    reason: str
    launch: Launch = "step"

    @property
    def launches(self) -> tuple[Launch, ...]:
        """The launches that there are for this backend and device."""
        return LAUNCHES if self.backend == "triton" and self.device.type == "cuda" else ("step",)

    def __str__(self) -> str:
        launch = f", launch {self.launch}" if len(self.launches) > 1 else ""
        return f"{self.backend} on {describe(self.device)}{launch}: {self.reason}"


def describe(device: torch.device) -> str:
    """The device in words."""
    if device.type == "cuda":
        return f"{device} ({torch.cuda.get_device_name(device)})"
    return str(device)


def choose(backend: str, device: str | torch.device | None) -> Choice:
    """The backend of this name on this device; `auto` is triton where CUDA is, numba elsewhere. Without a device triton
    takes the current CUDA device, the others the CPU.

    Raises:
        EnvError: there is no such backend or device, or the backend cannot run there. Nothing is substituted.
    """
    wanted = None if device is None else _device(device)
    word("backend", backend, ("auto", *BACKENDS))
    match backend:
        case "auto" if wanted is None and torch.cuda.is_available():
            return Choice("triton", _device("cuda"), "there is a CUDA device")
        case "auto" if wanted is None:
            return Choice("numba", torch.device("cpu"), "there is no CUDA device")
        case "auto" if wanted is not None and wanted.type == "cuda":
            return Choice("triton", wanted, "the device is CUDA")
        case "auto":
            return Choice("numba", torch.device("cpu"), "the device is the CPU")
        case "interpreter":
            return Choice("interpreter", wanted or torch.device("cpu"), "as asked for")
        case "numba":
            if wanted is not None and wanted.type != "cpu":
                raise EnvError(
                    f'backend "numba" runs on the CPU, not on {wanted}: use device="cpu" or backend="triton"'
                )
            return Choice("numba", torch.device("cpu"), "as asked for")
        case "triton":
            return Choice("triton", _triton_device(wanted), "as asked for")
        case _:
            raise ValueError(f"backend {backend!r}")


def candidates(choice: Choice, launch: str, anywhere: bool) -> tuple[Choice, ...]:
    """The choices that this one leaves open, the one to take without measuring first: all launches where `launch` is
    `auto`, and numba on the CPU where a GPU was taken and it may run `anywhere`.

    Raises:
        EnvError: there is no such launch, or not for this choice.
    """
    word("launch", launch, ("auto", *LAUNCHES))
    found = tuple(replace(choice, launch=each) for each in choice.launches if launch in ("auto", each))
    if not found:
        raise EnvError(
            f'launch "graph" needs backend "triton" on a CUDA device, not {choice.backend} on {choice.device}: '
            'take "step" or "auto"'
        )
    if anywhere and choice.backend == "triton" and launch != "graph":
        return (*found, Choice("numba", torch.device("cpu"), "there is a CUDA device"))
    return found


def _device(device: str | torch.device) -> torch.device:
    try:
        # Torch takes numbers too: those of CUDA devices, whatever is meant.
        wanted = torch.device(device) if isinstance(device, (str, torch.device)) else None
    except (RuntimeError, TypeError) as error:
        raise EnvError(f'{device!r} is no device: take "cpu", "cuda" or "cuda:0"') from error
    if wanted is None:
        raise EnvError(f'{shown(device)} is no device: take "cpu", "cuda" or "cuda:0"')
    if wanted.type not in ("cpu", "cuda"):
        raise EnvError(f'device {str(wanted)!r} is not supported: take "cpu", "cuda" or "cuda:0"')
    if wanted.type == "cpu":
        if wanted.index:
            raise EnvError(f'there is no device {str(wanted)!r}: all CPUs are one device, "cpu"')
        return torch.device("cpu")
    if not torch.cuda.is_available():
        raise EnvError(f'device {str(wanted)!r} needs CUDA, and torch finds none here: use device="cpu"')
    index = torch.cuda.current_device() if wanted.index is None else wanted.index
    if index >= torch.cuda.device_count():
        raise EnvError(f"there is no device {str(wanted)!r}: torch finds {torch.cuda.device_count()} CUDA device(s)")
    return torch.device("cuda", index)


def _triton_device(wanted: torch.device | None) -> torch.device:
    if sys.platform != "linux":
        raise EnvError('backend "triton" needs Linux: use backend="numba"')
    if os.environ.get("TRITON_INTERPRET") == "1":
        return wanted or torch.device("cpu")
    if wanted is not None and wanted.type == "cpu":
        raise EnvError('backend "triton" runs on CUDA devices, not on the CPU: use backend="numba"')
    if wanted is None and not torch.cuda.is_available():
        raise EnvError(
            'backend "triton" needs a CUDA device, and torch finds none here: use backend="numba", or set '
            "TRITON_INTERPRET=1 before Python starts to run its kernels, slowly, on the CPU"
        )
    return wanted or _device("cuda")
