"""Who of a world comes before whom: ranks, and who gets a place.

Arrays begin with the first lane of a chunk, as in `hamlet.launch.cpu.ops.together`. Ranks are found in two ways, which
give the same: each lane is compared with each that counts; or, where priorities are few, lanes are counted by priority.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamlet.launch.cpu.ops.functions import helper, inline
from hamlet.launch.cpu.ops.operations import add, less, to_f32, to_i32, where
from hamlet.launch.cpu.ops.packing import WORD, lowest, without_lowest
from hamlet.launch.cpu.ops.together import count_flags, some_flags
from hamlet.launch.cpu.ops.vectors import WIDE, alike, ramp, wide
from hamlet.schema import MOST_AGENTS

TALLIES = 2 * (MOST_AGENTS + 1) + WIDE
"""Room for two counts of each priority, of which there are as many as agents at most."""


# --- ranks -----------------------------------------------------------------------------------------------------------


@helper
def rank_worlds(counts: Any, priority: Any, ranks: Any, keys: Any, ranked: Any, agents: Any, worlds: Any) -> None:
    """How many lanes of its world that count (bool) come before each lane (f32): those of a higher `priority` (u32,
    neither 0 nor the greatest one), of equals those of a lower number. `keys` (u32) and `ranked` (i32) are room for
    numbers of lanes."""
    for begin in range(0, worlds * agents, agents):
        _compare_world(counts, priority, ranks, keys, ranked, begin, agents)


@helper
def rank_few_worlds(
    counts: Any, priority: Any, ranks: Any, keys: Any, ranked: Any, tally: Any, few: Any, agents: Any, worlds: Any
) -> None:
    """The same, where priorities are 1 .. `few`, at most `MOST_AGENTS`; `tally` (i32) is room for `TALLIES` numbers."""
    for begin in range(0, worlds * agents, agents):
        number = count_flags(counts, begin, agents)
        # Some vectors are compared with each that counts; counting looks at each lane and each priority once.
        if 2 * number * (_tiles(agents) + 1) < agents + few:
            _compare_world(counts, priority, ranks, keys, ranked, begin, agents)
        else:
            _tally_world(counts, priority, ranks, keys, tally, few, begin, agents)


@inline
def _tiles(agents: Any) -> Any:
    """How many vectors the lanes of a world are."""
    return (agents + WIDE - 1) // WIDE


@helper
def _compare_world(counts: Any, priority: Any, ranks: Any, keys: Any, ranked: Any, begin: Any, agents: Any) -> None:
    """Compare each lane with each that counts. `keys` are the priorities of those, and `ranked` which these are."""
    end = begin + agents
    number = 0
    for start in range(0, agents, WORD):
        bits = some_flags(counts, begin + start, agents - start)
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
def _tally_world(
    counts: Any, priority: Any, ranks: Any, keys: Any, tally: Any, few: Any, begin: Any, agents: Any
) -> None:
    """Count the lanes of each priority: those of higher ones come first, then those that were counted before."""
    end = begin + agents
    for first in range(0, 2 * few + 2, WIDE):
        tally[wide(first)] = np.int32(0)
    # Twice the priority, and one more of a lane that counts: one number is looked at instead of two.
    for first in range(begin, end, WIDE):
        lanes = wide(first)
        own = priority[lanes]
        keys[lanes] = add(add(own, own), where(counts[lanes], np.uint32(1), np.uint32(0)))
    for lane in range(begin, end):
        tally[np.intp(keys[lane])] += np.int32(1)
    before = np.int32(0)
    for value in range(2 * few, 0, -2):
        here = tally[value + 1]
        tally[value] = before
        before += here
    for lane in range(begin, end):
        key = np.intp(keys[lane])
        place = tally[key & -2]
        keys[lane] = place
        tally[key & -2] = place + np.int32(key & 1)
    for first in range(begin, end, WIDE):
        lanes = wide(first)
        ranks[lanes] = to_f32(to_i32(keys[lanes]))


# --- grants ----------------------------------------------------------------------------------------------------------


@helper
def grant_worlds(
    claims: Any,
    first: Any,
    priority: Any,
    places: Any,
    ordered: Any,
    claiming: Any,
    keys: Any,
    above: Any,
    agents: Any,
    worlds: Any,
) -> None:
    """Leave of the claims of each world as many as there are places (i32, the same for its lanes): first those that are
    `first`, then those of the highest `priority` (u32, not 0), then those of the lowest number. Not `ordered`: all
    priorities are equal. `claiming` (i32), `keys` (u32) and `above` (bool) are room for numbers of lanes."""
    for world in range(worlds):
        begin = world * agents
        if count_flags(claims, begin, agents) > places[begin]:
            _contend(claims, first, priority, places[begin], ordered, claiming, keys, above, begin, agents)


@helper
def _contend(
    claims: Any,
    first: Any,
    priority: Any,
    places: Any,
    ordered: Any,
    claiming: Any,
    keys: Any,
    above: Any,
    begin: Any,
    agents: Any,
) -> None:
    """Take away the claims of a world that find no place; there are more than places."""
    number = 0
    favoured = 0
    for start in range(0, agents, WORD):
        bits = some_flags(claims, begin + start, agents - start)
        while bits != np.uint64(0):
            lane = begin + start + lowest(bits)
            claiming[number] = lane
            favoured += first[lane]
            number += 1
            bits = without_lowest(bits)
    # Either some of the first find no place, or some of the others.
    among_first = favoured > places
    left = places if among_first else places - favoured
    for index in range(number):
        lane = claiming[index]
        # 0 of those that do not contend; where priorities are equal, 1 of those that do.
        key = priority[lane] if ordered else np.uint32(1)
        keys[index] = key if first[lane] == among_first else np.uint32(0)
    keys[wide(number)] = np.uint32(0)
    threshold = _threshold(keys, number, left, above)
    left -= _higher(keys, number, threshold, above)
    for index in range(number):
        lane, key = claiming[index], keys[index]
        if key == np.uint32(0):
            if among_first:
                claims[lane] = False
        elif key == threshold and left > 0:
            left -= 1
        elif key <= threshold:
            claims[lane] = False


@inline
def _higher(keys: Any, number: Any, threshold: Any, above: Any) -> Any:
    """How many of so many numbers (u32) are above a threshold."""
    for index in range(0, number, WIDE):
        above[wide(index)] = less(np.uint32(threshold), keys[wide(index)])
    return count_flags(above, 0, number)


@inline
def _threshold(keys: Any, number: Any, left: Any, above: Any) -> Any:
    """The greatest number that at least as many have, or a greater one, as there are places left; beyond all numbers
    where there are none."""
    highest = np.uint32(0)
    for index in range(number):
        highest = max(highest, keys[index])
    if left < 2:
        return highest if left == 1 else np.uint32(0xFFFFFFFF)
    threshold = 0
    for bit in range(31, -1, -1):
        higher = threshold + (1 << bit)
        if higher <= highest and _higher(keys, number, higher - 1, above) >= left:
            threshold = higher
    return np.uint32(threshold)
