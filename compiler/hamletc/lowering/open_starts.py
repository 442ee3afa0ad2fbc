"""Where agents and affordances at random begin an episode beside walls of which cells decide (docs/semantics.md, "Drawn
walls"): each tries cells of its own, one after the other, until one is no wall as cells begin.

Cells have begun nowhere yet when that is asked for, so the loop finds the start values of a cell that it tries, which
follow from draws of that cell alone, from params and from what the world begins with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.numbers.counters import BLOCK_WORDS, CELL_EPISODE_DRAWS, CELL_SHIFT
from hamlet.numbers.permutation import GOLDEN, ROUND_MULTIPLIERS
from hamlet.universe import (
    AgentCount,
    CellMeter,
    CellValue,
    Expression,
    Grid,
    ParamValue,
    Universe,
    WorldValue,
    draws,
    nodes,
)
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output
from hamletc.ir.ops import I32, U32, Fold, Lookup, Value
from hamletc.lowering.draws import philox
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.layouts import mix32, permute, random_cell
from hamletc.lowering.places import cell_position, grid_of
from hamletc.lowering.plan import Plan

Kind: TypeAlias = Literal["free", "letter", "anywhere"]
"""Which cells are tried: the free ones of the layout, those with the letters where agents start, or any."""
TRIES = 64
SEEDS = ("world", "episode", "seed_low", "seed_high")
"""Numbers that draws of a cell follow from, beside its own."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Numbers that the start values of cells read.

    Attributes:
        seeds: `SEEDS` (U32).
        params, world: by name (F32).
        agents: how many a world has (U32).
    """

    seeds: tuple[Value, ...]
    params: Mapping[str, Value]
    world: Mapping[str, Value]
    agents: Value

    def words(self, builder: Builder) -> tuple[Value, ...]:
        """All of them (U32), in the order in which loops carry them."""
        numbers = (builder.to_bits(each) for each in (*self.params.values(), *self.world.values()))
        return (*self.seeds, self.agents, *numbers)


def kind_of_starts(universe: Universe) -> Kind:
    """Which cells agents try."""
    grid = grid_of(universe)
    if grid.map is not None and grid.map.starts is not None:
        return "letter"
    return "free" if grid.starts == "apart" else "anywhere"


def open_position(
    planned: Plan, builder: Builder, kind: Kind, layout: Value, index: Value, stride: Value, begun: Begun
) -> tuple[Value, ...]:
    """The position (I32 per axis) of this index (U32): the first of its cells, which come every `stride` (U32), that is
    no wall as cells begin; the very first where all that are tried are walls."""
    if kind == "letter":
        layout = mix32(builder, layout)
    first = candidate(planned, builder, kind, layout, index, builder.u32(0))
    blocked = _begins_as_wall(planned, builder, first, begun)
    is_wall = builder.select(blocked, builder.u32(1), builder.u32(0))
    carried = (first, is_wall, layout, index, stride, *begun.words(builder))
    chosen = looked_for(builder, try_body(planned, kind), TRIES - 1, carried)
    return cell_position(builder, grid_of(planned.universe).sizes, chosen)


def looked_for(builder: Builder, body: Function, count: int, carried: tuple[Value, ...]) -> Value:
    """The first output (U32) of a loop over so many cells, which begins with these (U32)."""
    names = tuple(output.name for output in body.outputs)
    tables = tuple(dict.fromkeys(node.op.table for node in body.nodes if isinstance(node.op, Lookup)))
    return builder.node(Fold(body.name, names[0], count, names, tables, carried), U32)


def try_bodies(planned: Plan) -> Iterator[Function]:
    """The bodies of the loops that a universe needs: that of affordances, and that of agents."""
    universe = planned.universe
    if universe.closed is None or not isinstance(universe.space, Grid):
        return
    kinds: list[Kind] = [kind_of_starts(universe)] if universe.starting is None else []
    if planned.places.random and planned.arranged is None and "free" not in kinds:
        kinds.append("free")
    yield from (try_body(planned, kind) for kind in kinds)


def try_body(planned: Plan, kind: Kind) -> Function:
    """The body of a loop: a row tries a cell, unless the one before was no wall."""
    builder, loop = Builder("episode"), f"try_{kind}"
    with builder.at(Construct("layout"), None):
        own = ("cell", "blocked", "key", "index", "stride")
        carried, begun = carried_on(planned.universe, builder, loop, own)
        number = builder.add(builder.to_u32(builder.input(I32, "row")), builder.u32(1))
        index, there = carried["index"], builder.boolean(True)
        if kind != "anywhere":
            index = builder.add(index, builder.mul(carried["stride"], number))
            there = builder.less(index, builder.u32(_tried(planned, kind)))
            index = builder.select(there, index, builder.u32(0))
        cell = candidate(planned, builder, kind, carried["key"], index, number)
        still = builder.equal(carried["blocked"], builder.u32(1))
        is_open = builder.not_(_begins_as_wall(planned, builder, cell, begun))
        taken = builder.all([still, there, is_open])
        chosen = builder.select(taken, cell, carried["cell"])
        carried |= {"cell": chosen, "blocked": builder.select(taken, builder.u32(0), carried["blocked"])}
    return builder.finish(loop, tuple(Output(f"{loop}.{name}", value) for name, value in carried.items()))


def carried_on(universe: Universe, builder: Builder, loop: str, own: tuple[str, ...]) -> tuple[dict[str, Value], Begun]:
    """The inputs (U32) of the body of a loop by name, its own and the numbers that start values read; and these."""
    params, world = read_at_start(universe)
    numbers = (*(f"param{n}" for n in range(len(params))), *(f"world{n}" for n in range(len(world))))
    names = (*own, *SEEDS, "agents", *numbers)
    carried = {name: builder.input(U32, f"{loop}.{name}") for name in names}
    values = [builder.from_bits(carried[name]) for name in numbers]
    of_world = dict(zip(world, values[len(params) :], strict=True))
    seeds = tuple(carried[name] for name in SEEDS)
    return carried, Begun(seeds, dict(zip(params, values, strict=False)), of_world, carried["agents"])


def read_at_start(universe: Universe) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The params, and the meters of the world, that decide which cells begin as walls, or have agents on them."""
    asked = (universe.closed, universe.starting, tuple(meter.start for meter in _asked(universe)))
    params = dict.fromkeys(node.param for node in nodes(asked) if isinstance(node, ParamValue))
    world = dict.fromkeys(node.meter for node in nodes(asked) if isinstance(node, WorldValue))
    return tuple(params), tuple(world)


