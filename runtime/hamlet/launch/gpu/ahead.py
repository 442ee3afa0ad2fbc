"""Kernels that a package has in machine code, in the place of Triton's, which stand in where one is missing."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from operator import itemgetter
from types import ModuleType

import torch

from hamlet.launch.gpu.call import Argument, Compiled, Launch, Signature
from hamlet.launch.gpu.cubins import Cubin, Cubins, capabilities, folder, from_json
from hamlet.launch.gpu.driver import Driver, LaunchGrid, Parameters
from hamlet.package.ahead import INDEX
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
        self.__dict__.update(TABLES=cubins.tables, KEPT=cubins.kept, REGISTERS=cubins.registers)
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
        self, name: str, grid: tuple[int], arguments: tuple[Argument, ...], settings: dict[str, int | bool]
    ) -> object:
        """Launch the kernel of this name. Gives back what can be launched again: of ours, or of Triton's."""
        types = (value.dtype if isinstance(value, torch.Tensor) else type(value) for value in arguments)
        cubin = self._cubins.get((name, *types, *settings.items()))
        if cubin is None:
            return getattr(self._just_in_time(), name)[grid](*arguments, **settings)
        loaded = _Loaded(cubin, self.load(cubin), self._driver, self._stream)
        values = (value.data_ptr() if isinstance(value, torch.Tensor) else value for value in arguments)
        loaded.on((*grid, 1, 1))(*values)
        return loaded


class _Loaded(Compiled):
    """A kernel in machine code that can be launched."""

    def __init__(self, cubin: Cubin, function: int, driver: Driver, stream: Callable[[], int]) -> None:
        self._cubin = cubin
        self._function = function
        self._driver = driver
        self._stream = stream

    def on(self, grid: tuple[int, int, int]) -> Callable[..., None]:
        cubin, stream = self._cubin, self._stream
        layout = struct.Struct(cubin.parameters)
        parameters, null = Parameters(layout.size), (0,) * cubin.scratch
        memory, pack = parameters.memory, layout.pack_into
        present = itemgetter(*(number for number, type_ in enumerate(cubin.types) if type_ is not None))
        blocks = LaunchGrid(grid[0], cubin.threads, cubin.shared)
        launch = self._driver.launcher(self._function, blocks, parameters)

        def run(*values: int | None) -> None:
            pack(memory, 0, *present(values), *null)
            launch(stream())

        return run


class _Kernel:
    """A kernel of `AheadKernels`."""

    def __init__(self, kernels: AheadKernels, name: str) -> None:
        self._kernels = kernels
        self._name = name

    def __getitem__(self, grid: tuple[int]) -> Callable[..., object]:
        def launch(*arguments: Argument, **settings: int | bool) -> object:
            return self._kernels.launch(self._name, grid, arguments, settings)

        return launch


def _signature(cubin: Cubin) -> Signature:
    types = (_TYPES.get(name) or getattr(torch, name or "") for name in cubin.types)
    return (cubin.kernel, *types, *cubin.given.items())


_TYPES: Mapping[str | None, type] = {None: type(None), "int": int}
