"""Observations of an agent: a value per segment of `schema.observation_segments`, per element where it has several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from hamlet import schema, universe
from hamlet.universe.space import around
from hamletc.ir.function import OF_PAIRS, PAIRS_AT, Construct, Output, Table
from hamletc.ir.ops import I32, ShiftRight, Value
from hamletc.lowering.expressions import cell_value, is_at, is_nowhere, lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.observation_tables import role_key
from hamletc.lowering.occupancy import WORD, Occupancy, has_bit, occupancy, word_with
from hamletc.lowering.places import cell_index, cell_position, grid_of
from hamletc.lowering.space import affordance_here
from hamletc.lowering.terrain import beyond, is_in
from hamletc.lowering.views import Views
from hamletc.lowering.walls import hidden_behind
from hamletc.lowering.window import window_words

MOST_CONSTANT = 32
"""The most words of a region that are constants of a kernel."""


Row: TypeAlias = Callable[[Callable[[], Value]], Value]
"""The value of a row of a segment, from what gives the number of that row (I32)."""


def observe(lane: Lane) -> tuple[Output, ...]:
    """The outputs of all observations, in order."""
    builder = lane.builder
    segments, seen = schema.common_segments(lane.universe), _Seen(lane)
    rows = seen.rows(lane.universe.observations, [segment.name for segment in segments])
    outputs = tuple(
        Output(segment.name, row(partial(builder.element, segment.name)), segment.count if segment.repeated else None)
        for segment, row in zip(segments, rows, strict=True)
    )
    return outputs if lane.universe.roles is None else (*outputs, *_of_roles(lane, lane.universe.roles, seen))


def _of_roles(lane: Lane, roles: tuple[universe.Role, ...], seen: _Seen) -> Iterator[Output]:
    """Rows behind those that all agents have: of the role of the agent, or 0."""
    builder = lane.builder
    common = len(schema.common_segments(lane.universe))
    rows = [
        tuple(seen.rows(role.observations, [role_key(number, each.name) for each in segments[common:]]))
        for number, role in enumerate(roles)
        for segments in (schema.role_segments(lane.universe, role),)
    ]
    for shared in schema.shared_rows(lane.universe):
        segment = shared.segment
        value = builder.f32(0.0)
        for role, own, share in zip(roles, rows, shared.shares, strict=True):
            if share is not None:
                row = own[share.segment](partial(_element, lane, segment, share.first))
                with builder.at(Construct("role", role.name), role.span):
                    value = builder.select(lower_expression(lane, role.belongs), row, value)
        yield Output(segment.name, value, segment.count if segment.repeated else None)


def _element(lane: Lane, segment: schema.Segment, first: int) -> Value:
    """The number of the row (I32) that a role has in a segment that roles share; `first` is that of the first one."""
    builder = lane.builder
    if not segment.repeated:
        return builder.i32(first)
    element = builder.element(segment.name)
    return builder.add(element, builder.i32(first)) if first else element


class _Seen:
    """Observations of lanes, row by row. Values that windows and grids need are computed once."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._occupancy: Occupancy | None = None
        self._walls: dict[int, list[Value]] = {}
        self._views = Views(lane)

    def _occupied(self) -> Occupancy:
        self._occupancy = self._occupancy or occupancy(self._lane)
        return self._occupancy

    def rows(self, items: tuple[universe.Observation, ...], keys: Sequence[str]) -> Iterator[Row]:
        """A row for each segment of these items; `keys` are the names of the segments in the plan."""
        lane, names = self._lane, iter(keys)
        builder = lane.builder
        for item in items:
            match item:
                case universe.ObserveGrid():
                    next(names)
                    yield self._each(item, self._grid)
                case universe.ObserveWindow(radius=radius, within=within):
                    name = next(names)
                    yield self._each(item, partial(self._window, radius, None if within is None else name))
                case universe.ObserveRegion():
                    yield self._each(item, partial(self._region, next(names), item))
                case universe.ObserveCells():
                    next(names)
                    yield self._each(item, partial(_cells, lane, item))
                case universe.ObserveView():
                    next(names)
                    yield self._each(item, partial(self._view, item))
                case universe.ObserveHere(affordances=affordances):
                    yield self._each(item, partial(_here, lane, next(names), affordances))
                case universe.ObserveValue(name=name, value=value):
                    next(names)
                    with builder.at(Construct("observe", name), item.span):
                        number = lower_expression(lane, value)
                    yield partial(_fixed, number)
                case universe.ObserveOneHot():
                    next(names)
                    yield partial(_chosen, lane, item)
                case universe.ObserveHot():
                    next(names)
                    yield partial(_hot, lane, item)
                case universe.ObservePairs():
                    next(names)
                    yield self._each(item, partial(_pairs, lane, item))
                case universe.ObserveBlank():
                    next(names)
                    with builder.at(Construct("observe blank"), item.span):
                        zero = builder.f32(0.0)
                    yield partial(_fixed, zero)
                case universe.ObserveConstant():
                    table = lane.plan.rows[next(names)]
                    yield self._each(item, partial(self._constant, table))

    def _each(self, item: universe.Observation, row: Row) -> Row:
        """A row of an item that has many alike."""
        kind = type(item).__name__.removeprefix("Observe").lower()

        def written(element: Callable[[], Value]) -> Value:
            with self._lane.builder.at(Construct(f"observe {kind}"), item.span):
                return row(element)

        return written

    def _grid(self, element: Callable[[], Value]) -> Value:
        occupied = self._occupied()
        return _grid(self._lane, element(), occupied)

    def _window(self, radius: int, in_sight: str | None, element: Callable[[], Value]) -> Value:
        """A row of a window; `in_sight` is the name of its tables where only what the agent sees is shown."""
        value = _window(self._lane, radius, self._occupied(), element)
        return value if in_sight is None else self._if_seen(in_sight, radius, value, element)

    def _region(self, name: str, item: universe.ObserveRegion, element: Callable[[], Value]) -> Value:
        """`grid of forest`, `window 2 of wall`, and the same in sight past walls of which cells decide."""
        if self._lane.universe.wall is None:
            return _region(self._lane, name, item, element)
        value = _walls(self._lane, item, element) if item.region is None else _region(self._lane, name, item, element)
        if item.within is None or item.radius is None:
            return value
        return self._if_seen(name, item.radius, value, element)

    def _if_seen(self, name: str, radius: int, value: Value, element: Callable[[], Value]) -> Value:
        """The value of a row of a window in sight; 0 where the agent does not see the cell of the row."""
        lane = self._lane
        if lane.universe.wall is None:
            return _if_seen(lane, name, value, element)
        if radius not in self._walls:
            self._walls[radius] = _walls_around(lane, radius)
        builder, row = lane.builder, element()
        hidden = [
            builder.equal(builder.and_(word, builder.to_u32(builder.lookup(table, row))), builder.u32(0))
            for word, table in zip(self._walls[radius], lane.plan.seen[name], strict=True)
        ]
        return builder.select(builder.all(hidden), value, builder.f32(0.0))

    def _view(self, item: universe.ObserveView, element: Callable[[], Value]) -> Value:
        return self._views.row(item, self._occupied, element())

    def _constant(self, table: Table, element: Callable[[], Value]) -> Value:
        return self._lane.builder.lookup(table, element())


