"""Numbers priorities from 1 on, where ranges prove that they are whole numbers of which few are possible.

Who is before whom stays the same, and so does every rank and every grant. Kernels for CPUs then count how many agents
have each priority instead of comparing each agent with each (`rank_few_worlds` of `hamlet.h`), and whoever looks for
the lowest priority that gets a place looks in a small range.
"""

from __future__ import annotations

from dataclasses import replace

from hamletc.ir.builder import Builder
from hamletc.ir.function import STAGES, Function, Output, Program, reducer
from hamletc.ir.ops import Value
from hamletc.ir.ordering import number_of
from hamletc.passes.interval import ALL_WHOLE, Interval
from hamletc.passes.ranges import Facts, Ranges, counts_of

NAME = "few_priorities"
"""Of this pass over whole programs; left out like a pass."""

MOST = 1 << 20
"""Priorities that are numbered, at most. Their numbers, and what is added to them, are exact in binary32."""


def few_priorities(program: Program, facts: Facts) -> Program:
    """The program with numbered priorities; the same one where there are none to number."""
    few: dict[str, int] = {}
    functions = dict.fromkeys(reducer(stage) for stage in STAGES)
    numbered = [_numbered(f, facts, few) if f.name in functions else f for f in program.functions]
    if not few:
        return program
    reductions = tuple(replace(each, few=few.get(each.name, each.few)) for each in program.reductions)
    return replace(program, functions=tuple(numbered), reductions=reductions)


def _numbered(function: Function, facts: Facts, few: dict[str, int]) -> Function:
    """A function of what lanes add, with numbered priorities; `few` is told how many, by names of reductions."""
    if not any(output.name.startswith("priority.") for output in function.outputs):
        return function
    builder = Builder()
    for node in function.nodes:
        builder.keep(node)
    ranges = Ranges(builder.nodes, facts, counts_of(function))
    outputs = list(function.outputs)
    for index, output in enumerate(outputs):
        kind, _, reduction = output.name.partition(".")
        number = number_of(function.nodes, output.value) if kind == "priority" else None
        if number is not None and (count := _count(ranges[number])) is not None:
            builder.origin = function.nodes[output.value].origin
            outputs[index] = Output(output.name, _from_one(builder, number, int(ranges[number].low)))
            few[reduction] = count
    return builder.finish(function.name, tuple(outputs))


def _count(interval: Interval) -> int | None:
    """How many whole numbers an interval has, where it has no others, and few."""
    if interval.nan or interval.unbounded or not interval.whole:
        return None
    count = int(interval.high) - int(interval.low) + 1
    exact = max(abs(interval.low), abs(interval.high)) <= ALL_WHOLE / 2
    return count if exact and count <= MOST else None


def _from_one(builder: Builder, number: Value, low: int) -> Value:
    """The number (U32) of a whole number (F32) that is at least `low`, from 1 on: of a sum from 2^23 on the last bits
    are the whole number."""
    total = builder.add(number, builder.f32(ALL_WHOLE + 1.0 - low))
    return builder.xor(builder.to_bits(total), builder.u32(_BITS_OF_ALL_WHOLE))


_BITS_OF_ALL_WHOLE = (127 + 23) << 23
"""The bits of 2^23 in binary32."""
