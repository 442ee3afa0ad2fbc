"""What is known about the inputs of a universe's functions: the invariants of its state.

Each field of the state lies within its bounds (`hamlet.schema.fields`); the runtime refuses states beyond them
(`hamlet.env.checkpoint`). A meter is within its bounds at the beginning of a tick if every tick leaves it there; one
that a statement leaves unclamped is a number, if every tick leaves it one.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.schema.bounds import FINITE, Bounds
from hamlet.universe import Grid, Universe
from hamletc.ir.function import Program
from hamletc.passes.interval import ANY_F32, Interval
from hamletc.passes.ranges import Facts, ranges_of

COUNT = Interval(0, 2**31 - 1)


def facts_of(universe: Universe, program: Program) -> Facts:
    """The facts of a universe and its program."""
    inputs = dict(_inputs(universe))
    facts = Facts(inputs, {}, {}).of(program)
    tick = program.function("tick")
    meters = [output for output in tick.outputs if output.name.startswith("meter.")]
    finite = _interval(FINITE, real=True)
    while True:
        ranges = ranges_of(tick, facts)
        left = [meter for meter in meters if not ranges[meter.value].within(inputs[meter.name])]
        if not left:
            return facts
        for meter in left:
            number = ranges[meter.value].within(finite)
            inputs[meter.name] = finite if number else ANY_F32


def _inputs(universe: Universe) -> Iterator[tuple[str, Interval]]:
    """The invariants by the name of an input: those of the state, and of what kernels pass beside it."""
    for field in schema.state_fields(universe):
        if field.bounds is not None:
            for name, bounds in zip(field.names, field.bounds, strict=True):
                yield name, _interval(bounds, field.dtype == "f32")
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


def _interval(bounds: Bounds, real: bool) -> Interval:
    """Bounds as an interval; of a real number that can be 0, also -0.

    Raises:
        ValueError: they are of a real number, and no binary32 numbers: comparisons would be folded wrongly.
    """
    if real and (round32(bounds.low), round32(bounds.high)) != (bounds.low, bounds.high):
        raise ValueError(f"{bounds} are no binary32 numbers")
    return Interval(bounds.low, bounds.high, False, real and bounds.low <= 0 <= bounds.high)
