"""What an agent observes: one value per segment of `schema.observation_segments`, per element where it has several."""

from __future__ import annotations

from math import cos, pi, sin

from hamlet import schema
from hamlet.binary32 import round32
from hamlet.universe import (
    Encoding,
    ObserveGrid,
    ObserveHere,
    ObserveLifetime,
    ObserveMeters,
    ObserveParams,
    ObservePosition,
    ObserveProgress,
    ObserveTime,
    ObserveWindow,
    Universe,
)
from hamletc.ir.function import Output, Table
from hamletc.ir.ops import Value
from hamletc.ir.typing import F32
from hamletc.lowering.expressions import clock_hour
from hamletc.lowering.lane import Lane
from hamletc.lowering.layout import affordance_here, cell_index
from hamletc.lowering.occupancy import Occupancy, occupancy

TIME_SIN, TIME_COS = "time.sin", "time.cos"


def time_tables(universe: Universe) -> tuple[Table, ...]:
    """The tables of the time: sin and cos of every hour, in binary64, rounded once."""
    if universe.clock is None or not any(isinstance(item, ObserveTime) for item in universe.observations):
        return ()
    hours = universe.clock.hours
    angles = [2.0 * pi * hour / hours for hour in range(hours)]
    return (
        Table(TIME_SIN, F32, tuple(round32(sin(angle)) for angle in angles)),
        Table(TIME_COS, F32, tuple(round32(cos(angle)) for angle in angles)),
    )


def observe(lane: Lane) -> tuple[Output, ...]:
    """The outputs of all observations, in order."""
    builder, universe = lane.builder, lane.universe
    occupied: Occupancy | None = None
    values: list[Value] = []
    for item in universe.observations:
        match item:
            case ObserveGrid():
                with builder.at("observe grid", item.span.line):
                    occupied = occupied or occupancy(lane)
                    values.append(_grid(lane, occupied))
            case ObserveWindow(radius=radius):
                with builder.at("observe window", item.span.line):
                    occupied = occupied or occupancy(lane)
                    values.append(_window(lane, radius, occupied))
            case ObservePosition(encoding=encoding):
                with builder.at("observe position", item.span.line):
                    values += _position(lane, encoding)
            case ObserveMeters(meters=meters):
                values += [lane.meters[meter] for meter in meters]
            case ObserveHere():
                with builder.at("observe here", item.span.line):
                    here = affordance_here(lane)
                    nowhere = builder.less(here, builder.i32(0))
                    row = builder.select(nowhere, builder.i32(len(universe.affordances)), here)
                    values.append(_indicator(lane, builder.equal(builder.element("here"), row)))
            case ObserveTime():
                with builder.at("observe time", item.span.line):
                    values += [builder.lookup(table, clock_hour(lane)) for table in time_tables(universe)]
            case ObserveProgress(per=per):
                with builder.at("observe progress", item.span.line):
                    values.append(_progress(lane, per))
            case ObserveLifetime():
                with builder.at("observe lifetime", item.span.line):
                    values.append(_lifetime(lane))
            case ObserveParams(params=params):
                values += [lane.params[param] for param in params]
    segments = schema.observation_segments(universe)
    return tuple(
        Output(segment.name, value, segment.count if segment.name in ("grid", "window", "here") else None)
        for segment, value in zip(segments, values, strict=True)
    )


def _indicator(lane: Lane, condition: Value) -> Value:
    """1.0 where the condition holds, else 0.0."""
    return lane.builder.select(condition, lane.builder.f32(1.0), lane.builder.f32(0.0))


def _grid(lane: Lane, occupied: Occupancy) -> Value:
    builder = lane.builder
    cell = builder.element("grid")
    own = builder.equal(cell, cell_index(builder, lane.universe.space.sizes, lane.position))
    return builder.add(_indicator(lane, occupied(builder.to_u32(cell))), _indicator(lane, own))


def _window(lane: Lane, radius: int, occupied: Occupancy) -> Value:
    builder, sizes = lane.builder, lane.universe.space.sizes
    side = builder.u32(2 * radius + 1)
    rest = builder.to_u32(builder.element("window"))
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
    return _indicator(lane, builder.and_(builder.all(conditions), occupied(cell)))


def _position(lane: Lane, encoding: Encoding) -> list[Value]:
    builder, sizes = lane.builder, lane.universe.space.sizes
    absolute = [builder.to_f32(coordinate) for coordinate in lane.position]
    if encoding == "absolute":
        return absolute
    relative = [
        builder.div(coordinate, builder.f32(float(max(size - 1, 1))))
        for coordinate, size in zip(absolute, sizes, strict=True)
    ]
    if encoding == "relative":
        return relative
    return relative + [builder.f32(float(size)) for size in sizes]


def _progress(lane: Lane, per: int | None) -> Value:
    builder = lane.builder
    if lane.engaged is None or lane.progress is None:
        raise ValueError(f"universe {lane.universe.name} observes progress and has none")
    spent = builder.to_f32(lane.progress)
    if per is not None:
        return builder.div(spent, builder.f32(round32(float(per))))
    catalogue, nobody = lane.plan.catalogue, builder.less(lane.engaged, builder.i32(0))
    if catalogue is not None and catalogue.duration is not None:
        row = builder.select(nobody, builder.i32(0), lane.engaged)
        ticks_of = builder.to_f32(builder.lookup(catalogue.duration, row))
        return builder.select(nobody, builder.f32(0.0), builder.div(spent, ticks_of))
    lasting = [
        (number, float(affordance.duration))
        for number, affordance in enumerate(lane.universe.affordances)
        if affordance.duration is not None
    ]
    duration = builder.f32(round32(lasting[0][1]))
    for number, ticks in lasting[1:]:
        engaged = builder.equal(lane.engaged, builder.i32(number))
        duration = builder.select(engaged, builder.f32(round32(ticks)), duration)
    nowhere = builder.less(lane.engaged, builder.i32(0))
    return builder.select(nowhere, builder.f32(0.0), builder.div(spent, duration))


def _lifetime(lane: Lane) -> Value:
    lifespan = lane.universe.lifespan
    if lifespan is None:
        raise ValueError(f"universe {lane.universe.name} observes its lifetime and has no lifespan")
    builder = lane.builder
    return builder.div(builder.to_f32(lane.age), builder.f32(round32(float(lifespan.ticks))))
