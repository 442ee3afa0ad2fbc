"""What is known about the inputs of a universe's functions: the invariants of its state.

Positions are on the grid, in a continuous space at most a size beyond its edges; hours on the clock, ages not negative
and at most the lifespan, params and inputs within their bounds, actions valid. A meter is within its bounds at the
beginning of a tick if every tick leaves it there; one that a statement leaves unclamped is a number, if every tick
leaves it one. The runtime refuses states that break this (`hamlet.env.checkpoint`).
"""

from __future__ import annotations

from math import prod

from hamlet import schema
from hamlet.numbers.binary32 import LARGEST, round32
from hamlet.schema.bounds import fastest, unclamped_meters
from hamlet.universe import Continuous, Grid, NoSpace, Universe
from hamletc.ir.function import Program, Table
from hamletc.ir.ops import Type
from hamletc.passes.interval import ANY_F32, Interval, join, to_binary32
from hamletc.passes.ranges import Facts, ranges_of

COUNT = Interval(0, 2**31 - 1)
FINITE = Interval(-LARGEST, LARGEST, False, True)


def facts_of(universe: Universe, program: Program) -> Facts:
    """The facts of a universe and its program."""
    used = Interval(schema.NOWHERE, len(universe.affordances) - 1)
    longest = None if universe.lifespan is None or universe.by_hand else universe.lifespan.ticks
    inputs: dict[str, Interval] = {
        "age": COUNT if longest is None else Interval(0, longest),
        "agent": COUNT,
        "action": Interval(0, len(schema.action_names(universe)) - 1),
        "engaged": used,
        "progress": COUNT,
        "last": used,
    }
    if universe.clock is not None:
        inputs["hour"] = Interval(0, universe.clock.hours - 1)
    inputs["speed"] = FINITE
    inputs |= _positions(universe) | _places(universe) | _kept(universe)
    for affordance in universe.affordances:
        inputs[f"streak.{affordance.name}"] = COUNT
    for param in universe.params:
        inputs[f"param.{param.name}"] = _bounds(param.low, param.high)
    for item in universe.inputs:
        inputs[f"input.{item.name}"] = _bounds(item.low, item.high)
    loose = unclamped_meters(universe)
    for meter in universe.meters:
        inputs[f"meter.{meter.name}"] = FINITE if meter.name in loose else _bounds(meter.low, meter.high)
    tables = {table.name: contents(table) for table in program.tables}
    facts = Facts(inputs, tables, {function.name: function for function in program.functions})
    tick = program.function("tick")
    meters = [output for output in tick.outputs if output.name.startswith("meter.")]
    while True:
        ranges = ranges_of(tick, facts)
        left = [meter.name for meter in meters if not ranges[meter.value].within(inputs[meter.name])]
        if not left:
            return facts
        for name in left:
            inputs[name] = ANY_F32


def _positions(universe: Universe) -> dict[str, Interval]:
    """Of positions, the places of the last use, and velocities."""
    result: dict[str, Interval] = {}
    fast = fastest(universe)
    for name, interval, most in zip(schema.axes(universe), _coordinates(universe), fast, strict=True):
        # Before the first use that place is 0, also where no position is.
        unused = Interval(0, 0, False, isinstance(universe.space, Continuous))
        result |= {f"position.{name}": interval, f"used_at.{name}": join(interval, unused)}
        longest = max(to_binary32(2 * (interval.high - interval.low)), most)
        result[f"velocity.{name}"] = Interval(-longest, longest, False, True)
    return result


def _coordinates(universe: Universe) -> list[Interval]:
    """Of coordinates per axis."""
    match universe.space:
        case Grid(sizes=sizes):
            return [Interval(0, size - 1) for size in sizes]
        case Continuous(axes=axes):
            # A little more, for rounding.
            more = [1.001 * axis.size + 1e-6 * max(abs(axis.low), abs(axis.high)) for axis in axes]
            return [_bounds(axis.low - by, axis.high + by) for axis, by in zip(axes, more, strict=True)]
        case NoSpace():
            return []


def _places(universe: Universe) -> dict[str, Interval]:
    """Of stored places."""
    rows = _coordinates(universe)
    if isinstance(universe.space, Grid):
        sizes = universe.space.sizes
        rows = [Interval(0, prod(sizes[begin:end]) - 1) for begin, end in schema.cell_words(universe.space)]
    return {
        f"place.{affordance.name}.{row}": interval
        for affordance in universe.affordances
        for row, interval in zip(schema.place_rows(universe), rows, strict=False)
    }


def _kept(universe: Universe) -> dict[str, Interval]:
    """Of what kernels keep of the affordances at random; see `hamletc.lowering.kept`."""
    if not isinstance(universe.space, Grid):
        return {}
    cells = Interval(0, prod(universe.space.sizes) - 1)
    random = sum(affordance.place is None for affordance in universe.affordances)
    result = {f"cell.{index}": cells for index in range(random)}
    moved = zip(schema.axes(universe), _coordinates(universe), strict=True)
    result |= {f"moved.{name}": interval for name, interval in moved}
    return result | {"cell": cells, "index": cells, "found": Interval(schema.NOWHERE, random - 1)}


def _bounds(low: float, high: float) -> Interval:
    low, high = round32(low), round32(high)
    return Interval(low, high, False, low <= 0 <= high)


def contents(table: Table) -> Interval:
    negative_zero = table.type is Type.F32 and any(str(value) == "-0.0" for value in table.values)
    return Interval(min(table.values), max(table.values), False, negative_zero)
