"""The four calls of the CUDA driver that load and launch machine code (CUDA Driver API, sections 6.10 and 6.22)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_void_p
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from hamlet.errors import HamletError

SUCCESS = 0
INVALID_CONTEXT = 201
BUFFER_POINTER, BUFFER_SIZE, END = 1, 2, 0
"""Keys of entries of `extra`: CU_LAUNCH_PARAM_*."""


class CudaError(HamletError):
    """The driver refused."""


@dataclass(frozen=True, slots=True)
class LaunchGrid:
    """Blocks, threads of a block, and its bytes of shared memory."""

    blocks: int
    threads: int
    shared: int


def current_stream(device: torch.device) -> Callable[[], int]:
    """A function that gives the driver's handle of a device's current stream, as Triton asks for it: torch's public
    function makes an object, which takes as long as a launch."""
    index = device.index

    def current() -> int:
        return torch._C._cuda_getCurrentRawStream(index)

    return current


class Parameters:
    """The parameters of launches, as they lie in the memory of a kernel, and what tells the driver where they are.

    Attributes:
        memory: their bytes, to be written into.
        extra: for `cuLaunchKernel`.
    """

    def __init__(self, size: int) -> None:
        """So many bytes."""
        self.memory = ctypes.create_string_buffer(size)
        self._size = c_size_t(size)
        at = ctypes.addressof(self.memory), ctypes.addressof(self._size)
        self.extra = (c_void_p * 5)(BUFFER_POINTER, at[0], BUFFER_SIZE, at[1], END)


class Driver(Protocol):
    """Loads and launches kernels on the current device."""

    def load(self, cubin: bytes, name: str) -> int:
        """A handle of the kernel of this name."""
        ...

    def launcher(self, function: int, grid: LaunchGrid, parameters: Parameters) -> Callable[[int], None]:
        """A function that launches a kernel on a stream, with the parameters as they are then."""
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

    def launcher(self, function: int, grid: LaunchGrid, parameters: Parameters) -> Callable[[int], None]:
        # Numbers of C, because converting those of Python takes as long as the call.
        sizes = (grid.blocks, 1, 1, grid.threads, 1, 1, grid.shared)
        fixed = (c_void_p(function), *map(c_uint, sizes))
        none, extra = c_void_p(), c_void_p(ctypes.addressof(parameters.extra))
        kernel = self._cuda.cuLaunchKernel

        # The address in `extra` keeps nothing alive: the parameters live as long as this function has them.
        def launch(stream: int, _: Parameters = parameters) -> None:
            status = kernel(*fixed, stream, none, extra)
            if status == INVALID_CONTEXT:
                # The first launch of a thread: torch made the context in another one.
                self._enter()
                status = kernel(*fixed, stream, none, extra)
            if status != SUCCESS:
                self._check(status, "launch a kernel")

        return launch

    def _enter(self) -> None:
        """Make the context of torch's current device that of this thread."""
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
