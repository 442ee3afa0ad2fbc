"""Counts, totals and extremes of the agents of a world, as `hamlet.h` of kernels in C has them: in one tree, whatever
the width of vectors is."""

from __future__ import annotations

from collections.abc import Iterator

from hamletc.kernel.code import Code, Function, While, assign, do, function, give, loop, update, when
from hamletc.kernel.expressions import Operand, call, names
from hamletc.targets.wasm.memory import LANES, WIDE

values, agents, worlds, absent, padded, world, agent = names("values agents worlds absent padded world agent")
first, even, odd, left, right, runs, flags, counts = names("first even odd left right runs flags counts")
shared, value, begin, end, sums, number, level = names("shared value begin end sums number level")
INFINITY = names("INFINITY")[0]


def together() -> list[Function]:
    """The functions that combine what the agents of worlds have."""
    total = call("add", even, odd)
    lowest, highest = call("where", even < odd, even, odd), call("where", odd < even, even, odd)
    return [
        _spread(),
        _reduce("reduce_total", call("f32", 0), total),
        _reduce("reduce_lowest", INFINITY, lowest),
        _reduce("reduce_highest", -INFINITY, highest),
        _of_worlds("total", []),
        _of_worlds("lowest", ["runs"]),
        _of_worlds("highest", ["runs"]),
        _count_worlds(),
        _share_worlds(),
        _add_to_tree(),
    ]


def _spread() -> Function:
    def apart() -> Iterator[Code]:
        # From the last world on: each moves to a place that is not before its own.
        moved = worlds - 1 - world
        beyond = values[moved * padded + padded - 1 - agent]
        yield loop(agent, padded - agents, body=[assign(beyond, absent)])
        own = agents - 1 - agent
        yield loop(agent, agents, body=[assign(values[moved * padded + own], values[moved * agents + own])])

    def body() -> Iterator[Code]:
        yield assign(padded, 1)
        yield While(padded < agents, (update(padded, "*", 2),))
        whole = LANES * ((agents + LANES - 1) // LANES)
        alone = loop(first, whole, padded, body=[assign(values[first], absent)])
        several = when(padded.differs(agents), [loop(world, worlds, body=apart())])
        yield when(worlds.equals(1), [alone], [several])
        yield give(padded)

    summary = "Move the numbers of each world to a multiple of a power of two, which it gives."
    return function("spread", ["values", "agents", "worlds", "absent"], summary, body(), "apart")


def _reduce(name: str, nothing: Operand, combined: Operand) -> Function:
    def of_level() -> Iterator[Code]:
        pair = (
            assign(left, call("fetch", values, 0, call("wide", first * 2))),
            assign(right, call("fetch", values, 0, call("wide", first * 2 + WIDE))),
            assign(even, call("every_other", left, right, 0)),
            assign(odd, call("every_other", left, right, 1)),
            assign(values[call("wide", first)], combined),
        )
        yield loop(first, 0, padded * worlds, WIDE, body=pair)
        yield assign(padded, padded // 2)

    body = (
        assign(padded, call("spread", values, agents, worlds, nothing)),
        assign(padded, padded // 2),
        While(padded > 0, tuple(of_level())),
    )
    return function(
        name, ["values", "agents", "worlds"], "Combine pairs until one of each world is left.", body, "apart"
    )


def _of_worlds(op: str, others: list[str]) -> Function:
    alone = when(call("count_flags", runs, world * agents, agents).equals(0), [assign(values[world], 0.0)])
    body: list[Code] = [do(f"reduce_{op}", values, agents, worlds)]
    if others:
        body.append(loop(world, worlds, body=[alone]))
    return function(f"{op}_worlds", ["values", "agents", "worlds", *others], f"The {op} of each world.", body, "apart")


def _count_worlds() -> Function:
    each = assign(counts[world], call("count_flags", flags, world * agents, agents))
    body = [loop(world, worlds, body=[each])]
    return function("count_worlds", ["flags", "counts", "agents", "worlds"], "How many flags are set.", body, "apart")


def _share_worlds() -> Function:
    def of_world() -> Iterator[Code]:
        yield assign(value, values[world])
        yield assign(begin, world * agents)
        yield assign(end, begin + call("min", agents, LANES))
        yield loop(first, begin, end, WIDE, body=[assign(shared[call("wide", first)], value)])

    body = [loop(world, worlds, body=of_world())]
    summary = (
        "Write the number of each world to all its lanes; a vector reaches into the next world, which comes later."
    )
    return function("share_worlds", ["shared", "values", "agents", "worlds"], summary, body, "apart")


def _add_to_tree() -> Function:
    before = call("fetch", sums, 0, call("wide", level * WIDE))
    up = (assign(value, call("add", before, value)), update(level, "+", 1))
    body = (
        assign(level, 0),
        While(((number >> level) & 1).differs(0), up),
        assign(sums[call("wide", level * WIDE)], value),
    )
    return function("add_to_tree", ["sums", "number", "value"], "Add the next number of each lane to its sums.", body)
