"""How many agents have a place to start on, and a number."""

from __future__ import annotations

from math import prod

from hamlet.numbers.permutation import permuted_axes
from hamlet.universe import AgentCount, AgentNumber, Grid, Universe, nodes
from hamlet.universe.space import letters_of

MOST_COUNTED = 1 << 24
"""The most agents of a world whose universe reads their numbers: binary32 has every whole number up to this one."""


def counts_agents(universe: Universe) -> bool:
    """Whether a universe reads the numbers of agents, or how many there are."""
    return any(isinstance(node, AgentNumber | AgentCount) for node in nodes(universe.undrawn()))


def room(universe: Universe) -> int | None:
    """The most agents that a world of this universe can have; `None` where any number can start."""
    if not isinstance(universe.space, Grid) or universe.space.starts == "anywhere":
        return None
    if starts := starting_cells(universe):
        return len(starts)
    sizes, letters = universe.space.sizes, universe.space.map
    permuted = permuted_axes(sizes)
    fixed = {each.stands for each in universe.affordances if each.stands is not None}
    taken = len(fixed) if permuted == len(sizes) else 0
    taken += 0 if letters is None else len(letters.cells(letters.walls))
    return prod(sizes[:permuted]) - taken - scattered(universe)


def starting_cells(universe: Universe) -> tuple[int, ...]:
    """The cells on which agents start by a letter of the map; none where they start on free cells."""
    letters = letters_of(universe.space)
    return () if letters is None or letters.starts is None else letters.cells(letters.starts)


def scattered(universe: Universe) -> int:
    """The number of affordances at random places."""
    return sum(affordance.place is None for affordance in universe.affordances)
