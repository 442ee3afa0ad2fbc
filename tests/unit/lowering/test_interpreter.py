"""The lowered functions, executed by their definition, against the interpreter: all state, outcomes, observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from hamlet import schema
from hamlet.backend import Stream
from hamlet.interpreter.interpreter import Interpreter
from hamlet.state import Buffers, Shape, allocate
from hamlet.universe import Universe
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output, Program
from hamletc.lowering import lower
from hamletc.lowering.lane import input_lane
from hamletc.lowering.layout import affordance_position
from hamletc.lowering.lower import LIMITS
from hamletc.lowering.plan import plan
from sample_universes import NAMES, sample

Array = np.ndarray[Any, Any]
WORLDS, TICKS, SEED = 300, 30, 0x1234567890


def gather(universe: Universe, buffers: Buffers) -> dict[str, Array]:
    """The state by state name, per lane."""
    agents = buffers.shape.agents
    fields = {name: tensor.numpy().copy() for name, tensor in buffers.state.items()}
    state = {f"meter.{meter.name}": fields["meters"][row] for row, meter in enumerate(universe.meters)}
    state |= {f"position.{axis}": fields["position"][row] for row, axis in enumerate(schema.axes(universe))}
    state["age"] = fields["age"]
    if schema.has_progress(universe):
        state |= {"engaged": fields["engaged"], "progress": fields["progress"]}
    if universe.clock is not None:
        state["hour"] = np.repeat(fields["hour"], agents)
    state["layout"] = np.repeat(fields["layout"].view(np.uint32), agents)
    for row, param in enumerate(universe.params):
        state[f"param.{param.name}"] = np.repeat(fields["params"][row], agents)
    return state


def on_affordances(universe: Universe, buffers: Buffers, chosen: Array) -> None:
    """Put the agents of these lanes on an affordance of their world."""
    builder = Builder()
    lane = input_lane(plan(universe, LIMITS), builder)
    outputs = [
        Output(f"{axis}{number}", value)
        for number in range(len(universe.affordances))
        for axis, value in zip(schema.axes(universe), affordance_position(lane, number), strict=True)
    ]
    places = evaluate(builder.finish("places", tuple(outputs)), gather(universe, buffers), ())
    which = np.arange(len(chosen)) % len(universe.affordances)
    for row, axis in enumerate(schema.axes(universe)):
        stacked = np.stack([places[f"{axis}{number}"] for number in range(len(universe.affordances))])
        target = stacked[which, np.arange(len(chosen))]
        position = buffers.state["position"][row].numpy()
        position[chosen] = target[chosen]


def disturb(universe: Universe, buffers: Buffers, generator: np.random.Generator) -> None:
    """New random meters, params and ages for some lanes, and places on affordances."""
    lanes = buffers.shape.lanes
    for row, meter in enumerate(universe.meters):
        values = buffers.state["meters"][row].numpy()
        new = generator.random(lanes) < 0.3
        values[new] = generator.uniform(meter.low, meter.high, lanes).astype(np.float32)[new]
    for row, param in enumerate(universe.params):
        values = buffers.state["params"][row].numpy()
        values[:] = generator.uniform(param.low, param.high, len(values)).astype(np.float32)
    if universe.lifespan is not None:
        old = generator.random(lanes) < 0.02
        buffers.state["age"].numpy()[old] = universe.lifespan.ticks - 1
    moved = generator.random(lanes) < 0.15
    on_affordances(universe, buffers, moved)
    if schema.has_progress(universe):
        buffers.state["engaged"].numpy()[moved] = -1
        buffers.state["progress"].numpy()[moved] = 0


def same(where: str, expected: Array, actual: Array, among: Array) -> None:
    a, b = np.ascontiguousarray(expected[among]), np.ascontiguousarray(actual[among])
    assert a.dtype == b.dtype, where
    bits = {4: np.uint32, 1: np.uint8}[a.dtype.itemsize]
    wrong = np.nonzero(a.view(bits) != b.view(bits))[0]
    assert not len(wrong), f"{where}: lane {wrong[0]}: {a[wrong[0]]!r} and {b[wrong[0]]!r}"


def compare_reset(universe: Universe, program: Program, buffers: Buffers, lanes: Array) -> None:
    agents = buffers.shape.agents
    numbers = np.arange(buffers.shape.lanes)
    inputs = {
        "seed_low": np.full(len(numbers), SEED & 0xFFFFFFFF, np.uint32),
        "seed_high": np.full(len(numbers), SEED >> 32, np.uint32),
        "world": (numbers // agents + buffers.shape.first_world).astype(np.uint32),
        "agent": (numbers % agents).astype(np.int32),
        "episode": np.repeat(buffers.state["episode"].numpy(), agents),
    }
    results = evaluate(program.function("reset"), inputs, program.tables)
    state = gather(universe, buffers)
    for name, values in results.items():
        same(f"reset {name}", state[name], values, lanes)


def compare_views(universe: Universe, program: Program, buffers: Buffers) -> None:
    state, alive = gather(universe, buffers), buffers.state["alive"].numpy()
    seen = evaluate(program.function("observe"), state, program.tables)
    assert buffers.observation is not None
    for segment in schema.observation_segments(universe):
        rows = buffers.observation[segment.offset : segment.offset + segment.count].numpy()
        for index, (row, values) in enumerate(zip(rows, seen[segment.name].reshape(rows.shape), strict=True)):
            same(f"observation {segment.name}[{index}]", row, values, np.ones_like(alive))
    allowed = evaluate(program.function("mask"), state, program.tables)
    for row, action in enumerate(schema.action_names(universe)):
        same(f"mask {action}", buffers.mask[row].numpy(), allowed[f"action.{action}"], alive)


@pytest.mark.parametrize("agents", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_lowered_functions_give_the_bits_of_the_interpreter(name: str, agents: int) -> None:
    universe = sample(name)
    program, interpreter = lower(universe), Interpreter(universe, torch.device("cpu"))
    buffers = allocate(universe, Shape(WORLDS, agents, 5), torch.device("cpu"), torch.float32)
    generator = np.random.default_rng(7)
    interpreter.reset(buffers, Stream(SEED, 0))
    compare_reset(universe, program, buffers, np.ones(buffers.shape.lanes, np.bool_))
    compare_views(universe, program, buffers)
    used, causes, resets = (
        np.zeros(len(universe.affordances), np.int64),
        np.zeros(len(universe.causes) + 1, np.int64),
        0,
    )
    actions_taken = np.zeros(len(schema.action_names(universe)), np.int64)
    for tick in range(TICKS):
        if tick % 3 == 0:
            disturb(universe, buffers, generator)
        alive, before = buffers.state["alive"].numpy().copy(), gather(universe, buffers)
        episodes = np.repeat(buffers.state["episode"].numpy(), agents).copy()
        actions = generator.integers(0, len(actions_taken), buffers.shape.lanes).astype(np.int32)
        actions[generator.random(len(actions)) < 0.5] = schema.interact_action(universe)
        after = evaluate(program.function("tick"), {**before, "action": actions}, program.tables)
        interpreter.step(buffers, torch.from_numpy(actions), Stream(SEED, tick))
        for field in schema.outcome_fields():
            same(field.name, buffers.outcome[field.name].numpy(), after[field.name], alive)
        begun = np.repeat(buffers.state["episode"].numpy(), agents) != episodes
        state = gather(universe, buffers)
        for each in after.keys() & state.keys():
            same(each, state[each], after[each], alive & ~begun)
        if universe.clock is not None:
            hour = evaluate(program.function("clock"), {"hour": before["hour"]}, ())["hour"]
            same("hour", state["hour"], hour, ~begun)
        compare_reset(universe, program, buffers, begun)
        compare_views(universe, program, buffers)
        used += np.bincount(after["used"][alive] + 1, minlength=len(used) + 1)[1:]
        causes += np.bincount(after["cause"][alive] + 1, minlength=len(causes) + 1)[1:]
        actions_taken += np.bincount(actions[alive], minlength=len(actions_taken))
        resets += int(begun.sum())
    assert used.all(), f"never used: {used}"
    assert causes[: len(universe.causes)].all(), f"never died of: {causes}"
    assert causes[-1] > 0 or universe.lifespan is None
    assert actions_taken.all()
    assert resets > 0
