"""Worlds shared among threads: each takes chunks of its own share, then of those of others, so that one that starts
late or has a slower core does less.

A thread takes half of what is left of its own share at a time: an atomic operation waits until all that the thread has
written has left its core. From others it takes chunks at the end, one by one: these lie where it took them last time,
and the first ones stay in the caches of whose share they are.
"""

from __future__ import annotations

from typing import Any

from hamlet.launch.cpu.entry import FREE, LAST, NEXT
from hamlet.launch.cpu.ops.chunks import data
from hamlet.launch.cpu.ops.functions import helper
from hamlet.launch.cpu.ops.machinery import intrinsic, types

ORDER = "monotonic"
"""Of atomic operations: nothing but the words themselves is handed from thread to thread."""


def _free(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The address of the word of a share that threads change together."""
    shares = signature.args[0]
    columns = context.data_model_manager[shares].get(builder, arguments[0], "shape")
    row = builder.mul(arguments[1], builder.extract_value(columns, 1))
    return builder.gep(data(context, builder, shares, arguments[0]), [builder.add(row, row.type(FREE))])


@intrinsic
def _read(_context: Any, shares: Any, _share: Any) -> Any:
    """What is free of a share."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_free(context, builder, signature, arguments), ORDER, 8)

    return types.int64(shares, types.intp), codegen


@intrinsic
def _exchange(_context: Any, shares: Any, _share: Any, _old: Any, _new: Any) -> Any:
    """Change what is free of a share, unless another thread has done so; gives whether it was changed."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _free(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(pointer, *arguments[2:], ORDER, ORDER), 1)

    return types.boolean(shares, types.intp, types.int64, types.int64), codegen


@helper
def next_worlds(shares: Any, thread: Any, per_chunk: Any) -> Any:
    """The first world of the chunk that a thread takes next, -1 where none is left. `shares` [threads, SHARE] i64, see
    `hamlet.launch.cpu.entry`; each has worlds of whole chunks, but for the last one."""
    world = shares[thread, NEXT]
    if world < shares[thread, LAST]:
        shares[thread, NEXT] = world + per_chunk
        return world
    for turn in range(shares.shape[0]):
        share = (thread + turn) % shares.shape[0]
        while True:
            free = _read(shares, share)
            first, end = free & 0xFFFFFFFF, free >> 32
            if first >= end:
                break
            chunks = (end - first + per_chunk - 1) // per_chunk
            if turn == 0:
                begin, last = first, min(first + (chunks + 1) // 2 * per_chunk, end)
                left = end << 32 | last
            else:
                begin, last = first + (chunks - 1) * per_chunk, end
                left = begin << 32 | first
            if _exchange(shares, share, free, left):
                shares[thread, NEXT], shares[thread, LAST] = begin + per_chunk, last
                return begin
    return -1
