"""Layouts: the keyed permutation and the draws that place affordances and agents in a new episode (docs/semantics.md,
"Layouts")."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.numbers.permutation import GOLDEN, MIX_MULTIPLIERS, ROUND_MULTIPLIERS, ROUNDS, SEED_SALT, Domain
from hamlet.universe import Continuous, Grid, NoSpace, Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output, Table
from hamletc.ir.ops import I32, U32, Fold, Value
from hamletc.lowering.draws import share
from hamletc.lowering.moves import fixed_position
from hamletc.lowering.places import Dealt, DrawTable, Places, cell_position, cell_words, grid_of, rank
from hamletc.lowering.plan import Plan, tables_of

DRAWS = "draws"
MIXED = f"{DRAWS}.mixed"


def new_layout(builder: Builder, seed_low: Value, seed_high: Value, world: Value, episode: Value) -> Value:
    """layout(seed, world, episode), all U32."""
    salted = mix32(builder, builder.xor(seed_high, builder.u32(SEED_SALT)))
    seed = mix32(builder, builder.xor(seed_low, salted))
    of_world = mix32(builder, builder.xor(world, seed))
    return mix32(builder, builder.add(of_world, builder.mul(episode, builder.u32(GOLDEN))))


def mix32(builder: Builder, value: Value) -> Value:
    """The 32-bit finalizer `mix`."""
    for shift, multiplier in ((16, MIX_MULTIPLIERS[0]), (15, MIX_MULTIPLIERS[1])):
        value = builder.xor(value, builder.shift_right(value, shift))
        value = builder.mul(value, builder.u32(multiplier))
    return builder.xor(value, builder.shift_right(value, 16))


# --- the permutation of the free cells -------------------------------------------------------------------------------


def permute(builder: Builder, domain: Domain, layout: Value, index: Value) -> Value:
    """P(index): the place below `domain.size` where the layout puts this index (U32, below `domain.size`)."""
    return _walk(builder, domain, layout, index, range(ROUNDS), _ring_add)


def unpermute(builder: Builder, domain: Domain, layout: Value, place: Value) -> Value:
    """The index that `permute` puts at this place (U32, below `domain.size`)."""
    return _walk(builder, domain, layout, place, reversed(range(ROUNDS)), _ring_sub)


def _walk(
    builder: Builder,
    domain: Domain,
    layout: Value,
    value: Value,
    rounds: Iterable[int],
    turn: Callable[[Builder, Value, Value, int], Value],
) -> Value:
    """Send the value through the rounds until it is a cell; it meets each ghost, a number beyond the cells, once at
    most."""
    low, rounds = builder.u32(domain.low), tuple(rounds)

    def network(value: Value) -> Value:
        high_part, low_part = builder.div(value, low), builder.rem(value, low)
        for number in rounds:
            if number % 2 == 0:
                by = _round(builder, layout, number, high_part, domain.low)
                low_part = turn(builder, low_part, by, domain.low)
            else:
                by = _round(builder, layout, number, low_part, domain.high)
                high_part = turn(builder, high_part, by, domain.high)
        return builder.add(builder.mul(high_part, low), low_part)

    value = network(value)
    for _ in range(domain.ghosts):
        value = builder.select(builder.less(value, builder.u32(domain.size)), value, network(value))
    return value


def _round(builder: Builder, layout: Value, number: int, part: Value, size: int) -> Value:
    """mulhigh(F(part, number), size)."""
    key = builder.add(layout, builder.u32(number * GOLDEN))
    value = builder.mul(builder.xor(part, key), builder.u32(ROUND_MULTIPLIERS[0]))
    value = builder.xor(value, builder.shift_right(value, 15))
    return builder.mul_high(builder.mul(value, builder.u32(ROUND_MULTIPLIERS[1])), builder.u32(size))


def _ring_add(builder: Builder, part: Value, by: Value, size: int) -> Value:
    """(part + by) mod size, both below `size`."""
    total = builder.add(part, by)
    if _is_power_of_two(size):
        return builder.and_(total, builder.u32(size - 1))
    ring = builder.u32(size)
    return builder.select(builder.less(total, ring), total, builder.sub(total, ring))


def _ring_sub(builder: Builder, part: Value, by: Value, size: int) -> Value:
    """(part - by) mod size, both below `size`."""
    difference = builder.sub(part, by)
    if _is_power_of_two(size):
        return builder.and_(difference, builder.u32(size - 1))
    return builder.select(builder.less(part, by), builder.add(difference, builder.u32(size)), difference)


def _is_power_of_two(size: int) -> bool:
    return size & (size - 1) == 0


def random_cell(builder: Builder, where: Places, layout: Value, index: Value) -> Value:
    """The cell (U32), among the axes that are permuted, that is free cell P(index)."""
    if where.dealt is not None:
        number = permute(builder, where.free, layout, _row(builder, where.free, index))
        return builder.to_u32(builder.lookup(where.dealt.cells, builder.to_i32(number)))
    cell = permute(builder, where.free, layout, index)
    if where.searched is not None:
        after = builder.add(builder.to_i32(cell), builder.i32(1))
        return builder.add(cell, builder.to_u32(rank(builder, where.searched.free, after)))
    for fixed in where.taken:
        at_or_after = builder.less_equal(builder.u32(fixed), cell)
        cell = builder.add(cell, builder.select(at_or_after, builder.u32(1), builder.u32(0)))
    return cell


def _row(builder: Builder, domain: Domain, index: Value) -> Value:
    """An index that a table of this domain has: lanes behind the last one are no agents, and begin nowhere."""
    return builder.select(builder.less(index, builder.u32(domain.size)), index, builder.u32(0))


def random_index(builder: Builder, where: Places, layout: Value, cell: Value) -> Value:
    """The index (U32) whose free cell P(index) is this cell (U32); meaningless for a cell with a fixed affordance. On a
    map it is 2**32 - 1 for all that are not free."""
    if where.dealt is not None:
        number = builder.to_u32(builder.lookup(where.dealt.numbers, builder.to_i32(cell)))
        is_free = builder.less(number, builder.u32(where.free.size))
        number_of = unpermute(builder, where.free, layout, builder.select(is_free, number, builder.u32(0)))
        return builder.select(is_free, number_of, builder.u32(-1))
    free = cell
    if where.searched is not None:
        before = rank(builder, where.searched.cells, builder.to_i32(cell))
        free = builder.sub(cell, builder.to_u32(before))
    else:
        for fixed in where.taken:
            after = builder.less(builder.u32(fixed), cell)
            free = builder.sub(free, builder.select(after, builder.u32(1), builder.u32(0)))
    return unpermute(builder, where.free, layout, free)


# --- places and starts of a new episode ------------------------------------------------------------------------------


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


def position_on_map(
    builder: Builder, universe: Universe, where: Dealt, layout: Value, index: Value, agent: Value
) -> tuple[Value, ...]:
    """Where an agent (U32), which has this index (U32), begins an episode: by a letter of a map, or anywhere on it."""
    if where.starts is None:
        raise ValueError(f"universe {universe.name} starts agents on free cells")
    if where.domain is None:
        salt = builder.u32(ROUND_MULTIPLIERS[1])
        draw = mix32(builder, builder.add(_mixed(builder, layout, index), salt))
        number = builder.mul_high(draw, builder.u32(len(where.starts.values)))
    else:
        number = permute(builder, where.domain, mix32(builder, layout), _row(builder, where.domain, agent))
    cell = builder.to_u32(builder.lookup(where.starts, builder.to_i32(number)))
    return cell_position(builder, grid_of(universe).sizes, cell)


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
            return builder.minimum(builder.add(low, builder.mul(size, share(builder, draw))), high)
        case NoSpace():
            raise ValueError(f"universe {universe.name} has no axes")


def _mixed(builder: Builder, layout: Value, index: Value) -> Value:
    """The part (U32) that all draws of an index (U32) share."""
    of_index = builder.mul(builder.add(index, builder.u32(1)), builder.u32(GOLDEN))
    return mix32(builder, builder.add(layout, of_index))


def new_place(builder: Builder, plan: Plan, layout: Value, number: int) -> tuple[Value, ...]:
    """The stored place of an affordance in a new episode: rows as `schema.place_rows` has them."""
    universe, where = plan.universe, plan.places
    fixed = universe.affordances[number].place
    if fixed is None:
        index = builder.u32(where.random_index(number))
        if plan.arranged is not None:
            return (_arranged_cell(builder, plan.arranged, len(where.random), layout, where.random_index(number)),)
        if plan.draws is not None:
            cell = random_cell(builder, where, layout, index)
            return _drawn_words(builder, plan.draws, _mixed(builder, layout, index), cell)
        position = position_apart(builder, universe, where, layout, index)
    else:
        position = fixed_position(builder, universe, fixed)
    return cell_words(builder, universe.space, position) if isinstance(universe.space, Grid) else position


def _arranged_cell(builder: Builder, table: Table, each: int, layout: Value, index: int) -> Value:
    """The cell (I32) of the affordance at random of this index in the arrangement that the layout chooses."""
    chosen = builder.mul_high(mix32(builder, layout), builder.u32(len(table.values) // each))
    row = builder.add(builder.mul(builder.to_i32(chosen), builder.i32(each)), builder.i32(index))
    return builder.lookup(table, row)


# --- a loop over the axes that are drawn, where they are many --------------------------------------------------------


def _drawn_words(builder: Builder, table: DrawTable, mixed: Value, cell: Value) -> tuple[Value, ...]:
    """The words (I32) of the place of an index.

    Args:
        mixed: the part that all draws of the index share (U32).
        cell: among the axes that are permuted (U32); they are part of the first word.
    """
    # Seed the accumulators with a non-constant so that the loop has a type; subtract it afterwards.
    names, tables = _word_names(table), tuple(each.name for each in tables_of(table))
    initial = (mixed,) * len(names)
    words = []
    for number, name in enumerate(names[1:]):
        fold = Fold(DRAWS, name, len(table.salt.values), names, tables, initial)
        word = builder.sub(builder.node(fold, U32), mixed)
        words.append(builder.to_i32(word if number else builder.add(word, cell)))
    return tuple(words)


def draw_body(table: DrawTable) -> Function:
    """The body of the loop: a row draws the coordinate on its axis and adds it to its word, in strides."""
    builder = Builder("episode")
    with builder.at(Construct("layout"), None):
        row, names = builder.input(I32, "row"), _word_names(table)
        mixed, *words = [builder.input(U32, name) for name in names]
        salt, size, stride = (
            builder.to_u32(builder.lookup(each, row)) for each in (table.salt, table.size, table.stride)
        )
        coordinate = builder.mul_high(mix32(builder, builder.add(mixed, salt)), size)
        more, target = builder.mul(coordinate, stride), builder.lookup(table.word, row)
        results = [
            builder.select(builder.equal(target, builder.i32(number)), builder.add(word, more), word)
            for number, word in enumerate(words)
        ]
    outputs = zip(names, [mixed, *results], strict=True)
    return builder.finish(DRAWS, tuple(Output(name, value) for name, value in outputs))


def _word_names(table: DrawTable) -> tuple[str, ...]:
    """The names of the words in the body."""
    return (MIXED, *(f"{DRAWS}.word{number}" for number in range(table.words)))
