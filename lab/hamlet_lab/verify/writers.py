"""Which constructs can write a field: where to look when it differs."""

from __future__ import annotations

from collections.abc import Iterable

from hamlet.interpreter import coverage
from hamlet.universe import Assign, Span, Statement, Together, Universe


def writers(universe: Universe, array: str, row: str) -> tuple[str, ...]:
    """The constructs that can write a row of an array, as "file:line  construct", in the order of a tick."""
    return tuple(
        f"{universe.sources[span.file]}:{span.line}  {name}" for name, span in written_by(universe, array, row)
    )


def written_by(universe: Universe, array: str, row: str) -> list[tuple[str, Span]]:
    """The constructs that can write a row of an array, in the order of a tick."""
    return _meter(universe, row) if array == "meters" else _field(universe, array, row)


def _meter(universe: Universe, meter: str) -> list[tuple[str, Span]]:
    (declared,) = (item for item in universe.meters if item.name == meter)

    def written(name: str, body: Iterable[Statement]) -> list[tuple[str, Span]]:
        return [(name, statement.span) for statement in body if meter in _targets(statement)]

    found: list[tuple[str, Span]] = []
    for action in universe.actions:
        found += written(coverage.action(action.name), action.body)
    found += [(f"meter {meter}: move", declared.span)] if declared.move is not None else []
    found += [(f"meter {meter}: interact", declared.span)] if declared.interact is not None else []
    for place in universe.affordances:
        found += written(coverage.use(place.name, "instantly"), place.instantly)
        found += written(coverage.use(place.name, "each tick"), place.each_tick)
        found += written(coverage.use(place.name, "on completion"), place.on_completion)
    found += [(f"meter {meter}: decay", declared.span)] if declared.decay is not None else []
    for item in universe.dynamics:
        found += written(coverage.rule(item), item.body)
    return [*found, (f"meter {meter}: start of an episode", declared.span)]


def _targets(statement: Statement) -> tuple[str, ...]:
    match statement:
        case Assign(meter=meter):
            return (meter,)
        case Together(body=body):
            return tuple(inner.meter for inner in body)


def _field(universe: Universe, array: str, row: str) -> list[tuple[str, Span]]:
    space = [("space: moves, edges, start of an episode", universe.space.span)]
    causes = [(coverage.cause(item.name), item.condition.span) for item in universe.causes]
    lifespan = [("lifespan", universe.lifespan.span)] if universe.lifespan is not None else []
    uses = [(f"affordance {item.name}", item.span) for item in universe.affordances]
    match array:
        case "velocity" | "speed":
            begins = [("start of an episode", universe.start.span)] if universe.start is not None else []
            return [*space, *begins]
        case "position":
            moving = [item for item in universe.actions if item.move is not None or item.teleport is not None]
            return [*space, *((coverage.action(item.name), item.span) for item in moving)]
        case "engaged" | "progress" | "used_at":
            lasting = [item for item in universe.affordances if item.duration is not None]
            return [*((f"affordance {item.name}", item.span) for item in lasting), *space]
        case "used" | "uses":
            return uses
        case "last" | "streaks" | "seen":
            return [("track uses", universe.tracking.span)] if universe.tracking is not None else []
        case "places":
            return [*(item for item in uses if row.startswith(item[0].removeprefix("affordance "))), *space]
        case "reports":
            named = [(f"reward {item.name}", item.span) for item in universe.rewards if item.name == row]
            return [*named, *((f"report {item.name}", item.span) for item in universe.reports if item.name == row)]
        case "alive" | "cause" | "causes" | "lengths" | "finished_return":
            return causes + lifespan
        case "terminated":
            return causes
        case "truncated" | "age":
            return lifespan
        case "reward" | "episode_return":
            return [*(("reward", item.span) for item in universe.rewards), *lifespan, *causes]
        case "params" | "inputs":
            given = universe.params if array == "params" else universe.inputs
            return [(f"{array.removesuffix('s')} {item.name}", item.span) for item in given if item.name == row]
        case "hour":
            return [("clock", universe.clock.span)] if universe.clock is not None else []
        case "episode" | "layout":
            return causes + lifespan
        case "observation" | "final_observation":
            return [
                (f"observe: {row}", item.span) for item in universe.observations if _observes(type(item).__name__, row)
            ]
        case "mask":
            allowing = [(coverage.allow(item), item.span) for item in universe.masks]
            return [*space, *uses, *allowing]
        case _:
            return []


def _observes(kind: str, row: str) -> bool:
    first = row.split(".")[0].split("[")[0]
    first = {"size": "position", "meter": "meters", "param": "params"}.get(first, first)
    return kind.removeprefix("Observe").lower() == first
