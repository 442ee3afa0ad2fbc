"""How many agents worlds have, and the run whose digest an export knows."""

from __future__ import annotations

from hamlet import schema
from hamlet.schema.roles import fewest_agents
from hamlet.schema.room import MOST_COUNTED, counts_agents, room
from hamlet.universe import Universe, meet

LANE_LIMIT = 2**31 - 1
TEST_WORLDS, TEST_TICKS, TEST_SEED = 4, 300, 7
"""Of the run whose digest an export knows."""


def agents_of(universe: Universe) -> tuple[int, int]:
    """The fewest and the most agents of a world."""
    only = universe.agents
    if only is not None:
        return only, only
    limits = [LANE_LIMIT]
    if meet(universe) or universe.roles:
        limits.append(schema.MOST_AGENTS)
    if counts_agents(universe):
        limits.append(MOST_COUNTED)
    places = room(universe)
    if places is not None:
        limits.append(places)
    return fewest_agents(universe), min(limits)


def agents_tested(universe: Universe) -> int:
    """The agents of a world in the run whose digest an export knows: where they meet, some."""
    least, most = agents_of(universe)
    return min(max(least, 3), most) if meet(universe) else least
