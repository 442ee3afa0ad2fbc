"""Which worlds come next, as `hamlet.h` of kernels in C shares them; here one thread takes them all."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.kernel.code import Code, Function, assign, function, give, when
from hamletc.kernel.expressions import call, names

FREE, NEXT, LAST = range(3)
shares, thread, per_chunk, own, world, free, begin, end = names("shares thread per_chunk own world free begin end")


def rollout() -> list[Function]:
    """The function that takes worlds."""

    def body() -> Iterator[Code]:
        yield assign(own, call("part", shares, thread, 0))
        yield assign(world, own[NEXT])
        yield when(world < own[LAST], [assign(own[NEXT], world + per_chunk), give(world)])
        yield assign(free, own[FREE])
        yield assign(begin, free & 0xFFFFFFFF)
        yield assign(end, free >> 32)
        yield when(begin >= end, [give(-1)])
        yield assign(own[FREE], (end << 32) | end)
        yield assign(own[NEXT], begin + per_chunk)
        yield assign(own[LAST], end)
        yield give(begin)

    summary = "The first world of the chunk that a thread takes next, -1 where none is left."
    return [function("next_worlds", ["shares", "thread", "per_chunk"], summary, body(), "apart")]
