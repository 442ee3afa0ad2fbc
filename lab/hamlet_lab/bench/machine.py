"""The machine that is measured."""

from __future__ import annotations

import os
import platform

import torch

from hamlet.backend.registry import backend_names


def available() -> tuple[str, ...]:
    """The backends that run here without being told where."""
    return tuple(name for name in reversed(backend_names()) if name != "triton" or torch.cuda.is_available())


def machine(device: torch.device) -> str:
    """The device in words."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.processor() or platform.machine()}, {cores} CPUs"
