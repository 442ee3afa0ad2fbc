"""What an agent observes: one value per segment of `schema.observation_segments`, per element where it has several."""

from __future__ import annotations

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import (
    Continuous,
    Encoding,
    Grid,
    NoSpace,
    ObserveBlank,
    ObserveConstant,
    ObserveGrid,
    ObserveHere,
    ObserveLifetime,
    ObserveMeters,
    ObserveParams,
    ObservePosition,
    ObserveProgress,
    ObserveRegion,
    ObserveSpeed,
    ObserveTime,
    ObserveVelocity,
    ObserveWindow,
    ObserveWorld,
)
from hamletc.ir.function import Construct, Output
from hamletc.ir.ops import ShiftRight, Value
from hamletc.lowering.expressions import clock_hour, day_time, there_is
from hamletc.lowering.lane import Lane
from hamletc.lowering.occupancy import WORD, Occupancy, has_bit, occupancy, word_with
from hamletc.lowering.places import cell_index, grid_of
from hamletc.lowering.space import affordance_here, is_at, is_nowhere, speed
from hamletc.lowering.terrain import beyond, is_in
from hamletc.lowering.window import window_words

MOST_CONSTANT = 32
"""The most words of a region that are constants of a kernel."""


def observe(lane: Lane) -> tuple[Output, ...]:
    """The outputs of all observations, in order."""
    builder, universe = lane.builder, lane.universe
    occupied: Occupancy | None = None
    segments = schema.observation_segments(universe)
    values: list[Value] = []
    for item in universe.observations:
        match item:
            case ObserveGrid():
                with builder.at(Construct("observe grid"), item.span):
                    occupied = occupied or occupancy(lane)
                    values.append(_grid(lane, segments[len(values)].name, occupied))
            case ObserveWindow(radius=radius):
                with builder.at(Construct("observe window"), item.span):
                    occupied = occupied or occupancy(lane)
                    values.append(_window(lane, segments[len(values)].name, radius, occupied))
            case ObserveRegion():
                with builder.at(Construct("observe region"), item.span):
                    values.append(_region(lane, segments[len(values)].name, item))
            case ObservePosition(encoding=encoding):
                with builder.at(Construct("observe position"), item.span):
                    values += _position(lane, encoding)
            case ObserveMeters(meters=meters):
                values += [lane.meters[meter] for meter in meters]
            case ObserveHere(affordances=affordances):
                with builder.at(Construct("observe here"), item.span):
                    values.append(_here(lane, segments[len(values)].name, affordances))
            case ObserveTime(functions=functions):
                with builder.at(Construct("observe time"), item.span):
                    tables = [day_time(universe, function) for function in functions]
                    values += [builder.lookup(table, clock_hour(lane)) for table in tables]
            case ObserveProgress(per=per):
                with builder.at(Construct("observe progress"), item.span):
                    values.append(_progress(lane, per))
            case ObserveLifetime():
                with builder.at(Construct("observe lifetime"), item.span):
                    values.append(_lifetime(lane))
            case ObserveParams(params=params):
                values += [lane.params[param] for param in params]
            case ObserveWorld(meters=meters):
                values += [lane.world[meter] for meter in meters]
            case ObserveVelocity(axes=axes):
                values += [lane.velocity[schema.axes(universe).index(axis)] for axis in axes]
            case ObserveSpeed():
                with builder.at(Construct("observe speed"), item.span):
                    values.append(speed(lane))
            case ObserveBlank():
                with builder.at(Construct("observe blank"), item.span):
                    values.append(builder.f32(0.0))
            case ObserveConstant():
                with builder.at(Construct("observe constant"), item.span):
                    name = segments[len(values)].name
                    values.append(builder.lookup(lane.plan.rows[name], builder.element(name)))
    return tuple(
        Output(segment.name, value, segment.count if segment.repeated else None)
        for segment, value in zip(segments, values, strict=True)
    )


def _indicator(lane: Lane, condition: Value) -> Value:
    """1.0 where the condition holds, else 0.0."""
    return lane.builder.select(condition, lane.builder.f32(1.0), lane.builder.f32(0.0))


def _grid(lane: Lane, name: str, occupied: Occupancy) -> Value:
    builder = lane.builder
    cell = builder.element(name)
    own = builder.equal(cell, cell_index(builder, grid_of(lane.universe).sizes, lane.position))
    return builder.add(_indicator(lane, occupied.at(builder.to_u32(cell))), _indicator(lane, own))


def _window(lane: Lane, name: str, radius: int, occupied: Occupancy) -> Value:
    builder = lane.builder
    row = builder.to_u32(builder.element(name))
    if words := window_words(lane, radius, occupied):
        return _indicator(lane, has_bit(builder, words, row))
    inside, seen = _row_cell(lane, radius, row)
    return _indicator(lane, builder.and_(inside, occupied.at(seen)))


def _row_cell(lane: Lane, radius: int, row: Value) -> tuple[Value, Value]:
    """Whether (BOOL) the cell of a row (U32) of a window is on the grid, and its index (U32)."""
    builder, sizes = lane.builder, grid_of(lane.universe).sizes
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


