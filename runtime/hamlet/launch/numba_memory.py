"""The memory of tensors as numpy arrays, which is what numba's kernels take; and what they keep from call to call."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import torch

from hamlet.state import Buffers

Array: TypeAlias = np.ndarray[Any, Any]
Arrays: TypeAlias = dict[str, Array]

NO_OBSERVATION = np.zeros((0, 0), np.float32)


def array_of(tensor: torch.Tensor | Array) -> Array:
    """The memory of a contiguous tensor, bf16 as the u16 of its bits; an array as it is."""
    if isinstance(tensor, np.ndarray):
        return tensor
    tensor = tensor.detach()
    return tensor.view(torch.uint16).numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()


class Memory:
    """The arrays of buffers by the names of `hamlet.abi`, kept from call to call: making them takes as long as a small
    step."""

    def __init__(self) -> None:
        self._buffers: Buffers | None = None
        self._addresses: list[int] = []
        self._arrays: Arrays = {}
        self._cells: tuple[Array, Array] | None = None
        self._known = False

    def of(self, buffers: Buffers) -> Arrays:
        """The arrays of these buffers; made anew where a tensor has moved, as by `share_memory_`."""
        addresses = [tensor.data_ptr() for tensor in buffers.tensors]
        if buffers is not self._buffers or addresses != self._addresses:
            self._buffers, self._addresses, self._arrays = buffers, addresses, _arrays(buffers)
            self._cells, self._known = None, False
        return self._arrays

    def cells(self, count: int, lanes: int) -> tuple[Array, Array, bool]:
        """Cells [count, lanes] u8 of affordances in the buffers that were asked for last, and the layouts [lanes] u32
        that they follow from, for kernels to keep; and whether a kernel has filled them. Layouts decide: cells whose
        layout is no longer the lane's are computed anew."""
        if self._cells is None:
            self._cells = np.zeros((count, lanes), np.uint8), np.zeros(lanes, np.uint32)
        return *self._cells, self._known

    def cells_are_known(self) -> None:
        """A kernel has filled them."""
        self._known = True


def _arrays(buffers: Buffers) -> Arrays:
    arrays = {name: array_of(tensor) for name, tensor in (buffers.state | buffers.outcome).items()}
    arrays["mask"] = array_of(buffers.mask)
    for name, tensor in (("observation", buffers.observation), ("final_observation", buffers.final_observation)):
        arrays[name] = NO_OBSERVATION if tensor is None else array_of(tensor)
    return arrays
