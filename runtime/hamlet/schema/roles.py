"""The kinds of agents of a universe: who belongs to which, and what each has."""

from __future__ import annotations

from hamlet.schema.actions import action_names
from hamlet.universe import Role, Universe


def fewest_agents(universe: Universe) -> int:
    """The fewest agents of a world: one of each role at least."""
    return sum(role.agents or 1 for role in universe.roles or ()) or 1


def suited_agents(universe: Universe, asked: int) -> int:
    """The number of agents that a world can have, which is the nearest to what is wanted as far as roles say it."""
    only = universe.agents
    return max(asked, fewest_agents(universe)) if only is None else only


def members(role: Role, agents: int) -> range:
    """The numbers of the agents of a role in a world of so many agents."""
    return range(role.first, agents if role.agents is None else role.first + role.agents)


def actions_of(role: Role, universe: Universe) -> tuple[str, ...]:
    """The actions that exist for a role, in the order of their numbers: all but those of other roles."""
    others = {name for other in universe.roles or () if other is not role for name in other.actions}
    return tuple(name for name in action_names(universe) if name not in others)


def meters_of(role: Role, universe: Universe) -> tuple[str, ...]:
    """The meters that agents of a role have, in file order: all but those of other roles."""
    others = {name for other in universe.roles or () if other is not role for name in other.meters}
    return tuple(meter.name for meter in universe.meters if meter.name not in others)
