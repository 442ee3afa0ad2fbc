"""Where an agent is in its space: lengths, distances to affordances, and which it is at (docs/semantics.md,
"Expressions")."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import Continuous, Grid, Metric, NoSpace, Space
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct
from hamletc.ir.ops import U32, Value
from hamletc.lowering.functions import rounded_down
from hamletc.lowering.lane import Lane
from hamletc.lowering.layouts import random_cell, random_index
from hamletc.lowering.moves import fixed_position
from hamletc.lowering.places import Places, cell_index, cell_position, cell_words, grid_of, rank
from hamletc.lowering.walks import steps_between


def length(builder: Builder, vector: Sequence[Value]) -> Value:
    """The length (F32) of a vector: the first squares, a multiple of 4 of them, are rounded before they are added."""
    total: Value | None = None
    rounded_twice = len(vector) // 4 * 4
    for index, part in enumerate(vector):
        if total is None:
            total = builder.mul(part, part)
        elif index < rounded_twice:
            total = builder.add(total, builder.mul(part, part))
        else:
            total = builder.fma(part, part, total)
    return builder.f32(0.0) if total is None else builder.sqrt(total)


def speed(lane: Lane) -> Value:
    """The speed (F32): the length of the velocity, where it is no state of its own."""
    return length(lane.builder, lane.velocity) if lane.speed is None else lane.speed


def distance(lane: Lane, number: int) -> Value:
    """The distance (F32) to an affordance by the metric of the space."""
    if isinstance(lane.universe.space, NoSpace):
        return lane.builder.f32(0.0)
    return between(lane.builder, lane.universe.space, lane.position, affordance_position(lane, number))


def between(builder: Builder, space: Space, position: Sequence[Value], there: Sequence[Value]) -> Value:
    """The distance (F32) between positions by the metric of the space."""
    steps = [builder.sub(own, other) for own, other in zip(position, there, strict=True)]
    match space:
        case Grid(sizes=sizes, edges=edges, metric=metric):
            if metric == "hexagonal":
                return builder.to_f32(_hexagons(builder, space, steps))
            away = []
            for size, step in zip(sizes, steps, strict=True):
                apart = builder.abs(step)
                if edges == "wrap":
                    apart = builder.minimum(apart, builder.sub(builder.i32(size), apart))
                away.append(apart)
            total = builder.to_f32(_total(builder, metric, away))
        case Continuous(metric=metric):
            total = _total(builder, metric, steps if metric == "euclidean" else [builder.abs(step) for step in steps])
        case NoSpace():
            return builder.f32(0.0)
    return builder.sqrt(total) if metric == "euclidean" else total


def straight_distance(lane: Lane, number: int) -> Value:
    """The length (F32) of the vector to an affordance."""
    builder, steps = lane.builder, _steps(lane, number)
    if isinstance(lane.universe.space, Grid):
        steps = [builder.to_f32(step) for step in steps]
    return length(builder, steps)


def walking_distance(lane: Lane, number: int) -> Value:
    """The fewest moves (F32) that lead to an affordance."""
    builder, routes, sizes = lane.builder, lane.plan.walks, grid_of(lane.universe).sizes
    if routes is None:
        raise ValueError(f"universe {lane.universe.name} has no table of ways")
    own = cell_index(builder, sizes, lane.position)
    if number in routes.fixed:
        return builder.to_f32(builder.lookup(routes.to[routes.fixed.index(number)], own))
    if routes.ways is None:
        raise ValueError(f"universe {lane.universe.name} has no table of all ways")
    place = cell_index(builder, sizes, affordance_position(lane, number))
    return builder.to_f32(steps_between(builder, routes.ways, own, place))


def _steps(lane: Lane, number: int) -> list[Value]:
    """The agent's coordinates less those of an affordance."""
    there = affordance_position(lane, number)
    return [lane.builder.sub(own, other) for own, other in zip(lane.position, there, strict=True)]


def _total(builder: Builder, metric: Metric, away: list[Value]) -> Value:
    """The distance that the metric makes of the steps on all axes; for the euclidean metric its square."""
    match metric:
        case "manhattan":
            return reduce(builder.add, away)
        case "chebyshev":
            return reduce(builder.maximum, away)
        case "euclidean":
            return reduce(builder.add, [builder.mul(apart, apart) for apart in away])


def _hexagons(builder: Builder, grid: Grid, steps: list[Value]) -> Value:
    """The fewest moves (I32) between hexagons that are so many steps (I32) apart on each axis."""
    ways = [[step] for step in steps]
    if grid.edges == "wrap":
        ways = []
        for size, step in zip(grid.sizes, steps, strict=True):
            behind, around = builder.less(step, builder.i32(0)), builder.i32(size)
            forth = builder.select(behind, builder.add(step, around), step)
            ways.append([forth, builder.sub(forth, around)])
    lengths = [
        reduce(builder.maximum, [builder.abs(right), builder.abs(down), builder.abs(builder.add(right, down))])
        for right in ways[0]
        for down in ways[1]
    ]
    return reduce(builder.minimum, lengths)


# --- affordances -----------------------------------------------------------------------------------------------------


