"""Worlds shared among threads: each takes chunks of its own share, then of those of others, so that one that starts
late or has a slower core does less."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from hamlet.launch.cpu.ops.chunks import data
from hamlet.launch.cpu.ops.functions import inline
from hamlet.launch.cpu.ops.machinery import intrinsic, types


@intrinsic
def _take(_context: Any, shares: Any, _share: Any, _worlds: Any) -> Any:
    """Add worlds to the first number of a share, atomically among threads; gives the number before."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        shares, share, worlds = arguments
        first = builder.mul(share, ir.IntType(64)(2))
        pointer = builder.gep(data(context, builder, signature.args[0], shares), [first])
        return builder.atomic_rmw("add", pointer, worlds, "monotonic")

    return types.int64(shares, types.intp, types.int64), codegen


@inline
def next_worlds(shares: Any, thread: Any, per_chunk: Any) -> Any:
    """The first world of the chunk that a thread takes next, -1 where none is left. `shares` [threads, 2] i64 holds of
    each share the first world that nobody has taken, and its end."""
    for turn in range(shares.shape[0]):
        share = (thread + turn) % shares.shape[0]
        world = _take(shares, share, per_chunk)
        if world < shares[share, 1]:
            return world
    return -1
