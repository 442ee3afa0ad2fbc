"""Where a backend replays a trace."""

from __future__ import annotations

import os

import torch


def device_for(backend: str) -> str:
    """The device of a backend. Without CUDA, Triton runs on its interpreter, which it has to be told before it is
    imported."""
    if backend != "triton":
        return "cpu"
    if torch.cuda.is_available():
        return "cuda"
    os.environ["TRITON_INTERPRET"] = "1"
    return "cpu"
