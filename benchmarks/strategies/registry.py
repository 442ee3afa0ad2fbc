"""All strategies in the order of the table, and how much of the work each is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from ast_built import AstBuilt
from backends import Shipped
from contract import Strategy
from index_tensors import IndexTensors
from masked_torch import MaskedTorch
from numba_loops import NumbaLoops
from python_dicts import PythonDicts
from string_template import StringTemplate
from torch_compile import CompiledInterpreter, Mode, TorchCompile

from hamlet.package.module import Module

PYTHON_LANES = 1024
"""Plain Python is timed on so many lanes at most: its rate does not depend on their number."""
SLOW_TICKS = 16
"""What goes tick by tick without kernels of its own is timed on so many at most: its rate does not depend on them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A strategy in the table. `make` raises `NotAvailableError` where it cannot run here."""

    letter: str
    title: str
    lanes: int
    ticks: int
    make: Callable[[], Strategy]


def entries(module: Module, device: torch.device, lanes: int, ticks: int, long_ticks: int) -> list[Entry]:
    """The table for this device. `long_ticks`: the ticks of the longest launch of (i)."""
    few = min(ticks, SLOW_TICKS)
    kernels, ours = ("triton", "our Triton kernels") if device.type == "cuda" else ("c", "our kernels in C")
    universe = module.universe

    def shipped(backend: str, launch: int) -> Callable[[], Strategy]:
        return partial(Shipped, module, device, backend, launch)

    return [
        Entry(
            "a",
            "per-agent Python, dict lookups",
            min(lanes, PYTHON_LANES),
            few,
            partial(PythonDicts, universe, device),
        ),
        Entry("b", "masked torch, config dicts (HAMLET's way)", lanes, few, partial(MaskedTorch, universe, device)),
        Entry("c", "torch, index tensors", lanes, few, partial(IndexTensors, universe, device)),
        Entry("d", "torch code from string templates", lanes, few, partial(StringTemplate, universe, device)),
        Entry("e", "torch code built with `ast`", lanes, few, partial(AstBuilt, universe, device)),
        Entry("f", "numba loops, config arrays", lanes, ticks, partial(NumbaLoops, universe, device)),
        *compiled(module, device, lanes, few),
        Entry("h", f"{ours}, 1 tick per launch", lanes, ticks, shipped(kernels, 1)),
        Entry("i", f"{ours}, {ticks} ticks per launch", lanes, ticks, shipped(kernels, ticks)),
        Entry(
            "i'",
            f"{ours}, {long_ticks} ticks per launch",
            lanes,
            long_ticks,
            shipped(kernels, long_ticks),
        ),
        Entry("-", "our interpreter, for reference", lanes, few, shipped("interpreter", 1)),
    ]


def compiled(module: Module, device: torch.device, lanes: int, ticks: int) -> list[Entry]:
    """torch.compile of two ticks, each in two modes."""
    modes: tuple[tuple[Mode, str, str], ...] = (("default", "", ""), ("reduce-overhead", "'", ", reduce-overhead"))
    return [
        Entry(letter + mark, f"torch.compile of {of}{note}", lanes, ticks, partial(make, given, device, mode))
        for letter, of, make, given in (
            ("g", "our interpreter's tick", CompiledInterpreter, module),
            ("g2", "(c)", TorchCompile, module.universe),
        )
        for mode, mark, note in modes
    ]
