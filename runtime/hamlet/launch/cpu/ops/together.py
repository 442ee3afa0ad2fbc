"""What the agents of a world have together: counts, totals and extremes in a stated order, and who gets a place.

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
from hamlet.launch.cpu.ops.operations import add, less, to_f32, to_i32, where
from hamlet.launch.cpu.ops.packing import WORD, lowest, without_lowest
from hamlet.launch.cpu.ops.vectors import WIDE, alike, ramp, wide
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
        if _count(runs, world * agents, agents) == 0:
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
        if _count(runs, world * agents, agents) == 0:
            values[world] = np.float32(0.0)


@intrinsic
def _count_bits(_context: Any, _bits: Any) -> Any:
    """How many bits of a u64 are set."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.intp(types.uint64), codegen


@inline
def _some_flags(flags: Any, start: Any, count: Any) -> Any:
    """The flags of at most `WORD` lanes from `start` on, of which there are `count`, as the bits of a u64."""
    bits = flags_of(flags, start)
    if count < WORD:
        bits = bits & ((np.uint64(1) << np.uint64(count)) - np.uint64(1))
    return bits


@inline
def _count(flags: Any, begin: Any, agents: Any) -> Any:
    """How many flags of a world are set, which begins here."""
    number = 0
    for start in range(0, agents, WORD):
        number += _count_bits(_some_flags(flags, begin + start, agents - start))
    return number


@helper
def count_worlds(flags: Any, counts: Any, agents: Any, worlds: Any) -> None:
    """How many flags of each world are set (f32)."""
    for world in range(worlds):
        counts[world] = np.float32(_count(flags, world * agents, agents))


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


@helper
def rank_worlds(counts: Any, priority: Any, ranks: Any, keys: Any, ranked: Any, agents: Any, worlds: Any) -> None:
    """How many lanes of its world that count (bool) come before each lane (f32): those of a higher `priority` (u32, not
    the greatest one), of equals those of a lower number. `keys` (u32) and `ranked` (i32) are room for numbers of
    lanes: the priorities of those that count, and which these are."""
    for begin in range(0, worlds * agents, agents):
        end = begin + agents
        number = 0
        for start in range(0, agents, WORD):
            bits = _some_flags(counts, begin + start, agents - start)
            while bits != np.uint64(0):
                lane = begin + start + lowest(bits)
                keys[number] = priority[lane]
                ranked[number] = lane
                number += 1
                bits = without_lowest(bits)
        before = 0
        for first in range(begin, end, WIDE):
            # A vector reaches into the next world, which comes later.
            lanes = wide(first)
            own, numbers = priority[lanes], to_i32(ramp(np.uint32(first)))
            found = alike(np.int32(0), own)
            for index in range(before):
                found = _one_more(found, less(own, add(keys[index], np.uint32(1))))
            while before < number and ranked[before] < first + WIDE:
                key, lane = keys[before], ranked[before]
                earlier = where(less(lane, numbers), np.uint32(1), np.uint32(0))
                found = _one_more(found, less(own, add(earlier, key)))
                before += 1
            for index in range(before, number):
                found = _one_more(found, less(own, keys[index]))
            ranks[lanes] = to_f32(found) * np.float32(0.5)


@inline
def _one_more(count: Any, condition: Any) -> Any:
    """The counts (i32), each two for one, one more where a condition holds."""
    # Of 1 LLVM would make the condition a number, which is one more instruction than to add where it holds.
    return add(count, where(condition, np.int32(2), np.int32(0)))


@helper
def grant_worlds(
    claims: Any, first: Any, priority: Any, places: Any, ordered: Any, claiming: Any, agents: Any, worlds: Any
) -> None:
    """Leave of the claims of each world as many as there are places (i32, the same for its lanes): first those that are
    `first`, then those of the highest `priority` (u32), then those of the lowest number. Not `ordered`: all priorities
    are equal. `claiming` is room for numbers (i32) of lanes."""
    for world in range(worlds):
        begin = world * agents
        if _count(claims, begin, agents) > places[begin]:
            _contend(claims, first, priority, places[begin], ordered, claiming, begin, agents)


@helper
def _contend(
    claims: Any, first: Any, priority: Any, places: Any, ordered: Any, claiming: Any, begin: Any, agents: Any
) -> None:
    """Take away the claims of a world that find no place; there are more than places."""
    number = 0
    favoured = 0
    for start in range(0, agents, WORD):
        bits = _some_flags(claims, begin + start, agents - start)
        while bits != np.uint64(0):
            lane = begin + start + lowest(bits)
            claiming[number] = lane
            favoured += first[lane]
            number += 1
            bits = without_lowest(bits)
    # Either some of the first find no place, or some of the others.
    among_first = favoured > places
    left = places if among_first else places - favoured
    # Beyond all priorities where nobody finds a place.
    threshold = 0 if left > 0 else 1 << 32
    if ordered and left > 0:
        # The highest priority that at least as many have as there are places left.
        for bit in range(31, -1, -1):
            higher = threshold + (1 << bit)
            reached = 0
            for index in range(number):
                lane = claiming[index]
                reached += (first[lane] == among_first) & (np.int64(priority[lane]) >= higher)
            if reached >= left:
                threshold = higher
        for index in range(number):
            lane = claiming[index]
            left -= (first[lane] == among_first) & (np.int64(priority[lane]) > threshold)
    for index in range(number):
        lane = claiming[index]
        if first[lane] == among_first:
            if np.int64(priority[lane]) == threshold and left > 0:
                left -= 1
            elif np.int64(priority[lane]) <= threshold:
                claims[lane] = False
        elif among_first:
            claims[lane] = False
