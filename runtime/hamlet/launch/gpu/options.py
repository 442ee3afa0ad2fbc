"""How Triton kernels are compiled: the same for a launch and ahead of time."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from hamlet.schema import abi
from hamlet.universe import Universe
from hamlet.universe.walk import meet

WARPS = 1
"""Warps of a block. One, so that a warp waits for no other, and leaves out the reset of a tick in which none of its 32
lanes needs it."""
REGISTERS_OF_A_BLOCK = 1 << 16
"""Registers of a multiprocessor: a block that wants more cannot be launched."""
LARGEST_OBSERVING_BLOCK = 256
"""Lanes that can have 255 registers each."""


def constants(kernel: abi.Kernel, group: int, block: int, bins: int, every_tick: bool) -> dict[str, int]:
    """The compile-time constants of a kernel, by name, in the order in which it takes them.

    Args:
        kernel: its name.
        group: the lanes that a world takes in a block.
        block: the lanes of a block.
        bins: of the histogram of episode lengths.
        every_tick: whether a rollout observes every tick.
    """
    result = {"GROUP": group, "BLOCK": block}
    return {"BINS": bins, "EVERY_TICK": every_tick} | result if kernel == "rollout" else result


def options(block: int, registers: int | None = None) -> dict[str, int | bool]:
    """Triton's options for blocks of `block` lanes, one per thread.

    Without contraction: a * b + c is rounded twice, which is not Triton's default. Without looking for overflow, which
    makes each sum and product anew in i64: only where it debugs Triton reads those, else it compiles them away, a fifth
    of its time. `registers` is the most that a lane
    may have. Where `None`, there is no limit: with 255 the assembler holds addresses of observed rows in them, and
    spills other values.
    """
    chosen: dict[str, int | bool] = {"num_warps": max(block // 32, 1), "enable_fp_fusion": False}
    chosen["sanitize_overflow"] = False
    return chosen if registers is None else chosen | {"maxnreg": min(registers, REGISTERS_OF_A_BLOCK // block)}


def limit(kernels: ModuleType, universe: Universe, kernel: abi.Kernel) -> int | None:
    """The most registers of a lane, which kernels say: of steps, and of all ticks where agents of a world meet; `None`
    without a limit."""
    limited = kernel == "step" or (kernel == "rollout" and meet(universe))
    registers: int | None = kernels.REGISTERS
    return registers if limited else None


def declared(kernels: ModuleType) -> dict[str, Any]:
    """Declarations of a module beside its kernels: its tables, the rows that steps keep for each world, and the most
    registers of a step.
    """
    return {name: getattr(kernels, name) for name in ("TABLES", "KEPT", "REGISTERS")}


def interpreted(kernels: ModuleType) -> bool:
    """Whether these kernels are run by Triton's interpreter: TRITON_INTERPRET=1 was set when they were imported."""
    return not hasattr(kernels.step, "create_binder")
