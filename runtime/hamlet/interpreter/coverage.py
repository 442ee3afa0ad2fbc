"""How often each construct of a universe fired: what a comparison of backends has really exercised."""

from __future__ import annotations

from torch import Tensor

from hamlet import schema
from hamlet.universe import Cascade, Hours, Rule, Universe


def rule(item: Rule | Cascade) -> str:
    """The name under which a rule or a cascade is counted."""
    return f"{'rule' if isinstance(item, Rule) else 'cascade'} {item.name}"


def use(affordance: str, event: str) -> str:
    """The name of an event at an affordance: instantly, each tick, on completion, refused, closed."""
    return f"affordance {affordance}: {event}"


def action(name: str, event: str = "") -> str:
    """The name of an action, or of an event with it: refused (its `needs` did not hold), at the edge (of a move)."""
    return f"action {name}: {event}" if event else f"action {name}"


def cause(name: str) -> str:
    """The name of a cause of death."""
    return f"dies when {name}"


LIFESPAN = "lifespan"
NEW_EPISODE = "new episode"


def constructs(universe: Universe) -> tuple[str, ...]:
    """Everything in a universe that can fire, in file order."""
    names = [action(name) for name in schema.action_names(universe)]
    names += [action(name, "at the edge") for name in schema.move_names(universe)]
    names += [action(item.name, "refused") for item in universe.actions if item.needs is not None]
    for item in universe.affordances:
        events = ["instantly"] if item.duration is None else ["each tick", "on completion"]
        if item.hours is not None and universe.clock is not None and closes(item.hours, universe.clock.hours):
            events.append("closed")
        if item.needs is not None:
            events.append("refused")
        names += [use(item.name, event) for event in events]
    names += [rule(item) for item in universe.dynamics]
    names += [cause(item.name) for item in universe.causes]
    if universe.lifespan is not None:
        names.append(LIFESPAN)
    if universe.causes or universe.lifespan is not None:
        names.append(NEW_EPISODE)
    return tuple(names)


def closes(hours: Hours, day: int) -> bool:
    """Whether there is an hour at which an affordance is closed."""
    return (hours.closes - hours.opens) % day != 0


class Coverage:
    """Counts of lanes (of worlds, for a new episode) in which each construct fired.

    Attributes:
        counts: by construct, in file order; a construct that never fired has 0.
    """

    def __init__(self, universe: Universe) -> None:
        self.counts = dict.fromkeys(constructs(universe), 0)

    def count(self, construct: str, who: Tensor) -> None:
        """Add the lanes in which a construct fired; who: bool. What cannot fire is not counted."""
        if construct in self.counts:
            self.counts[construct] += int(who.sum())

    @property
    def never_fired(self) -> tuple[str, ...]:
        return tuple(name for name, count in self.counts.items() if count == 0)
