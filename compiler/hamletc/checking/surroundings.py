"""Where everything but meters lies: params, inputs, controls, the clock, ages, and the quantities of a space."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from functools import reduce

from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.schema import axis_names
from hamlet.universe import After, Continuous, Every, Grid, Metric, NoSpace, NumberTable, Space, Start
from hamlet.universe.space import beside, cells, letters_of
from hamletc.checking.draft import Draft
from hamletc.checking.names import Names
from hamletc.checking.roles import only_agents
from hamletc.checking.wholes import Wholes, wholes_in
from hamletc.intervals import Interval, hull, hull_of, length, single

LONGEST_AGE = 2.0**31


@dataclass(frozen=True, slots=True)
class Extent:
    """Where the quantities of a space lie. `position` and `velocity` have an interval per axis; the velocity goes from
    one end of the axis to the other, or is what episodes begin with; with momentum it has a limit. `terrains` has the
    numbers of cells, walls included."""

    position: Mapping[str, Interval]
    velocity: Mapping[str, Interval]
    speed: Interval
    distance: Interval
    straight_distance: Interval
    walking_distance: Interval
    terrains: Mapping[str, Interval]
    beside: int = 0
    """How many cells are beside one at most."""
    wraps: bool = False
    """Whether there is a cell wherever one is asked for."""


def extent(space: Space, start: Start | None = None) -> Extent:
    """The extent of a space in which episodes begin like this."""
    position = _positions(space)
    spans = [_span(interval) for interval in position.values()]
    straight = speed = Interval(0.0, length(spans))
    velocity = {name: Interval(-span, span) for name, span in zip(position, spans, strict=True)}
    if isinstance(space, Continuous) and space.momentum is not None:
        most = round32(space.momentum)
        velocity = {name: Interval(-most, most) for name in velocity}
        speed = Interval(0.0, length([most] * len(velocity)))
    elif start is not None:
        begin = first_speed(start)
        speed = speed if begin is None else hull(speed, Interval(begin, begin))
        for name, part in zip(position, start.velocity, strict=True):
            velocity[name] = hull(velocity[name], single(part))
    walking = Interval(0.0, float(cells(space)) if isinstance(space, Grid) else 0.0)
    next_to = beside(space) if isinstance(space, Grid) else 0
    wraps = isinstance(space, Grid) and space.edges == "wrap"
    return Extent(position, velocity, speed, farthest(space), straight, walking, _terrains(space), next_to, wraps)


def _terrains(space: Space) -> dict[str, Interval]:
    ground = letters_of(space)
    if ground is None:
        return {}
    letters = set("".join(ground.rows))
    numbers = {each.name: [round32(ground.number(each, letter)) for letter in letters] for each in ground.terrains}
    return {name: Interval(min(several), max(several)) for name, several in numbers.items()}


def first_speed(start: Start) -> float | None:
    """The speed that episodes begin with, or a little more; `None` where it is beyond binary32."""
    if start.speed is not None:
        return round32(start.speed)
    try:
        return length([abs(round32(part)) for part in start.velocity])
    except OverflowError:
        return None


def _positions(space: Space) -> dict[str, Interval]:
    match space:
        case Grid(sizes=sizes):
            return {name: Interval(0.0, size - 1.0) for name, size in zip(axis_names(len(sizes)), sizes, strict=True)}
        case Continuous(axes=axes):
            # `wrap` and `bounce` add to the lower bound at most the size, and round.
            ends = [(low := round32(a.low), max(round32(a.high), round32(low + round32(a.size)))) for a in axes]
            return {name: Interval(*end) for name, end in zip(axis_names(len(axes)), ends, strict=True)}
        case NoSpace():
            return {}


def farthest(space: Space) -> Interval:
    """Where the distance between two places lies."""
    match space:
        case Grid():
            return Interval(0.0, _across_cells(space))
        case Continuous(metric=metric):
            return Interval(0.0, _across([_span(interval) for interval in _positions(space).values()], metric))
        case NoSpace():
            return Interval(0.0, 0.0)


def _across_cells(grid: Grid) -> float:
    """The largest distance between two cells."""
    if grid.metric == "hexagonal":
        # Around the edges it can be less.
        return round32(max(grid.sizes) if grid.edges == "wrap" else sum(size - 1 for size in grid.sizes))
    spans = [size // 2 if grid.edges == "wrap" else size - 1 for size in grid.sizes]
    match grid.metric:
        case "manhattan":
            return round32(sum(spans))
        case "chebyshev":
            return round32(max(spans))
        case "euclidean":
            return round32(math.sqrt(round32(sum(span * span for span in spans))))


def _across(spans: list[float], metric: Metric) -> float:
    """The largest distance, each operation rounded; rounding keeps the order of numbers."""
    match metric:
        case "manhattan":
            return reduce(lambda total, span: round32(total + span), spans, 0.0)
        case "chebyshev":
            return max(spans)
        case "euclidean":
            return round32(math.sqrt(reduce(lambda total, span: round32(total + round32(span * span)), spans, 0.0)))


def _span(interval: Interval) -> float:
    return round32(interval.high - interval.low)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where everything else lies; a name that is absent and `None` are unknown, since something about it is wrong."""

    bounds: Mapping[str, Interval]
    params: Mapping[str, Interval]
    inputs: Mapping[str, Interval]
    controls: Mapping[str, Interval]
    hour: Interval | None
    age: Interval | None
    age_before: Interval | None
    space: Extent | None
    progress: Interval | None
    streak: Interval | None
    visited: Interval
    wholes: Wholes
    source: Interval | None = None
    threshold: Interval | None = None
    tables: Mapping[str, NumberTable] = field(default_factory=dict)
    birthday: Interval | None = None
    """The age when a tick ends."""
    agents: int | None = None
    """How many agents a world has, where an index of a table is asked for and roles say it of all."""
    counted: int | None = None
    """How many agents a world has, where roles say it of all."""

    def in_time(self, condition: Every | After) -> bool | None:
        """Whether such a condition always holds (true), never does, or can do either. The number of a tick in a life is
        the age at its beginning plus 1."""
        if isinstance(condition, Every) and condition.ticks == 1:
            return True
        if self.age_before is None:
            return None
        first = condition.ticks if isinstance(condition, Every) else condition.ticks + 1
        return False if self.age_before.high + 1 < first else None

    def later(self) -> Surroundings:
        """When rewards are paid: after the birthday, in the same tick."""
        return replace(self, age=self.birthday)

    def indexing(self) -> Surroundings:
        """In an index of a table. Elsewhere the numbers of agents may be any: what is written out for roles compares
        them, also where all are of one role."""
        return replace(self, agents=self.counted)

    def between(self) -> Surroundings:
        """Between ticks, or before the first one."""
        return replace(self, age=hull_of([self.age, self.birthday]))


