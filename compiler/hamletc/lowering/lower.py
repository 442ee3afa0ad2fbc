"""Universe -> tick IR: the functions of docs/design.md, each made of the phases in this folder."""

from __future__ import annotations

from hamlet import schema
from hamlet.binary32 import round32
from hamlet.universe import Clock, Universe
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output, Program
from hamletc.ir.ops import Value
from hamletc.ir.typing import I32, U32
from hamletc.lowering.act import act
from hamletc.lowering.cascade_loop import loop_body
from hamletc.lowering.death import die
from hamletc.lowering.decay import decay
from hamletc.lowering.dynamics import dynamics
from hamletc.lowering.interact import interact
from hamletc.lowering.lane import Lane, input_lane
from hamletc.lowering.layout import cell_position, new_layout, random_cell
from hamletc.lowering.mask import mask
from hamletc.lowering.observe import observe, time_tables
from hamletc.lowering.plan import Limits, Plan, plan
from hamletc.lowering.policy import lower_choose, lower_policy
from hamletc.lowering.reward import reward

LIMITS = Limits()


def lower(universe: Universe, limits: Limits = LIMITS) -> Program:
    """The program of a universe, as it stands: exact, and not yet optimised."""
    planned = plan(universe, limits)
    functions = [*(loop_body(planned, table) for table in planned.cascades), _tick(planned)]
    if universe.clock is not None:
        functions.append(_clock(universe.clock))
    functions += [
        _reset(planned),
        _observe(planned),
        _mask(planned),
        lower_policy(),
        lower_choose(len(schema.action_names(universe))),
    ]
    return Program(universe.name, tuple(functions), (*time_tables(universe), *planned.tables))


def _tick(planned: Plan) -> Function:
    builder = Builder()
    lane = input_lane(planned, builder)
    with builder.at("state", 0):
        action = builder.input(I32, "action")
    act(lane, action)
    used = interact(lane, action)
    decay(lane)
    dynamics(lane)
    end = die(lane)
    results = {
        "reward": reward(lane, end),
        "terminated": end.terminated,
        "truncated": end.truncated,
        "used": used,
        "cause": end.cause,
    }
    outputs = {**_state(lane), **results}
    return builder.finish("tick", tuple(Output(name, value) for name, value in outputs.items()))


def _state(lane: Lane) -> dict[str, Value]:
    """The state that a tick can change, by state name."""
    state = {f"meter.{name}": value for name, value in lane.meters.items()}
    for axis, coordinate in zip(schema.axes(lane.universe), lane.position, strict=True):
        state[f"position.{axis}"] = coordinate
    state["age"] = lane.age
    if lane.engaged is not None and lane.progress is not None:
        state |= {"engaged": lane.engaged, "progress": lane.progress}
    return state


def _clock(clock: Clock) -> Function:
    builder = Builder()
    with builder.at("clock", clock.span.line):
        following = builder.add(builder.input(I32, "hour"), builder.i32(1))
        midnight = builder.equal(following, builder.i32(clock.hours))
        hour = builder.select(midnight, builder.i32(0), following)
    return builder.finish("clock", (Output("hour", hour),))


def _reset(planned: Plan) -> Function:
    universe, where, builder = planned.universe, planned.places, Builder()
    with builder.at("layout", 0):
        seeds = builder.input(U32, "seed_low"), builder.input(U32, "seed_high")
        world, agent = builder.input(U32, "world"), builder.input(I32, "agent")
        episode = builder.to_u32(builder.input(I32, "episode"))
        layout = new_layout(builder, *seeds, world, episode)
        index = builder.add(builder.u32(len(where.random)), builder.to_u32(agent))
        cell = random_cell(builder, where, layout, index)
        position = cell_position(builder, universe.space.sizes, cell)
    outputs = []
    for meter in universe.meters:
        with builder.at(f"meter {meter.name}", meter.span.line):
            outputs.append(Output(f"meter.{meter.name}", builder.f32(round32(meter.start))))
    outputs += [Output(f"position.{axis}", value) for axis, value in zip(schema.axes(universe), position, strict=True)]
    return builder.finish("reset", (*outputs, Output("layout", layout)))


def _observe(planned: Plan) -> Function:
    builder = Builder()
    return builder.finish("observe", observe(input_lane(planned, builder)))


def _mask(planned: Plan) -> Function:
    builder = Builder()
    return builder.finish("mask", mask(input_lane(planned, builder)))
