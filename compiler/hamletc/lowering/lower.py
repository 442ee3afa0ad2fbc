"""Universe -> tick IR: the functions of docs/design.md, each made of the phases in this folder."""

from __future__ import annotations

from dataclasses import replace

from hamlet import schema
from hamlet.numbers.binary32 import round32
from hamlet.universe import Clock, Grid, Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output, Program, Table
from hamletc.ir.ops import I32, U32, Fold, Lookup, Value
from hamletc.lowering.act import act
from hamletc.lowering.cascade_loop import loop_body
from hamletc.lowering.day import day_tables
from hamletc.lowering.death import die
from hamletc.lowering.decay import decay
from hamletc.lowering.draw_loop import draw_body
from hamletc.lowering.dynamics import dynamics
from hamletc.lowering.interact import interact
from hamletc.lowering.kept import episode_layout, found, kept_functions, moved_position, start_cell
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.layout import new_layout, new_place, position_anywhere, position_apart
from hamletc.lowering.mask import mask
from hamletc.lowering.observe import observe
from hamletc.lowering.occupancy import loops as occupancy_loops
from hamletc.lowering.plan import Limits, Plan, plan
from hamletc.lowering.policy import lower_choose, lower_policy
from hamletc.lowering.reward import reward
from hamletc.lowering.situation import lower_situation

LIMITS = Limits()
CPU = Limits(kept=256)


def lower(universe: Universe, limits: Limits = LIMITS) -> Program:
    """The program of a universe, as it stands: exact, and not yet optimised."""
    planned = plan(universe, limits)
    functions = [loop_body(planned, table) for table in planned.cascades]
    if planned.draws is not None:
        functions.append(draw_body(planned.draws))
    functions += [*kept_functions(planned), _tick(planned)] if planned.kept else [_tick(planned)]
    if universe.clock is not None:
        functions.append(_clock(universe.clock))
    observed = _observe(planned)
    functions += [
        _reset(planned),
        *occupancy_loops(planned, observed),
        observed,
        _mask(planned),
        lower_policy(),
        lower_choose(len(schema.action_names(universe))),
        lower_situation(planned),
    ]
    tables = (*day_tables(universe), *planned.tables)
    return Program(universe.name, tuple(functions), _read(tuple(functions), tables))


def _read(functions: tuple[Function, ...], tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """The tables that functions read."""
    read: set[str] = set()
    for function in functions:
        for node in function.nodes:
            match node.op:
                case Lookup(table=table):
                    read.add(table)
                case Fold(tables=several):
                    read.update(several)
                case _:
                    pass
    return tuple(table for table in tables if table.name in read)


def _tick(planned: Plan) -> Function:
    builder = Builder()
    lane = input_lane(planned, builder)
    lane.before = replace(
        lane,
        meters=dict(lane.meters),
        streaks=dict(lane.streaks),
        seen=dict(lane.seen),
    )
    with builder.at("state", None):
        action = builder.input(I32, "action")
    act(lane, action)
    if planned.kept:
        lane.position, lane.found = moved_position(lane), found(lane)
    used = interact(lane, action)
    decay(lane)
    dynamics(lane)
    end = die(lane)
    paid = reward(lane, end)
    results = {
        "reward": paid.pop("reward"),
        "terminated": end.terminated,
        "truncated": end.truncated,
        "used": used,
        "cause": end.cause,
        **paid,
    }
    outputs = {**_state(lane), **results}
    return builder.finish("tick", tuple(Output(name, value) for name, value in outputs.items()))


def _state(lane: Lane) -> dict[str, Value]:
    """The state that a tick can change, by state name."""
    axes = schema.axes(lane.universe)
    state = {f"meter.{name}": value for name, value in lane.meters.items()}
    state |= {f"position.{axis}": value for axis, value in zip(axes, lane.position, strict=True)}
    state |= {f"velocity.{axis}": value for axis, value in zip(axes, lane.velocity, strict=False)}
    if lane.speed is not None:
        state["speed"] = lane.speed
    state["age"] = lane.age
    if lane.engaged is not None and lane.progress is not None:
        state |= {"engaged": lane.engaged, "progress": lane.progress}
    state |= {f"used_at.{axis}": value for axis, value in zip(axes, lane.used_at, strict=False)}
    if lane.last is not None:
        state["last"] = lane.last
    state |= {f"streak.{name}": value for name, value in lane.streaks.items()}
    state |= {f"seen.{name}": value for name, value in lane.seen.items()}
    return state


def _clock(clock: Clock) -> Function:
    builder = Builder()
    with builder.at("clock", clock.span):
        following = builder.add(builder.input(I32, "hour"), builder.i32(1))
        midnight = builder.equal(following, builder.i32(clock.hours))
        hour = builder.select(midnight, builder.i32(0), following)
    return builder.finish("clock", (Output("hour", hour),))


def _reset(planned: Plan) -> Function:
    universe, where, builder = planned.universe, planned.places, Builder()
    with builder.at("layout", None):
        if planned.kept:
            layout, agent = episode_layout(builder), builder.input(I32, "agent")
        else:
            seeds = builder.input(U32, "seed_low"), builder.input(U32, "seed_high")
            world, agent = builder.input(U32, "world"), builder.input(I32, "agent")
            episode = builder.to_u32(builder.input(I32, "episode"))
            layout = new_layout(builder, *seeds, world, episode)
        index = builder.add(builder.u32(len(where.random)), builder.to_u32(agent))
        if isinstance(universe.space, Grid) and universe.space.starts == "apart":
            cell = start_cell(builder) if planned.kept else None
            position = position_apart(builder, universe, where, layout, index, cell)
        else:
            position = position_anywhere(builder, universe, layout, index)
    outputs = []
    for meter in universe.meters:
        with builder.at(f"meter {meter.name}", meter.span):
            outputs.append(Output(f"meter.{meter.name}", builder.f32(round32(meter.start))))
    outputs += [Output(f"position.{axis}", value) for axis, value in zip(schema.axes(universe), position, strict=True)]
    outputs += _start(universe, builder)
    if not planned.kept:
        outputs.append(Output("layout", layout))
    for number, affordance in enumerate(universe.affordances if planned.place_rows else ()):
        with builder.at(f"affordance {affordance.name}", affordance.span):
            place = new_place(builder, planned, layout, number)
        outputs += [
            Output(f"place.{affordance.name}.{row}", value)
            for row, value in zip(planned.place_rows, place, strict=True)
        ]
    return builder.finish("reset", tuple(outputs))


def _start(universe: Universe, builder: Builder) -> list[Output]:
    """The velocity and the speed that an episode begins with; nothing where the one is 0 and the other its length."""
    start = universe.start
    if start is None:
        return []
    with builder.at("start", start.span):
        begins = zip(schema.axes(universe), start.velocity, strict=True)
        outputs = [Output(f"velocity.{axis}", builder.f32(round32(begin))) for axis, begin in begins]
        if start.speed is not None:
            outputs.append(Output("speed", builder.f32(round32(start.speed))))
    return outputs


def _observe(planned: Plan) -> Function:
    builder = Builder()
    lane = input_lane(planned, builder)
    if planned.kept:
        lane.found = found(lane)
    return builder.finish("observe", observe(lane))


def _mask(planned: Plan) -> Function:
    builder = Builder()
    lane = input_lane(planned, builder)
    if planned.kept:
        lane.found = found(lane)
    return builder.finish("mask", mask(lane))
