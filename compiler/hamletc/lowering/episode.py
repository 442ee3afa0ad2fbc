"""The clock, and new episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.numbers.counters import EPISODE_DRAWS, WORLD_EPISODE_DRAWS
from hamlet.universe import Clock, Grid, Meter, ParamValue, Universe, WorldMeter, is_numbered, nodes
from hamlet.universe.space import graph_of
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output
from hamletc.ir.ops import F32, I32, U32, Value
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.layouts import new_layout, new_place, position_anywhere, position_apart, position_on_map
from hamletc.lowering.open_starts import Begun, Kind, kind_of_starts, open_position, read_at_start
from hamletc.lowering.places import cell_position, cell_words, grid_of
from hamletc.lowering.plan import Plan
from hamletc.lowering.sought_starts import sought_position


def advance_clock(clock: Clock) -> Function:
    """Input and output hour (I32): an hour passes."""
    builder = Builder("clock")
    with builder.at(Construct("clock"), clock.span):
        following = builder.add(builder.input(I32, "hour"), builder.i32(1))
        midnight = builder.equal(following, builder.i32(clock.hours))
        hour = builder.select(midnight, builder.i32(0), following)
    return builder.finish("clock", (Output("hour", hour),))


def reset(planned: Plan) -> Function:
    """Outputs: the state that an episode begins with, as far as it is no constant that templates write.

    Inputs: seed_low, seed_high, world (U32), agent, episode (I32); with a cell cache agent (I32), layout and, where
    agents start apart, cell (U32), which `shuffle` and `place` give. What starts of meters read comes to these: params
    (F32), agents (I32); where they draw lane, of the world's world (U32), the seed and episode. Where the world keeps
    meters: world.<name> of these, and episode.
    """
    universe, where, builder = planned.universe, planned.places, Builder("episode")
    with builder.at(Construct("layout"), None):
        if planned.cell_cache:
            layout, agent = builder.input(U32, "layout"), builder.input(I32, "agent")
        else:
            seeds = builder.input(U32, "seed_low"), builder.input(U32, "seed_high")
            world, agent = builder.input(U32, "world"), builder.input(I32, "agent")
            layout = new_layout(builder, *seeds, world, builder.to_u32(builder.input(I32, "episode")))
        index = builder.add(builder.u32(len(where.random)), builder.to_u32(agent))
    of_world: dict[str, Value] | None = None
    begun: Begun | None = None
    if universe.closed is not None or universe.starting is not None:
        of_world = _world_meters(planned, builder, layout)
        begun = _begun(planned, builder, of_world)
    places: dict[int, tuple[Value, ...]] = {}
    if universe.starting is not None:
        places = {number: _place(planned, builder, layout, number, begun) for number in where.random}
    with builder.at(Construct("layout"), None):
        graph = graph_of(universe.space)
        if universe.starting is not None and begun is not None:
            taken = tuple(builder.to_u32(place[0]) for place in places.values())
            position: tuple[Value, ...] = sought_position(planned, builder, layout, builder.to_u32(agent), taken, begun)
        elif universe.closed is not None and begun is not None:
            kind = kind_of_starts(universe)
            own = builder.to_u32(agent) if kind == "letter" else index
            position = open_position(planned, builder, kind, layout, own, _stride(planned, builder, kind), begun)
        elif graph is not None and graph.start is not None:
            position = (builder.i32(graph.number(graph.start)),)
        elif where.dealt is not None and where.dealt.starts is not None:
            position = position_on_map(builder, universe, where.dealt, layout, index, builder.to_u32(agent))
        elif isinstance(universe.space, Grid) and universe.space.starts == "apart":
            cell = builder.input(U32, "cell") if planned.cell_cache else None
            position = position_apart(builder, universe, where, layout, index, cell)
        else:
            position = position_anywhere(builder, universe, layout, index)
    of_world = _world_meters(planned, builder, layout) if of_world is None else of_world
    alive = living_at_first(planned, builder, agent, of_world)
    outputs = [] if alive is None else [Output("alive", alive)]
    outputs += [Output(f"meter.{name}", value) for name, value in _meters(planned, builder, layout, of_world).items()]
    outputs += [Output(f"position.{axis}", value) for axis, value in zip(schema.axes(universe), position, strict=True)]
    outputs += start_of(universe, builder)
    outputs += [Output(f"world.{name}", value) for name, value in of_world.items()]
    if not planned.cell_cache:
        outputs.append(Output("layout", layout))
    for number, affordance in enumerate(universe.affordances if planned.place_rows else ()):
        place = places.get(number)
        if place is None:
            place = _place(planned, builder, layout, number, begun)
        names = (f"place.{affordance.name}.{row}" for row in planned.place_rows)
        outputs += [Output(name, value) for name, value in zip(names, place, strict=True)]
    return builder.finish("reset", tuple(outputs))


def _place(planned: Plan, builder: Builder, layout: Value, number: int, begun: Begun | None) -> tuple[Value, ...]:
    """The stored place of the affordance of this number, as it begins an episode."""
    affordance = planned.universe.affordances[number]
    with builder.at(Construct("affordance", affordance.name), affordance.span):
        if planned.universe.closed is None or begun is None or not _tries(planned, number):
            return new_place(builder, planned, layout, number)
        stride, own = _stride(planned, builder, "free"), builder.u32(planned.places.random_index(number))
        there = open_position(planned, builder, "free", layout, own, stride, begun)
        return cell_words(builder, grid_of(planned.universe), there)


def _tries(planned: Plan, number: int) -> bool:
    """Whether the affordance of this number begins on a cell that is no wall."""
    affordance = planned.universe.affordances[number]
    return affordance.place is None and not affordance.moving and planned.arranged is None


def _stride(planned: Plan, builder: Builder, kind: Kind) -> Value:
    """How many (U32) try cells of a kind."""
    agents = builder.to_u32(builder.input(I32, "agents"))
    return agents if kind == "letter" else builder.add(builder.u32(len(planned.places.random)), agents)


def _begun(planned: Plan, builder: Builder, of_world: dict[str, Value]) -> Begun:
    """The numbers that decide which cells begin as walls."""
    params, world = read_at_start(planned.universe)
    with builder.at(Construct("state"), None, "state"):
        episode = builder.to_u32(builder.input(I32, "episode"))
        seeds = builder.input(U32, "world"), episode, builder.input(U32, "seed_low"), builder.input(U32, "seed_high")
        of_params = {name: builder.input(F32, f"param.{name}") for name in params}
        agents = builder.to_u32(builder.input(I32, "agents"))
    return Begun(seeds, of_params, {name: of_world[name] for name in world}, agents)


def _meters(planned: Plan, builder: Builder, layout: Value, of_world: dict[str, Value]) -> dict[str, Value]:
    """The meters of agents that an episode begins with, which may read those of the world."""
    begun: dict[str, Value] = {}
    begin(planned.universe.meters, EPISODE_DRAWS, planned, builder, layout, begun, of_world)
    return begun


def living_at_first(planned: Plan, builder: Builder, agent: Value, of_world: dict[str, Value]) -> Value | None:
    """Whether (BOOL) an agent is alive when an episode begins; `None` where all are."""
    alive: Value | None = None
    for pool in planned.universe.pools:
        if pool.begin is None:
            continue
        with builder.at(Construct("role", pool.role), pool.span):
            params = {node.param for node in nodes(pool.begin) if isinstance(node, ParamValue)}
            read = {name: builder.input(F32, f"param.{name}") for name in sorted(params)}
            lane = Lane(planned.universe, builder, planned, {}, read, agent, agent, world=of_world)
            number = builder.sub(builder.to_f32(agent), builder.f32(float(pool.first)))
            lives = builder.less(number, lower_expression(lane, pool.begin))
            outside = builder.not_(lower_expression(lane, is_numbered(pool.first, pool.agents, pool.span)))
            lives = builder.or_(outside, lives)
            alive = lives if alive is None else builder.and_(alive, lives)
    return alive


def _world_meters(planned: Plan, builder: Builder, layout: Value) -> dict[str, Value]:
    """The meters of the world that an episode begins with, in file order; those that are kept, and where affordances
    are that move, are there first."""
    meters = () if planned.universe.world is None else planned.universe.world.meters
    begun = _lasting(planned, builder, layout) | _moving(planned, builder, layout)
    anew = [meter for meter in meters if meter.name not in begun]
    begin(anew, WORLD_EPISODE_DRAWS, planned, builder, layout, begun, begun)
    return {meter.name: begun[meter.name] for meter in meters}


def _moving(planned: Plan, builder: Builder, layout: Value) -> dict[str, Value]:
    """The meters of the world that say where affordances are that move: at first where the layout puts them; of
    those that begin elsewhere they start as other meters do."""
    positions: dict[str, Value] = {}
    for number, affordance in enumerate(planned.universe.affordances):
        if not affordance.moving or affordance.elsewhere:
            continue
        with builder.at(Construct("affordance", affordance.name), affordance.span):
            place = new_place(builder, planned, layout, number)
            if isinstance(grid := planned.universe.space, Grid):
                ranges = zip(schema.cell_words(grid), place, strict=True)
                parts = [cell_position(builder, grid.sizes[a:b], builder.to_u32(word)) for (a, b), word in ranges]
                place = tuple(builder.to_f32(x) for part in parts for x in part)
        positions |= dict(zip(affordance.moving, place, strict=True))
    return positions


def _lasting(planned: Plan, builder: Builder, layout: Value) -> dict[str, Value]:
    """The meters that the world keeps, as an episode finds them: as they start in its first episode, else as they
    are."""
    meters = [
        meter for meter in (() if planned.universe.world is None else planned.universe.world.meters) if meter.kept
    ]
    if not meters:
        return {}
    with builder.at(Construct("state"), None, "state"):
        first = builder.equal(builder.input(I32, "episode"), builder.i32(0))
        left = {meter.name: builder.input(F32, f"world.{meter.name}") for meter in meters}
    begun: dict[str, Value] = {}
    begin(meters, WORLD_EPISODE_DRAWS, planned, builder, layout, begun, begun)
    values = {}
    for meter in meters:
        with builder.at(Construct("meter", meter.name), meter.span):
            values[meter.name] = builder.select(first, begun[meter.name], left[meter.name])
    return values


def begin(
    meters: Sequence[Meter | WorldMeter],
    stream: int,
    planned: Plan,
    builder: Builder,
    layout: Value,
    own: dict[str, Value],
    of_world: dict[str, Value],
    handed: Mapping[str, Callable[[Value], Value]] = MappingProxyType({}),
) -> None:
    """Add constants, and expressions within the bounds of their meters, whose draws are from this stream, to those that
    have begun: to `own`, which they may read, as what the world has. Of its meters both are the same.
    `handed` makes of some of these values others."""
    read = {node.param for meter in meters for node in nodes(meter.start) if isinstance(node, ParamValue)}
    with builder.at(Construct("state"), None, "state"):
        params = {name: builder.input(F32, f"param.{name}") for name in sorted(read)}
    # An age is what a lane has; no start reads it.
    lane = Lane(planned.universe, builder, planned, own, params, layout, layout, world=of_world, stream=stream)
    for meter in meters:
        with builder.at(Construct("meter", meter.name), meter.span):
            if isinstance(meter.start, float):
                own[meter.name] = builder.f32(round32(meter.start))
            else:
                low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
                own[meter.name] = builder.clamp(lower_expression(lane, meter.start), low, high)
            if meter.name in handed:
                own[meter.name] = handed[meter.name](own[meter.name])


def start_of(universe: Universe, builder: Builder) -> Iterator[Output]:
    """The velocity and the speed that an episode begins with; nothing where the one is 0 and the other its length."""
    if universe.start is None:
        return
    with builder.at(Construct("start"), universe.start.span):
        for axis, begin in zip(schema.axes(universe), universe.start.velocity, strict=True):
            yield Output(f"velocity.{axis}", builder.f32(round32(begin)))
        if universe.start.speed is not None:
            yield Output("speed", builder.f32(round32(universe.start.speed)))
