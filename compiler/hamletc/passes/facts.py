"""What is known about the inputs of a universe's functions: the invariants of its state.

Positions are on the grid, hours on the clock, ages not negative, params within their bounds, actions valid. A meter is
within its bounds at the beginning of a tick if every tick leaves it there; the runtime refuses states that break this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hamlet import schema
from hamlet.binary32 import round32
from hamlet.universe import Universe
from hamletc.ir.function import Function, Program, Table
from hamletc.ir.types import Type
from hamletc.passes.interval import ANY_F32, Interval
from hamletc.passes.ranges import ranges_of


@dataclass(frozen=True, slots=True)
class Facts:
    """Intervals of inputs by name; an input that is not listed may have any value. Intervals of tables by name.
    Functions by name, for loops."""

    inputs: Mapping[str, Interval]
    tables: Mapping[str, Interval]
    functions: Mapping[str, Function] = field(default_factory=dict)


def facts_of(universe: Universe, program: Program) -> Facts:
    """The facts of a universe and its program."""
    inputs: dict[str, Interval] = {
        "age": Interval(0, 2**31 - 1),
        "agent": Interval(0, 2**31 - 1),
        "action": Interval(0, len(schema.action_names(universe)) - 1),
        "engaged": Interval(schema.NOWHERE, len(universe.affordances) - 1),
    }
    if universe.clock is not None:
        inputs["hour"] = Interval(0, universe.clock.hours - 1)
    for axis, size in zip(schema.axes(universe), universe.space.sizes, strict=True):
        inputs[f"position.{axis}"] = Interval(0, size - 1)
    for param in universe.params:
        inputs[f"param.{param.name}"] = _bounds(param.low, param.high)
    for meter in universe.meters:
        inputs[f"meter.{meter.name}"] = _bounds(meter.low, meter.high)
    tables = {table.name: _contents(table) for table in program.tables}
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


def _bounds(low: float, high: float) -> Interval:
    low, high = round32(low), round32(high)
    return Interval(low, high, False, low <= 0 <= high)


def _contents(table: Table) -> Interval:
    negative_zero = table.type is Type.F32 and any(str(value) == "-0.0" for value in table.values)
    return Interval(min(table.values), max(table.values), False, negative_zero)
