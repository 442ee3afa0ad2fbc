"""A launch of a kernel, before it is decided how many lanes a block has."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import TypeAlias

import torch

from hamlet.launch.gpu.coalescing import without_coalescing
from hamlet.launch.gpu.options import constants, options
from hamlet.schema import abi

Argument: TypeAlias = torch.Tensor | int | None
Signature: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    """What a kernel is given.

    Attributes:
        kernel: its name.
        arguments: arrays, tables and integers, in the kernel's order; `None` for an array that is absent.
        lanes: those of all worlds, each filled up to `group`.
        group: the lanes that a world takes in a block, a power of two.
        bins: of the histogram of episode lengths.
        every_tick: whether a rollout observes every tick.
    """

    kernel: abi.Kernel
    arguments: tuple[Argument, ...]
    lanes: int
    group: int
    bins: int
    every_tick: bool

    @property
    def observes(self) -> bool:
        """Whether observations are written beside a tick."""
        return self.kernel == "step" or self.every_tick

    def given(self, block: int) -> dict[str, int | bool]:
        """The constants of the kernel and the options of its compiler for blocks of `block` lanes."""
        chosen = constants(self.kernel, self.group, block, self.bins, self.every_tick)
        return chosen | options(block)

    def signature(self, block: int) -> Signature:
        """What a compiled kernel fits: the name, the type of each argument, constants and options."""
        types = (value.dtype if isinstance(value, torch.Tensor) else type(value) for value in self.arguments)
        return (self.kernel, *types, *self.given(block).items())

    def run(self, kernels: ModuleType, block: int) -> None:
        """Launch it. `kernels` has the kernels by name; the current device is theirs."""
        grid = (-(-self.lanes // block),)
        with without_coalescing():
            getattr(kernels, self.kernel)[grid](*self.arguments, **self.given(block))
