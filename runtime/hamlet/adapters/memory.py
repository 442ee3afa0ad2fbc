"""Memory that others keep: copies of small tensors, and memory for observations that is written again only when nobody
can see it any more.

On a CPU numpy copies. torch would share the work among threads, which takes longer than the work where other processes
keep the cores busy.
"""

from __future__ import annotations

import sys
from math import prod
from typing import Any

import numpy as np
import torch

SPARE = 4
"""Arrays that are kept though nobody looks at them. A loop that keeps the last two observations needs three."""

ALONE = 3
"""What `sys.getrefcount` says of an array that only a list, a loop and the call itself refer to."""


class Memory:
    """Hands out tensors like a given one. On a CPU each lies in an array of numpy's, and numpy, torch and whatever
    shares memory with them refer to that array as long as they use it; elsewhere a tensor is always new, and torch's
    allocator reuses memory."""

    def __init__(self, like: torch.Tensor) -> None:
        """`like` is [lanes, values] and lies in memory as [values, lanes]."""
        self._like = like
        self._arrays: list[np.ndarray[Any, Any]] = []

    def take(self) -> torch.Tensor:
        """A tensor [lanes, values] that nobody else can see, with any contents."""
        like = self._like
        if like.device.type != "cpu":
            return torch.empty_like(like)
        for array in self._arrays:
            if sys.getrefcount(array) <= ALONE:
                return self._tensor(array)
        array = np.empty(prod(like.shape) * like.element_size(), np.uint8)
        if len(self._arrays) == SPARE:
            # The oldest one is still in use: it is freed when its user is done.
            del self._arrays[0]
        self._arrays.append(array)
        return self._tensor(array)

    def _tensor(self, array: np.ndarray[Any, Any]) -> torch.Tensor:
        return torch.from_numpy(array).view(self._like.dtype).view(self._like.T.shape).T


def kept(tensor: torch.Tensor) -> torch.Tensor:
    """A copy."""
    if tensor.device.type != "cpu":
        return tensor.clone()
    return torch.from_numpy(_bits(tensor).numpy().copy(order="K")).view(tensor.dtype)


def taken(tensor: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """A copy of these rows of a tensor [lanes, ...], which lies in memory as [..., lanes]."""
    if tensor.device.type != "cpu":
        return tensor[numbers]
    return torch.from_numpy(_bits(tensor).numpy().T.take(numbers.numpy(), axis=-1)).view(tensor.dtype).T


def put(tensor: torch.Tensor, numbers: torch.Tensor, rows: torch.Tensor) -> None:
    """Write these rows of a tensor [lanes, ...], which lies in memory as [..., lanes]."""
    if tensor.device.type != "cpu":
        tensor[numbers] = rows
    else:
        _bits(tensor).numpy().T[..., numbers.numpy()] = _bits(rows).numpy().T


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory, of a type that numpy has."""
    return tensor.view(torch.int16) if tensor.dtype is torch.bfloat16 else tensor
