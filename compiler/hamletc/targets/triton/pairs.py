"""What each lane finds that asks all lanes of its world, in kernels for GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hamlet.schema import MOST_AGENTS
from hamletc.kernel.code import Code, Fix, Function, Remark, assign, constants, function, give, loop, update, when
from hamletc.kernel.expressions import Constant, Either, Expression, Name, Several, call, names
from hamletc.targets.triton.blocks import (
    BELOW_ALL,
    GROUP,
    INFINITE,
    SIZES,
    cast,
    full,
    numbers,
    unrolled,
    where,
    zeros,
)
from hamletc.targets.triton.memory import unpack
from hamletc.targets.triton.pair_states import noted
from hamletc.targets.triton.reductions import PARTNER, WARP, across, lanes_of_warp, of_warp
from hamletc.targets.triton.together import Asked, Found

LEVELS = (MOST_AGENTS // 4).bit_length() - 1
"""The levels of a tree over so many agents, four by four."""

SUMS = names(" ".join(f"sum_{level}" for level in range(LEVELS)))
UNIT, UNITS = names("UNIT UNITS")
"""How many lanes are asked in a turn of the innermost loop, which is unrolled, and how often that is."""
value, number, lane, turn, unit, each, bits, zero, other, runs, there, running = names(
    "value number lane turn unit each bits zero other runs there running"
)


def pairs(asked: Sequence[Asked]) -> Iterator[Function]:
    """The functions by which each lane asks all lanes of its world, one for each stage at which lanes do."""
    if any(stage.totals for stage in asked):
        yield _add_to_tree()
    yield from map(_ask, asked)


def _add_to_tree() -> Function:
    here, right = names("here right")

    def body() -> Iterator[Code]:
        yield unpack(SUMS, "sums")
        for level, left in enumerate(SUMS):
            joined = (
                assign(here, (number & (2**level - 1)).equals(2**level - 1)),
                assign(right, here & (number & 2**level).differs(0)),
                assign(value, where(right, left + value, value)),
                assign(left, where(here, value, left)),
            )
            yield when(2**level < UNITS, joined)
        yield give(Several(SUMS), value)

    summary = (
        "Add the next value of each lane, of the `number`th unit of the agents of the world, to sums that are not added"
        " yet, one on each level of the tree: the sums, and what is complete with the value."
    )
    return function("_add_to_tree", ["sums", "number", "value", *constants("UNITS")], summary, body())


def _ask(asked: Asked) -> Function:
    width = Either(GROUP >= 4, Constant(4), GROUP) if asked.totals else Constant(1)

    def body() -> Iterator[Code]:
        yield assign(lane, numbers())
        yield lanes_of_warp()
        yield Fix("UNIT", width)
        yield assign(running, cast(running, "int32"))
        for name, condition in asked.others:
            yield assign(f"other_{name}_then", cast(name, "int32") if condition else name)
        for found in asked.found:
            yield from _nobody_yet(found)
        yield loop(turn, GROUP // WARP + zero, body=_warp(asked))
        for found in asked.found:
            yield from _complete(found)
        yield give(*(found.result for found in asked.found))

    summary = (
        "What each lane finds that asks all lanes of its world: one after the other, by the bits in which their numbers"
        " differ. So neighbours in the tree are neighbours here, and a sum has the same bits in either order. `zero` is"
        " 0, which no compiler can know."
    )
    return function(asked.name, [*asked.taken, "zero", *SIZES], summary, body())


def _nobody_yet(found: Found) -> Iterator[Code]:
    """What a lane has found before it asks."""
    match found.op:
        case "count":
            yield assign(found.result, zeros("int32"))
        case "total":
            yield assign(found.result, zeros("float32"))
            yield assign(found.given("sums"), Several((Name(found.result),) * LEVELS))
        case "nearest":
            yield assign(found.result, found.otherwise)
            yield assign(found.given("least"), full(INFINITE, "float32"))
            yield assign(found.given("number"), zeros("int32"))
        case "lowest" | "highest" as op:
            yield assign(found.result, full(INFINITE if op == "lowest" else BELOW_ALL, "float32"))
            yield assign(found.given("number"), zeros("int32"))
        case "rank" | "alike" | "grant" | "last":
            raise ValueError("no pairs")


def _warp(asked: Asked) -> Iterator[Code]:
    """All lanes of one warp are asked."""
    yield Remark(PARTNER)
    yield assign(there, of_warp(running))
    for name, _ in asked.others:
        yield assign(f"there_{name}", of_warp(Name(f"other_{name}_then")))
    yield loop(unit, WARP // UNIT + zero, body=_unit(asked))


def _unit(asked: Asked) -> Iterator[Code]:
    yield unrolled(each, UNIT, _pair(asked))
    for found in asked.totals:
        sums = found.given("sums")
        added = call("_add_to_tree", sums, turn * (WARP // UNIT) + unit, found.result, GROUP // UNIT)
        yield assign((sums, found.result), added)


def _pair(asked: Asked) -> Iterator[Code]:
    """One lane is asked."""
    yield assign(bits, unit * UNIT + each)
    yield assign(runs, across(there, bits).differs(0))
    if asked.ordered:
        yield assign(other, lane ^ (turn * WARP + bits))
    for name, condition in asked.others:
        shown = across(f"there_{name}", bits)
        yield assign(f"other_{name}", shown.differs(0) if condition else shown)
    yield assign(asked.outputs, call(asked.function, *asked.calls))
    for found in asked.found:
        yield from _taken(found)
    if asked.written:
        yield from noted(asked.written, other)


def _taken(found: Found) -> Iterator[Code]:
    """What the answer adds to what the lane has found."""
    result, term = Name(found.result), Name(found.given("term"))
    match found.op:
        case "count":
            yield update(result, "+", cast(runs & term, "int32"))
        case "total":
            even, half = Name(found.given("even")), found.given("half")
            yield assign(result, where(runs, term, 0.0))
            yield when((each % 2).equals(1), [assign(result, even + result)], [assign(even, result)])
            yield when(each.equals(1), [assign(half, result)])
            yield when(each.equals(3), [assign(result, Name(half) + result)])
        case "nearest":
            away, least = Name(found.given("away")), Name(found.given("least"))
            yield from _better(found, away, least, away < least, other < found.given("number"), runs & term)
            yield assign(result, where(found.given("nearer"), found.given("value"), result))
        case "lowest":
            yield from _better(found, term, result, term < result, other > found.given("number"), runs)
        case "highest":
            yield from _better(found, term, result, term > result, other > found.given("number"), runs)
        case "rank" | "alike" | "grant" | "last":
            raise ValueError("no pairs")


def _better(
    found: Found, asked: Name, so_far: Name, better: Expression, first: Expression, counts: Expression
) -> Iterator[Code]:
    """The better of two values, and who has it; of equal ones that of the lane that is `first`."""
    nearer, holder = Name(found.given("nearer")), found.given("number")
    yield assign(nearer, asked.equals(so_far) & first)
    yield assign(nearer, counts & (nearer | better))
    yield assign(holder, where(nearer, other, holder))
    yield assign(so_far, where(nearer, asked, so_far))


def _complete(found: Found) -> Iterator[Code]:
    """What has been found, when all have been asked."""
    match found.op:
        case "count":
            yield assign(found.result, cast(found.result, "float32"))
        case "lowest" | "highest":
            yield Remark("Where nobody runs it is infinite yet.")
            yield assign(found.result, where(call("tl.abs", found.result) < INFINITE, found.result, 0.0))
        case _:
            pass