def affordance_position(lane: Lane, number: int) -> tuple[Value, ...]:
    """The position of an affordance per axis, of the type of positions."""
    builder, universe, fixed = lane.builder, lane.universe, lane.universe.affordances[number].place
    match universe.space:
        case Grid(sizes=sizes) if lane.plan.computed:
            if fixed is not None:
                return fixed_position(builder, universe, fixed)
            where = lane.plan.places
            index = builder.u32(where.random_index(number))
            return cell_position(builder, sizes, random_cell(builder, where, lane.layout, index))
        case _ if lane.universe.affordances[number].moving:
            return moving_position(lane, number)
        case Grid(sizes=sizes) as grid:
            words = zip(schema.cell_words(grid), lane.places[number], strict=True)
            of_words = (cell_position(builder, sizes[begin:end], builder.to_u32(word)) for (begin, end), word in words)
            return tuple(coordinate for part in of_words for coordinate in part)
        case Continuous():
            return lane.places[number]
        case NoSpace():
            return ()


def moving_position(lane: Lane, number: int) -> tuple[Value, ...]:
    """Where meters of the world say that an affordance is, per axis; on a grid they are rounded down."""
    numbers = tuple(lane.world[meter] for meter in lane.universe.affordances[number].moving)
    if not isinstance(lane.universe.space, Grid):
        return numbers
    return tuple(rounded_down(lane.builder, number) for number in numbers)


def place_of(lane: Lane, number: int) -> tuple[Value, ...]:
    """The place of an affordance where places are stored: rows as `schema.place_rows` has them."""
    if not lane.universe.affordances[number].moving:
        return lane.places[number]
    position = moving_position(lane, number)
    space = lane.universe.space
    return cell_words(lane.builder, space, position) if isinstance(space, Grid) else position


def is_on_place(lane: Lane, number: int) -> Value:
    """Whether (BOOL) the agent is where the affordance of this number is, there or not."""
    builder = lane.builder
    match lane.universe.space:
        case Grid() if lane.plan.computed and lane.looks:
            return _stands_on_looked_at(lane, number)
        case Grid() if lane.plan.computed:
            return builder.equal(affordance_here(lane), builder.i32(number))
        case Grid() as grid:
            with builder.at(Construct("here"), None):
                own = cell_words(builder, grid, lane.position)
                return builder.all([builder.equal(a, b) for a, b in zip(own, place_of(lane, number), strict=True)])
        case Continuous(reach=reach):
            with builder.at(Construct("here"), None):
                return builder.less_equal(distance(lane, number), builder.f32(round32(reach)))
        case NoSpace():
            return builder.boolean(True)


def _stands_on_looked_at(lane: Lane, number: int) -> Value:
    """Whether (BOOL) an affordance is on the cell that an agent looks at. Its own cell is found once for all of these,
    where places are computed."""
    builder, fixed = lane.builder, lane.universe.affordances[number].place
    with builder.at(Construct("here"), None):
        if fixed is not None:
            there = fixed_position(builder, lane.universe, fixed)
            return builder.all([builder.equal(a, b) for a, b in zip(lane.position, there, strict=True)])
        index = lane.plan.places.random_index(number)
        if lane.plan.cell_cache:
            stands = builder.input(U32, f"cell.{index}")
        else:
            stands = random_cell(builder, lane.plan.places, lane.layout, builder.u32(index))
        own = cell_index(builder, grid_of(lane.universe).sizes, lane.position)
        return builder.equal(builder.to_u32(own), stands)


def affordance_here(lane: Lane) -> Value:
    """The number (I32) of the affordance on the agent's cell, -1 where there is none; where places are computed."""
    builder, where = lane.builder, lane.plan.places
    with builder.at(Construct("here"), None):
        cell = cell_index(builder, grid_of(lane.universe).sizes, lane.position)
        here = builder.i32(schema.NOWHERE)
        if lane.searched is not None:
            numbers = _numbers(builder, where, lane.searched)
            if numbers == lane.searched:
                here = numbers
            else:
                here = builder.select(builder.less(lane.searched, builder.i32(0)), here, numbers)
        elif where.random:
            index = random_index(builder, where, lane.layout, builder.to_u32(cell))
            numbers = _numbers(builder, where, builder.to_i32(index))
            here = builder.select(builder.less(index, builder.u32(len(where.random))), numbers, here)
        if where.searched is not None:
            before = rank(builder, where.searched.cells, cell)
            fixed_here = builder.equal(builder.lookup(where.searched.cells, before), cell)
            return builder.select(fixed_here, builder.lookup(where.searched.fixed, before), here)
        for fixed, number in where.fixed:
            here = builder.select(builder.equal(cell, builder.i32(fixed)), builder.i32(number), here)
        return here


def _numbers(builder: Builder, where: Places, index: Value) -> Value:
    """The number (I32) of the affordance at random of this index (I32), anything where there is none.

    Unrolled, it is the index, plus one for every number left out before it.
    """
    numbers = where.random
    result = index
    if where.searched is not None and where.fixed:
        is_random = builder.less(builder.to_u32(index), builder.u32(len(numbers)))
        return builder.lookup(where.searched.random, builder.select(is_random, result, builder.i32(0)))
    skipped = 0
    for position, number in enumerate(numbers):
        gap = number - position - skipped
        if gap:
            reached = builder.less_equal(builder.i32(position), index)
            result = builder.add(result, builder.select(reached, builder.i32(gap), builder.i32(0)))
            skipped += gap
    return result
