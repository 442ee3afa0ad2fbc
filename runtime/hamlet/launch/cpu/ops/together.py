"""What the agents of a world have together: counts, totals and extremes in a stated order.

Arrays begin with the first lane of a chunk, world behind world; one of a world that takes several tiles has all its
agents. Of lanes that do not run they hold what changes nothing: zeros, `False`, infinities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from hamlet.launch.cpu.ops.chunks import LANES
from hamlet.launch.cpu.ops.flags import flags_of
from hamlet.launch.cpu.ops.functions import helper, inline
from hamlet.launch.cpu.ops.machinery import intrinsic, types
from hamlet.launch.cpu.ops.packing import WORD
from hamlet.launch.cpu.ops.vectors import WIDE, wide
from hamlet.schema import MOST_AGENTS

TERMS = MOST_AGENTS + 2 * WIDE
"""Room for a number of each agent of a chunk, or of a large world, and for what vectors reach behind them."""

TILED = MOST_AGENTS
"""Lanes of a world that takes several tiles, at most."""

INFINITY = np.float32(np.inf)

SHARED = LANES + WIDE
"""Room for a number of each lane of a chunk that was written world by world."""


def _halving(combine: Callable[[Any, Any, Any], Any]) -> Any:
    """An intrinsic that combines numbers 2 j and 2 j + 1 (f32) into number j, for `WIDE` j from `first` on."""

    def halve(_context: Any, values: Any, _first: Any) -> Any:
        def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            values, first = arguments
            vector = ir.VectorType(ir.FloatType(), WIDE)
            begin = builder.gep(values, [builder.shl(first, first.type(1))])
            pair = [
                builder.load(builder.bitcast(builder.gep(begin, [first.type(at)]), vector.as_pointer()), align=4)
                for at in (0, WIDE)
            ]
            word = ir.VectorType(ir.IntType(32), WIDE)
            even, odd = (
                builder.shuffle_vector(*pair, ir.Constant(word, [2 * lane + second for lane in range(WIDE)]))
                for second in (0, 1)
            )
            target = builder.bitcast(builder.gep(values, [first]), vector.as_pointer())
            builder.store(combine(builder, even, odd), target, align=4)
            return context.get_dummy_value()

        return types.void(values, types.intp), codegen

    return intrinsic(halve)


_halve_total = _halving(lambda builder, left, right: builder.fadd(left, right))
_halve_lowest = _halving(
    lambda builder, left, right: builder.select(builder.fcmp_ordered("<", left, right), left, right)
)
_halve_highest = _halving(
    lambda builder, left, right: builder.select(builder.fcmp_ordered("<", right, left), left, right)
)


@inline
def _spread(values: Any, agents: Any, worlds: Any, absent: Any) -> Any:
    """Move the numbers of each world to a multiple of a power of two, with numbers that change nothing between them;
    the result is that power."""
    padded = 1
    while padded < agents:
        padded *= 2
    if worlds == 1:
        # Lanes of a chunk that are nobody hold such numbers already.
        for first in range((agents + LANES - 1) // LANES * LANES, padded, WIDE):
            values[wide(first)] = absent
    elif padded != agents:
        for world in range(worlds - 1, -1, -1):
            for agent in range(padded - 1, agents - 1, -1):
                values[world * padded + agent] = absent
            for agent in range(agents - 1, -1, -1):
                values[world * padded + agent] = values[world * agents + agent]
    return padded


@helper
def total_worlds(values: Any, agents: Any, worlds: Any) -> None:
    """The total of each world, in the order of the tree: number `world` of `values` when this is done."""
    padded = _spread(values, agents, worlds, np.float32(0.0))
    while padded > 1:
        padded >>= 1
        for first in range(0, padded * worlds, WIDE):
            _halve_total(values, first)


@helper
def lowest_worlds(values: Any, agents: Any, worlds: Any, runs: Any) -> None:
    """The least number of each world, likewise; 0 where nobody `runs`."""
    padded = _spread(values, agents, worlds, np.float32(np.inf))
    while padded > 1:
        padded >>= 1
        for first in range(0, padded * worlds, WIDE):
            _halve_lowest(values, first)
    for world in range(worlds):
        if count_flags(runs, world * agents, agents) == 0:
            values[world] = np.float32(0.0)


@helper
def highest_worlds(values: Any, agents: Any, worlds: Any, runs: Any) -> None:
    """The greatest number of each world, likewise."""
    padded = _spread(values, agents, worlds, np.float32(-np.inf))
    while padded > 1:
        padded >>= 1
        for first in range(0, padded * worlds, WIDE):
            _halve_highest(values, first)
    for world in range(worlds):
        if count_flags(runs, world * agents, agents) == 0:
            values[world] = np.float32(0.0)


@intrinsic
def _count_bits(_context: Any, _bits: Any) -> Any:
    """How many bits of a u64 are set."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.intp(types.uint64), codegen


@inline
def some_flags(flags: Any, start: Any, count: Any) -> Any:
    """The flags of at most `WORD` lanes from `start` on, of which there are `count`, as the bits of a u64."""
    bits = flags_of(flags, start)
    if count < WORD:
        bits = bits & ((np.uint64(1) << np.uint64(count)) - np.uint64(1))
    return bits


@inline
def count_flags(flags: Any, begin: Any, agents: Any) -> Any:
    """How many flags of a world are set, which begins here."""
    number = 0
    for start in range(0, agents, WORD):
        number += _count_bits(some_flags(flags, begin + start, agents - start))
    return number


@helper
def count_worlds(flags: Any, counts: Any, agents: Any, worlds: Any) -> None:
    """How many flags of each world are set (f32)."""
    for world in range(worlds):
        counts[world] = np.float32(count_flags(flags, world * agents, agents))


@helper
def share_worlds(shared: Any, values: Any, agents: Any, worlds: Any) -> None:
    """Write the number of each world to all its lanes; those of one world are at most a chunk's."""
    for world in range(worlds):
        value = values[world]
        # A vector reaches into the next world, which comes later.
        for first in range(world * agents, world * agents + min(agents, LANES), WIDE):
            shared[wide(first)] = value


TREE = (MOST_AGENTS.bit_length() + 1) * WIDE
"""Room for the sums of a tree that are not added yet, of `WIDE` lanes: one on each level."""


@inline
def add_to_tree(sums: Any, number: Any, value: Any) -> None:
    """Add the next number of each lane (a vector of f32), the `number`th from 0 on, to its sums: two that are complete
    on one level are added, which gives one of the next."""
    level = 0
    while (number >> level) & 1:
        value = sums[wide(level * WIDE)] + value
        level += 1
    sums[wide(level * WIDE)] = value
