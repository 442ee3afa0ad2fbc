"""The simulated device, put in the place of a real one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from unittest.mock import patch

import torch

from hamlet.backend import crossover
from hamlet.env import make
from hamlet.launch.gpu import tuning
from rehearsal import driver, torch_cuda
from rehearsal.device import Device
from rehearsal.tensors import CudaTensor, Simulated

SIZES = (32, 128)
"""The numbers of agents by which `auto` compares choices, which are otherwise up to 65,536."""
FEWEST_LANES = 64
"""From so many on blocks are tuned; otherwise from 65,536 on."""


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
    small = [
        patch.object(crossover, "SIZES", SIZES),
        patch.object(crossover, "SAMPLE_SECONDS", 0.0),
        patch.object(make, "SIZES", SIZES),
        patch.object(tuning, "FEWEST_LANES", FEWEST_LANES),
    ]
    with contextlib.ExitStack() as stack:
        for each in (*small, torch_cuda.patched(device), driver.patched(device), Simulated(device)):
            stack.enter_context(each)
        yield device
