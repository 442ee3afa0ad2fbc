"""Facts about the inputs of a universe's functions: the invariants of its state.

Each field of the state lies within its bounds (`hamlet.schema.fields`); the runtime refuses states beyond them
(`hamlet.env.keep.state`). A meter is within its bounds at the beginning of a tick if every tick leaves it there; one
that a statement leaves unclamped is a number, if every tick leaves it one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import prod

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.schema.bounds import FINITE, Bounds, number_bounds
from hamlet.universe import Grid, Universe
from hamlet.universe.space import beside
from hamletc.ir.function import NEAR, OF_PAIRS, PAIRS_AT, PAST, PUSHED, STAGES, Program, pairer, reducer
from hamletc.passes.interval import ANY_F32, Interval, add, join
from hamletc.passes.ranges import Facts, ranges_of

COUNT = Interval(0, 2**31 - 1)


def facts_of(universe: Universe, program: Program) -> Facts:
    """The facts of a universe and its program."""
    inputs = dict(_inputs(universe))
    # What ticks change was within the same bounds before.
    inputs |= {f"before.{name}": interval for name, interval in inputs.items()}
    facts = Facts(inputs, {}, {}).of(program)
    next_to = beside(universe.space) if isinstance(universe.space, Grid) else 0
    tick = program.function("tick")
    meters = [output for output in tick.outputs if output.name.startswith("meter.")]
    finite = _interval(FINITE, real=True)
    while True:
        inputs.update(_shown(program, facts))
        inputs.update(_together(program, facts))
        inputs.update(_neighbours(program, facts, next_to))
        ranges = ranges_of(tick, facts)
        left = [meter for meter in meters if not ranges[meter.value].within(inputs[meter.name])]
        if not left:
            return facts
        for meter in left:
            number = ranges[meter.value].within(finite)
            left_it = replace(finite if number else ANY_F32, whole=inputs[meter.name].whole)
            inputs[meter.name] = inputs[f"before.{meter.name}"] = left_it


def _inputs(universe: Universe) -> Iterator[tuple[str, Interval]]:
    """The invariants by the name of an input: those of the state, and of what kernels pass beside it."""
    for field in schema.state_fields(universe):
        if field.bounds is not None and not field.pitch:
            for name, bounds in zip(field.names, field.bounds, strict=True):
                yield name, _interval(bounds, field.dtype == "f32")
    for field in schema.outcome_fields(universe):
        if field.name == "used" and field.bounds is not None:
            yield "used", _interval(field.bounds[0], real=False)
    for meter in () if universe.cells is None else universe.cells.meters:
        (bounds,) = number_bounds([meter])
        yield f"cells.{meter.name}", _interval(bounds, real=True)
        yield f"was.{meter.name}", _interval(bounds, real=True)
        yield f"{PAST}{meter.name}", _interval(bounds, real=True)
    if (pushing := universe.pushing) is not None and isinstance(universe.space, Grid):
        meters = () if universe.cells is None else universe.cells.meters
        (span,) = (meter.high - meter.low for meter in meters if meter.name == pushing.state)
        for number in range(pushing.most + 1):
            yield f"{PUSHED}.cell.{number}", Interval(0.0, prod(universe.space.sizes) - 1.0, whole=True)
            yield f"{PUSHED}.by.{number}", Interval(-span, span, negative_zero=True, whole=True)
    if universe.pairs is not None:
        for of_pairs in universe.pairs.meters:
            (bounds,) = number_bounds([of_pairs])
            yield f"{OF_PAIRS}{of_pairs.name}", _interval(bounds, real=True)
        yield PAIRS_AT, COUNT
        yield "other", COUNT
    yield "cells_at", COUNT
    yield "agent", COUNT
    yield "agents", Interval(1, COUNT.high)
    yield "action", Interval(0, len(schema.action_names(universe)) - 1)
    if isinstance(universe.space, Grid):
        cells = Interval(0, prod(universe.space.sizes) - 1)
        random = sum(affordance.place is None for affordance in universe.affordances)
        yield from ((name, cells) for name in ("cell", "index", *(f"cell.{number}" for number in range(random))))
        yield "found", Interval(schema.NOWHERE, random - 1)
        for axis, size in zip(schema.axes(universe), universe.space.sizes, strict=True):
            yield f"moved.{axis}", Interval(0, size - 1)


def _shown(program: Program, facts: Facts) -> Iterator[tuple[str, Interval]]:
    """Where that lies which lanes show to each other, if the state lies where it is thought to."""
    for stage in STAGES:
        if program.has(pairer(stage)):
            function = program.function(reducer(stage))
            ranges = ranges_of(function, facts)
            for output in function.outputs:
                kind, _, number = output.name.partition(".")
                if kind == "shown":
                    yield from ((f"{whose}.{number}", ranges[output.value]) for whose in ("own", "other"))


def _together(program: Program, facts: Facts) -> Iterator[tuple[str, Interval]]:
    """Where that lies which the agents of a world have together, if the state lies where it is thought to."""
    ranges = cache(lambda name: ranges_of(program.function(name), facts))
    for reduction in program.reductions:
        name = reduction.function
        function = program.function(name)
        match reduction.op:
            case "grant":
                continue
            case "count":
                yield reduction.result, Interval(0.0, float(schema.MOST_AGENTS), whole=True)
            case "alike":
                yield reduction.result, Interval(0.0, float(schema.MOST_AGENTS), whole=True)
            case "rank":
                yield reduction.result, Interval(0.0, schema.MOST_AGENTS - 1.0, whole=True)
            case "nearest":
                value = ranges(name)[function.output(f"value.{reduction.name}").value]
                shows = program.function(reducer(reduction.stage))
                otherwise = ranges(shows.name)[shows.output(f"otherwise.{reduction.name}").value]
                yield reduction.result, join(value, otherwise)
            case "total" | "lowest" | "highest" | "last":
                term = ranges(name)[function.output(f"term.{reduction.name}").value]
                total = _sum(term, schema.MOST_AGENTS) if reduction.stage == "cells" else _total(term)
                yield reduction.result, total if reduction.op == "total" else join(term, Interval(0.0, 0.0))


def _neighbours(program: Program, facts: Facts, beside: int) -> Iterator[tuple[str, Interval]]:
    """Where the sums over neighbours lie, of which there are so many."""
    if program.has(NEAR):
        near = program.function(NEAR)
        ranges = ranges_of(near, facts)
        for output in near.outputs:
            yield output.name, _sum(ranges[output.value], beside)


def _sum(term: Interval, count: int) -> Interval:
    """The sum of so many such numbers and zeros, one after the other."""
    total = each = join(term, Interval(0.0, 0.0))
    for _ in range(count):
        total = add(total, each)
    return total


def _total(term: Interval) -> Interval:
    """The sum of as many such numbers and zeros as there can be agents: to twice as much on each level of its tree."""
    total = join(term, Interval(0.0, 0.0))
    for _ in range((schema.MOST_AGENTS - 1).bit_length()):
        total = add(total, total)
    return total


def _interval(bounds: Bounds, real: bool) -> Interval:
    """Bounds as an interval; of a real number that can be 0, also -0.

    Raises:
        ValueError: they are of a real number, and no binary32 numbers: comparisons would be folded wrongly.
    """
    if real and (round32(bounds.low), round32(bounds.high)) != (bounds.low, bounds.high):
        raise ValueError(f"{bounds} are no binary32 numbers")
    return Interval(bounds.low, bounds.high, False, real and bounds.low <= 0 <= bounds.high, bounds.whole)
