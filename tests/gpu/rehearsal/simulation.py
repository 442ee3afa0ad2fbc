"""The simulated device, put in the place of a real one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch
from rehearsal import cuda, driver
from rehearsal.device import Device
from rehearsal.tensors import CudaTensor, Simulated


@contextlib.contextmanager
def simulated(capability: int = 90) -> Iterator[Device]:
    """Torch and Triton find a CUDA device of this compute capability, in this thread, until the end of the block. Use a
    process for it: what was made meanwhile is of no use afterwards.

    Raises:
        RuntimeError: there is a real one.
    """
    if torch.cuda.is_available():
        raise RuntimeError("there is a CUDA device: nothing need be simulated")
    device = Device(capability)
    CudaTensor.simulated = device
    with cuda.patched(device), driver.patched(device), Simulated(device):
        yield device
