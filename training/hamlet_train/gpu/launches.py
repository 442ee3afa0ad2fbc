"""Launches of the learner's kernels: what runs them, and what only notes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from hamlet.launch.gpu.options import options
from hamlet.launch.gpu.selects import respelling

Argument: TypeAlias = torch.Tensor | int | float | None
THREADS = 128


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch: a kernel of Triton's, how many programs, its arguments in order, its constants, and the threads
    of a program."""

    kernel: Any
    programs: int
    arguments: tuple[Argument, ...]
    constants: dict[str, int]
    threads: int = THREADS

    @property
    def name(self) -> str:
        name: str = self.kernel.fn.__name__
        return name


Launcher: TypeAlias = Callable[[Launch], None]


def run(launch: Launch) -> None:
    """Launch it on the current stream; under TRITON_INTERPRET=1 Triton's interpreter runs it."""
    with respelling():
        launch.kernel[(launch.programs,)](*launch.arguments, **launch.constants, **options(launch.threads))
