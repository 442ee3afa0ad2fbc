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


def check_training(manifest: Manifest, processes: int) -> None:
    """Raise `TrainError` where a training has what the learner on a GPU has not."""
    settings, agents = manifest.settings, manifest.worlds * manifest.agents
    lacking = {
        "several processes": processes > 1,
        "2**31 samples of an update": agents * settings.horizon >= MOST_SAMPLES,
    }
    for what, asked in lacking.items():
        if asked:
            raise TrainError(f"--device cuda knows no {what}: leave it out to train on the CPU")


def interpreted() -> bool:
    """Whether Triton's interpreter runs on the CPU what a GPU would."""
    return os.environ.get("TRITON_INTERPRET") == "1"
