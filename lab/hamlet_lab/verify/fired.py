"""Constructs of a universe that can fire, in the order of a tick: a comparison counts them."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import schema
from hamlet.interpreter import Coverage
from hamlet.interpreter.coverage import (
    AFTER_THE_END,
    BLOCKED,
    KEEPS_PROGRESS,
    LIFESPAN,
    NEW_EPISODE,
    PUSHED,
    SEVERAL_AT_ONCE,
    STUCK,
    USED_AGAIN,
    USED_ANOTHER,
    WALKED,
    acting,
    action,
    allow,
    behind,
    born,
    cause,
    differs,
    draw,
    edge,
    guarded,
    otherwise,
    relocated,
    returned,
    rule,
    use,
)
from hamlet.universe import (
    Acting,
    Affordance,
    Among,
    Blocking,
    Cascade,
    Cause,
    Displace,
    Draw,
    DrawChance,
    DrawChoice,
    DrawInteger,
    DrawNormal,
    DrawPoisson,
    DrawUniform,
    Grid,
    Guarded,
    Hours,
    Lifespan,
    Mask,
    Move,
    Nearest,
    NoSpace,
    Pool,
    Pushing,
    Rank,
    Rule,
    Teleport,
    Truth,
    Universe,
    depends_on_asker,
    draws,
    nodes,
)
from hamlet.universe.actions import INTERACT
from hamlet.universe.space import graph_of, has_momentum, letters_of
from hamlet.universe.stages import Construct, StepName, by_step


def counting(universe: Universe) -> Coverage:
    """Counts of everything in a universe that can fire, of which nothing has fired yet."""
    return Coverage(constructs(universe))


def constructs(universe: Universe) -> tuple[str, ...]:
    """Everything in a universe that can fire, in the order of a tick; then what expressions and statements decide."""
    names: list[str] = []
    for step, stages in by_step(universe):
        names += _of_step(universe, step.name)
        names += (name for stage in stages for name in _of_construct(universe, stage.construct))
        if step.name == "interact":
            names += _of_uses(universe)
    asked = [node for node in nodes(universe) if isinstance(node, Guarded)]
    names += [guarded(node) for node in asked] + [otherwise(node) for node in asked if node.otherwise]
    names += [relocated(node) for node in nodes(universe) if isinstance(node, Displace | Teleport)]
    for node in nodes(universe):
        if isinstance(node, Among | Rank | Nearest) and depends_on_asker(node):
            names.append(differs(node))
        elif isinstance(node, Rank):
            names.append(behind(node))
    names += [draw(drawn, event) for drawn in draws(universe) for event in draw_events(drawn)]
    return tuple(dict.fromkeys(names))


def _of_step(universe: Universe, step: StepName) -> Iterator[str]:
    """Events of a step that belong to none of its constructs."""
    match step:
        case "act":
            yield from map(action, schema.action_names(universe))
            for _, move in schema.moves_of(universe):
                yield from (action(move.name, event) for event in stopped(move, universe))
            if has_momentum(universe.space):
                yield from map(edge, schema.axes(universe))
            yield from (action(item.name, "refused") for item in universe.actions if item.needs is not None)
            keeping = any(item.keeps_progress and item.displaces for item in universe.actions)
            if schema.has_progress(universe) and keeping:
                yield KEEPS_PROGRESS
        case "episode" if universe.causes or universe.lifespan is not None:
            yield AFTER_THE_END if universe.by_hand else NEW_EPISODE
        case _:
            pass


def _of_uses(universe: Universe) -> Iterator[str]:
    """Events of the affordances that an agent uses, taken together."""
    if can_meet(universe):
        yield SEVERAL_AT_ONCE
    if any(affordance.solid for affordance in universe.affordances):
        yield WALKED
    if universe.tracking is not None and universe.affordances:
        yield from (USED_AGAIN, USED_ANOTHER)


def _of_construct(universe: Universe, construct: Construct) -> Iterator[str]:
    """Events of a construct at its place in a tick."""
    match construct:
        case Affordance():
            yield from (use(construct.name, event) for event in _events(universe, construct))
        case Rule() | Cascade():
            yield rule(construct)
        case Cause():
            yield cause(construct)
        case Lifespan():
            yield LIFESPAN
        case Pool(asks=asks, after=after):
            yield from () if asks is None else (born(construct),)
            yield from () if after is None else (returned(construct),)
        case Blocking():
            yield BLOCKED
        case Pushing():
            yield from (PUSHED, STUCK)
        case Acting():
            yield from (acting(construct, event) for event in ("acts", "waits"))
        case Mask(allowed=allowed) if not isinstance(allowed, Truth):
            yield allow(construct)
        case _:
            pass


def _events(universe: Universe, item: Affordance) -> Iterator[str]:
    """Events at an affordance: none where no action uses it."""
    if not item.solid and INTERACT not in schema.action_names(universe):
        return
    yield "instantly" if item.duration is None else "each tick"
    if item.duration is not None and item.duration > 0:
        yield "on completion"
    hours, clock = item.hours, universe.clock
    timed = hours is not None and clock is not None and closes(hours, clock.hours)
    if (item.opening is not None and item.appears is None) or timed:
        yield "closed"
    if item.needs is not None:
        yield "refused"
    if item.capacity is not None:
        yield from ("granted", "turned away")


def stopped(move: Move, universe: Universe) -> tuple[str, ...]:
    """Obstacles of a move: on a map only those next to some open cell."""
    letters, space = letters_of(universe.space), universe.space
    if not any(move.by) or has_momentum(space):
        return ()
    if graph_of(space) is not None:
        return ("without an edge",)
    if letters is None or not isinstance(space, Grid):
        return ("at the edge",) if universe.closed is None else ("at the edge", "at a wall")
    walls, (width, height), (right, down) = set(letters.cells(letters.walls)), space.sizes, move.by
    edge, wall = False, universe.closed is not None
    for cell in set(range(width * height)) - walls:
        x, y = cell % width + int(right), cell // width + int(down)
        if not (0 <= x < width and 0 <= y < height):
            edge = True
            x, y = (x % width, y % height) if space.edges == "wrap" else (x, y)
        inside, there = 0 <= x < width and 0 <= y < height, x + width * y
        wall = wall or (inside and (there in walls or (cell, there) in letters.between))
    return (*(("at the edge",) if edge else ()), *(("at a wall",) if wall else ()))


def draw_events(item: Draw) -> tuple[str, ...]:
    """Results of a draw, as far as they are told apart."""
    match item:
        case DrawChance():
            return ("holds", "fails")
        case DrawChoice(options=options):
            return tuple(f"option {number}" for number in range(1, len(options) + 1))
        case DrawUniform() | DrawInteger() | DrawNormal() | DrawPoisson():
            return ("",)


def can_meet(universe: Universe) -> bool:
    """Whether an agent can be at several affordances."""
    stored = bool(schema.place_rows(universe)) or isinstance(universe.space, NoSpace)
    return stored and len(universe.affordances) > 1


def closes(hours: Hours, day: int) -> bool:
    """Whether there is an hour at which an affordance is closed."""
    return (hours.closes - hours.opens) % day != 0
