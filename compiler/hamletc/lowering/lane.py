"""The values of one lane's state while a function is being lowered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.numbers.counters import LANE_DRAWS
from hamlet.universe import At, Expression, Neighbours, OfAll, Universe, Upon
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Table
from hamletc.ir.ops import BOOL, F32, I32, U32, Type, Value
from hamletc.lowering.plan import Plan


@dataclass(frozen=True, slots=True)
class Line:
    """The line in the way of an agent, from the cell on that its move leads to.

    Attributes:
        cells: the index (I32) of each cell of the longest line, and of the one behind it.
        values: what lies there (F32).
        length: how many of them (I32) move; 0 where the agent pushes nothing.
        stuck: whether (BOOL) the line does not give way.
    """

    cells: tuple[Value, ...]
    values: tuple[Value, ...]
    length: Value
    stuck: Value


@dataclass(slots=True)
class Lane:
    """The current value of every state name. Phases of a tick replace values as they write them.

    `speed`, `engaged`, `progress`, `last` and `hour` are `None`, tuples and dictionaries are empty, where the universe
    has no such state.

    Attributes:
        position, velocity, used_at: per axis.
        streaks, seen: by affordance.
        world: the meters of the world.
        cells: the meters of a cell, where it is known; otherwise they are fetched.
        cell: the number (I32) of the cell, where the function is of cells.
        other: the number (I32) of the other agent, where the function is of pairs.
        counter: of a pair of lanes: gives the parts of the counters of random words by type and name, which both have.
        near: the sums over neighbours, by expressions.
        there: what other cells had when the tick began, by expressions, where a function is given it.
        places: of each affordance, in file order, where they are stored: rows as `schema.place_rows` has them.
        among: what the agents of a world have together: the names of the reductions that it is made of.
        words: random words by stream and block of draw sites, four (U32) each, made when they are first needed.
        stream: which of `hamlet.numbers.counters` draws are from.
        found: the index (I32) of the affordance at random on the agent's cell, or -1, where the kernel gives it.
        action: what the agent chose (I32); `None` outside a tick.
        used: the number (I32) of the affordance used last in the tick, or -1; `None` before all have been used.
        uses: whether (BOOL) an affordance was used, by its number, where several may be.
        before: the lane at the beginning of the tick; `None` outside a tick.
        line: the line in the way of the agent's move, where agents push.
        stays: whether (BOOL) others keep the agent from moving, where they can.
        walked: whether (BOOL) the agent walked into a solid affordance; `None` where it cannot have.
        reached: the cell (I32 per axis) of that affordance.
        leaf: of a pair of lanes: gives the value of an expression that is not made of parts which both lanes have.
        locals: those of the statements that run (F32 or BOOL), by name.
        guards: the conditions (BOOL) under which these run.
        looks: whether the position is no agent's, but that of a cell which one looks at.
        columns, row: where there are columns a number is that of one of these, whose values in the row (I32) count.
    """

    universe: Universe
    builder: Builder
    plan: Plan
    meters: dict[str, Value]
    params: dict[str, Value]
    age: Value
    layout: Value
    inputs: dict[str, Value] = field(default_factory=dict)
    controls: dict[str, Value] = field(default_factory=dict)
    position: tuple[Value, ...] = ()
    velocity: tuple[Value, ...] = ()
    speed: Value | None = None
    engaged: Value | None = None
    progress: Value | None = None
    used_at: tuple[Value, ...] = ()
    last: Value | None = None
    streaks: dict[str, Value] = field(default_factory=dict)
    seen: dict[str, Value] = field(default_factory=dict)
    hour: Value | None = None
    world: dict[str, Value] = field(default_factory=dict)
    cells: dict[str, Value] = field(default_factory=dict)
    cell: Value | None = None
    other: Value | None = None
    counter: Callable[[Type, str], Value] | None = None
    near: Mapping[Neighbours, str] = field(default_factory=dict)
    there: Mapping[At, str] = field(default_factory=dict)
    places: tuple[tuple[Value, ...], ...] = ()
    words: dict[tuple[int, int], list[Value]] = field(default_factory=dict)
    stream: int = LANE_DRAWS
    searched: Value | None = None
    action: Value | None = None
    used: Value | None = None
    uses: dict[int, Value] = field(default_factory=dict)
    before: Lane | None = None
    among: Mapping[OfAll | Upon, tuple[str, ...]] = field(default_factory=dict)
    leaf: Callable[[Expression], Value | None] | None = None
    line: Line | None = None
    stays: Value | None = None
    walked: Value | None = None
    reached: tuple[Value, ...] = ()
    columns: tuple[Table, ...] = ()
    row: Value = 0
    looks: bool = False
    locals: dict[str, Value] = field(default_factory=dict)
    guards: tuple[Value, ...] = ()

    @contextmanager
    def at_row(self, columns: tuple[Table, ...], row: Value) -> Iterator[None]:
        """Inside, numbers are columns, and their values are those of the row (I32)."""
        outer = self.columns, self.row
        self.columns, self.row = columns, row
        try:
            yield
        finally:
            self.columns, self.row = outer

    @contextmanager
    def where(self, guard: Value | None) -> Iterator[None]:
        """Inside, statements run where a guard (BOOL) holds, too."""
        outer = self.guards
        self.guards = outer if guard is None else (*outer, guard)
        try:
            yield
        finally:
            self.guards = outer


def input_lane(plan: Plan, builder: Builder, begun: str = "") -> Lane:
    """A lane whose values are the inputs that the state names of docs/design.md name. `begun` stands before the names
    of what acts and rules can change."""
    universe = plan.universe
    rows = {field.name: field.rows for field in schema.state_fields(universe)}
    coordinate = F32 if schema.position_dtype(universe) == "f32" else I32
    uses = rows.get("streaks") or ()

    def single(name: str) -> Value | None:
        return builder.input(F32 if name == "speed" else I32, begun + name) if name in rows else None

    def per_axis(name: str) -> tuple[Value, ...]:
        type_ = F32 if name == "velocity" else coordinate
        return tuple(builder.input(type_, f"{begun}{name}.{axis}") for axis in rows.get(name) or ())

    with builder.at(Construct("state"), None, "state"):
        return Lane(
            universe,
            builder,
            plan,
            meters={meter.name: builder.input(F32, f"{begun}meter.{meter.name}") for meter in universe.meters},
            params={param.name: builder.input(F32, f"param.{param.name}") for param in universe.params},
            inputs={item.name: builder.input(F32, f"input.{item.name}") for item in universe.inputs},
            controls={item.name: builder.input(F32, f"control.{item.name}") for item in universe.controls},
            position=per_axis("position"),
            velocity=per_axis("velocity"),
            age=builder.input(I32, "age"),
            engaged=single("engaged"),
            progress=single("progress"),
            used_at=per_axis("used_at"),
            last=single("last"),
            streaks={name: builder.input(I32, f"{begun}streak.{name}") for name in uses},
            seen={name: builder.input(BOOL, f"{begun}seen.{name}") for name in uses},
            hour=builder.input(I32, "hour") if "hour" in rows else None,
            layout=builder.input(U32, "layout"),
            world={name: builder.input(F32, f"{begun}world.{name}") for name in rows.get("world_meters") or ()},
            places=tuple(
                tuple(builder.input(coordinate, f"place.{affordance.name}.{row}") for row in plan.place_rows)
                for affordance in universe.affordances
                if plan.place_rows
            ),
            speed=single("speed"),
        )


def begin_tick(plan: Plan, builder: Builder) -> tuple[Lane, Value]:
    """A lane at the beginning of a tick, and the action (I32) that it is to carry out."""
    lane = input_lane(plan, builder)
    lane.before = replace(lane, meters=dict(lane.meters), streaks=dict(lane.streaks), seen=dict(lane.seen))
    with builder.at(Construct("state"), None, "state"):
        lane.action = builder.input(I32, "action")
        return lane, lane.action


def state_of(lane: Lane) -> dict[str, Value]:
    """The state that a tick can change, by state name."""
    axes = schema.axes(lane.universe)
    state = {f"meter.{name}": value for name, value in lane.meters.items()}
    state |= {f"position.{axis}": value for axis, value in zip(axes, lane.position, strict=True)}
    state |= {f"velocity.{axis}": value for axis, value in zip(axes, lane.velocity, strict=False)}
    single = {"speed": lane.speed, "age": lane.age, "engaged": lane.engaged, "progress": lane.progress}
    state |= {name: value for name, value in single.items() if value is not None}
    state |= {f"used_at.{axis}": value for axis, value in zip(axes, lane.used_at, strict=False)}
    if lane.last is not None:
        state["last"] = lane.last
    state |= {f"streak.{name}": value for name, value in lane.streaks.items()}
    state |= {f"seen.{name}": value for name, value in lane.seen.items()}
    return state
