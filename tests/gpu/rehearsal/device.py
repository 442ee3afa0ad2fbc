"""A GPU without machine code: memory by address, and kernels whose PTX is executed.

Its memory is that of the process: a tensor has the address that torch gave it. What a kernel may touch are the storages
of simulated tensors whose address was asked for and that still exist.
"""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.multiprocessing.reductions import StorageWeakRef

from hamlet_lab.ptx import Launch, Memory, Program, parse

PARAMETER = re.compile(r"\.param\s+\.[a-z]\d+\s+(\.ptr\b)?[^\n]*_param_\d+")
ENTRY = re.compile(r"\.entry\s+\w+\s*\(([^)]*)\)")


class DeviceError(RuntimeError):
    """What a GPU would refuse, or do wrong in silence."""


@dataclass(frozen=True, slots=True)
class Function:
    """A loaded kernel: its program, and which of its parameters are addresses."""

    name: str
    program: Program
    addresses: tuple[bool, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of each parameter."""
        return tuple(parameter.bits // 8 for parameter in self.program.kernel.parameters)


@dataclass(frozen=True, slots=True)
class Grid:
    """Blocks, threads of a block, and its bytes of shared memory."""

    blocks: int
    threads: int
    shared: int


class Device:
    """The simulated GPU.

    Attributes:
        capability: 90 for sm_90.
        recording: what a graph repeats, while one is recorded: then nothing is executed.
        waiting_is_an_error: the mode of `torch.cuda.set_sync_debug_mode`.
        launched: how often each kernel was launched, replays of graphs included.
        allocations: how many storages there were whose address was asked for.
        peak: bytes of those that existed at the same time, at most.
    """

    def __init__(self, capability: int) -> None:
        self.capability = capability
        self.recording: list[Callable[[], None]] | None = None
        self.waiting_is_an_error = False
        self.launched: Counter[str] = Counter()
        self.allocations = self.peak = 0
        self._ptx: dict[bytes, str] = {}
        self._functions: dict[int, Function] = {}
        self._handles: dict[tuple[bytes, str], int] = {}
        self._bases: list[int] = []
        self._storages: dict[int, tuple[int, StorageWeakRef]] = {}

    def assembled(self, cubin: bytes, ptx: str) -> None:
        """Remember which PTX became which machine code."""
        self._ptx[cubin] = ptx

    def load(self, cubin: bytes, name: str) -> int:
        """A handle of a kernel."""
        if self.recording is not None:
            raise DeviceError(f"{name} is loaded while a graph is recorded")
        if cubin not in self._ptx:
            raise DeviceError(f"the machine code of {name} was not made by this process")
        key = cubin, name
        if key not in self._handles:
            text = self._ptx[cubin]
            entry = ENTRY.search(text)
            if entry is None or f".entry {name}(" not in text:
                raise DeviceError(f"there is no kernel {name} in this machine code")
            program = Program(parse(text))
            addresses = tuple(found[1] is not None for found in PARAMETER.finditer(entry[1]))
            if len(addresses) != len(program.kernel.parameters):
                raise DeviceError(f"the parameters of {name} are not understood: {entry[1]}")
            # Unlike any address, and never 0, which is no handle.
            self._handles[key] = 0x7000 + len(self._handles)
            self._functions[self._handles[key]] = Function(name, program, addresses)
        return self._handles[key]

    def function(self, handle: int) -> Function:
        """The kernel of a handle."""
        if handle not in self._functions:
            raise DeviceError(f"{handle:#x} is no kernel")
        return self._functions[handle]

    def launch(self, handle: int, grid: Grid, values: Sequence[int]) -> None:
        """Execute a kernel with these values of all its parameters; or record that, while a graph is recorded."""
        function = self.function(handle)
        if len(values) != len(function.addresses):
            raise DeviceError(f"{function.name} has {len(function.addresses)} parameters, not {len(values)}")
        if self.recording is None:
            self._execute(function, grid, values)
        else:
            kept = tuple(values)
            self.recording.append(lambda: self._execute(function, grid, kept))

    def allocated(self, tensor: torch.Tensor) -> None:
        """Let kernels touch the storage of a tensor, for as long as it exists."""
        storage = tensor.untyped_storage()
        base, size = storage.data_ptr(), storage.nbytes()
        if size == 0:
            return
        if base not in self._storages:
            insort(self._bases, base)
        # Storages that began inside of this one were given back.
        inside = slice(bisect_right(self._bases, base), bisect_left(self._bases, base + size))
        for gone in self._bases[inside]:
            del self._storages[gone]
        del self._bases[inside]
        known = base in self._storages and not self._storages[base][1].expired()
        self._storages[base] = size, StorageWeakRef(storage)
        if not known:
            self.allocations += 1
            self.peak = max(self.peak, self.memory())

    def renewed(self, tensor: torch.Tensor) -> None:
        """A tensor was made. Where its storage begins at an address that was asked for before, kernels may touch it: a
        launch that is repeated with the addresses of the last one asks no tensor for its own."""
        storage = tensor.untyped_storage()
        if storage.data_ptr() in self._storages and storage.nbytes() > 0:
            self._storages[storage.data_ptr()] = storage.nbytes(), StorageWeakRef(storage)

    def memory(self) -> int:
        """Bytes of the storages that exist and whose address was asked for."""
        return sum(size for size, storage in self._storages.values() if not storage.expired())

    def _execute(self, function: Function, grid: Grid, values: Sequence[int]) -> None:
        self.launched[function.name] += 1
        memory, placed = Memory(1), {}
        bits = []
        for value, is_address in zip(values, function.addresses, strict=True):
            if is_address and value:
                base, size = self._storage(function, value)
                if base not in placed:
                    placed[base] = memory.place(_bytes(base, size))
                value = placed[base] + value - base
            bits.append(value)
        function.program.launch(memory, Launch(bits, grid.blocks, grid.threads, grid.shared))

    def _storage(self, function: Function, address: int) -> tuple[int, int]:
        """Where the storage of an address begins, and its bytes."""
        number = bisect_right(self._bases, address) - 1
        if number >= 0:
            base = self._bases[number]
            size, storage = self._storages[base]
            if address < base + size and not storage.expired():
                return base, size
        raise DeviceError(f"{function.name} is given address {address:#x}, where no CUDA tensor is (any more)")


def _bytes(base: int, size: int) -> np.ndarray:
    return np.frombuffer((ctypes.c_uint8 * size).from_address(base), np.uint8)
