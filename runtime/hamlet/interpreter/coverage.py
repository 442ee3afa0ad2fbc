"""How often each construct of a universe fired: what a comparison of backends has really exercised."""

from __future__ import annotations

from torch import Tensor

from hamlet import schema
from hamlet.universe import (
    Among,
    Cascade,
    Cause,
    Draw,
    DrawChance,
    DrawChoice,
    DrawInteger,
    DrawNormal,
    DrawUniform,
    Grid,
    Guarded,
    Hours,
    Mask,
    Move,
    Nearest,
    NoSpace,
    OfAll,
    Rank,
    Rule,
    Truth,
    Universe,
    depends_on_asker,
    draws,
    nodes,
)
from hamlet.universe.space import graph_of, has_momentum, letters_of


def rule(item: Rule | Cascade) -> str:
    """The name under which a rule or a cascade is counted."""
    return f"{'rule' if isinstance(item, Rule) else 'cascade'} {item.name}"


def use(affordance: str, event: str) -> str:
    """The name of an event at an affordance: instantly, each tick, on completion, refused, closed."""
    return f"affordance {affordance}: {event}"


def action(name: str, event: str = "") -> str:
    """The name of an action, or of an event with it: refused (its `needs` did not hold); of a move: at the
    edge, at a wall."""
    return f"action {name}: {event}" if event else f"action {name}"


def edge(axis: str) -> str:
    """The name under which agents with momentum are counted that meet an edge."""
    return f"momentum: at the edge of {axis}"


def cause(item: Cause) -> str:
    """The name of a cause of death, or of a goal."""
    return f"{'dies' if item.goal is None else 'ends'} when {item.name}"


def allow(mask: Mask) -> str:
    """The name under which the agents are counted that a mask allows something."""
    named = f"allow {' '.join(mask.actions) or 'all'}"
    return named if mask.who is None else f"{named} in line {mask.span.line}, column {mask.span.column}"


def draw(item: Draw, event: str = "") -> str:
    """The name of a draw, or of an event with it: holds, fails (of a chance), option n (of a choice)."""
    name = f"draw {item.site}, {type(item).__name__.removeprefix('Draw').lower()} in line {item.span.line}"
    return f"{name}: {event}" if event else name


def behind(item: Rank) -> str:
    """The name under which agents are counted that come after others."""
    return f"rank in line {item.span.line}, column {item.span.column}: after others"


def differs(item: OfAll) -> str:
    """The name under which agents are counted that find another number than the first of their world."""
    word = item.op if isinstance(item, Among) else type(item).__name__.lower()
    return f"{word} in line {item.span.line}, column {item.span.column}: another for two agents"


def guarded(item: Guarded) -> str:
    """The name under which the agents are counted for which a condition among statements held."""
    return f"a condition for statements in line {item.span.line}, column {item.span.column}"


LIFESPAN = "lifespan"
NEW_EPISODE = "new episode"
AFTER_THE_END = "ticks after the end of an episode"
KEEPS_PROGRESS = "progress kept on the way"
SEVERAL_AT_ONCE = "several affordances at once"
USED_AGAIN = "the same affordance again"
USED_ANOTHER = "another affordance than last"


