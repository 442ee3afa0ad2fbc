"""Chunks of lanes in memory, as code over the few operations that vectors and memory have (`expressions`).

What `hamlet.h` of kernels in C says is said here again, for one kind of vectors, and with the same names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hamletc.kernel.code import Code, Function, While, assign, do, function, give, loop, update, when
from hamletc.kernel.expressions import Operand, call, names

LANES, WIDE, ROW = names("LANES WIDE ROW")
WORD = 16
"""Flags that are looked at together."""
chunk, array, count, lane, agents, agent, world, flags, lanes = names(
    "chunk array count lane agents agent world flags lanes"
)
start, bits, chosen, row, first, number, length, above = names("start bits chosen row first number length above")


def memory() -> list[Function]:
    """The functions that load, store, flag and choose lanes."""
    return [
        _load_lanes(),
        _store_lanes(),
        _load_worlds(),
        _store_worlds(),
        _choose_lanes(),
        _all_set(),
        _count_flags(),
        _find(),
        _scatter(),
    ]


def part(pointer: Operand, begin: Operand) -> Operand:
    """What memory has from an element on."""
    return call("part", pointer, 0, begin)


def each_flagged(number: Operand, flagged: Operand, begin: Operand, body: Iterable[Code]) -> list[Code]:
    """Statements for each of up to 64 bits that is set: `number` is that of the bit, from `begin` on."""
    turn = (
        assign(number, begin + call("lowest", bits)),
        assign(bits, bits & (bits - 1)),
        *body,
    )
    return [assign(bits, flagged), While(bits.differs(0), turn)]


def _beyond() -> Code:
    """A number of lanes that are no agents is that of the first lane, within its bounds, for it may say where a table
    is read; all else of them is 0."""
    numbers = [loop(lane, count, LANES, body=[assign(chunk[lane], chunk[0])])]
    return when(count < LANES, [do("clear", part(chunk, count), LANES - count), when(call("is_real", chunk), numbers)])


def _load_lanes() -> Function:
    body = (do("copy", chunk, array, count), _beyond())
    return function("load_lanes", ["chunk", "array", "count"], "The first elements of an array, and the others.", body)


def _store_lanes() -> Function:
    body = [loop(lane, count, body=[assign(array[lane], chunk[lane])])]
    return function("store_wider_lanes", ["chunk", "array", "count"], "Lanes written to wider numbers.", body)


def _load_worlds() -> Function:
    def of_worlds() -> Iterator[Code]:
        yield assign(world, 0)
        following = when(agent.equals(agents), [assign(agent, 0), update(world, "+", 1)])
        yield loop(lane, count, body=[assign(chunk[lane], array[world]), update(agent, "+", 1), following])
        yield _beyond()

    body = when(agents.equals(1), [do("load_lanes", "chunk", "array", "count")], of_worlds())
    summary = "What the worlds of lanes hold, the first of which is an agent of the first world."
    return function("load_worlds", ["chunk", "array", "agents", "agent", "count"], summary, [body], "apart")


def _store_worlds() -> Function:
    each = loop(world, (count + agents - 1) // agents, body=[assign(array[world], chunk[world * agents])])
    return function("store_worlds", ["chunk", "array", "agents", "count"], "What lanes agree on.", [each], "apart")


def _choose_lanes() -> Function:
    def of_word() -> Iterator[Code]:
        taken: list[Code] = [assign(lanes[chosen], number), update(chosen, "+", 1)]
        yield from each_flagged(number, call("flag_bits", flags, start), start, taken)

    body = (assign(chosen, 0), loop(start, 0, LANES, WORD, body=of_word()), give(chosen))
    return function("choose_lanes", ["flags", "lanes"], "The numbers of lanes that are flagged.", body, "apart")


def _all_set() -> Function:
    body = (
        assign(bits, (1 << WORD) - 1),
        loop(start, 0, LANES, WORD, body=[update(bits, "&", call("flag_bits", flags, start))]),
        give(bits.equals((1 << WORD) - 1)),
    )
    return function("all_set", ["flags"], "Whether the flags of all lanes of a chunk are set.", body)


def _count_flags() -> Function:
    length_ = agents - start
    some = when(length_ < WORD, [update(bits, "&", (1 << length_) - 1)])
    of_word = (assign(bits, call("flag_bits", flags, first + start)), some,
               update(number, "+", call("count_bits", bits)))  # fmt: skip
    body = (assign(number, 0), loop(start, 0, agents, WORD, body=of_word), give(number))
    return function("count_flags", ["flags", "first", "agents"], "How many flags of a world are set.", body, "apart")


def _find() -> Function:
    found, standing, cells, own, result = names("found standing cells own result")

    def of_vector() -> Iterator[Code]:
        yield assign(own, call("bytes", standing, first))
        yield assign(result, call("byte", -1))
        at = call("bytes", cells, row * LANES + first)
        kept = assign(result, call("choose_bytes", call("same_bytes", own, at), call("byte", row), result))
        yield loop(row, count, body=[kept])
        yield do("put_bytes", found, first, result)

    summary = "Which row of cells has the number that a lane stands on, or -1."
    body = [loop(first, 0, LANES, 16, body=of_vector())]
    return function("find", ["found", "standing", "cells", "count"], summary, body, "apart")


def _scatter() -> Function:
    values, into = names("values into")
    body = [
        when(first + each < count, [assign(into[(first + each) * LANES + lane], call("pick", values, each))])
        for each in range(4)
    ]
    summary = "The numbers of a vector as bytes, each into the next row of a lane."
    return function("scatter", ["values", "into", "lane", "first", "count"], summary, body)
