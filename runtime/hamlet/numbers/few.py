"""Few numbers in main memory: an operation of numpy on them takes half the time of one of torch, and less."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

FEW = 1 << 14
"""With so many numbers both take as long."""


def arrays(*tensors: Tensor) -> tuple[Any, ...] | None:
    """The memory of tensors, where each has few numbers in main memory."""
    few = all(each.is_cpu and each.dim() > 0 and each.numel() <= FEW for each in tensors)
    return tuple(each.numpy() for each in tensors) if few and not torch.compiler.is_compiling() else None
