"""The values of one lane's state while a function is being lowered."""

from __future__ import annotations

from dataclasses import dataclass, field

from hamlet import schema
from hamlet.universe import Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Table
from hamletc.ir.ops import BOOL, F32, I32, U32, Value
from hamletc.lowering.plan import Plan


@dataclass(slots=True)
class Lane:
    """What each state name stands for now. Phases of a tick replace values as they write them.

    `speed`, `engaged`, `progress`, `last` and `hour` are `None`, tuples and dictionaries are empty, where the universe
    has no such state.

    Attributes:
        position, velocity, used_at: per axis.
        streaks, seen: by affordance.
        places: of each affordance, in file order, where they are stored: rows as `schema.place_rows` has them.
        words: the random words of the tick, four (U32) per block of draw sites, made when they are first needed.
        found: the index (I32) of the affordance at random on the agent's cell, or -1, where the kernel gives it.
        before: the lane at the beginning of the tick; `None` outside a tick.
        columns, row: where there are columns a number is that of one of these, whose values in the row (I32) count.
    """

    universe: Universe
    builder: Builder
    plan: Plan
    meters: dict[str, Value]
    params: dict[str, Value]
    inputs: dict[str, Value]
    position: tuple[Value, ...]
    velocity: tuple[Value, ...]
    age: Value
    engaged: Value | None
    progress: Value | None
    used_at: tuple[Value, ...]
    last: Value | None
    streaks: dict[str, Value]
    seen: dict[str, Value]
    hour: Value | None
    layout: Value
    places: tuple[tuple[Value, ...], ...]
    speed: Value | None = None
    words: dict[int, list[Value]] = field(default_factory=dict)
    found: Value | None = None
    before: Lane | None = None
    columns: tuple[Table, ...] = ()
    row: Value = 0


def input_lane(plan: Plan, builder: Builder) -> Lane:
    """A lane whose values are the inputs that the state names of docs/design.md name."""
    universe = plan.universe
    fields = {field.name: field for field in schema.state_fields(universe)}
    coordinate = F32 if schema.position_dtype(universe) == "f32" else I32
    uses = [affordance.name for affordance in universe.affordances] if "streaks" in fields else []

    def single(name: str) -> Value | None:
        return builder.input(I32, name) if name in fields else None

    def per_axis(name: str) -> tuple[Value, ...]:
        rows = (fields[name].rows or ()) if name in fields else ()
        return tuple(builder.input(F32 if name == "velocity" else coordinate, f"{name}.{axis}") for axis in rows)

    with builder.at("state", None):
        return Lane(
            universe,
            builder,
            plan,
            {meter.name: builder.input(F32, f"meter.{meter.name}") for meter in universe.meters},
            {param.name: builder.input(F32, f"param.{param.name}") for param in universe.params},
            {item.name: builder.input(F32, f"input.{item.name}") for item in universe.inputs},
            per_axis("position"),
            per_axis("velocity"),
            builder.input(I32, "age"),
            single("engaged"),
            single("progress"),
            per_axis("used_at"),
            single("last"),
            {name: builder.input(I32, f"streak.{name}") for name in uses},
            {name: builder.input(BOOL, f"seen.{name}") for name in uses},
            single("hour"),
            builder.input(U32, "layout"),
            tuple(
                tuple(builder.input(coordinate, f"place.{affordance.name}.{row}") for row in plan.place_rows)
                for affordance in universe.affordances
                if plan.place_rows
            ),
            builder.input(F32, "speed") if "speed" in fields else None,
        )
