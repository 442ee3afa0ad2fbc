"""The memory of tensors as numpy arrays, which is what kernels take; and their cell cache."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import torch

from hamlet.backend.buffers import Buffers, memory_of

Array: TypeAlias = np.ndarray[Any, Any]
Arrays: TypeAlias = dict[str, Array]

LAYOUT = 4
"""Bytes of a layout."""

SHARE = 3
"""The bytes of state for one byte of the cell cache, at the least."""

NO_OBSERVATION = np.zeros((0, 0), np.float32)


def array_of(tensor: torch.Tensor | Array) -> Array:
    """The memory of a contiguous tensor, bf16 as the u16 of its bits; of one that lies world by world [worlds, pitch];
    an array as it is."""
    if isinstance(tensor, np.ndarray):
        return tensor
    tensor = memory_of(tensor.detach())
    return tensor.view(torch.uint16).numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()


class BufferArrays:
    """The arrays of buffers by the names of `hamlet.schema.abi`, made once: that takes as long as a small step."""

    def __init__(self) -> None:
        self._state: dict[str, torch.Tensor] | None = None
        self._observation = 0
        self._addresses: list[int] = []
        self._arrays: Arrays = {}
        self._cells: tuple[Array, Array] | None = None
        self._known = False

    def of(self, buffers: Buffers) -> Arrays:
        """The arrays of these buffers; made anew where a tensor has moved, as by `share_memory_`. Observations move
        where a step is handed a tensor for them, and then the rest stays; without any their array has no rows."""
        observation = 0 if buffers.observation is None else buffers.observation.data_ptr()
        # Machine code is that of the type of observations that others have seen.
        unseen = self._arrays.get("observation", NO_OBSERVATION)[:0]
        addresses = [tensor.data_ptr() for tensor in buffers.tensors if tensor is not buffers.observation]
        if buffers.state is not self._state or addresses != self._addresses:
            self._state, self._addresses, self._arrays = buffers.state, addresses, _arrays(buffers)
            self._observation, self._cells, self._known = observation, None, False
        elif observation != self._observation and buffers.observation is not None:
            self._observation = observation
            self._arrays = self._arrays | {"observation": array_of(buffers.observation)}
        return self._arrays if buffers.observation is not None else self._arrays | {"observation": unseen}

    def cells(self, count: int, buffers: Buffers) -> tuple[Array, Array, bool]:
        """The cell cache of the buffers that `of` was asked for last: the cells [count, lanes] u8 of affordances, the
        layouts [lanes] u32 that they follow from, and whether a kernel has filled both. Layouts decide: cells whose
        layout is no longer the lane's are computed anew. It is without a lane where it would take too much memory."""
        if self._cells is None:
            lanes, state = buffers.shape.lanes, sum(tensor.nbytes for tensor in buffers.state.values())
            cached = lanes if SHARE * (count + LAYOUT) * lanes <= state else 0
            self._cells = np.zeros((count, cached), np.uint8), np.zeros(cached, np.uint32)
        return *self._cells, self._known and len(self._cells[1]) > 0

    def cells_are_known(self) -> None:
        """A kernel has filled them."""
        self._known = True


def _arrays(buffers: Buffers) -> Arrays:
    arrays = {name: array_of(tensor) for name, tensor in (buffers.state | buffers.outcome).items()}
    arrays["mask"] = array_of(buffers.mask)
    final = None if buffers.final_observation is None else buffers.final_observation.T
    for name, tensor in (("observation", buffers.observation), ("final_observation", final)):
        arrays[name] = NO_OBSERVATION if tensor is None else array_of(tensor)
    return arrays
