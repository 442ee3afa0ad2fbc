"""A launch of a kernel, before it is decided how many lanes a block has; and one that is prepared for being repeated.

Finding the kernel for the types of thirty arguments takes longer than a small kernel runs, and arguments that stay need
no second look.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeAlias

import torch

from hamlet.launch.gpu.coalescing import without_coalescing
from hamlet.launch.gpu.options import constants, options
from hamlet.launch.gpu.selects import respelling
from hamlet.schema import abi

Argument: TypeAlias = torch.Tensor | int | None
Signature: TypeAlias = tuple[object, ...]


class Compiled(ABC):
    """A kernel as it is after a first launch."""

    @abstractmethod
    def on(self, grid: tuple[int, int, int]) -> Callable[..., None]:
        """A function that launches the kernel on the current stream of the current device, from the values of all its
        arguments and constants: the addresses of arrays, `None` where one is absent.
        """


class JustInTime(Compiled):
    """A kernel that Triton compiled, launched by Triton's launcher, as `JITFunction.run` does after it has found the
    kernel for the types of arguments."""

    def __init__(self, kernel: Any) -> None:
        """`kernel` is a `triton.compiler.CompiledKernel`."""
        self._kernel = kernel

    def on(self, grid: tuple[int, int, int]) -> Callable[..., None]:
        from triton import knobs
        from triton.runtime import driver

        kernel, hooks, current_stream = self._kernel, knobs.runtime, driver.active.get_current_stream
        launch, function, metadata, hooked = kernel.run, kernel.function, kernel.packed_metadata, kernel[grid]
        device = driver.active.get_current_device()

        def run(*values: int | None) -> None:
            if _calls(hooks.launch_enter_hook) or _calls(hooks.launch_exit_hook):
                hooked(*values)
            else:
                launch(*grid, current_stream(device), function, metadata, None, None, None, *values)

        return run


def _calls(hook: Any) -> bool:
    """Whether somebody, a profiler say, wants to hear of launches. Triton has an empty chain where nobody does."""
    return hook is not None and bool(getattr(hook, "calls", True))


@dataclass(frozen=True, slots=True)
class Prepared:
    """A launch that is repeated with other values of some arguments.

    Attributes:
        place: what it was prepared for.
        launch: takes the values of all arguments and constants.
        values: of the launch for which it was prepared.
        changing: the positions of the arguments that change.
    """

    place: tuple[object, ...]
    launch: Callable[..., None]
    values: tuple[int | None, ...]
    changing: tuple[int, ...]

    def again(self, changed: Iterable[int | None]) -> None:
        """Launch with these values of the arguments that change, in the order of `changing`."""
        values = list(self.values)
        for position, value in zip(self.changing, changed, strict=True):
            values[position] = value
        self.launch(*values)


@dataclass(frozen=True, slots=True)
class Launch:
    """The arguments of a kernel.

    Attributes:
        kernel: its name.
        arguments: arrays, tables and integers, in the kernel's order; `None` for an array that is absent.
        lanes: those of all worlds, each filled up to `group`.
        group: the lanes that a world takes in a block, a power of two.
        bins: of the histogram of episode lengths.
        every_tick: whether a rollout observes every tick.
        registers: the most that a lane may have; `None` without a limit.
    """

    kernel: abi.Kernel
    arguments: tuple[Argument, ...]
    lanes: int
    group: int
    bins: int
    every_tick: bool
    registers: int | None = None

    @property
    def observes(self) -> bool:
        """Whether observations are written beside a tick."""
        return self.kernel == "step" or self.every_tick

    def constants(self, block: int) -> dict[str, int | bool]:
        """The constants of the kernel for blocks of `block` lanes."""
        return constants(self.kernel, self.group, block, self.bins, self.every_tick)

    def settings(self, block: int) -> dict[str, int | bool]:
        """The constants of the kernel and the options of its compiler for blocks of `block` lanes."""
        return self.constants(block) | options(block, self.registers)

    def signature(self, block: int) -> Signature:
        """The key of a compiled kernel: its name, the type of each argument, constants and options."""
        types = (value.dtype if isinstance(value, torch.Tensor) else type(value) for value in self.arguments)
        return (self.kernel, *types, *self.settings(block).items())

    def grid(self, block: int) -> tuple[int]:
        """The number of blocks."""
        return (-(-self.lanes // block),)

    def run(self, kernels: ModuleType, block: int) -> Compiled | None:
        """Launch it. `kernels` has the kernels by name; the current device is theirs.

        Returns:
            What can be launched again; `None` where a kernel is not compiled.
        """
        with without_coalescing(), respelling():
            compiled = getattr(kernels, self.kernel)[self.grid(block)](*self.arguments, **self.settings(block))
        return compiled if compiled is None or isinstance(compiled, Compiled) else JustInTime(compiled)

    def prepared(
        self, compiled: Compiled, block: int, changing: tuple[int, ...], place: tuple[object, ...]
    ) -> Prepared:
        """The same launch of what `run` gave back, to be repeated."""
        values = (value.data_ptr() if isinstance(value, torch.Tensor) else value for value in self.arguments)
        launch = compiled.on((*self.grid(block), 1, 1))
        return Prepared(place, launch, (*values, *self.constants(block).values()), changing)
