"""The values of one lane's state while a function is being lowered."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamlet.universe import Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Table
from hamletc.ir.ops import Value
from hamletc.ir.typing import F32, I32, U32
from hamletc.lowering.plan import Plan


@dataclass(slots=True)
class Lane:
    """What each state name stands for now. Phases of a tick replace values as they write them.

    `engaged`, `progress` and `hour` are `None` where the universe has no such state. Where `columns` is not empty, a
    number is that of one of these columns, whose values in the row (I32) count.
    """

    universe: Universe
    builder: Builder
    meters: dict[str, Value]
    params: dict[str, Value]
    position: tuple[Value, ...]
    age: Value
    engaged: Value | None
    progress: Value | None
    hour: Value | None
    layout: Value
    plan: Plan
    columns: tuple[Table, ...] = ()
    row: Value = 0


def input_lane(plan: Plan, builder: Builder) -> Lane:
    """A lane whose values are the inputs that the state names of docs/design.md name."""
    universe = plan.universe
    lasting = schema.has_progress(universe)
    with builder.at("state", 0):
        return Lane(
            universe,
            builder,
            {meter.name: builder.input(F32, f"meter.{meter.name}") for meter in universe.meters},
            {param.name: builder.input(F32, f"param.{param.name}") for param in universe.params},
            tuple(builder.input(I32, f"position.{axis}") for axis in schema.axes(universe)),
            builder.input(I32, "age"),
            builder.input(I32, "engaged") if lasting else None,
            builder.input(I32, "progress") if lasting else None,
            builder.input(I32, "hour") if universe.clock is not None else None,
            builder.input(U32, "layout"),
            plan,
        )
