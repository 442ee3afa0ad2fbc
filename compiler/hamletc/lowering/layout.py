"""Where everything stands: cells, places, the affordance under an agent; and a world's new layout."""

from __future__ import annotations

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.numbers.permutation import GOLDEN, ROUND_MULTIPLIERS, SEED_SALT
from hamlet.universe import Continuous, Grid, NoSpace, Universe
from hamletc.ir.builder import Builder
from hamletc.ir.ops import Value
from hamletc.lowering.draw_loop import drawn_words
from hamletc.lowering.lane import Lane
from hamletc.lowering.moves import fixed_position, literal
from hamletc.lowering.permutation import mix32, permute, unpermute
from hamletc.lowering.places import Places, rank
from hamletc.lowering.plan import Plan


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


def cell_words(builder: Builder, grid: Grid, position: tuple[Value, ...]) -> tuple[Value, ...]:
    """The words (I32) of the cell at this position: `schema.cell_words`."""
    return tuple(
        cell_index(builder, grid.sizes[begin:end], position[begin:end]) for begin, end in schema.cell_words(grid)
    )


def random_cell(builder: Builder, where: Places, layout: Value, index: Value) -> Value:
    """The cell (U32), among the axes that are permuted, that is free cell P(index)."""
    cell = permute(builder, where.free, layout, index)
    if where.searched is not None:
        after = builder.add(builder.to_i32(cell), builder.i32(1))
        return builder.add(cell, builder.to_u32(rank(builder, where.searched.free, after)))
    for fixed in where.taken:
        at_or_after = builder.less_equal(builder.u32(fixed), cell)
        cell = builder.add(cell, builder.select(at_or_after, builder.u32(1), builder.u32(0)))
    return cell


def random_index(builder: Builder, where: Places, layout: Value, cell: Value) -> Value:
    """The index (U32) whose free cell P(index) is this cell (U32); meaningless for a cell with a fixed affordance."""
    free = cell
    if where.searched is not None:
        before = rank(builder, where.searched.cells, builder.to_i32(cell))
        return unpermute(builder, where.free, layout, builder.sub(cell, builder.to_u32(before)))
    for fixed in where.taken:
        after = builder.less(builder.u32(fixed), cell)
        free = builder.sub(free, builder.select(after, builder.u32(1), builder.u32(0)))
    return unpermute(builder, where.free, layout, free)


def position_apart(
    builder: Builder, universe: Universe, where: Places, layout: Value, index: Value, cell: Value | None = None
) -> tuple[Value, ...]:
    """Where the affordance or agent of this index (U32) begins an episode; on a grid all are on cells of their own,
    this one on that `cell` (U32) where it is known."""
    if not isinstance(universe.space, Grid):
        return position_anywhere(builder, universe, layout, index)
    sizes = universe.space.sizes
    if cell is None:
        cell = random_cell(builder, where, layout, index)
    drawn = (_drawn(builder, universe, layout, index, axis) for axis in range(where.permuted, len(sizes)))
    return (*cell_position(builder, sizes[: where.permuted], cell), *drawn)


def position_anywhere(builder: Builder, universe: Universe, layout: Value, index: Value) -> tuple[Value, ...]:
    """Where the affordance or agent of this index (U32) begins an episode, drawn axis by axis."""
    return tuple(_drawn(builder, universe, layout, index, axis) for axis in range(len(schema.axes(universe))))


def _drawn(builder: Builder, universe: Universe, layout: Value, index: Value, axis: int) -> Value:
    """The coordinate on an axis that the layout draws for an index (U32)."""
    salt = builder.u32((axis + 1) * ROUND_MULTIPLIERS[1])
    draw = mix32(builder, builder.add(_mixed(builder, layout, index), salt))
    match universe.space:
        case Grid(sizes=sizes):
            return builder.to_i32(builder.mul_high(draw, builder.u32(sizes[axis])))
        case Continuous(axes=axes):
            low, high, size = (
                builder.f32(round32(each)) for each in (axes[axis].low, axes[axis].high, axes[axis].size)
            )
            share = builder.mul(builder.to_f32(builder.to_i32(builder.shift_right(draw, 8))), builder.f32(2.0**-24))
            return builder.minimum(builder.add(low, builder.mul(size, share)), high)
        case NoSpace():
            raise ValueError(f"universe {universe.name} has no axes")


def _mixed(builder: Builder, layout: Value, index: Value) -> Value:
    """What all draws of an index (U32) have in common (U32)."""
    of_index = builder.mul(builder.add(index, builder.u32(1)), builder.u32(GOLDEN))
    return mix32(builder, builder.add(layout, of_index))


def new_place(builder: Builder, plan: Plan, layout: Value, number: int) -> tuple[Value, ...]:
    """The stored place of an affordance in a new episode: rows as `schema.place_rows` has them."""
    universe, where = plan.universe, plan.places
    fixed = universe.affordances[number].place
    if fixed is None:
        index = builder.u32(where.random_index(number))
        if plan.draws is not None:
            cell = random_cell(builder, where, layout, index)
            return drawn_words(builder, plan.draws, _mixed(builder, layout, index), cell)
        position = position_apart(builder, universe, where, layout, index)
    else:
        position = tuple(literal(builder, coordinate) for coordinate in fixed_position(universe, fixed))
    return cell_words(builder, universe.space, position) if isinstance(universe.space, Grid) else position


def affordance_position(lane: Lane, number: int) -> tuple[Value, ...]:
    """The position of an affordance per axis, of the type of positions."""
    builder, universe, fixed = lane.builder, lane.universe, lane.universe.affordances[number].place
    match universe.space:
        case Grid() as grid if lane.plan.computed:
            if fixed is not None:
                return tuple(literal(builder, coordinate) for coordinate in fixed_position(universe, fixed))
            where = lane.plan.places
            index = builder.u32(where.random_index(number))
            return cell_position(builder, grid.sizes, random_cell(builder, where, lane.layout, index))
        case Grid() as grid:
            words = zip(schema.cell_words(grid), lane.places[number], strict=True)
            of_words = (
                cell_position(builder, grid.sizes[begin:end], builder.to_u32(word)) for (begin, end), word in words
            )
            return tuple(coordinate for part in of_words for coordinate in part)
        case Continuous():
            return lane.places[number]
        case NoSpace():
            return ()


def affordance_here(lane: Lane) -> Value:
    """The number (I32) of the affordance on the agent's cell, -1 where there is none; where places are computed."""
    builder, where = lane.builder, lane.plan.places
    with builder.at("here", None):
        cell = cell_index(builder, grid_of(lane.universe).sizes, lane.position)
        here = builder.i32(schema.NOWHERE)
        if lane.found is not None:
            numbers = _numbers(builder, where, builder.to_u32(lane.found))
            here = builder.select(builder.less(lane.found, builder.i32(0)), here, numbers)
        elif where.random:
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


def grid_of(universe: Universe) -> Grid:
    """The grid of a universe that has one."""
    if not isinstance(universe.space, Grid):
        raise ValueError(f"universe {universe.name} has no grid")
    return universe.space


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
