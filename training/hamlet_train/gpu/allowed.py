"""Which trainings can be on a GPU, on this machine and at all."""

from __future__ import annotations

import os
from importlib.util import find_spec

import torch

from hamlet_train.devices import Device
from hamlet_train.errors import TrainError
from hamlet_train.run import Manifest

MOST_SAMPLES = 1 << 31
"""Of an update on a GPU, whose kernels have their numbers in 32 bits."""


def check_device(device: Device) -> None:
    """Raise `TrainError` where a training cannot be on such a device."""
    if device == "cpu" or interpreted():
        return
    otherwise = "leave it out to have the same weights, to the bit, from the CPU"
    if not torch.cuda.is_available():
        raise TrainError(f"--device cuda needs a CUDA device, and torch finds none here: {otherwise}")
    if find_spec("triton") is None:
        raise TrainError(f"--device cuda needs Triton (pip install 'hamletc[gpu]'): {otherwise}")


def check_training(manifest: Manifest) -> None:
    """Raise `TrainError` where a training has what the learner on a GPU has not."""
    if manifest.worlds * manifest.agents * manifest.settings.horizon >= MOST_SAMPLES:
        raise TrainError("--device cuda knows no 2**31 samples of an update: leave it out to train on the CPU")


def take_device() -> None:
    """Take the GPU of this process, one of those of its machine: processes of `torchrun` are given others, as far as
    there are any."""
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())


def interpreted() -> bool:
    """Whether Triton's interpreter runs on the CPU what a GPU would."""
    return os.environ.get("TRITON_INTERPRET") == "1"