def surroundings(draft: Draft, names: Names, bounds: Mapping[str, Interval]) -> Surroundings:
    """What surrounds meters with these bounds, at the beginning of a tick."""
    age, birthday = (_ages(draft, names, birthdays) for birthdays in (0, 1))
    durations = [affordance.duration for affordance in draft.affordances if affordance.duration is not None]
    longest = LONGEST_AGE if 0 in durations else float(max(durations, default=0))
    return Surroundings(
        bounds=bounds,
        params={param.name: Interval(round32(param.low), round32(param.high)) for param in draft.params},
        inputs={item.name: Interval(round32(item.low), round32(item.high)) for item in draft.inputs},
        controls={item.name: Interval(round32(item.low), round32(item.high)) for item in draft.controls},
        hour=None if draft.clock is None else Interval(0.0, draft.clock.hours - 1.0),
        age=age,
        age_before=age,
        space=None if draft.space is None else extent(draft.space, draft.start),
        progress=Interval(0.0, longest) if durations else None,
        streak=None if age is None else Interval(0.0, age.high + 1.0),
        visited=Interval(0.0, float(len(draft.affordances))),
        tables={table.name: table for table in draft.tables},
        birthday=birthday,
        counted=only_agents(names),
        wholes=Wholes(cells=False, counts=False) if draft.space is None else wholes_in(draft, draft.space),
    )


def _ages(draft: Draft, names: Names, birthdays: int) -> Interval | None:
    """The ages in a tick when `birthdays` birthdays have passed since it began."""
    if draft.lifespan is not None and not draft.by_hand:
        return Interval(float(birthdays), float(draft.lifespan.ticks - 1 + birthdays))
    unlimited = names.lifespan is None or draft.by_hand
    return Interval(float(birthdays), LONGEST_AGE) if unlimited else None
