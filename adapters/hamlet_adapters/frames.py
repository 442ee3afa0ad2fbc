"""Memory that others keep: what a step gave is written again only when nobody can see it any more.

On a CPU everything that a step writes lies in one array of numpy's, its block, which numpy, torch and whatever shares
memory with them refer to as long as they use a part of it. Python counts these references: a frame whose block is
referred to by nobody outside is written again, and otherwise there is a new one. Elsewhere every step writes new
tensors, and torch's allocator reuses memory.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import torch
from torch import Tensor

from hamlet.env.act.outputs import Outputs
from hamlet.env.environment import Env

Array: TypeAlias = np.ndarray[Any, Any]

SPARE = 6
"""Frames that are kept though nobody looks at them. A loop that keeps the last two observations needs three, and one by
TorchRL's `step_and_maybe_reset`, which gives two at a time, five."""
LINE = 64
"""Where tensors of a block begin is a multiple of so many bytes: of a line of the cache."""


class Frame(Protocol):
    """The results of a step, by the names of `Outputs.tensors`.

    Attributes:
        outputs: the memory, for those who fill it before it is handed out.
    """

    outputs: Outputs

    def tensor(self, name: str) -> Tensor:
        """A tensor that nothing changes later."""
        ...

    def array(self, name: str) -> Array:
        """The same as an array of numpy."""
        ...

    def ended(self) -> Tensor:
        """The worlds whose episode ended, [worlds] bool."""
        ...

    def changed(self) -> None:
        """Outputs were written after somebody has seen an array."""
        ...


class HostFrame:
    """A frame on the CPU."""

    __slots__ = ("_alone", "_arrays", "_block", "outputs")

    def __init__(self, env: Env, like: Mapping[str, Tensor]) -> None:
        """With memory for tensors like these."""
        places, size = _places(like)
        self._block: Array = np.empty(size + LINE, np.uint8)
        first = -self._block.ctypes.data % LINE
        self._arrays = {name: _part(self._block, first + place, like[name]) for name, place in places}
        self.outputs = env.outputs(**{name: _tensor(self._arrays[name], each.dtype) for name, each in like.items()})
        self._alone = sys.getrefcount(self._block)

    def free(self) -> bool:
        """Whether nobody outside can see any part of it."""
        return sys.getrefcount(self._block) == self._alone

    def tensor(self, name: str) -> Tensor:
        """See `Frame`."""
        return _tensor(self._arrays[name].view(), self._dtype(name))

    def array(self, name: str) -> Array:
        """See `Frame`."""
        return self._arrays[name].view()

    def ended(self) -> Tensor:
        """See `Frame`."""
        return torch.from_numpy(self._arrays["terminated"] | self._arrays["truncated"])

    def changed(self) -> None:
        """See `Frame`: arrays are the outputs."""

    def _dtype(self, name: str) -> torch.dtype | None:
        observation = self.outputs.results[0]
        return observation.dtype if name.endswith("observation") and observation is not None else None


class DeviceFrame:
    """A frame elsewhere: all that a step writes lies in one block there, so that one transfer into pinned memory, and
    one wait for it, bring all of it to the host when somebody asks for an array."""

    __slots__ = ("_arrays", "_block", "_pinned", "_places", "_tensors", "outputs")

    def __init__(self, env: Env, like: Mapping[str, Tensor], pinned: Tensor) -> None:
        """With memory for tensors like these. `pinned` is memory of the same size on the host, which frames use one
        after the other."""
        places, size = _places(like)
        self._block = torch.empty(size, dtype=torch.uint8, device=env.device)
        parts = {name: _shaped(self._block[place : place + like[name].nbytes], like[name]) for name, place in places}
        self.outputs = env.outputs(**parts)
        self._tensors = self.outputs.tensors()
        self._places, self._pinned = places, pinned
        self._arrays: dict[str, Array] = {}

    def tensor(self, name: str) -> Tensor:
        """See `Frame`."""
        return self._tensors[name]

    def array(self, name: str) -> Array:
        """See `Frame`."""
        if not self._arrays:
            self._arrays = self._fetched()
        return self._arrays[name].view()

    def ended(self) -> Tensor:
        """See `Frame`."""
        return self._tensors["terminated"] | self._tensors["truncated"]

    def changed(self) -> None:
        """Somebody has written the outputs since the arrays were fetched."""
        self._arrays = {}

    def _fetched(self) -> dict[str, Array]:
        """All arrays, in memory of their own: pinned memory is scarce, and the next frame wants it."""
        self._pinned.copy_(self._block, non_blocking=True)
        torch.cuda.current_stream(self._block.device).record_event().synchronize()
        block = self._pinned.numpy().copy()
        return {name: _part(block, place, self._tensors[name]) for name, place in self._places}