def _tried(planned: Plan, kind: Kind) -> int:
    """How many cells there are to try."""
    where = planned.places
    if kind == "letter" and where.dealt is not None and where.dealt.domain is not None:
        return where.dealt.domain.size
    return where.free.size


def candidate(planned: Plan, builder: Builder, kind: Kind, key: Value, index: Value, number: Value) -> Value:
    """The cell (U32) of an index (U32); of agents that start anywhere that of a draw of this number (U32)."""
    where = planned.places
    starts = None if where.dealt is None else where.dealt.starts
    match kind:
        case "free":
            return random_cell(builder, where, key, index)
        case "letter":
            if where.dealt is None or where.dealt.domain is None or starts is None:
                raise ValueError(f"universe {planned.universe.name} starts nobody by a letter")
            # Lanes behind the last one are no agents, and begin nowhere.
            size = builder.u32(where.dealt.domain.size)
            row = permute(
                builder, where.dealt.domain, key, builder.select(builder.less(index, size), index, builder.u32(0))
            )
            return builder.to_u32(builder.lookup(starts, builder.to_i32(row)))
        case "anywhere":
            mixed = mix32(
                builder, builder.add(key, builder.mul(builder.add(index, builder.u32(1)), builder.u32(GOLDEN)))
            )
            salt = builder.mul(builder.add(number, builder.u32(1)), builder.u32(ROUND_MULTIPLIERS[1]))
            draw = mix32(builder, builder.add(mixed, salt))
            sizes = grid_of(planned.universe).sizes
            if starts is not None:
                row = builder.mul_high(draw, builder.u32(len(starts.values)))
                return builder.to_u32(builder.lookup(starts, builder.to_i32(row)))
            count = 1
            for size in sizes:
                count *= size
            return builder.mul_high(draw, builder.u32(count))


def _asked(universe: Universe) -> tuple[CellMeter, ...]:
    """The meters of cells that decide who begins on them, in file order."""
    meters = () if universe.cells is None else universe.cells.meters
    asked: set[str] = set()
    pending: list[object] = [universe.closed, universe.starting]
    while pending:
        read = {node.meter for node in nodes(pending.pop()) if isinstance(node, CellValue)} - asked
        asked |= read
        pending += [meter.start for meter in meters if meter.name in read]
    return tuple(meter for meter in meters if meter.name in asked)


def _begins_as_wall(planned: Plan, builder: Builder, cell: Value, begun: Begun) -> Value:
    """Whether (BOOL) a cell (U32) is a wall, or solid, as cells begin."""
    if planned.universe.closed is None:
        raise ValueError(f"universe {planned.universe.name} has no cells that nobody enters")
    return lower_expression(beginning_cell(planned, builder, cell, begun), planned.universe.closed)


def beginning_cell(planned: Plan, builder: Builder, cell: Value, begun: Begun) -> Lane:
    """The lane of a cell (U32) as it begins, with what decides who begins on it."""
    universe = planned.universe

    def leaf(expression: Expression) -> Value | None:
        return builder.to_f32(builder.to_i32(begun.agents)) if isinstance(expression, AgentCount) else None

    meters = _asked(universe)
    words: dict[tuple[int, int], list[Value]] = {}
    for block in dict.fromkeys(draw.site // BLOCK_WORDS for meter in meters for draw in draws(meter.start)):
        world, episode, *keys = begun.seeds
        last = builder.or_(builder.shift_left(cell, builder.u32(CELL_SHIFT)), builder.u32(CELL_EPISODE_DRAWS))
        words[CELL_EPISODE_DRAWS, block] = philox(builder, [world, episode, builder.u32(block), last], keys)
    lane = Lane(
        universe,
        builder,
        planned,
        meters={},
        params=dict(begun.params),
        # Nothing of an agent is asked for.
        age=cell,
        layout=cell,
        position=cell_position(builder, grid_of(universe).sizes, cell),
        world=dict(begun.world),
        cell=builder.to_i32(cell),
        words=words,
        stream=CELL_EPISODE_DRAWS,
        leaf=leaf,
    )
    for meter in meters:
        if isinstance(meter.start, float):
            lane.cells[meter.name] = builder.f32(round32(meter.start))
        else:
            low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
            lane.cells[meter.name] = builder.clamp(lower_expression(lane, meter.start), low, high)
    return lane