def _fixed(value: Value, _: Callable[[], Value]) -> Value:
    return value


def _indicator(lane: Lane, condition: Value) -> Value:
    """1.0 where the condition holds, else 0.0."""
    return lane.builder.select(condition, lane.builder.f32(1.0), lane.builder.f32(0.0))


def _grid(lane: Lane, cell: Value, occupied: Occupancy) -> Value:
    builder = lane.builder
    own = builder.equal(cell, cell_index(builder, grid_of(lane.universe).sizes, lane.position))
    return builder.add(_indicator(lane, occupied.at(builder.to_u32(cell))), _indicator(lane, own))


def _window(lane: Lane, radius: int, occupied: Occupancy, element: Callable[[], Value]) -> Value:
    builder = lane.builder
    row = builder.to_u32(element())
    if words := window_words(lane, radius, occupied):
        return _indicator(lane, has_bit(builder, words, row))
    inside, seen = _row_cell(lane, radius, row)
    return _indicator(lane, builder.and_(inside, occupied.at(seen)))


def _if_seen(lane: Lane, name: str, value: Value, element: Callable[[], Value]) -> Value:
    """The value of a row of a window in sight; 0 where the agent does not see the cell of the row."""
    builder = lane.builder
    cell = cell_index(builder, grid_of(lane.universe).sizes, lane.position)
    bits = [builder.to_u32(builder.lookup(table, cell)) for table in lane.plan.seen[name]]
    seen = has_bit(builder, bits, builder.to_u32(element()))
    return builder.select(seen, value, builder.f32(0.0))


