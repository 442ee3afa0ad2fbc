"""The step Births of a tick: who is born of whom, which agents find together, and what they begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import round32
from hamlet.numbers.counters import BIRTH_DRAWS
from hamlet.universe import Meter, Pool, Universe, is_numbered
from hamletc.ir.builder import Builder
from hamletc.ir.function import BEAR, Construct, Function, Output
from hamletc.ir.ops import BOOL, F32, I32, Value
from hamletc.ir.ordering import ordered
from hamletc.lowering.episode import begin, start_of
from hamletc.lowering.expressions import lower_expression
from hamletc.lowering.functions import whole
from hamletc.lowering.lane import Lane, input_lane, state_of
from hamletc.lowering.pairs import Pairs
from hamletc.lowering.plan import Plan
from hamletc.lowering.reducer import Reducer


@dataclass(frozen=True, slots=True)
class Ranked:
    """The reductions that say which mother asks first, second, ..., and how many of the role run before an agent."""

    mother: str
    before: str


@dataclass(frozen=True, slots=True)
class Mothers:
    """The reductions of what an agent that waits finds: how many mothers it has, 0 or 1, and what it has of her, by the
    names of meters and positions of the state."""

    count: str
    handed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Bearing:
    """The reductions that births need.

    Attributes:
        mothers: by role.
        living: of how many agents of the world are alive; `None` where nobody asks for that.
    """

    mothers: Mapping[str, Mothers]
    living: str | None


def ranked(universe: Universe, reducer: Reducer) -> dict[str, Ranked]:
    """Reduce who asks for a child, after the rules of agents."""
    ranks = {}
    builder, lane = reducer.lane.builder, reducer.lane
    for pool in universe.pools:
        if pool.asks is not None:
            with builder.at(_construct(pool), pool.span):
                alike = ordered(builder, builder.f32(0.0))
                asks = reducer.reduce("rank", lower_expression(lane, pool.asks), alike)
                before = reducer.reduce("rank", _belongs(pool, lane), alike)
                ranks[pool.role] = Ranked(asks, before)
    return ranks


def bearing(universe: Universe, reducer: Reducer, ranks: Mapping[str, Ranked]) -> Bearing:
    """Reduce what those that wait find in those that are alive when a tick has ended."""
    builder, living = reducer.lane.builder, None
    mothers = {}
    for pool in universe.pools:
        with builder.at(_construct(pool), pool.span):
            if pool.role in ranks:
                mothers[pool.role] = _mothers(pool, reducer.pairs, ranks[pool.role])
            if pool.after is not None:
                living = reducer.reduce("count", builder.boolean(True))
    return Bearing(mothers, living)


def _mothers(pool: Pool, pairs: Pairs, ranks: Ranked) -> Mothers:
    """The mother of an agent that waits has the number among those that ask which it has among those that wait."""
    lane, pair = pairs.lane, pairs.pair.builder
    assert pool.asks is not None, "somebody asks for it"
    number = _place(pool, lane, ranks)
    asks = pairs.of("other", lower_expression(lane, pool.asks))
    theirs = pairs.of("other", lane.builder.input(F32, f"among.{ranks.mother}"))
    with pair.at(_construct(pool), pool.span, "births"):
        is_mother = pair.and_(asks, pair.equal(theirs, pairs.of("own", number)))
        handed = {f"meter.{each.meter}": lower_expression(lane, each.value) for each in pool.handed}
        for axis, x in zip(schema.axes(lane.universe), lane.position, strict=True):
            real = lane.builder.type_of(x) is F32
            handed[f"position.{axis}"] = x if real else lane.builder.to_f32(x)
        zero, nowhere = lane.builder.f32(0.0), pair.f32(0.0)
        received = {}
        for name, value in handed.items():
            # There is one mother at most, so that nobody is added up; as in a sum -0 becomes +0.
            terms = {"term": is_mother, "away": nowhere, "value": pairs.of("other", lane.builder.add(value, zero))}
            received[name] = pairs.reduce("nearest", terms, zero)
        return Mothers(pairs.reduce("count", {"term": is_mother}), received)


def _place(pool: Pool, lane: Lane, ranks: Ranked) -> Value:
    """The number (F32) of an agent among those of its role that wait."""
    builder = lane.builder
    number = builder.sub(builder.to_f32(builder.input(I32, "agent")), builder.f32(float(pool.first)))
    return builder.sub(number, builder.input(F32, f"among.{ranks.before}"))


def bear(planned: Plan, births: Bearing) -> Function:
    """Inputs: the state after step 9, `alive` (BOOL), `cause` (I32), `agent` (I32), what those that wait find among
    those that are alive, and for draws `lane` (U32), `tick` and the seed. Outputs: the state of lanes."""
    builder, universe = Builder("births"), planned.universe
    lane = input_lane(planned, builder)
    with builder.at(Construct("state"), None, "state"):
        alive, lived = builder.input(BOOL, "alive"), builder.input(F32, "episode_return")
        ended = builder.less_equal(builder.i32(0), builder.input(I32, "cause"))
        waits = builder.not_(builder.or_(alive, ended))
    children: dict[str, Value] = {}
    alone: dict[str, Value] = {}
    counts: dict[str, Value] = {}
    for pool in universe.pools:
        with builder.at(_construct(pool), pool.span):
            waiting = builder.and_(waits, _belongs(pool, lane))
            if pool.role in births.mothers:
                mothers = builder.input(F32, f"among.{births.mothers[pool.role].count}")
                children[pool.role] = builder.and_(waiting, builder.less(builder.f32(0.0), mothers))
                waiting = builder.and_(waiting, builder.not_(children[pool.role]))
            if pool.after is not None and pool.waits is not None:
                waited = builder.add(lane.meters[pool.waits], builder.f32(1.0))
                living = builder.less(builder.f32(0.0), builder.input(F32, f"among.{births.living}"))
                over = builder.less_equal(builder.f32(float(pool.after)), waited)
                alone[pool.role] = builder.and_(waiting, builder.and_(over, living))
                most = builder.clamp(waited, builder.f32(0.0), builder.f32(float(pool.after)))
                counts[pool.waits] = builder.select(waiting, most, builder.f32(0.0))
    born = reduce(builder.or_, [*children.values(), *alone.values()], builder.boolean(False))
    handed = {
        meter.name: _handed_over(meter, universe, builder, children, births)
        for meter in universe.meters
        if any(each.meter == meter.name for pool in universe.pools for each in pool.handed)
    }
    begun: dict[str, Value] = {}
    begin(universe.meters, BIRTH_DRAWS, planned, builder, lane.layout, begun, lane.world, handed)
    starts = {f"meter.{name}": value for name, value in begun.items()}
    starts |= {output.name: output.value for output in start_of(universe, builder)}
    with builder.at(Construct("state"), None, "state"):
        for field in schema.state_fields(universe):
            if field.per == "lane" and field.start is not None:
                starts |= {name: _constant(builder, field) for name in field.names if name not in starts}
    old = {f"meter.{name}": counts.get(name, value) for name, value in lane.meters.items()}
    for pool in universe.pools:
        if pool.asked is not None:
            starts[f"meter.{pool.asked}"] = old[f"meter.{pool.asked}"] = builder.f32(0.0)
    old = state_of(lane) | {"alive": alive, "episode_return": lived} | old
    outputs = []
    for name, value in old.items():
        if name.startswith("position."):
            value = _position(name, value, universe, builder, children, births)
        elif name in starts:
            value = builder.select(born, starts[name], value)
        outputs.append(Output(name, value))
    return builder.finish(BEAR, tuple(outputs))


def _handed_over(
    meter: Meter, universe: Universe, builder: Builder, children: Mapping[str, Value], births: Bearing
) -> Callable[[Value], Value]:
    """The start of a meter where a mother hands it over, in the place of its start value."""

    def begun(value: Value) -> Value:
        low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
        for pool in universe.pools:
            if any(each.meter == meter.name for each in pool.handed):
                of_mother = builder.input(F32, f"among.{births.mothers[pool.role].handed[f'meter.{meter.name}']}")
                value = builder.select(children[pool.role], builder.clamp(of_mother, low, high), value)
        return value

    return begun


def _position(
    name: str, value: Value, universe: Universe, builder: Builder, children: Mapping[str, Value], births: Bearing
) -> Value:
    """A coordinate: where the mother is; who is born alone stays."""
    (field,) = (each for each in schema.state_fields(universe) if each.name == "position")
    bounds = dict(zip(field.names, field.bounds or (), strict=True))[name]
    for role, born in children.items():
        with builder.at(Construct("role", role), None):
            there = builder.input(F32, f"among.{births.mothers[role].handed[name]}")
            there = builder.clamp(there, builder.f32(round32(bounds.low)), builder.f32(round32(bounds.high)))
            there = there if field.dtype == "f32" else whole(builder, there)
            value = builder.select(born, there, value)
    return value


def _constant(builder: Builder, field: schema.Field) -> Value:
    """The start of a field, a constant of the language."""
    assert field.start is not None, "it begins with a constant"
    match field.dtype:
        case "f32":
            return builder.f32(float(field.start))
        case "i32":
            return builder.i32(int(field.start))
        case "bool":
            return builder.boolean(bool(field.start))


def _belongs(pool: Pool, lane: Lane) -> Value:
    """Whether (BOOL) an agent is of the role."""
    return lower_expression(lane, is_numbered(pool.first, pool.agents, pool.span))


def _construct(pool: Pool) -> Construct:
    return Construct("role", pool.role)
