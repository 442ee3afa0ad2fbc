"""What the lanes of a world have together, in kernels for GPUs: sums, extremes, ranks and grants.

A world's lanes are neighbours in a block. Within a warp they exchange values by shuffles; where a world has several
warps, these meet once in shared memory for each result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from hamletc.ir.function import ReductionOp
from hamletc.kernel.code import (
    Code,
    Fix,
    Function,
    Remark,
    While,
    assign,
    constants,
    function,
    give,
    loop,
    update,
    when,
)
from hamletc.kernel.expressions import Call, Constant, Either, Expression, Name, Operand, call, expression, names
from hamletc.targets.triton.blocks import (
    BELOW_ALL,
    BLOCK,
    GROUP,
    INFINITE,
    SIZES,
    WARPS,
    WORLDS,
    cast,
    columns_of,
    gather,
    numbers,
    reshape,
    rows_of,
    unrolled,
    where,
    widened,
    zeros,
)
from hamletc.targets.triton.columns import LANES

WARP = Name("WARP")
"""The lanes of a world that are in one warp."""
PARTNER = "The lane of the world that differs in the number of the warp, then one after the other in that warp."
"""In which order the lanes of a world look at one another."""
MOST = Constant(0xFFFFFFFF, hexadecimal=True)
"""The highest priority."""

value, lane, turn, bits, zero, level, bit, other = names("value lane turn bits zero level bit other")
running, priority, claim, claims, free, many, low, high, above, certain, first = names(
    "running priority claim claims free many low high above certain first"
)


def reductions(ops: Collection[ReductionOp], paired: bool) -> Iterator[Function]:
    """The functions that compute what the agents of a world have together.

    Args:
        ops: what is computed.
        paired: whether lanes also ask each other.
    """
    extremes = "lowest" in ops or "highest" in ops
    trees = extremes or "total" in ops
    yield _over_world("_most", "tl.max", "The greatest integer of the agents of the world")
    if trees or "rank" in ops or "alike" in ops or paired:
        yield _across()
    if trees:
        yield _joined()
        yield _tree()
    if "total" in ops:
        yield _total()
    if extremes:
        yield _extreme()
    if "count" in ops or "grant" in ops:
        yield _over_world("_summed", "tl.sum", "The sum of integers over the agents of the world")
    if "count" in ops:
        yield _counted()
    if "rank" in ops:
        yield _ranked()
    if "alike" in ops:
        yield _alike()
    if "grant" in ops:
        yield from (_up_to(), _somewhere(), _granted())


def across(shared: Operand, differing: Operand) -> Call:
    """The value of the lane of the warp whose number differs in these bits."""
    return call("_across", shared, differing, BLOCK)


def of_warp(shared: Operand) -> Expression:
    """The value of the lane of the world whose warp differs by `turn`."""
    return Either(GROUP > LANES, gather(shared, lane ^ (turn * WARP)), expression(shared))


def lanes_of_warp() -> Fix:
    """Sets `WARP`."""
    return Fix("WARP", Either(GROUP > LANES, Constant(LANES), GROUP))


def _over_world(name: str, reduce: str, summary: str) -> Function:
    """What a reduction over a block comes to in each world."""
    worlds = Name("worlds")
    several = (
        assign(worlds, call(reduce, reshape(value, *WORLDS), axis=1)),
        give(reshape(columns_of(worlds, *WORLDS), BLOCK)),
    )
    body = [when(GROUP.equals(BLOCK), [give(call(reduce, value, axis=0))], several)]
    return function(name, ["value", *SIZES], f"{summary}; a scalar where a block has one world.", body)


def _across() -> Function:
    partner = numbers(LANES) ^ bit
    several = (
        assign(lane, rows_of(partner, *WARPS)),
        give(reshape(gather(reshape(value, *WARPS), lane, 1), BLOCK)),
    )
    body = [when(BLOCK <= LANES, [give(gather(value, numbers() ^ bit))], several)]
    summary = "The value of the lane of the warp whose number differs in these bits: a shuffle."
    return function("_across", ["value", "bit", *constants("BLOCK")], summary, body)


def _joined() -> Function:
    op, on_left, left, right = names("OP on_left left right")
    extreme = (
        assign(on_left, (numbers() & bit).equals(0)),
        assign(left, where(on_left, value, other)),
        assign(right, where(on_left, other, value)),
        when(
            op.equals(Constant("lowest")),
            [give(where(left < right, left, right))],
            [give(where(right < left, left, right))],
        ),
    )
    total = (Remark("A sum has the same bits in either order."), give(value + other))
    summary = "Of two neighbours in the tree, alike in both of them. The one with the lower number is on the left."
    body = [when(op.equals(Constant("total")), total, extreme)]
    return function("_joined", ["value", "other", *constants("bit OP BLOCK")], summary, body)


def _tree() -> Function:
    def levels(width: int) -> Code:
        """Neighbours are joined on each level of which the world has several; a value stands for `width` lanes."""
        by = Constant(1) << level
        join = assign(value, call("_joined", value, across(value, by), by, "OP", BLOCK))
        return unrolled(level, LANES.bit_length() - 1, [when(Constant(width) << level < GROUP, [join])])

    def body() -> Iterator[Code]:
        yield levels(1)
        between = (
            Remark("From here on each lane holds what one warp of its world came to."),
            assign(lane, numbers()),
            assign(value, gather(value, lane // GROUP * GROUP + lane % (GROUP // LANES) * LANES)),
            levels(LANES),
        )
        yield when(GROUP > LANES, between)
        yield give(value)

    summary = "The tree over the numbers of agents, padded to a power of two: neighbours are joined, level by level."
    return function("_tree", ["value", *constants("OP"), *SIZES], summary, body())


def _total() -> Function:
    body = [give(call("_tree", value, Constant("total"), GROUP, BLOCK))]
    return function("_total", ["value", *SIZES], "The sum over the agents of the world.", body)


def _extreme() -> Function:
    nobody, found = names("nobody found")
    body = (
        Fix("nobody", Either(Name("OP").equals(Constant("lowest")), INFINITE, BELOW_ALL)),
        assign(found, call("_tree", where(running, value, nobody), "OP", GROUP, BLOCK)),
        give(where(found.equals(nobody), 0.0, found)),
    )
    summary = "The least or greatest value of the running agents of the world; 0 if nobody runs. No value is infinite."
    return function("_extreme", ["running", "value", *constants("OP"), *SIZES], summary, body)


def _counted() -> Function:
    counted = cast(call("_summed", cast("condition", "int32"), GROUP, BLOCK), "float32")
    summary = "How many agents of the world it holds for."
    return function("_counted", ["condition", *SIZES], summary, [give(widened(counted))])


def _ranked() -> Function:
    offered, before, earlier = names("offered before earlier")

    def body() -> Iterator[Code]:
        yield assign(lane, numbers())
        yield assign(offered, where("counts", priority, 0))
        yield assign(before, zeros("int32"))
        yield lanes_of_warp()
        comes_before = across(other, bits) > priority - cast(earlier, "uint32")
        of_lane = (
            assign(earlier, (lane ^ (turn * WARP + bits)) < lane),
            update(before, "+", cast(comes_before, "int32")),
        )
        of_warps = (
            Remark(PARTNER),
            assign(other, of_warp(offered)),
            Remark("Unrolled, this would take a register for each lane of the warp."),
            loop(bits, WARP + zero, body=of_lane),
        )
        yield loop(turn, GROUP // WARP + zero, body=of_warps)
        yield give(cast(before, "float32"))

    summary = (
        "How many agents of the world that count come before the lane's: those of a higher `priority`, of equals those "
        "of a lower number. No priority is 0. `zero` is 0, which no compiler can know."
    )
    return function("_ranked", ["counts", "priority", "zero", *SIZES], summary, body())


def _alike() -> Function:
    offered, alike = names("offered alike")

    def body() -> Iterator[Code]:
        yield assign(lane, numbers())
        yield assign(offered, where("counts", "key", -2))
        yield assign(alike, zeros("int32"))
        yield lanes_of_warp()
        met = across(other, bits).equals(Name("asked"))
        of_warps = (
            Remark(PARTNER),
            assign(other, of_warp(offered)),
            Remark("Unrolled, this would take a register for each lane of the warp."),
            loop(bits, WARP + zero, body=[update(alike, "+", cast(met, "int32"))]),
        )
        yield loop(turn, GROUP // WARP + zero, body=of_warps)
        itself = cast(Name("counts") & Name("key").equals(Name("asked")), "int32")
        yield when(Name("OTHERS"), [update(alike, "-", itself)])
        yield give(cast(alike, "float32"))

    summary = (
        "How many agents of the world that count, or how many others, have the key that the lane asks for. No key is"
        " -2. `zero` is 0, which no compiler can know."
    )
    return function("_alike", ["counts", "key", "asked", *constants("OTHERS"), "zero", *SIZES], summary, body())


def _up_to() -> Function:
    several = [give(reshape(call("tl.cumsum", reshape(value, *WORLDS), axis=1), BLOCK))]
    body = [when(GROUP.equals(BLOCK), [give(call("tl.cumsum", value, axis=0))], several)]
    summary = "The sum of integers over the agents of the world up to this one."
    return function("_up_to", ["value", *SIZES], summary, body)


def _somewhere() -> Function:
    condition = Name("condition")
    several = [give(call("tl.max", cast(condition, "int32"), axis=0) > 0)]
    body = [when(GROUP.equals(BLOCK), [give(condition)], several)]
    return function("_somewhere", ["condition", *SIZES], "Whether it holds in a world of the block.", body)


def _granted() -> Function:
    def most(of: Operand) -> Call:
        return call("_most", of, GROUP, BLOCK)

    def summed(of: Operand) -> Call:
        return call("_summed", of, GROUP, BLOCK)

    def contended() -> Iterator[Code]:
        yield assign(claim, cast(claims, "int32"))
        yield assign(free, most(where(claims, "places", 0)))
        yield assign(certain, claims & (numbers() < 0))
        yield when(first.present(), _first_ones(summed))
        yield when(priority.present(), _of_priority(most, summed))
        yield give(certain | ((claim > 0) & (call("_up_to", claim, GROUP, BLOCK) <= free)))

    summary = (
        "Which claims are granted, as many in a world as it has places: those of who is `first`, then those of the "
        "highest `priority`, then those of the lowest number. Without `first` or `priority` all have the same."
    )
    body = [when(GROUP.equals(1), [give(claims & (Name("places") > 0))], contended())]
    return function("_granted", ["claims", "first", "priority", "places", *SIZES], summary, body)


def _first_ones(summed: Callable[[Operand], Call]) -> Iterator[Code]:
    """Those who are first have the places that there are, or contend for them."""
    early = Name("early")
    yield assign(early, cast(claims & first, "int32"))
    yield assign(many, summed(early))
    yield Remark("The others contend where places are left for them, and else those who are first.")
    yield assign(certain, (early > 0) & (many < free))
    yield assign(claim, where(many < free, claim - early, early))
    yield assign(free, where(many < free, free - many, free))


def _of_priority(most: Callable[[Operand], Call], summed: Callable[[Operand], Call]) -> Iterator[Code]:
    """Priorities are halved until the lowest one with a place is left."""
    middle = Name("middle")
    yield assign(many, summed(claim))
    yield Remark(
        "The lowest priority with a place: of this and higher ones there are as many claims as places, or more."
    )
    yield assign(low, MOST - most(where(claim > 0, MOST - priority, 0)))
    yield assign(high, where(many > free, most(where(claim > 0, priority, 0)), low))
    yield assign(low, where(free > 0, low, high))
    yield assign(free, call("tl.minimum", free, many))
    narrower = (
        assign(middle, high - (high - low) // 2),
        assign(above, summed(where(priority >= middle, claim, 0))),
        assign(low, where(above >= free, middle, low)),
        assign(high, where(above > free, high, where(above < free, middle - 1, middle))),
    )
    yield While(call("_somewhere", low < high, GROUP, BLOCK), narrower)
    yield assign(above, where(priority > low, claim, 0))
    yield assign(certain, certain | (above > 0))
    yield assign(claim, where(priority.equals(low), claim, 0))
    yield assign(free, free - summed(above))
