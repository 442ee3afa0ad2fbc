"""Runs kernels on arrays that end where a page without access begins: whatever reads or writes behind one is killed.

python memory_guard.py PACKAGE AGENTS WORLDS...
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from dataclasses import replace

import torch

import hamlet
from hamlet.backend.buffers import Buffers, Shape, allocate
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend

CPU = torch.device("cpu")
LIBC = ctypes.CDLL(None, use_errno=True)
NO_ACCESS = 0
TICKS = 20


def guarded(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers and strides, in memory that ends at a page without access."""
    size = tensor.untyped_storage().nbytes()
    if size == 0:
        return tensor
    pages = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, pages + mmap.PAGESIZE)
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if LIBC.mprotect(ctypes.c_void_p(first + pages), mmap.PAGESIZE, NO_ACCESS) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    flat = torch.frombuffer(memory, dtype=tensor.dtype, count=size // tensor.element_size(), offset=pages - size)
    found = flat.as_strided(tensor.shape, tensor.stride())
    return found.copy_(tensor)


def in_guarded_memory(buffers: Buffers) -> Buffers:
    """The same worlds, each array in memory of its own."""
    observed = (None if each is None else guarded(each) for each in (buffers.observation, buffers.final_observation))
    observation, final_observation = observed
    return replace(
        buffers,
        state={name: guarded(tensor) for name, tensor in buffers.state.items()},
        outcome={name: guarded(tensor) for name, tensor in buffers.outcome.items()},
        observation=observation,
        final_observation=final_observation,
        mask=guarded(buffers.mask),
    )


def main() -> None:
    """Step, roll out and observe so many worlds."""
    folder, agents, *counts = sys.argv[1:]
    module, stream = hamlet.load(folder), Stream(7, 0)
    backend = CpuBackend(module.universe, just_in_time(module), 1)
    for count in counts:
        buffers = allocate(module.universe, Shape(int(count), int(agents)), CPU, torch.float32)
        Interpreter(module.universe, CPU).reset(buffers, stream)
        found = in_guarded_memory(buffers)
        backend.observe(found)
        backend.rollout(found, TICKS, RandomPolicy(), stream, True, None)
        backend.rollout(found, TICKS, RandomPolicy(), stream, False, None)
        print(count, int((found.state["meters"] != buffers.state["meters"]).sum()))


if __name__ == "__main__":
    main()
