"""Instructions of the threads of a warp or block together: redux.sync, shfl.sync, bar.sync, bar.warp.sync,
and those of matrices.py.

All 32 threads of a warp must take part, as they do in what Triton emits, and all of a block in a barrier. They wait for
each other (program.py); here it is checked that all came.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from hamlet_lab.ptx.matrices import matrices
from hamlet_lab.ptx.sources import Site
from hamlet_lab.ptx.syntax import Instruction, Integer, Operand
from hamlet_lab.ptx.threads import WARP, Effect, Mask, Meeting, Threads, chosen
from hamlet_lab.ptx.types import B32, SCALARS, U32, Array

REDUCTIONS: dict[str, Callable[..., Array]] = {
    **{f"add.{kind}": np.add.reduce for kind in ("u32", "s32")},
    **{f"min.{kind}": np.minimum.reduce for kind in ("u32", "s32")},
    **{f"max.{kind}": np.maximum.reduce for kind in ("u32", "s32")},
    "and.b32": np.bitwise_and.reduce,
    "or.b32": np.bitwise_or.reduce,
    "xor.b32": np.bitwise_xor.reduce,
}
Shuffle: TypeAlias = Callable[[Array, Array, Array], Array]
"""The lane whose value a lane takes, of itself, of b, and of the bits that are the same in all lanes of its segment."""
SHUFFLES: dict[str, Shuffle] = {
    "up": lambda lane, b, _: lane - b,
    "down": lambda lane, b, _: lane + b,
    "bfly": lambda lane, b, _: lane ^ b,
    "idx": lambda lane, b, segment: (lane & segment) | (b & ~segment),
}


def meeting(instruction: Instruction) -> Meeting:
    """Which threads wait for each other before this instruction."""
    match instruction.opcode.split("."):
        case ["redux" | "shfl" | "ldmatrix" | "stmatrix", "sync", *_] | ["bar", "warp", "sync"]:
            return Meeting.WARP
        case ["bar", "sync"]:
            return Meeting.BLOCK
        case _:
            return Meeting.NONE


def together(site: Site) -> Effect | None:
    """The effect of such an instruction; `None` if it is none that is known.

    Raises:
        PtxError: operands do not fit.
    """
    match site.instruction.opcode.split("."), site.instruction.operands:
        case ["redux", "sync", name, kind], [_, _, _] if f"{name}.{kind}" in REDUCTIONS:
            return _reduce(site, REDUCTIONS[f"{name}.{kind}"], kind)
        case ["shfl", "sync", name, "b32"], [_, _, _, _, _] if name in SHUFFLES:
            return _shuffle(site, SHUFFLES[name], name == "up")
        case ["ldmatrix" | "stmatrix", "sync", "aligned", "m8n8", _, "shared", "b16"], _:
            return matrices(site)
        case ["bar", "warp", "sync"], [members]:
            return _warp_barrier(site, members)
        case ["bar", "sync"], [Integer(value=0)]:
            return _barrier(site)
        case _:
            return None


def _warps(site: Site, threads: Threads, mask: Mask | None, members: Array) -> None:
    """Check that whole warps execute the instruction, and say so."""
    executing = threads.executing(mask)
    if executing is not None and not threads.met(executing, Meeting.WARP):
        raise site.error(f"{site.instruction.opcode}: not all threads of a warp are here")
    if (chosen(members, executing) != 0xFFFFFFFF).any():
        raise site.error(f"{site.instruction.opcode} is not known for some threads of a warp only")


def _reduce(site: Site, function: Callable[..., Array], kind: str) -> Effect:
    target = site.register(site.instruction.operands[0], 32)
    source = site.source(site.instruction.operands[1], SCALARS[kind])
    members = site.source(site.instruction.operands[2], B32)

    def effect(threads: Threads, mask: Mask | None) -> None:
        _warps(site, threads, mask, members(threads))
        values = np.broadcast_to(source(threads), threads.count).reshape(-1, WARP)
        # Numpy adds 32-bit integers in 64 bits: the cast wraps.
        reduced = function(values, axis=1).astype(values.dtype).view(np.uint32)
        threads.write(target.index, np.repeat(reduced, WARP), mask)

    return effect


def _shuffle(site: Site, function: Shuffle, downwards: bool) -> Effect:
    """A thread takes the value of another one of its segment, or keeps its own where that lies beyond the last one:
    `downwards` that is the least. PTX ISA, "shfl.sync"."""
    target = site.register(site.instruction.operands[0], 32)
    value, b, c, members = (site.source(operand, U32) for operand in site.instruction.operands[1:])

    def effect(threads: Threads, mask: Mask | None) -> None:
        _warps(site, threads, mask, members(threads))
        thread = np.arange(threads.count)
        lane, limits = thread % WARP, c(threads).astype(np.int64)
        segment = (limits >> 8) & 31
        last = (lane & segment) | (limits & 31 & ~segment)
        other = function(lane, b(threads).astype(np.int64) & 31, segment)
        inside = other >= last if downwards else other <= last
        taken = np.broadcast_to(value(threads), threads.count)[np.where(inside, thread - lane + other, thread)]
        threads.write(target.index, taken, mask)

    return effect


def _warp_barrier(site: Site, members: Operand) -> Effect:
    source = site.source(members, B32)
    return lambda threads, mask: _warps(site, threads, mask, source(threads))


def _barrier(site: Site) -> Effect:
    def effect(threads: Threads, mask: Mask | None) -> None:
        executing = threads.executing(mask)
        if executing is not None and not threads.met(executing, Meeting.BLOCK):
            raise site.error("bar.sync: not all threads of a block are here")

    return effect