def _region(lane: Lane, name: str, item: ObserveRegion) -> Value:
    """`grid of forest`, `window 2 of wall`."""
    builder, grid, known, words = lane.builder, grid_of(lane.universe), lane.plan.ground, lane.plan.seen[name]
    row = builder.element(name)
    if known is None:
        raise ValueError(f"universe {lane.universe.name} observes a region and has no map")
    if item.radius is None:
        (table,) = words
        if len(table.values) <= MOST_CONSTANT:
            constant = [builder.u32(int(word)) for word in table.values]
            return _indicator(lane, has_bit(builder, constant, builder.to_u32(row)))
        number = builder.to_i32(builder.shift_right(builder.to_u32(row), 5))
        word = builder.to_u32(builder.lookup(table, number))
        return _indicator(lane, _bit(lane, [word], builder.to_u32(row), known=True))
    if words:
        cell = cell_index(builder, grid.sizes, lane.position)
        bits = [builder.to_u32(builder.lookup(table, cell)) for table in words]
        return _indicator(lane, has_bit(builder, bits, builder.to_u32(row)))
    inside, cell = _row_cell(lane, item.radius, builder.to_u32(row))
    there = is_in(builder, known, item.region, builder.to_i32(builder.select(inside, cell, builder.u32(0))))
    outside = builder.boolean(beyond(grid, item))
    return _indicator(lane, builder.select(inside, there, outside))


def _position(lane: Lane, encoding: Encoding) -> list[Value]:
    builder, position = lane.builder, lane.position
    match lane.universe.space:
        case Grid(sizes=of_grid):
            sizes = [float(size) for size in of_grid]
            absolute = [builder.to_f32(coordinate) for coordinate in position]
            from_low = [
                builder.div(coordinate, builder.f32(max(size - 1.0, 1.0)))
                for coordinate, size in zip(absolute, sizes, strict=True)
            ]
        case Continuous(axes=axes):
            sizes = [round32(axis.size) for axis in axes]
            absolute = list(position)
            from_low = [
                builder.div(builder.sub(coordinate, builder.f32(round32(axis.low))), builder.f32(size))
                for coordinate, axis, size in zip(position, axes, sizes, strict=True)
            ]
        case NoSpace():
            return []
    match encoding:
        case "absolute":
            return absolute
        case "relative":
            return from_low
        case "scaled":
            return from_low + [builder.f32(size) for size in sizes]


def _here(lane: Lane, name: str, affordances: tuple[str | None, ...]) -> Value:
    builder = lane.builder
    if not lane.plan.computed:
        words = _here_words(lane, affordances)
        return _indicator(lane, _bit(lane, words, builder.to_u32(builder.element(name))))
    here = affordance_here(lane)
    if name in lane.plan.rows:
        return _indicator(lane, builder.equal(here, builder.lookup(lane.plan.rows[name], builder.element(name))))
    nowhere = builder.less(here, builder.i32(0))
    row = builder.select(nowhere, builder.i32(len(lane.universe.affordances)), here)
    return _indicator(lane, builder.equal(builder.element(name), row))


def _here_words(lane: Lane, affordances: tuple[str | None, ...]) -> list[Value]:
    """Words (U32) with a bit per item: whether the agent is there."""
    builder, nothing = lane.builder, lane.builder.u32(0)
    words = [nothing] * -(-len(affordances) // WORD)
    for index, affordance in enumerate(affordances):
        there = is_nowhere(lane) if affordance is None else is_at(lane, lane.plan.numbers[affordance])
        bit = builder.select(there, builder.u32(1 << index % WORD), nothing)
        words[index // WORD] = builder.or_(words[index // WORD], bit)
    return words


def _bit(lane: Lane, words: list[Value], index: Value, *, known: bool = False) -> Value:
    """Whether (BOOL) the bit of an index (U32) is set; of a `known` word, the one that has it."""
    builder = lane.builder
    word = words[0] if known else word_with(builder, words, index)
    bit = builder.emit(ShiftRight(word, builder.and_(index, builder.u32(WORD - 1))))
    return builder.equal(builder.and_(bit, builder.u32(1)), builder.u32(1))


def _progress(lane: Lane, per: int | None) -> Value:
    builder, engaged = lane.builder, there_is(lane.engaged, "engagement")
    spent = builder.to_f32(there_is(lane.progress, "progress"))
    if per is not None:
        return builder.div(spent, builder.f32(round32(float(per))))
    nobody = builder.less(engaged, builder.i32(0))
    if lane.plan.durations is not None:
        row = builder.select(nobody, builder.i32(0), engaged)
        ticks_of = builder.to_f32(builder.lookup(lane.plan.durations, row))
        return builder.select(nobody, builder.f32(0.0), builder.div(spent, ticks_of))
    lasting = [
        (number, float(affordance.duration))
        for number, affordance in enumerate(lane.universe.affordances)
        if affordance.duration is not None
    ]
    duration = builder.f32(round32(lasting[0][1]))
    for number, ticks in lasting[1:]:
        this = builder.equal(engaged, builder.i32(number))
        duration = builder.select(this, builder.f32(round32(ticks)), duration)
    return builder.select(nobody, builder.f32(0.0), builder.div(spent, duration))


def _lifetime(lane: Lane) -> Value:
    lifespan = lane.universe.lifespan
    if lifespan is None:
        raise ValueError(f"universe {lane.universe.name} observes its lifetime and has no lifespan")
    builder, one = lane.builder, lane.builder.f32(1.0)
    share = builder.div(builder.to_f32(lane.age), builder.f32(round32(float(lifespan.ticks))))
    return builder.select(builder.less(one, share), one, share)
