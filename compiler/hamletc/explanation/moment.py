"""A world at a state: the tick IR, run once for each action from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hamlet import schema
from hamlet.schema.roles import fewest_agents
from hamlet.universe import Universe
from hamletc.errors import CompileError
from hamletc.ir.evaluate import Array
from hamletc.ir.function import Program
from hamletc.kernel.build import build
from hamletc.kernel.calls import FunctionCall, Watch
from hamletc.kernel.memory import Launch, Memory, Moments, Recorded
from hamletc.kernel.run import Executable
from hamletc.kernel.versions import Amount, Evaluated, amounts_of

NUMPY = {"f32": np.float32, "i32": np.int32, "bool": np.bool_}


@dataclass(slots=True)
class Tick:
    """A tick from one state, once with each action.

    Attributes:
        actions: their names.
        before, after: the state of agent 0, by the names of the tick IR: a number; and one of each action.
        amounts: what constructs add to each meter that was asked for.
    """

    actions: tuple[str, ...]
    before: dict[str, float] = field(default_factory=dict)
    after: dict[str, Array] = field(default_factory=dict)
    amounts: dict[str, list[Amount]] = field(default_factory=dict)


def tick_from(universe: Universe, program: Program, state: Mapping[str, float], meters: tuple[str, ...]) -> Tick:
    """A tick of world 0 from the beginning of an episode, with some meters set before it.

    Args:
        program: as the lowering makes it.
        state: values of meters and params, by name.
        meters: names of those whose amounts are asked for, as functions have them: `meter.energy`, `world.price`.

    Raises:
        CompileError: a universe has no such meter or param, or it lies out of its bounds.
    """
    executable = Executable(universe, program, build(universe, program))
    actions, agents = schema.action_names(universe), fewest_agents(universe)
    count = len(actions)
    fields = _allocated(universe, count, agents)
    memory = Memory(fields, np.zeros((count, count * agents), np.bool_))
    moments = Moments(np.zeros(count, np.int64), np.zeros(count, np.int64))
    acts = np.repeat(np.arange(count, dtype=np.int32), agents)[None]
    launch = Launch(count, agents, begins=np.ones(count, np.bool_), moments=moments, policy=Recorded(acts))
    _set(universe, fields, {name: value for name, value in state.items() if _param(universe, name)})
    executable.run("reset", memory, launch)
    _set(universe, fields, {name: value for name, value in state.items() if not _param(universe, name)})
    tick = Tick(actions)
    tick.before = {name: float(values[0]) for name, values in _states(universe, fields, agents).items()}
    executable.run("step", memory, launch, _watch(tick, program, meters, agents))
    return tick


def _watch(tick: Tick, program: Program, meters: tuple[str, ...], agents: int) -> Watch:
    """A watch that keeps what agent 0 of each world has after each function that writes its meters."""

    def watch(call: FunctionCall) -> None:
        names = [output.name for output in program.function(call.function).outputs if output.name in meters]
        if not names or call.each != 1 or call.function in ("shuffle", "place", "reset"):
            return
        lanes = slice(0, None, agents)
        inputs = {name: values[lanes] if values.ndim == 1 else values for name, values in call.inputs.items()}
        evaluated = Evaluated.of(program, FunctionCall(call.function, inputs, call.lanes[lanes]))
        for name in names:
            tick.amounts.setdefault(name, []).extend(amounts_of(evaluated, name))
            tick.after[name] = evaluated.at(evaluated.function.output(name).value).copy()

    return watch


def _allocated(universe: Universe, worlds: int, agents: int) -> dict[str, Array]:
    fields: dict[str, Array] = {}
    for each in (*schema.state_fields(universe), *schema.outcome_fields(universe)):
        columns = worlds * agents if each.per == "lane" else worlds
        shape = (columns,) if each.rows is None else (len(each.rows), columns)
        fields[each.name] = np.zeros(shape, NUMPY[each.dtype])
    for row, param in enumerate(universe.params):
        fields["params"][row] = param.default
    for row, item in enumerate(universe.inputs):
        fields["inputs"][row] = item.default
    for row, control in enumerate(universe.controls):
        fields["controls"][row] = min(max(control.low, 0.0), control.high)
    return fields


def _states(universe: Universe, fields: Mapping[str, Array], agents: int) -> dict[str, Array]:
    """Meters of agent 0 and of the world, by the names of the tick IR."""
    states = {f"meter.{each.name}": fields["meters"][row, ::agents] for row, each in enumerate(universe.meters)}
    world = () if universe.world is None else universe.world.meters
    return states | {f"world.{each.name}": fields["world_meters"][row] for row, each in enumerate(world)}


def _param(universe: Universe, name: str) -> bool:
    return any(param.name == name for param in universe.params)


def _set(universe: Universe, fields: Mapping[str, Array], state: Mapping[str, float]) -> None:
    """Set meters or params in all worlds."""
    places: dict[str, tuple[str, int, float, float]] = {}
    for row, param in enumerate(universe.params):
        places[param.name] = "params", row, param.low, param.high
    for row, of_world in enumerate(() if universe.world is None else universe.world.meters):
        places[of_world.name] = "world_meters", row, of_world.low, of_world.high
    for row, meter in enumerate(universe.meters):
        places[meter.name] = "meters", row, meter.low, meter.high
    for name, value in state.items():
        if name not in places:
            from hamletc.suggest import closest

            meant = closest(name, sorted(places))
            guess = f": did you mean {meant}?" if meant else ""
            raise CompileError(f"--at {name}: {universe.name} has no such meter or param{guess}")
        array, row, low, high = places[name]
        if not low <= value <= high:
            raise CompileError(f"--at {name}: {value:g} is outside of its bounds, {low:g} .. {high:g}")
        fields[array][row] = value