def _row_cell(lane: Lane, radius: int, row: Value) -> tuple[Value, Value]:
    """Whether (BOOL) the cell of a row (U32) of a window is on the grid, and its index (U32)."""
    builder, sizes = lane.builder, grid_of(lane.universe).sizes
    if radius in lane.plan.around:
        tables = lane.plan.around[radius]
        offsets = [builder.lookup(table, builder.to_i32(row)) for table in tables]
        near = tuple(builder.add(x, offset) for x, offset in zip(lane.position, offsets, strict=True))
        on_grid = [builder.less(builder.to_u32(x), builder.u32(size)) for x, size in zip(near, sizes, strict=True)]
        return builder.all(on_grid), builder.to_u32(cell_index(builder, sizes, near))
    side, rest = builder.u32(2 * radius + 1), row
    seen: list[Value] = []
    conditions: list[Value] = []
    for axis, coordinate in enumerate(lane.position):
        offset = builder.to_i32(rest if axis == len(sizes) - 1 else builder.rem(rest, side))
        rest = builder.div(rest, side)
        place = builder.add(coordinate, builder.sub(offset, builder.i32(radius)))
        conditions += [
            builder.less_equal(builder.i32(0), place),
            builder.less(place, builder.i32(sizes[axis])),
        ]
        seen.append(place)
    cell = builder.to_u32(cell_index(builder, sizes, tuple(seen)))
    return builder.all(conditions), cell


def _region(lane: Lane, name: str, item: universe.ObserveRegion, element: Callable[[], Value]) -> Value:
    """`grid of forest`, `window 2 of wall`."""
    builder, grid, floor = lane.builder, grid_of(lane.universe), lane.plan.ground
    words = lane.plan.seen[name] if lane.universe.wall is None or item.within is None else ()
    row = element()
    if floor is None:
        raise ValueError(f"universe {lane.universe.name} observes a region and has no map")
    if item.radius is None:
        (table,) = words
        if len(table.values) <= MOST_CONSTANT:
            constant = [builder.u32(int(word)) for word in table.values]
            return _indicator(lane, has_bit(builder, constant, builder.to_u32(row)))
        number = builder.to_i32(builder.shift_right(builder.to_u32(row), 5))
        word = builder.to_u32(builder.lookup(table, number))
        return _indicator(lane, _bit(lane, [word], builder.to_u32(row), one_word=True))
    if words:
        cell = cell_index(builder, grid.sizes, lane.position)
        bits = [builder.to_u32(builder.lookup(table, cell)) for table in words]
        return _indicator(lane, has_bit(builder, bits, builder.to_u32(row)))
    inside, cell = _row_cell(lane, item.radius, builder.to_u32(row))
    there = is_in(builder, floor, item.region, builder.to_i32(builder.select(inside, cell, builder.u32(0))))
    outside = builder.boolean(beyond(grid, item))
    return _indicator(lane, builder.select(inside, there, outside))


def _walls(lane: Lane, item: universe.ObserveRegion, element: Callable[[], Value]) -> Value:
    """`grid of wall`, `window 2 of wall` where cells decide which are walls."""
    builder, sizes, row = lane.builder, grid_of(lane.universe).sizes, element()
    if item.radius is None:
        return _indicator(lane, _is_wall(lane, cell_position(builder, sizes, builder.to_u32(row))))
    inside, cell = _row_cell(lane, item.radius, builder.to_u32(row))
    there = _is_wall(lane, cell_position(builder, sizes, builder.select(inside, cell, builder.u32(0))))
    outside = builder.boolean(beyond(grid_of(lane.universe), item))
    return _indicator(lane, builder.select(inside, there, outside))


def _is_wall(lane: Lane, position: tuple[Value, ...]) -> Value:
    """Whether (BOOL) a position (I32 per axis) is a wall."""
    wall = hidden_behind(lane, position)
    return lane.builder.boolean(False) if wall is None else wall


