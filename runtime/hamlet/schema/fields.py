"""Fields of a universe's state, outcomes and observations: each array is declared here, once.

Buffers, arguments of kernels, `state_dict`, what a checkpoint accepts, what the compiler knows about ranges, how
episodes begin and which constructs write a field all derive from these tables. The layout is field-major: a field with
rows is an array [rows, lanes] (or [rows, worlds]); without rows it is [lanes] or [worlds]. Agent `agent` of world
`world` is lane `world * agents + agent`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from math import prod
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.schema.bounds import (
    ANY_COUNT,
    Bounds,
    coordinates,
    fastest,
    meter_bounds,
    number_bounds,
    speeds,
)
from hamlet.universe import (
    At,
    CellMeter,
    CellValue,
    Continuous,
    Grid,
    Neighbours,
    NoSpace,
    PairMeter,
    Universe,
    nodes,
)
from hamlet.universe.space import axes_of, cells

DType: TypeAlias = Literal["f32", "i32", "bool"]
Per: TypeAlias = Literal["lane", "world"]

Construct: TypeAlias = Literal[
    "space",
    "start",
    "pushes",
    "moving actions",
    "relocations",
    "affordances",
    "lasting affordances",
    "tracking",
    "causes",
    "lifespan",
    "rewards",
    "reports",
    "clock",
    "params",
    "inputs",
    "controls",
    "meters",
    "world",
    "cells",
    "pairs",
]
"""A kind of construct that can write a field."""

MOST_CELLS = 2**31 - 1
"""Cells that one i32 can number."""
MOST_AGENTS = 1024
"""Agents of a world, at most, in a universe whose agents meet."""
MOST_CELL_NUMBERS = 65_536
"""Meters of cells times cells, at most."""
MOST_PAIRED = 256
"""Agents of a world, at most, that have something of each other."""
CELL_METERS = "cell_meters"
"""The name of the field of what cells have."""
PAIR_STATES = "pair_states"
"""The name of the field of what agents have of each other."""
WIDEST_VECTOR = 64
"""The most numbers that a CPU reads at once, of which some may lie behind those that it asks for."""
NOWHERE = -1
"""`used`, `cause` and `engaged` where there is none."""
GIVEN = ("params", "inputs", "controls")
"""Fields of the state that users write; neither ticks nor resets change them."""
GIVEN_BY_TICK = ("inputs", "controls")
"""Fields of `GIVEN` of which a rollout can have other values for each tick."""


@dataclass(frozen=True, slots=True)
class Field:
    """One array of a universe.

    Attributes:
        rows: the names of its rows; `None` for an array without a row dimension.
        kind: what functions of the tick IR call a row: `meter` of `meter.energy`.
        bounds: of each row, or of the whole array where it has no rows. Compiled code relies on them, and a checkpoint
            beyond them is refused. `None`: any value of the type.
        start: the value at the beginning of an episode, where that is a constant of the language.
        writers: the constructs that can write it, in the order of a tick.
        pitch: not 0 where the array lies in memory world by world: the numbers from one world to the next, which are at
            least as many as rows. What is behind the rows is room for those who compute them.
    """

    name: str
    dtype: DType
    per: Per
    rows: tuple[str, ...] | None = None
    kind: str = ""
    bounds: tuple[Bounds, ...] | None = None
    start: int | bool | None = None
    writers: tuple[Construct, ...] = ()
    pitch: int = 0

    @property
    def written_by_users(self) -> bool:
        """Whether users write it."""
        return self.name in GIVEN

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its rows in functions of the tick IR (`meter.energy`); its own name where it has none."""
        return (self.name,) if self.rows is None else tuple(f"{self.kind or self.name}.{row}" for row in self.rows)


def axes(universe: Universe) -> tuple[str, ...]:
    """The names of the axes of the space."""
    return axes_of(universe.space)


def position_dtype(universe: Universe) -> DType:
    """The type of coordinates."""
    return "f32" if isinstance(universe.space, Continuous) else "i32"


def cell_words(grid: Grid) -> tuple[tuple[int, int], ...]:
    """The ranges of axes, each from the first to before the second, whose coordinates one i32 holds as the index of a
    cell among them, x + width * (y + ...). Cells are the same where all their words are. Few cells need one word."""
    words, begin, count = [], 0, 1
    for axis, size in enumerate(grid.sizes):
        if count * size > MOST_CELLS:
            words.append((begin, axis))
            begin, count = axis, 1
        count *= size
    return (*words, (begin, len(grid.sizes)))


