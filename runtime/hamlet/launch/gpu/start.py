"""The Triton backend of a package: its kernels in machine code where it has them for this device, or else Triton's."""

from __future__ import annotations

import os
from importlib import metadata

import torch

from hamlet.backend.registry import TUNES, Tune
from hamlet.errors import EnvError
from hamlet.launch.gpu import NEEDED
from hamlet.launch.gpu.ahead import AheadKernels, find
from hamlet.launch.gpu.driver import CudaDriver, CudaError, Driver, current_stream
from hamlet.launch.gpu.launch import KernelBackend, TritonBackend
from hamlet.launch.gpu.tuning import CudaClock, Tuner
from hamlet.package import manifest
from hamlet.package.module import Module, kernels_file


def start_triton(module: Module, device: torch.device, tune: Tune) -> KernelBackend:
    """The backend on this device.

    Raises:
        EnvError: it cannot run there, or there is no such `tune`.
        ModuleError: the package has no Triton kernels.
    """
    if tune not in TUNES:
        raise EnvError(f"there is no tune {tune!r}: take {', '.join(TUNES)}")
    if device.type != "cuda" or os.environ.get("TRITON_INTERPRET") == "1":
        return TritonBackend(module.universe, module.kernels("triton"), device)
    with torch.cuda.device(device):
        major, minor = torch.cuda.get_device_capability(device)
        return start_on(module, device, tune, 10 * major + minor, torch.cuda.get_device_name(device), CudaDriver)


def start_on(
    module: Module, device: torch.device, tune: Tune, capability: int, name: str, driver: type[Driver]
) -> KernelBackend:
    """The same for a device of this capability and name, with kernels that this driver loads."""
    ahead, reason = _ahead(module, device, capability, driver)
    kernels = module.kernels("triton") if ahead is None else ahead
    version = _triton_version() if ahead is None else ahead.triton
    identity: dict[str, str | int] = {
        "kernels": manifest.sha256(module.sources[kernels_file("triton")]),
        "device": name,
        "capability": capability,
        "triton": version,
    }
    clock, ready = CudaClock(device), (lambda launch, block: ahead is not None and ahead.has(launch, block))
    tuner = None if tune == "off" else Tuner(tune, kernels, identity, clock, ready)
    if ahead is not None:
        origin = f"ahead of time, sm_{capability}"
        return KernelBackend("triton", module.universe, ahead, device, False, tuner, origin)
    origin = f"just in time, Triton {version}" + (f" ({reason})" if reason else "")
    return TritonBackend(module.universe, kernels, device, tuner, origin)


def _ahead(
    module: Module, device: torch.device, capability: int, driver: type[Driver]
) -> tuple[AheadKernels | None, str]:
    """The package's kernels in machine code, if this device takes them, and in words why not."""
    cubins, reason = find(module, capability)
    if cubins is None:
        return None, reason
    try:
        # The driver wants a context, which torch makes for its first tensor.
        torch.zeros(1, device=device)
        kernels = AheadKernels(
            cubins,
            module.sources,
            driver(),
            current_stream(device),
            lambda: module.kernels("triton"),
        )
        kernels.load_one()
    except CudaError as error:
        return None, str(error)
    return kernels, ""


def _triton_version() -> str:
    try:
        return metadata.version("triton")
    except metadata.PackageNotFoundError as error:
        raise EnvError(NEEDED) from error