class Frames:
    """Hands out frames of an environment that nobody else can see, with any contents."""

    def __init__(self, env: Env, finals: bool = False) -> None:
        """`finals`: whether frames have final observations of their own, which is for a CPU."""
        self._env = env
        self._finals = finals
        self._like = env.outputs().tensors()
        final = env.info["final_observation"]
        if finals and final is not None:
            self._like["final_observation"] = final
        self._spare: list[HostFrame] = []
        self._pinned: Tensor | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy of the environment has steps of its own, and nobody sees those of the other one there.
        return Frames, (self._env, self._finals)

    def take(self) -> HostFrame | DeviceFrame:
        """A frame."""
        if self._env.device.type != "cpu":
            if self._pinned is None:
                self._pinned = torch.empty(_places(self._like)[1], dtype=torch.uint8, pin_memory=True)
            return DeviceFrame(self._env, self._like, self._pinned)
        for frame in self._spare:
            if frame.free():
                return frame
        frame = HostFrame(self._env, self._like)
        if len(self._spare) == SPARE:
            # The oldest one is still in use: it is freed when its user is done.
            del self._spare[0]
        self._spare.append(frame)
        return frame


def _places(like: Mapping[str, Tensor]) -> tuple[Sequence[tuple[str, int]], int]:
    """Where tensors like these begin in a block, each in a cache line of its own, and the size of the block."""
    places, end = [], 0
    for name, tensor in like.items():
        places.append((name, end))
        end += -(-tensor.nbytes // LINE) * LINE
    return places, end


def _shaped(memory: Tensor, like: Tensor) -> Tensor:
    """Bytes on a device as a tensor that lies in memory as another does."""
    flat = memory.view(like.dtype)
    return flat.view(like.shape) if like.is_contiguous() else flat.view(like.shape[::-1]).T


def taken(tensor: Tensor, numbers: Tensor) -> Tensor:
    """A copy of these rows of a tensor [lanes, ...]."""
    if tensor.device.type != "cpu":
        return tensor[numbers.to(tensor.device, non_blocking=True)]
    if tensor.is_contiguous():
        return torch.from_numpy(_bits(tensor).numpy().take(numbers.numpy(), axis=0)).view(tensor.dtype)
    # It lies in memory as [..., lanes].
    return torch.from_numpy(_bits(tensor).numpy().T.take(numbers.numpy(), axis=-1)).view(tensor.dtype).T


def _bits(tensor: Tensor) -> Tensor:
    """The same memory, of a type that numpy has."""
    return tensor.view(torch.int16) if tensor.dtype is torch.bfloat16 else tensor


def _part(block: Array, start: int, like: Tensor) -> Array:
    """A part of a block, which lies in memory as a tensor does."""
    dtype = _bits(torch.empty(0, dtype=like.dtype)).numpy().dtype
    flat = block[start : start + like.nbytes].view(dtype)
    return flat.reshape(like.shape) if like.is_contiguous() else flat.reshape(like.shape[::-1]).T


def _tensor(array: Array, dtype: torch.dtype | None) -> Tensor:
    """An array as a tensor; numpy has bf16 as the i16 of its bits."""
    tensor = torch.from_numpy(array)
    return tensor.view(dtype) if dtype is torch.bfloat16 else tensor