def constructs(universe: Universe) -> tuple[str, ...]:
    """Everything in a universe that can fire, in file order."""
    names = [action(name) for name in schema.action_names(universe)]
    names += [action(move.name, event) for move in universe.moves for event in stopped(move, universe)]
    if has_momentum(universe.space):
        names += [edge(axis) for axis in schema.axes(universe)]
    names += [action(item.name, "refused") for item in universe.actions if item.needs is not None]
    displacing = [item for item in universe.actions if item.move is not None or item.teleport is not None]
    if schema.has_progress(universe) and any(item.keeps_progress for item in displacing):
        names.append(KEEPS_PROGRESS)
    for item in universe.affordances:
        events = ["instantly"] if item.duration is None else ["each tick"]
        if item.duration is not None and item.duration > 0:
            events.append("on completion")
        hours, clock = item.hours, universe.clock
        timed = hours is not None and clock is not None and closes(hours, clock.hours)
        if (item.opening is not None and item.appears is None) or timed:
            events.append("closed")
        if item.needs is not None:
            events.append("refused")
        if item.capacity is not None:
            events += ["granted", "turned away"]
        names += [use(item.name, event) for event in events]
    if can_meet(universe):
        names.append(SEVERAL_AT_ONCE)
    if universe.tracking is not None and universe.affordances:
        names += [USED_AGAIN, USED_ANOTHER]
    names += [rule(item) for item in universe.dynamics]
    names += [rule(item) for item in (() if universe.world is None else universe.world.rules)]
    names += [rule(item) for item in (() if universe.cells is None else universe.cells.rules)]
    names += [cause(item) for item in universe.causes]
    if universe.lifespan is not None:
        names.append(LIFESPAN)
    if universe.causes or universe.lifespan is not None:
        names.append(AFTER_THE_END if universe.by_hand else NEW_EPISODE)
    names += [allow(mask) for mask in universe.masks if not isinstance(mask.allowed, Truth)]
    names += [guarded(node) for node in nodes(universe) if isinstance(node, Guarded)]
    for node in nodes(universe):
        if isinstance(node, Among | Rank | Nearest) and depends_on_asker(node):
            names.append(differs(node))
        elif isinstance(node, Rank):
            names.append(behind(node))
    names += [draw(drawn, event) for drawn in draws(universe) for event in draw_events(drawn)]
    return tuple(dict.fromkeys(names))


def stopped(move: Move, universe: Universe) -> tuple[str, ...]:
    """What can stop a move: on a map only what is next to some open cell."""
    letters, space = letters_of(universe.space), universe.space
    if not any(move.by) or has_momentum(space):
        return ()
    if graph_of(space) is not None:
        return ("without an edge",)
    if letters is None or not isinstance(space, Grid):
        return ("at the edge",)
    walls, (width, height), (right, down) = set(letters.cells(letters.walls)), space.sizes, move.by
    edge = wall = False
    for cell in set(range(width * height)) - walls:
        x, y = cell % width + int(right), cell // width + int(down)
        if not (0 <= x < width and 0 <= y < height):
            edge = True
            x, y = (x % width, y % height) if space.edges == "wrap" else (x, y)
        wall = wall or (0 <= x < width and 0 <= y < height and x + width * y in walls)
    return (*(("at the edge",) if edge else ()), *(("at a wall",) if wall else ()))


def draw_events(item: Draw) -> tuple[str, ...]:
    """What can come of a draw, as far as that is told apart."""
    match item:
        case DrawChance():
            return ("holds", "fails")
        case DrawChoice(options=options):
            return tuple(f"option {number}" for number in range(1, len(options) + 1))
        case DrawUniform() | DrawInteger() | DrawNormal():
            return ("",)


def can_meet(universe: Universe) -> bool:
    """Whether an agent can be at several affordances."""
    stored = bool(schema.place_rows(universe)) or isinstance(universe.space, NoSpace)
    return stored and len(universe.affordances) > 1


def closes(hours: Hours, day: int) -> bool:
    """Whether there is an hour at which an affordance is closed."""
    return (hours.closes - hours.opens) % day != 0


class Coverage:
    """Counts of lanes in which each construct fired; of worlds, for a new episode and what is the world's; of cells,
    for what is theirs.

    Attributes:
        counts: by construct, in file order; a construct that never fired has 0.
    """

    def __init__(self, universe: Universe) -> None:
        self.counts = dict.fromkeys(constructs(universe), 0)

    def count(self, construct: str, who: Tensor) -> None:
        """Add the lanes in which a construct fired; who: bool. What cannot fire is not counted."""
        if construct in self.counts:
            self.add(construct, int(who.sum()))

    def add(self, construct: str, lanes: int) -> None:
        """Add lanes in which a construct fired."""
        if construct in self.counts:
            self.counts[construct] += lanes

    @property
    def never_fired(self) -> tuple[str, ...]:
        return tuple(name for name, count in self.counts.items() if count == 0)