def place_rows(universe: Universe) -> tuple[str, ...]:
    """Rows of the stored place of an affordance: the words of its cell by number, or its coordinates."""
    match universe.space:
        case Grid() as grid if grid.places == "stored":
            return tuple(str(word) for word in range(len(cell_words(grid))))
        case Continuous():
            return axes(universe)
        case _:
            return ()


def has_progress(universe: Universe) -> bool:
    """Whether some affordance lasts several ticks, so that agents can be engaged in one."""
    return any(affordance.duration is not None for affordance in universe.affordances)


def state_fields(universe: Universe) -> tuple[Field, ...]:
    """The arrays that are the whole state of the worlds, in the order in which kernels take them.

    Backends keep `alive` and `episode_return` around the tick; ticks read and write the rest. `layout` holds the 32
    bits of an unsigned number.
    """
    return tuple(_state(universe))


def _state(universe: Universe) -> Iterator[Field]:
    affordances = tuple(affordance.name for affordance in universe.affordances)
    lasting, tracking = has_progress(universe), universe.tracking is not None
    space, coordinate = axes(universe), position_dtype(universe)
    inside = tuple(Bounds(low, high) for low, high in coordinates(universe))
    number = (Bounds(NOWHERE, len(affordances) - 1),)
    life = universe.lifespan
    ends: tuple[Construct, ...] = ("causes", "lifespan")

    yield Field(
        "meters", "f32", "lane", tuple(meter.name for meter in universe.meters), "meter",
        meter_bounds(universe), writers=("meters",),
    )  # fmt: skip
    if space:
        yield Field(
            "position", coordinate, "lane", space, bounds=inside, writers=("space", "moving actions", "relocations"),
        )  # fmt: skip
    if universe.velocity:
        fast = tuple(Bounds(-most, most) for most in fastest(universe))
        yield Field("velocity", "f32", "lane", space, bounds=fast, start=0, writers=("space", "start", "pushes"))
    if universe.start is not None and universe.start.speed is not None:
        yield Field("speed", "f32", "lane", bounds=(Bounds(*speeds(universe)),), writers=("space", "start"))
    oldest = ANY_COUNT if life is None or universe.by_hand else Bounds(0, life.ticks)
    yield Field("age", "i32", "lane", bounds=(oldest,), start=0, writers=("lifespan",))
    if lasting:
        users: tuple[Construct, ...] = ("lasting affordances", "space")
        yield Field("engaged", "i32", "lane", bounds=number, start=NOWHERE, writers=users)
        yield Field("progress", "i32", "lane", bounds=(ANY_COUNT,), start=0, writers=users)
        if tracking and space:
            # Before the first use all coordinates are 0, which may lie outside the space.
            reached = tuple(Bounds(min(0, each.low), max(0, each.high)) for each in inside)
            yield Field("used_at", coordinate, "lane", space, bounds=reached, start=0, writers=users)
    if tracking:
        yield Field("last", "i32", "lane", bounds=number, start=NOWHERE, writers=("tracking",))
        if affordances:
            counts = (ANY_COUNT,) * len(affordances)
            yield Field(
                "streaks", "i32", "lane", affordances, "streak", counts, start=0, writers=("tracking",)
            )  # fmt: skip
            yield Field("seen", "bool", "lane", affordances, start=False, writers=("tracking",))
    if universe.inputs:
        names, bounds = tuple(item.name for item in universe.inputs), number_bounds(universe.inputs)
        yield Field("inputs", "f32", "lane", names, "input", bounds, writers=("inputs",))
    if universe.controls:
        names, bounds = tuple(item.name for item in universe.controls), number_bounds(universe.controls)
        yield Field("controls", "f32", "lane", names, "control", bounds, writers=("controls",))
    yield Field("alive", "bool", "lane", start=True, writers=ends)
    yield Field("episode_return", "f32", "lane", start=0, writers=("rewards", "lifespan", "causes"))
    if universe.clock is not None:
        hours = (Bounds(0, universe.clock.hours - 1),)
        yield Field("hour", "i32", "world", bounds=hours, start=0, writers=("clock",))
    yield Field("episode", "i32", "world", bounds=(ANY_COUNT,), writers=ends)
    yield Field("layout", "i32", "world", writers=ends)
    if universe.world is not None and universe.world.meters:
        names, bounds = tuple(meter.name for meter in universe.world.meters), number_bounds(universe.world.meters)
        yield Field("world_meters", "f32", "world", names, "world", bounds, writers=("world",))
    if universe.cells is not None and isinstance(universe.space, Grid):
        names, bounds = _cell_rows(universe.cells.meters, universe.space.sizes)
        apart = cell_numbers(universe)
        yield Field(CELL_METERS, "f32", "world", names, "cells", bounds, writers=("cells",), pitch=apart)
    if universe.pairs is not None:
        names, bounds = _pair_rows(universe.pairs.meters, pair_agents(universe))
        apart = pair_numbers(universe)
        yield Field(PAIR_STATES, "f32", "world", names, "pairs", bounds, writers=("pairs",), pitch=apart)
    if affordances and place_rows(universe):
        rows = tuple(f"{name}.{row}" for name in affordances for row in place_rows(universe))
        bounds = _place_bounds(universe) * len(affordances)
        yield Field("places", coordinate, "world", rows, "place", bounds, writers=("affordances", "space"))
    if universe.params:
        names, bounds = tuple(param.name for param in universe.params), number_bounds(universe.params)
        yield Field("params", "f32", "world", names, "param", bounds, writers=("params",))


