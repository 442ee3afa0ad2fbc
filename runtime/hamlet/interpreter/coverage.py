"""How often each construct of a universe fired: what a comparison of backends has really exercised. Which constructs a
universe has, whoever counts says (`hamlet_lab.verify.fired`)."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor

from hamlet.universe import (
    Acting,
    Among,
    Cascade,
    Cause,
    Displace,
    Draw,
    Guarded,
    Mask,
    OfAll,
    Pool,
    Rank,
    Relocation,
    Rule,
)


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


def acting(item: Acting, event: str) -> str:
    """The name of an event of `acts when`: acts, waits."""
    return f"acts when, in line {item.span.line}, column {item.span.column}: {event}"


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


def otherwise(item: Guarded) -> str:
    """The name under which those are counted for which it did not."""
    return f"`else` of {guarded(item)}"


def relocated(item: Relocation) -> str:
    """The name under which the agents are counted that a `move` or a `teleport` among statements displaced; with
    momentum those that a `move` pushed."""
    word = "move" if isinstance(item, Displace) else "teleport"
    return f"{word} in line {item.span.line}, column {item.span.column}"


def born(pool: Pool) -> str:
    """The name under which agents are counted that are born because others asked for them."""
    return f"role {pool.role}: born"


def returned(pool: Pool) -> str:
    """The name under which agents are counted that are born because they have waited."""
    return f"role {pool.role}: respawned"


LIFESPAN = "lifespan"
NEW_EPISODE = "new episode"
AFTER_THE_END = "ticks after the end of an episode"
WALKED = "a move into a solid affordance"
BLOCKED = "a move that another agent blocks"
PUSHED, STUCK = "a push", "a push that leads nowhere"
KEEPS_PROGRESS = "progress kept on the way"
SEVERAL_AT_ONCE = "several affordances at once"
USED_AGAIN = "the same affordance again"
USED_ANOTHER = "another affordance than last"


class Coverage:
    """Counts of lanes in which each construct fired; of worlds, for a new episode and what is the world's; of cells,
    for what is theirs.

    Attributes:
        counts: by construct; a construct that never fired has 0.
    """

    def __init__(self, constructs: Iterable[str]) -> None:
        """`constructs`: their names, in the order in which counts are told."""
        self.counts = dict.fromkeys(constructs, 0)

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