def _walls_around(lane: Lane, radius: int) -> list[Value]:
    """Words (U32) with a bit per cell of a window: whether it is a wall; beyond edges all is, unless they wrap."""
    builder, grid = lane.builder, grid_of(lane.universe)
    offsets = around(grid, radius)
    words = [builder.u32(0)] * -(-len(offsets) // WORD)
    for number, offset in enumerate(offsets):
        near = [builder.add(x, builder.i32(by)) for x, by in zip(lane.position, offset, strict=True)]
        conditions = [
            builder.less(builder.to_u32(x), builder.u32(size)) for x, size in zip(near, grid.sizes, strict=True)
        ]
        inside = builder.all(conditions)
        there = _is_wall(lane, tuple(builder.select(inside, x, builder.i32(0)) for x in near))
        wall = builder.select(inside, there, builder.boolean(grid.edges != "wrap"))
        bit = builder.select(wall, builder.u32(1 << number % WORD), builder.u32(0))
        words[number // WORD] = builder.or_(words[number // WORD], bit)
    return words


def _cells(lane: Lane, item: universe.ObserveCells, element: Callable[[], Value]) -> Value:
    """`grid of moss`, `window 2 of moss`."""
    builder = lane.builder
    row = element()
    if item.radius is None:
        return _shown(lane, item, row)
    inside, cell = _row_cell(lane, item.radius, builder.to_u32(row))
    there = _shown(lane, item, builder.to_i32(builder.select(inside, cell, builder.u32(0))))
    return builder.select(inside, there, builder.f32(0.0))


def _shown(lane: Lane, item: universe.ObserveCells, cell: Value) -> Value:
    """The value (F32) that an item shows of a cell (I32)."""
    value = cell_value(lane, item.meter, cell)
    if item.only is None:
        return value
    return _indicator(lane, lane.builder.equal(value, lane.builder.f32(float(item.only))))


def _pairs(lane: Lane, item: universe.ObservePairs, element: Callable[[], Value]) -> Value:
    """A state that the agent has of the one of the row."""
    builder = lane.builder
    with builder.at(Construct("state"), None, "state"):
        begin, number = builder.input(I32, PAIRS_AT), builder.input(I32, "agent")
    row = builder.mul(element(), builder.i32(item.agents))
    return builder.fetch(f"{OF_PAIRS}{item.meter}", builder.add(builder.add(begin, number), row))


def _chosen(lane: Lane, item: universe.ObserveOneHot, element: Callable[[], Value]) -> Value:
    """Whether an expression is the option of the row."""
    builder = lane.builder
    with builder.at(Construct("observe", item.name), item.span):
        return _indicator(lane, builder.equal(builder.to_f32(element()), lower_expression(lane, item.value)))


def _hot(lane: Lane, item: universe.ObserveHot, element: Callable[[], Value]) -> Value:
    """Whether an expression is the number of the row."""
    builder = lane.builder
    with builder.at(Construct("observe", item.name), item.span):
        number = builder.to_f32(builder.add(element(), builder.i32(item.values.start)))
        return _indicator(lane, builder.equal(number, lower_expression(lane, item.value)))


def _here(lane: Lane, name: str, affordances: tuple[str | None, ...], element: Callable[[], Value]) -> Value:
    builder = lane.builder
    if not lane.plan.computed or any(each is not None and each not in lane.plan.numbers for each in affordances):
        words = _here_words(lane, affordances)
        return _indicator(lane, _bit(lane, words, builder.to_u32(element())))
    here = affordance_here(lane)
    if name in lane.plan.rows:
        return _indicator(lane, builder.equal(here, builder.lookup(lane.plan.rows[name], element())))
    nowhere = builder.less(here, builder.i32(0))
    row = builder.select(nowhere, builder.i32(len(lane.universe.affordances)), here)
    return _indicator(lane, builder.equal(element(), row))


def _here_words(lane: Lane, affordances: tuple[str | None, ...]) -> list[Value]:
    """Words (U32) with a bit per item: whether the agent is there."""
    builder, nothing = lane.builder, lane.builder.u32(0)
    words = [nothing] * -(-len(affordances) // WORD)
    for index, affordance in enumerate(affordances):
        there = is_nowhere(lane) if affordance is None else _is_at_one_of(lane, affordance)
        bit = builder.select(there, builder.u32(1 << index % WORD), nothing)
        words[index // WORD] = builder.or_(words[index // WORD], bit)
    return words


def _is_at_one_of(lane: Lane, name: str) -> Value:
    """Whether (BOOL) the agent is at an affordance, or at one of the copies of this name."""
    named = enumerate(lane.universe.affordances)
    return lane.builder.any([is_at(lane, number) for number, each in named if name in (each.name, each.copy_of)])


def _bit(lane: Lane, words: list[Value], index: Value, *, one_word: bool = False) -> Value:
    """Whether (BOOL) the bit of an index (U32) is set; of `one_word`, the one that has it."""
    builder = lane.builder
    word = words[0] if one_word else word_with(builder, words, index)
    bit = builder.emit(ShiftRight(word, builder.and_(index, builder.u32(WORD - 1))))
    return builder.equal(builder.and_(bit, builder.u32(1)), builder.u32(1))
