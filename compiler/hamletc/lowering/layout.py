"""Where everything stands: cells, places, the affordance under an agent, occupied cells; and a world's new layout."""

from __future__ import annotations

from hamlet import schema
from hamlet.permutation import GOLDEN, SEED_SALT
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.lane import Lane
from hamletc.lowering.permutation import mix32, permute, unpermute
from hamletc.lowering.places import Places, rank


def cell_index(builder: Builder, sizes: tuple[int, ...], position: tuple[Value, ...]) -> Value:
    """The index (I32) of the cell at this position (I32 per axis)."""
    index = position[-1]
    for size, coordinate in zip(reversed(sizes[:-1]), reversed(position[:-1]), strict=True):
        index = builder.add(builder.mul(index, builder.i32(size)), coordinate)
    return index


def cell_position(builder: Builder, sizes: tuple[int, ...], cell: Value) -> tuple[Value, ...]:
    """The position (I32 per axis) of the cell of this index (U32)."""
    position = []
    for size in sizes[:-1]:
        position.append(builder.to_i32(builder.rem(cell, builder.u32(size))))
        cell = builder.div(cell, builder.u32(size))
    return (*position, builder.to_i32(cell))


def random_cell(builder: Builder, where: Places, layout: Value, index: Value) -> Value:
    """The cell (U32) that is free cell P(index)."""
    cell = permute(builder, where.free, layout, index)
    if where.searched is not None:
        after = builder.add(builder.to_i32(cell), builder.i32(1))
        return builder.add(cell, builder.to_u32(rank(builder, where.searched.free, after)))
    for fixed, _ in where.fixed:
        at_or_after = builder.less_equal(builder.u32(fixed), cell)
        cell = builder.add(cell, builder.select(at_or_after, builder.u32(1), builder.u32(0)))
    return cell


def random_index(builder: Builder, where: Places, layout: Value, cell: Value) -> Value:
    """The index (U32) whose free cell P(index) is this cell (U32); meaningless for a cell with a fixed affordance."""
    free = cell
    if where.searched is not None:
        before = rank(builder, where.searched.cells, builder.to_i32(cell))
        return unpermute(builder, where.free, layout, builder.sub(cell, builder.to_u32(before)))
    for fixed, _ in where.fixed:
        after = builder.less(builder.u32(fixed), cell)
        free = builder.sub(free, builder.select(after, builder.u32(1), builder.u32(0)))
    return unpermute(builder, where.free, layout, free)


def affordance_position(lane: Lane, number: int) -> tuple[Value, ...]:
    """The position (I32 per axis) of an affordance."""
    builder, universe = lane.builder, lane.universe
    cell = universe.affordances[number].cell
    if cell is not None:
        return tuple(builder.i32(coordinate) for coordinate in cell)
    where = lane.plan.places
    index = builder.u32(where.random_index(number))
    return cell_position(builder, universe.space.sizes, random_cell(builder, where, lane.layout, index))


def affordance_here(lane: Lane) -> Value:
    """The number (I32) of the affordance on the agent's cell, -1 where there is none."""
    builder, universe = lane.builder, lane.universe
    where = lane.plan.places
    with builder.at("here", 0):
        cell = cell_index(builder, universe.space.sizes, lane.position)
        here = builder.i32(schema.NOWHERE)
        if where.random:
            index = random_index(builder, where, lane.layout, builder.to_u32(cell))
            numbers = _numbers(builder, where, index)
            here = builder.select(builder.less(index, builder.u32(len(where.random))), numbers, here)
        if where.searched is not None:
            before = rank(builder, where.searched.cells, cell)
            fixed_here = builder.equal(builder.lookup(where.searched.cells, before), cell)
            return builder.select(fixed_here, builder.lookup(where.searched.fixed, before), here)
        for fixed, number in where.fixed:
            here = builder.select(builder.equal(cell, builder.i32(fixed)), builder.i32(number), here)
        return here


def _numbers(builder: Builder, where: Places, index: Value) -> Value:
    """The number (I32) of the affordance at random of this index (U32), anything where there is none.

    Unrolled, it is the index, plus one for every number left out before it.
    """
    numbers = where.random
    result = builder.to_i32(index)
    if where.searched is not None and where.fixed:
        known = builder.less(index, builder.u32(len(numbers)))
        return builder.lookup(where.searched.random, builder.select(known, result, builder.i32(0)))
    skipped = 0
    for position, number in enumerate(numbers):
        gap = number - position - skipped
        if gap:
            reached = builder.less_equal(builder.i32(position), builder.to_i32(index))
            result = builder.add(result, builder.select(reached, builder.i32(gap), builder.i32(0)))
            skipped += gap
    return result


def new_layout(builder: Builder, seed_low: Value, seed_high: Value, world: Value, episode: Value) -> Value:
    """layout(seed, world, episode), all U32."""
    salted = mix32(builder, builder.xor(seed_high, builder.u32(SEED_SALT)))
    seed = mix32(builder, builder.xor(seed_low, salted))
    of_world = mix32(builder, builder.xor(world, seed))
    return mix32(builder, builder.add(of_world, builder.mul(episode, builder.u32(GOLDEN))))
