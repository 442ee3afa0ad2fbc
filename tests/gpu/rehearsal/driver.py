"""The CUDA driver of the simulated device: for Triton's launches, and `libcuda.so.1` for ours."""

from __future__ import annotations

import contextlib
import ctypes
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from ctypes import CFUNCTYPE, c_int, c_size_t, c_uint, c_void_p
from typing import Any
from unittest.mock import patch

import torch

from rehearsal.device import Device, Grid
from rehearsal.tensors import CudaTensor

LAUNCH_FAILED = 719
LAUNCH_BUFFER, BUFFER_SIZE = 1, 2
"""CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE."""
MOST_SHARED = 227 << 10
"""Bytes of shared memory that a block can have."""
NAMED: list[ctypes.Array[ctypes.c_char]] = []
"""Texts whose addresses `cuGetErrorName` gave away."""


def aligned(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where parameters of these sizes lie, each aligned to its size, and their sizes."""
    offset = 0
    for size in sizes:
        offset = -(-offset // size) * size
        yield offset, size
        offset += size


class Library:
    """`libcuda.so.1`: functions as ctypes finds them in a library, which get their arguments as C would."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._images: dict[int, bytes] = {}
        self._failure = ""
        pointer, number = c_void_p, c_uint
        self.cuModuleLoadData = self._function(self._load, pointer, pointer)
        self.cuModuleGetFunction = self._function(self._find, pointer, pointer, pointer)
        self.cuLaunchKernel = self._function(self._launch, pointer, *[number] * 7, *[pointer] * 3)
        self.cuInit = self._function(lambda _: None, number)
        self.cuDeviceGet = self._function(lambda device, _: _write(device, 0, c_int), pointer, c_int)
        self.cuDevicePrimaryCtxRetain = self._function(lambda context, _: _write(context, 1), pointer, c_int)
        self.cuCtxSetCurrent = self._function(lambda _: None, pointer)
        self.cuGetErrorName = self._function(self._name, c_int, pointer)

    def _function(self, work: Callable[..., None], *types: Any) -> Any:
        """A function of the library. What it raises is its status, since C knows no exceptions."""

        def called(*arguments: Any) -> int:
            try:
                work(*arguments)
            except Exception as error:
                self._failure = f"{type(error).__name__}: {error}"
                return LAUNCH_FAILED
            return 0

        return CFUNCTYPE(c_int, *types)(called)

    def _load(self, module: int, image: int) -> None:
        handle = 0x100 + len(self._images)
        self._images[handle] = _elf(image)
        _write(module, handle)

    def _find(self, function: int, module: int, name: int) -> None:
        _write(function, self._device.load(self._images[module], ctypes.string_at(name).decode()))

    def _launch(
        self,
        function: int,
        blocks: int,
        blocks_y: int,
        blocks_z: int,
        threads: int,
        threads_y: int,
        threads_z: int,
        shared: int,
        _stream: int | None,
        parameters: int | None,
        extra: int | None,
    ) -> None:
        if (blocks_y, blocks_z, threads_y, threads_z) != (1, 1, 1, 1):
            raise ValueError("kernels have one dimension here")
        places = list(aligned(self._device.function(function).sizes))
        if parameters:
            values = [_read(_read(parameters + 8 * number, 8), size) for number, (_, size) in enumerate(places)]
        else:
            memory, size = _buffer(extra or 0)
            if size != sum(places[-1]):
                raise ValueError(f"{size} bytes of parameters are not {sum(places[-1])}")
            values = [_read(memory + offset, size) for offset, size in places]
        self._device.launch(function, Grid(blocks, threads, shared), values)

    def _name(self, status: int, text: int) -> None:
        NAMED.append(ctypes.create_string_buffer((self._failure or f"status {status}").encode()))
        _write(text, ctypes.addressof(NAMED[-1]))


def _write(address: int, value: int, kind: Any = c_void_p) -> None:
    kind.from_address(address).value = value


def _read(address: int, size: int) -> int:
    return int.from_bytes(ctypes.string_at(address, size), sys.byteorder)


def _buffer(extra: int) -> tuple[int, int]:
    """Address and size of parameters in a buffer, of which `extra` tells."""
    found: dict[int, int] = {}
    while key := _read(extra, 8):
        found[key] = _read(extra + 8, 8)
        extra += 16
    return found[LAUNCH_BUFFER], c_size_t.from_address(found[BUFFER_SIZE]).value


def _elf(address: int) -> bytes:
    """The file that begins at an address; it ends with a table of headers."""
    head = ctypes.string_at(address, 64)
    programs, sections = struct.unpack_from("<QQ", head, 0x20)
    size, number = struct.unpack_from("<HH", head, 0x36)
    section_size, section_number = struct.unpack_from("<HH", head, 0x3A)
    return ctypes.string_at(address, max(programs + size * number, sections + section_size * section_number))


class Utils:
    """What Triton asks the driver."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def load_binary(self, name: str, cubin: bytes, shared: int, _device: int) -> tuple[int, int, int, int, int]:
        """Handles of a module and its kernel, registers, spilled bytes, and the most threads of a block."""
        if shared > MOST_SHARED:
            raise RuntimeError(f"{name} needs {shared} bytes of shared memory")
        handle = self._device.load(cubin, name)
        return handle, handle, 0, 0, 1024

    def unload_module(self, _module: int) -> None:
        """Modules stay."""

    def get_device_properties(self, _device: int) -> dict[str, int]:
        """What the compiler wants to know."""
        return {"max_shared_mem": MOST_SHARED, "multiprocessor_count": 132, "warpSize": 32, "max_num_regs": 65536}


def launcher(device: Device) -> Callable[[Any, Any], Callable[..., None]]:
    """Has the place of the launcher in C that Triton compiles for each kernel."""

    def of(source: Any, metadata: Any) -> Callable[..., None]:
        constants = [type_ == "constexpr" for type_ in source.signature.values()]
        grid = metadata.num_warps * 32, metadata.shared

        def launch(blocks: int, blocks_y: int, blocks_z: int, _stream: int, handle: int, *rest: Any) -> None:
            if (blocks_y, blocks_z) != (1, 1):
                raise ValueError("kernels have one dimension here")
            # Before the arguments: metadata of the kernel and of the launch, and two hooks.
            arguments = rest[4:]
            values = [_value(each) for each, constant in zip(arguments, constants, strict=True) if not constant]
            scratch = len(device.function(handle).sizes) - len(values)
            if scratch not in (0, 1, 2):
                raise ValueError(f"{source.name} is given {len(values)} arguments")
            device.launch(handle, Grid(blocks, *grid), [*values, *[0] * scratch])

        return launch

    return of


def _value(argument: Any) -> int:
    if isinstance(argument, torch.Tensor):
        if not isinstance(argument, CudaTensor):
            raise ValueError("Pointer argument cannot be accessed from Triton (cpu tensor?)")
        return argument.data_ptr()
    if isinstance(argument, float):
        # Triton's launcher in C makes f32 of it.
        return int(struct.unpack("<I", struct.pack("<f", argument))[0])
    return int(argument)


@contextlib.contextmanager
def patched(device: Device) -> Iterator[None]:
    """Triton and ctypes with this driver. Triton is imported."""
    from triton.backends.nvidia.driver import CudaDriver
    from triton.compiler.compiler import CompiledKernel
    from triton.runtime.driver import driver

    major, minor = divmod(device.capability, 10)

    class Driver(CudaDriver):  # type: ignore[misc]  # Triton is not typed
        def __init__(self) -> None:
            self.utils, self.launcher_cls = Utils(device), launcher(device)
            self.get_device_capability = lambda _=0: (major, minor)
            self.get_current_stream = lambda _=0: torch.cuda.current_stream().cuda_stream
            self.get_current_device = lambda: 0
            self.set_current_device = lambda _: None

    def remembering(kernel: Any, *arguments: Any, **named: Any) -> None:
        compiled(kernel, *arguments, **named)
        device.assembled(kernel.asm["cubin"], kernel.asm["ptx"])

    compiled, real, library = CompiledKernel.__init__, ctypes.CDLL, Library(device)

    def opened(name: Any, *arguments: Any, **named: Any) -> Any:
        return library if name == "libcuda.so.1" else real(name, *arguments, **named)

    with (
        patch.object(CompiledKernel, "__init__", remembering),
        patch.object(ctypes, "CDLL", opened),
    ):
        driver.set_active(Driver())
        try:
            yield
        finally:
            driver._active = None
