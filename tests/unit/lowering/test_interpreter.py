"""The lowered functions, executed by their definition, against the interpreter: all state, outcomes, observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.universe import Continuous, Grid, NoSpace, Universe
from hamlet_lab.verify.fired import counting
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Output, Program
from hamletc.lowering import lower
from hamletc.lowering.lane import input_lane
from hamletc.lowering.plan import LIMITS, plan
from hamletc.lowering.space import affordance_position
from samples import CONSTRUCTS, NAMES, sample

Array = np.ndarray[Any, Any]
WORLDS, TICKS, SEED = 500, 15, 0x1234567890
NEVER = {"some_moves": {"several affordances at once"}}
"""What cannot fire."""


def gather(universe: Universe, buffers: Buffers) -> dict[str, Array]:
    """The state by state name, per lane."""
    state: dict[str, Array] = {}
    for field in schema.state_fields(universe):
        values = buffers.state[field.name].numpy().copy()
        if field.per == "world":
            values = np.repeat(values, buffers.shape.agents, axis=-1)
        values = values.view(np.uint32) if field.name == "layout" else values
        state |= dict(zip(field.names, [values] if field.rows is None else values, strict=True))
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
    """New random meters, params, inputs, ages and coordinates for some lanes, and places on affordances."""
    lanes, state = buffers.shape.lanes, {name: tensor.numpy() for name, tensor in buffers.state.items()}

    def some(share: float) -> Array:
        return generator.random(lanes) < share

    def drawn(low: float, high: float, count: int) -> Array:
        return generator.uniform(low, high, count).astype(np.float32)

    for values, meter in zip(state["meters"], universe.meters, strict=True):
        new = some(0.3)
        values[new] = drawn(meter.low, meter.high, lanes)[new]
    for values, param in zip(state.get("params", ()), universe.params, strict=True):
        values[:] = drawn(param.low, param.high, len(values))
    for values, item in zip(state.get("inputs", ()), universe.inputs, strict=True):
        values[:] = drawn(item.low, item.high, lanes)
    if universe.lifespan is not None:
        state["age"][some(0.02)] = universe.lifespan.ticks - 1
    moved = some(0.3)
    if schema.axes(universe):
        on_affordances(universe, buffers, moved)
        for row, values in enumerate(state["position"]):
            away = some(0.1)
            moved |= away
            values[away] = coordinates(universe, generator, row, lanes)[away]
    if schema.has_progress(universe):
        # Who is put somewhere begins anew, but some are taken for engaged in what they go on with.
        durations = np.array([-1 if each.duration is None else each.duration or 9 for each in universe.affordances])
        which = np.arange(lanes) % len(durations)
        engaged = moved & some(0.5) & (durations[which] > 1)
        state["engaged"][moved], state["progress"][moved] = -1, 0
        state["engaged"][engaged] = which[engaged]
        state["progress"][engaged] = 1 + generator.integers(0, 100, lanes)[engaged] % (durations[which] - 1)[engaged]
        if "used_at" in state:
            there = engaged & some(0.8)
            state["used_at"][:, there] = state["position"][:, there]


def coordinates(universe: Universe, generator: np.random.Generator, axis: int, count: int) -> Array:
    """Coordinates on an axis, often next to the edges."""
    match universe.space:
        case Grid(sizes=sizes):
            choices = [0, min(1, sizes[axis] - 1), sizes[axis] - 1, *generator.integers(0, sizes[axis], 3)]
            return generator.choice(np.array(choices, np.int32), count)
        case Continuous(axes=axes):
            low, high = np.float32(axes[axis].low), np.float32(axes[axis].high)
            edges = [low, high, np.nextafter(low, high), np.nextafter(high, low)]
            return generator.choice(np.array([*edges, *generator.uniform(low, high, 8)], np.float32), count)
        case NoSpace():
            raise AssertionError("there are no axes")


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
    seen = evaluate(program.function("observe"), state, program.tables, program.functions)
    assert buffers.observation is not None
    for segment in schema.observation_segments(universe):
        rows = buffers.observation[segment.offset : segment.offset + segment.count].numpy()
        for index, (row, values) in enumerate(zip(rows, seen[segment.name].reshape(rows.shape), strict=True)):
            same(f"observation {segment.name}[{index}]", row, values, np.ones_like(alive))
    allowed = evaluate(program.function("mask"), state, program.tables)
    row = 0
    for name, values in allowed.items():
        assert name == f"mask.{row}"
        for each in values.reshape(-1, len(alive)):
            among = alive if not universe.by_hand else np.ones_like(alive)
            same(f"mask {row}", buffers.mask[row].numpy(), each, among)
            row += 1
    assert row == len(schema.action_names(universe))


@pytest.mark.parametrize(
    ("name", "agents"),
    [
        pytest.param(name, agents, marks=[] if agents == 1 + number % 2 else [pytest.mark.long])
        for number, name in enumerate((*NAMES, *CONSTRUCTS))
        for agents in (1, 2)
    ],
)
def test_lowered_functions_give_the_bits_of_the_interpreter(name: str, agents: int) -> None:
    universe = sample(name)
    program, coverage = lower(universe), counting(universe)
    interpreter = Interpreter(universe, torch.device("cpu"), coverage)
    buffers = allocate(universe, Shape(WORLDS, agents, 5), torch.device("cpu"), torch.float32)
    generator = np.random.default_rng(7)
    interpreter.reset(buffers, Stream(SEED, 0))
    compare_reset(universe, program, buffers, np.ones(buffers.shape.lanes, np.bool_))
    compare_views(universe, program, buffers)
    actions_count = len(schema.action_names(universe))
    for tick in range(TICKS):
        if tick % 3 == 0:
            disturb(universe, buffers, generator)
        alive, before = buffers.state["alive"].numpy().copy(), gather(universe, buffers)
        episodes = np.repeat(buffers.state["episode"].numpy(), agents).copy()
        actions = generator.integers(0, actions_count, buffers.shape.lanes).astype(np.int32)
        actions[generator.random(len(actions)) < 0.5] = schema.interact_action(universe)
        running = np.ones_like(alive) if universe.by_hand else alive
        interacts = running & (actions == schema.interact_action(universe))
        acted = {"action": actions, "interacting": np.repeat(interacts.reshape(-1, agents).any(axis=1), agents)}
        drawn_by = {"lane": 5 * agents + np.arange(len(actions)), "tick": tick}
        drawn_by |= {"seed_low": SEED & 0xFFFFFFFF, "seed_high": SEED >> 32}
        words = {name: np.broadcast_to(value, actions.shape).astype(np.uint32) for name, value in drawn_by.items()}
        after = evaluate(program.function("tick"), {**before, **acted, **words}, program.tables)
        interpreter.step(buffers, torch.from_numpy(actions), Stream(SEED, tick))
        for field in schema.outcome_fields(universe):
            values = buffers.outcome[field.name].numpy()
            for each, row in zip(field.names, [values] if field.rows is None else values, strict=True):
                same(each, row, after[each.replace("reports.", "report.")], running)
        begun = np.repeat(buffers.state["episode"].numpy(), agents) != episodes
        state = gather(universe, buffers)
        for each in after.keys() & state.keys():
            same(each, state[each], after[each], running & ~begun)
        if universe.clock is not None:
            hour = evaluate(program.function("clock"), {"hour": before["hour"]}, ())["hour"]
            same("hour", state["hour"], hour, ~begun)
        compare_reset(universe, program, buffers, begun)
        compare_views(universe, program, buffers)
    assert set(coverage.never_fired) <= NEVER.get(name, set())
