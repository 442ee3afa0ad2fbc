"""Statistics of rollouts.

What lanes use is frequent: it is noted, and counted when many notes have come together. An end of an episode is rare.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from hamlet.launch.cpu.ops.chunks import LANES
from hamlet.launch.cpu.ops.functions import helper, inline
from hamlet.launch.cpu.ops.machinery import intrinsic, types
from hamlet.launch.cpu.ops.packing import WORD, lowest, pack, without_lowest
from hamlet.launch.cpu.ops.vectors import splat

MANY = 2 * LANES
"""Notes that are counted together."""

NOTES = MANY + LANES + WORD
"""Room for notes."""

NONE = np.uint64(0)
"""No lane of a word."""

FEW = 64
"""So many kinds of notes are counted kind by kind, which reads the notes so often, but many of them at once."""


@intrinsic
def _natural(_context: Any, chunk: Any, _start: Any) -> Any:
    """Which of the `WORD` numbers (i32) of a chunk from `start` on are not negative, as the bits of a u64."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        chunk, start = arguments
        vector = ir.VectorType(chunk.type.pointee, WORD)
        values = builder.load(builder.bitcast(builder.gep(chunk, [start]), vector.as_pointer()), align=1)
        return builder.bitcast(builder.icmp_signed(">=", values, ir.Constant(vector, None)), ir.IntType(WORD))

    return types.uint64(chunk, types.intp), codegen


@intrinsic
def _count_equal(_context: Any, notes: Any, _start: Any, _number: Any) -> Any:
    """How many of the `WORD` notes from `start` on are this number."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        notes, start, number = arguments
        vector = ir.VectorType(notes.type.pointee, WORD)
        values = builder.load(builder.bitcast(builder.gep(notes, [start]), vector.as_pointer()), align=1)
        equal = builder.icmp_signed("==", values, splat(builder, builder.trunc(number, vector.element), WORD))
        return builder.ctpop(builder.bitcast(equal, ir.IntType(WORD)))

    return types.intp(notes, types.intp, types.intp), codegen


@inline
def count_uses(used: Any, notes: Any, noted: Any, uses: Any, kinds: Any) -> Any:
    """Note which of `kinds` affordances the lanes of a chunk have used, -1 for none; the result is how many are noted
    now."""
    for start in range(0, LANES, WORD):
        noted = pack(notes, noted, used, start, _natural(used, start))
    if noted > MANY:
        add_notes(notes, noted, uses, kinds)
        noted = 0
    return noted


@helper
def add_notes(notes: Any, noted: Any, uses: Any, kinds: Any) -> None:
    """Count what is noted, numbers below `kinds`."""
    if kinds > FEW:
        for note in range(noted):
            uses[notes[note]] += 1
        return
    for note in range(noted, noted + WORD):
        notes[note] = kinds
    for kind in range(kinds):
        for start in range(0, noted, WORD):
            uses[kind] += _count_equal(notes, start, kind)


@inline
def count_episode(
    lane: Any,
    cause: Any,
    age: Any,
    episode_return: Any,
    causes: Any,
    lengths: Any,
    longest: Any,
    finished_return: Any,
) -> None:
    """Count the episode of a lane, which ended in this tick. `longest` is the last bin of `lengths`; `finished_return`
    begins with the first lane of the chunk."""
    causes[cause[lane]] += 1
    lengths[min(age[lane], longest)] += 1
    finished_return[lane] += episode_return[lane]


@inline
def count_episodes(
    lanes: Any,
    chosen: Any,
    cause: Any,
    age: Any,
    episode_return: Any,
    causes: Any,
    lengths: Any,
    longest: Any,
    finished_return: Any,
) -> None:
    """Count the episodes that ended in this tick, those with a cause, of the first `chosen` of `lanes`."""
    for index in range(chosen):
        if cause[lanes[index]] >= 0:
            count_episode(lanes[index], cause, age, episode_return, causes, lengths, longest, finished_return)


@intrinsic
def _whole(_context: Any, _number: Any) -> Any:
    """An f32 as a whole number (i64), rounded towards zero."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fptosi(arguments[0], ir.IntType(64))

    return types.int64(types.float32), codegen


@inline
def add_meter(sums: Any, row: Any, value: Any, scale: Any) -> None:
    """Add a meter at the end of an episode to its sum, in the units of `hamlet.schema.abi.meter_scales`."""
    sums[row] += _whole(value * scale)


@helper
def count_by_lane(
    used: Any,
    cause: Any,
    age: Any,
    episode_return: Any,
    uses: Any,
    episodes: Any,
    lengths: Any,
    returns: Any,
    causes: Any,
    kept: Any,
    lanes: Any,
) -> None:
    """Count what each lane of a chunk has used, and the episodes that ended, of which the first `kept` of a lane are
    written down. The arrays, `lanes` to a row, begin with the first lane of the chunk."""
    for start in range(0, LANES, WORD):
        bits = _natural(used, start)
        while bits != NONE:
            lane = start + lowest(bits)
            uses[used[lane] * lanes + lane] += 1
            bits = without_lowest(bits)
        bits = _natural(cause, start)
        while bits != NONE:
            lane = start + lowest(bits)
            number = episodes[lane]
            episodes[lane] = number + 1
            if number < kept:
                lengths[number * lanes + lane] = age[lane]
                returns[number * lanes + lane] = episode_return[lane]
                causes[number * lanes + lane] = cause[lane]
            bits = without_lowest(bits)