@cache
def _cell_rows(meters: tuple[CellMeter, ...], sizes: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[Bounds, ...]]:
    """The names and bounds of all numbers of cells, meter by meter."""
    places = [",".join(map(str, reverse[::-1])) for reverse in product(*map(range, reversed(sizes)))]
    names = tuple(f"{meter.name}[{place}]" for meter in meters for place in places)
    return names, tuple(bounds for bounds in number_bounds(meters) for _ in places)


@cache
def _pair_rows(meters: tuple[PairMeter, ...], agents: int) -> tuple[tuple[str, ...], tuple[Bounds, ...]]:
    """The names and bounds of all numbers of pairs, state by state: what each has of agent 0, what each has of agent 1,
    and so on."""
    every = range(agents)
    names = tuple(f"{meter.name}[{own},{other}]" for meter in meters for other in every for own in every)
    return names, tuple(bounds for bounds in number_bounds(meters) for _ in range(agents * agents))


def pair_agents(universe: Universe) -> int:
    """How many agents a world has that have something of each other."""
    if universe.agents is None:
        raise ValueError(f"universe {universe.name} does not say how many agents have something of each other")
    return universe.agents


def pair_numbers(universe: Universe) -> int:
    """How many numbers (f32) the pairs of a world take: their states, and room for those that rules write."""
    if universe.pairs is None:
        return 0
    rows = len(universe.pairs.meters) + len(universe.pairs.written)
    return rows * pair_agents(universe) ** 2 + WIDEST_VECTOR


def cell_numbers(universe: Universe) -> int:
    """How many numbers (f32) the cells of a world take: their meters, and room for what is summed over them."""
    if universe.cells is None or not isinstance(universe.space, Grid):
        return 0
    rows = len(universe.cells.meters) + summed_over(universe) + len(universe.cells.sums) + read_elsewhere(universe)
    return rows * cells(universe.space)


def summed_over(universe: Universe) -> int:
    """How many numbers of each cell its neighbours sum."""
    return sum(isinstance(node, Neighbours) for node in nodes(universe.cells))


def read_elsewhere(universe: Universe) -> int:
    """How many meters of cells their rules read in cells that they name, as they were before these rules."""
    rules = () if universe.cells is None else universe.cells.rules
    read = [node.operand for node in nodes(rules) if isinstance(node, At)]
    return len({operand.meter for operand in read if isinstance(operand, CellValue)})


def _place_bounds(universe: Universe) -> tuple[Bounds, ...]:
    """The bounds of the rows of a stored place."""
    match universe.space:
        case Grid() as grid:
            return tuple(Bounds(0, prod(grid.sizes[begin:end]) - 1) for begin, end in cell_words(grid))
        case Continuous(axes=of_space):
            return number_bounds(of_space)
        case NoSpace():
            return ()


def report_names(universe: Universe) -> tuple[str, ...]:
    """Names of the values that a tick reports: of the rewards that have a name, then of the reports, each in file
    order.
    """
    rewards = tuple(reward.name for reward in universe.rewards if reward.name is not None)
    return (*rewards, *(report.name for report in universe.reports))


def outcome_fields(universe: Universe) -> tuple[Field, ...]:
    """The arrays that a tick writes beside the state: what happened in it."""
    affordances = (Bounds(NOWHERE, len(universe.affordances) - 1),)
    causes = (Bounds(NOWHERE, len(universe.causes)),)
    reports = report_names(universe)
    return (
        Field("reward", "f32", "lane", writers=("rewards", "lifespan", "causes")),
        Field("terminated", "bool", "lane", writers=("causes",)),
        Field("truncated", "bool", "lane", writers=("lifespan",)),
        Field("used", "i32", "lane", bounds=affordances, writers=("affordances",)),
        Field("cause", "i32", "lane", bounds=causes, writers=("causes", "lifespan")),
        *((Field("reports", "f32", "lane", reports, "report", writers=("rewards", "reports")),) if reports else ()),
    )
