"""From a parting to its record: tick, agent, field and values; what may write there, and what was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import NetworkPolicy, RandomPolicy, RecordedPolicy, Stream, TabularPolicy
from hamlet.env.act.trajectories import chosen
from hamlet.interpreter import Interpreter, Trace, Write, coverage
from hamlet.interpreter.interpreter import global_lanes
from hamlet.interpreter.policy import drawn_controls
from hamlet.numbers.binary32 import bits32
from hamlet.universe import (
    Action,
    Affordance,
    Cascade,
    Cells,
    Displace,
    Meter,
    Pairs,
    Rule,
    Span,
    Statement,
    Universe,
    World,
)
from hamlet.universe.actions import INTERACT
from hamlet.universe.stages import Scope, stages
from hamlet_lab.divergence.arrays import bits
from hamlet_lab.divergence.events import CPU, Candidate, Event, Rollout, Runner, Step, describe, later, ticks_of
from hamlet_lab.divergence.record import Divergence, SourceLine, Written, f32_value, source_at, value_of
from hamlet_lab.divergence.session import Outcome, Parting


def locate(parting: Parting) -> Divergence:
    """The record of a parting, but for its cause."""
    difference, outcome = parting.difference, parting.left
    (left, right), event = parting.sides, describe(parting.within)
    launched = ticks_of(outcome.event)
    if launched > 1:
        event += f"; only after others in a launch of {launched}"
    world, agent = difference.place(outcome.before.shape.agents)
    lane, agents = difference.lane, outcome.before.shape.agents
    first = lane if difference.array != "world_meters" or world is None else world * agents
    story = retold(left.universe, outcome, parting.stream, first)
    action = ""
    if story.actions and lane is not None:
        action = schema.action_names(left.universe)[int(story.actions[-1][lane])]
    writes = story.writes if difference.array in ("meters", "world_meters", "velocity") else []
    writing = (writers(side.universe, difference.array, difference.row) for side in parting.sides)
    return Divergence(
        left=left.label,
        right=right.label,
        run=parting.scenario,
        event=event,
        tick=parting.tick + max(launched - 1, 0),
        field=difference.array,
        row=difference.row,
        world=world,
        agent=agent,
        action=action,
        expected=value_of(difference.expected),
        found=value_of(difference.actual),
        more=difference.more,
        writers=tuple(dict.fromkeys(source for each in writing for source in each)),
        writes=written(left.universe, writes, difference.row, difference.actual),
    )


def written(universe: Universe, writes: list[Write], meter: str, actual: Tensor) -> tuple[Written, ...]:
    """Writes of statements to a meter in a tick, in order; marked where one before the last left the `actual` value."""
    mine = [write for write in writes if write.meter == meter]
    last = int(bits(actual)) & 0xFFFFFFFF
    follows = bool(mine) and bits32(mine[-1].value) != last
    return tuple(
        Written(
            source_at(universe, write.construct, write.span),
            f32_value(write.value),
            follows and bits32(write.value) == last,
        )
        for write in mine
    )


@dataclass(frozen=True, slots=True)
class Retold:
    """An event once more, by the interpreter, tick by tick.

    Attributes:
        actions: of each tick, i32 [lanes].
        writes: of statements to the meters of one lane in the last tick, in order.
        controls: of each tick, f32 [controls, lanes]; `None` in a universe without any.
    """

    actions: list[Tensor]
    writes: list[Write]
    controls: list[Tensor | None]


def retold(universe: Universe, outcome: Outcome, stream: Stream, lane: int | None = None) -> Retold:
    """The ticks of an outcome's event as the interpreter runs them; without a lane, writes are left out."""
    agents, event = outcome.before.shape.agents, outcome.event
    trace = None if lane is None else Trace(lane // agents, lane % agents)
    interpreter, actions = Interpreter(universe, CPU, trace=trace), list[Tensor]()
    controls = list[Tensor | None]()
    buffers = Runner.resumed(universe, Candidate(interpreter, CPU), outcome.before).buffers
    numbers = global_lanes(buffers.shape, CPU)
    if isinstance(event, Rollout) and isinstance(event.policy, NetworkPolicy):
        event = replace(event, policy=event.policy.beginning(buffers.shape.lanes, CPU))
    if isinstance(event, Step) and event.controls is not None:
        buffers.state["controls"].copy_(event.controls)
    for index in range(ticks_of(event)):
        now = later(stream, index)
        if isinstance(event, Rollout):
            for name, rows in event.by_tick.items():
                buffers.state[name].copy_(rows[index])
            if universe.controls and "controls" not in event.by_tick and not isinstance(event.policy, RecordedPolicy):
                buffers.state["controls"].copy_(drawn_controls(universe, numbers, now))
        controls.append(buffers.state["controls"].clone() if universe.controls else None)
        actions.append(_chosen(interpreter, buffers, event, index, now))
        if trace is not None:
            trace.writes.clear()
        interpreter.step(buffers, actions[-1], now)
    return Retold(actions, [] if trace is None else trace.writes, controls)


def _chosen(interpreter: Interpreter, buffers: Buffers, event: Event, index: int, now: Stream) -> Tensor:
    """The actions of a tick of an event, i32 [lanes]."""
    match event:
        case Step(actions=actions):
            return actions
        case Rollout(policy=RecordedPolicy(actions=actions)):
            return actions[index]
        case Rollout(policy=RandomPolicy() | TabularPolicy() | NetworkPolicy() as policy):
            if isinstance(policy, NetworkPolicy):
                interpreter.observe(buffers)
            return chosen(interpreter, buffers, policy, now)
        case _:
            raise ValueError(f"nobody acts in {describe(event)}")


STATISTICS: dict[str, tuple[schema.Construct, ...]] = {
    "uses": ("affordances",),
    "lane_uses": ("affordances",),
    **dict.fromkeys(
        ("causes", "lengths", "finished_return", "lane_episodes", "lane_lengths", "lane_returns", "lane_causes"),
        ("causes", "lifespan"),
    ),
}
"""The constructs behind the arrays of statistics, which are no fields."""


def writers(universe: Universe, array: str, row: str) -> tuple[SourceLine, ...]:
    """The constructs that can write a row of an array, in the order of a tick."""
    constructs = _field(universe, array, row)
    return tuple(dict.fromkeys(source_at(universe, name, span) for name, span in constructs))


def _meter(universe: Universe, meter: str) -> list[tuple[str, Span]]:
    (declared,) = (item for item in universe.meters if item.name == meter)
    places = [(each.name, each.span) for each in _bodies(universe, "agent") if meter in each.statement.writes]
    return [*places, (f"meter {meter}: start of an episode", declared.span)]


def _pushes(universe: Universe, axis: str) -> list[tuple[str, Span]]:
    """The statements that write the velocity on an axis."""
    places: list[tuple[str, Span]] = []
    for each in _bodies(universe, "agent"):
        places += [(each.name, push.span) for push in each.statement.pushes if push.axis == axis]
        places += [
            (each.name, relocation.span)
            for relocation in each.statement.relocations
            if isinstance(relocation, Displace)
        ]
    return places


def _meter_of(of: World | Cells | Pairs | None, universe: Universe, scope: Scope, meter: str) -> list[tuple[str, Span]]:
    """The rules of the world, of cells, or of pairs, that can write one of their meters, and where that is declared."""
    if of is None:
        return []
    whose = {"world": "the world", "cell": "cells", "agent": "pairs"}[scope]
    places = [(each.name, each.span) for each in _bodies(universe, scope) if meter in each.statement.writes]
    declared = [item.span for item in of.meters if item.name == meter]
    return [*places, *((f"meter {meter} of {whose}: start of an episode", span) for span in declared)]


@dataclass(frozen=True, slots=True)
class _Body:
    """A statement of a tick, the name under which its construct is counted, and where it is written."""

    name: str
    span: Span
    statement: Statement


def _bodies(universe: Universe, scope: Scope) -> Iterator[_Body]:
    """The statements that agents, the world or cells run in a tick, in order."""
    for stage in stages(universe):
        if stage.scope != scope:
            continue
        match stage.construct:
            case Action(name=name):
                yield from (_Body(coverage.action(name), each.span, each) for each in stage.statements)
            case Meter(name=name, span=span):
                loss = "move" if stage.step.name == "act" else stage.step.name
                yield from (_Body(f"meter {name}: {loss}", span, each) for each in stage.statements)
            case Affordance() as place:
                bodies = {"instantly": place.instantly, "each tick": place.each_tick}
                for event, body in {**bodies, "on completion": place.on_completion}.items():
                    yield from (_Body(coverage.use(place.name, event), each.span, each) for each in body)
            case Rule() | Cascade():
                yield from (_Body(coverage.rule(stage.construct), each.span, each) for each in stage.statements)
            case _:
                pass


def _field(universe: Universe, array: str, row: str) -> list[tuple[str, Span]]:
    match array:
        case "observation" | "final_observation":
            return _observing(universe, schema.observation_names(universe).index(row))
        case "mask":
            return _masking(universe, row)
        case _:
            fields = (*schema.state_fields(universe), *schema.outcome_fields(universe))
            kinds = STATISTICS | {field.name: field.writers for field in fields}
            return [place for kind in kinds[array] for place in _constructs(universe, kind, row)]


def _constructs(universe: Universe, kind: schema.Construct, row: str) -> list[tuple[str, Span]]:
    """The constructs of a kind that can write a row of a field."""
    match kind:
        case "space":
            return [("space: moves, edges, start of an episode", universe.space.span)]
        case "start":
            return [("start of an episode", universe.start.span)] if universe.start is not None else []
        case "pushes":
            return _pushes(universe, row)
        case "moving actions":
            return [(coverage.action(item.name), item.span) for item in universe.actions if item.displaces]
        case "relocations":
            bodies = (each for each in _bodies(universe, "agent") if not each.name.startswith("action "))
            return [(each.name, relocation.span) for each in bodies for relocation in each.statement.relocations]
        case "affordances":
            places = [item for item in universe.affordances if not row or row.startswith(item.name)]
            return [(f"affordance {item.name}", item.span) for item in places]
        case "lasting affordances":
            lasting = [item for item in universe.affordances if item.duration is not None]
            return [(f"affordance {item.name}", item.span) for item in lasting]
        case "tracking":
            return [("track uses", universe.tracking.span)] if universe.tracking is not None else []
        case "causes":
            return [(coverage.cause(item), item.condition.span) for item in universe.causes]
        case "lifespan":
            return [("lifespan", universe.lifespan.span)] if universe.lifespan is not None else []
        case "rewards":
            paid = [item for item in universe.rewards if not row or item.name == row]
            return [(f"reward {item.name}" if row else "reward", item.span) for item in paid]
        case "reports":
            return [(f"report {item.name}", item.span) for item in universe.reports if item.name == row]
        case "clock":
            return [("clock", universe.clock.span)] if universe.clock is not None else []
        case "params":
            return [(f"param {item.name}", item.span) for item in universe.params if item.name == row]
        case "inputs":
            return [(f"input {item.name}", item.span) for item in universe.inputs if item.name == row]
        case "controls":
            return [(f"control {item.name}", item.span) for item in universe.controls if item.name == row]
        case "meters":
            return _meter(universe, row)
        case "world":
            return _meter_of(universe.world, universe, "world", row)
        case "cells":
            return _meter_of(universe.cells, universe, "cell", row.partition("[")[0])
        case "pairs":
            return _meter_of(universe.pairs, universe, "agent", row.partition("[")[0])


def _observing(universe: Universe, number: int) -> list[tuple[str, Span]]:
    """The item that observes a value; of each role its own."""
    common = sum(segment.count for segment in schema.common_segments(universe))
    own = () if number < common else tuple(role.observations for role in universe.roles or ())
    places: list[tuple[str, Span]] = []
    for items in own or (universe.observations,):
        left = number - (common if own else 0)
        for item in items:
            left -= schema.observation_rows(replace(universe, observations=(item,), roles=None))
            if left < 0:
                kind = type(item).__name__.removeprefix("Observe").lower()
                places.append((f"observe: {getattr(item, 'name', kind)}", item.span))
                break
    return places


def _masking(universe: Universe, action: str) -> list[tuple[str, Span]]:
    """Constructs that allow an action: the masks of the universe for it, or else those that are built in; and those for
    all actions.
    """
    said = [(coverage.allow(mask), mask.span) for mask in universe.masks if action in mask.actions]
    built_in = [("space", universe.space.span)] if action in {move.name for move in universe.moves} else []
    if action == INTERACT:
        built_in = [(f"affordance {item.name}", item.span) for item in universe.affordances]
    of_all = [(coverage.allow(mask), mask.span) for mask in universe.masks if not mask.actions]
    acting = [("acts when", item.span) for item in universe.acting]
    return (said or built_in) + of_all + acting
