"""Kernels that a package has in machine code, in the place of Triton's, which stand in where one is missing."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from types import ModuleType

import torch

from hamlet.launch.gpu.call import Argument, Launch, Signature
from hamlet.launch.gpu.cubins import INDEX, Cubin, Cubins, capabilities, folder, from_json
from hamlet.launch.gpu.driver import Driver, LaunchGrid
from hamlet.package.module import Module
from hamlet.schema import abi


def find(module: Module, capability: int) -> tuple[Cubins | None, str]:
    """The package's kernels for a device, and in words why there are none (empty where it never had any)."""
    there = sorted(capabilities(module.sources))
    if capability not in there:
        return None, f"the package has them for {', '.join(f'sm_{each}' for each in there)}" if there else ""
    cubins = from_json(module.sources[f"{folder(capability)}/{INDEX}"].decode())
    return cubins, "" if cubins is not None else "those of the package are of another version"


class AheadKernels(ModuleType):
    """Has the place of a module of Triton kernels: `kernels.step[grid](*arguments, **constants_and_options)`.

    A launch for which there is no machine code goes to Triton, which is imported then.
    """

    def __init__(
        self,
        cubins: Cubins,
        files: Mapping[str, bytes],
        driver: Driver,
        stream: Callable[[], int],
        just_in_time: Callable[[], ModuleType],
    ) -> None:
        """
        Args:
            cubins: what there is.
            files: of the package.
            driver: loads and launches.
            stream: the current one.
            just_in_time: gives Triton's kernels.
        """
        super().__init__("ahead")
        self.triton = cubins.triton
        self._cubins = {_signature(cubin): cubin for cubin in cubins.kernels}
        self._folder = folder(cubins.capability)
        self._files = files
        self._driver = driver
        self._stream = stream
        self._just_in_time = just_in_time
        self._loaded: dict[str, int] = {}
        self.__dict__["TABLES"] = cubins.tables
        for name in abi.KERNELS:
            self.__dict__[name] = _Kernel(self, name)

    def has(self, launch: Launch, block: int) -> bool:
        """Whether there is machine code for a launch in blocks of this size."""
        return launch.signature(block) in self._cubins

    def load(self, cubin: Cubin) -> int:
        """The driver's handle of a kernel."""
        if cubin.file not in self._loaded:
            code = self._files[f"{self._folder}/{cubin.file}"]
            self._loaded[cubin.file] = self._driver.load(code, cubin.kernel)
        return self._loaded[cubin.file]

    def load_one(self) -> None:
        """Raises `CudaError` where the driver takes none of the kernels, being too old."""
        self.load(next(iter(self._cubins.values())))

    def launch(
        self, name: str, grid: tuple[int], arguments: tuple[Argument, ...], given: dict[str, int | bool]
    ) -> None:
        """Launch the kernel of this name."""
        types = (value.dtype if isinstance(value, torch.Tensor) else type(value) for value in arguments)
        cubin = self._cubins.get((name, *types, *given.items()))
        if cubin is None:
            getattr(self._just_in_time(), name)[grid](*arguments, **given)
            return
        function = self.load(cubin)
        values = [
            value.data_ptr() if isinstance(value, torch.Tensor) else value for value in arguments if value is not None
        ]
        packed = struct.pack(cubin.parameters, *values, *[0] * cubin.scratch)
        self._driver.launch(function, LaunchGrid(grid[0], cubin.threads, cubin.shared), self._stream(), packed)


class _Kernel:
    """A kernel of `AheadKernels`."""

    def __init__(self, kernels: AheadKernels, name: str) -> None:
        self._kernels = kernels
        self._name = name

    def __getitem__(self, grid: tuple[int]) -> Callable[..., None]:
        def launch(*arguments: Argument, **given: int | bool) -> None:
            self._kernels.launch(self._name, grid, arguments, given)

        return launch


def _signature(cubin: Cubin) -> Signature:
    types = (_TYPES.get(name) or getattr(torch, name or "") for name in cubin.types)
    return (cubin.kernel, *types, *cubin.given.items())


_TYPES: Mapping[str | None, type] = {None: type(None), "int": int}
