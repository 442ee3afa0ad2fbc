"""The four calls of the CUDA driver that load and launch machine code (CUDA Driver API, sections 6.10 and 6.22)."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from dataclasses import dataclass
from typing import Any, Protocol

from hamlet.errors import HamletError

SUCCESS = 0
INVALID_CONTEXT = 201
BUFFER_POINTER, BUFFER_SIZE, END = 1, 2, 0
"""What the entries of `extra` mean: CU_LAUNCH_PARAM_*."""


class CudaError(HamletError):
    """The driver refused."""


@dataclass(frozen=True, slots=True)
class LaunchGrid:
    """Blocks, threads of a block, and its bytes of shared memory."""

    blocks: int
    threads: int
    shared: int


class Driver(Protocol):
    """Loads and launches kernels on the current device."""

    def load(self, cubin: bytes, name: str) -> int:
        """A handle of the kernel of this name."""
        ...

    def launch(self, function: int, grid: LaunchGrid, stream: int, parameters: bytes) -> None:
        """Launch it; `parameters` as they lie in its memory."""
        ...


class CudaDriver:
    """The driver of the machine. A context must have been made, which torch does for its first tensor."""

    def __init__(self, library: Any = None) -> None:
        """`library` has the functions of libcuda; by default that of the machine.

        Raises:
            CudaError: there is none.
        """
        try:
            self._cuda = ctypes.CDLL("libcuda.so.1") if library is None else library
        except OSError as error:
            raise CudaError(f"the CUDA driver cannot be loaded: {error}") from error
        self._cuda.cuLaunchKernel.argtypes = [c_void_p, *[c_uint] * 7, c_void_p, c_void_p, c_void_p]

    def load(self, cubin: bytes, name: str) -> int:
        module, function = c_void_p(), c_void_p()
        self._check(self._cuda.cuModuleLoadData(byref(module), c_char_p(cubin)), f"load kernel {name}")
        self._check(self._cuda.cuModuleGetFunction(byref(function), module, name.encode()), f"find kernel {name}")
        return function.value or 0

    def launch(self, function: int, grid: LaunchGrid, stream: int, parameters: bytes) -> None:
        size, buffer = c_size_t(len(parameters)), c_char_p(parameters)
        extra = (c_void_p * 5)(
            BUFFER_POINTER, ctypes.cast(buffer, c_void_p), BUFFER_SIZE, ctypes.cast(byref(size), c_void_p), END
        )
        arguments = function, grid.blocks, 1, 1, grid.threads, 1, 1, grid.shared, stream, None, extra
        status = self._cuda.cuLaunchKernel(*arguments)
        if status == INVALID_CONTEXT:
            # The first launch of a thread: torch made the context in another one.
            self._enter()
            status = self._cuda.cuLaunchKernel(*arguments)
        self._check(status, "launch a kernel")

    def _enter(self) -> None:
        """Make the context of torch's current device that of this thread."""
        import torch

        device, context = c_int(), c_void_p()
        self._check(self._cuda.cuDeviceGet(byref(device), torch.cuda.current_device()), "find the device")
        self._check(self._cuda.cuDevicePrimaryCtxRetain(byref(context), device), "retain the context")
        self._check(self._cuda.cuCtxSetCurrent(context), "set the context")

    def _check(self, status: int, what: str) -> None:
        if status != SUCCESS:
            text = c_char_p()
            self._cuda.cuGetErrorName(status, byref(text))
            name = (text.value or b"unknown").decode()
            raise CudaError(f"the CUDA driver cannot {what}: {name} ({status})")
