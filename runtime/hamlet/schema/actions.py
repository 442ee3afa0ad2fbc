"""The actions of a universe and their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hamlet.schema.fields import NOWHERE
from hamlet.universe import Action, Move, Universe
from hamlet.universe.actions import INTERACT, WAIT

BUILT_IN = (INTERACT, WAIT)
"""The actions that a universe has which lists none."""

T = TypeVar("T")


def usual_actions(universe: Universe) -> tuple[str, ...]:
    """The actions of a universe that lists none: moves, INTERACT, WAIT, then its own in file order."""
    return (*(move.name for move in universe.moves), *BUILT_IN, *(action.name for action in universe.actions))


def choices(universe: Universe) -> tuple[str, ...]:
    """The actions that agents choose from, in the order of their numbers: all but a WAIT that no list has, which only
    those do who do not act."""
    return universe.order or usual_actions(universe)


def action_names(universe: Universe) -> tuple[str, ...]:
    """All actions in the order of their numbers; a WAIT that no list has is the last."""
    chosen = choices(universe)
    return (*chosen, WAIT) if universe.acting and WAIT not in chosen else chosen


def in_order(universe: Universe, rows: Sequence[T]) -> tuple[T, ...]:
    """Rows in the order of `usual_actions`, in the order of the numbers of actions."""
    if not universe.order:
        return tuple(rows)
    usual = dict(zip(usual_actions(universe), rows, strict=True))
    return tuple(usual[name] for name in action_names(universe))


def moves_of(universe: Universe) -> tuple[tuple[int, Move], ...]:
    """The moves of the space that are actions, in its order, each with its number."""
    numbers = {name: number for number, name in enumerate(action_names(universe))}
    return tuple((numbers[move.name], move) for move in universe.moves if move.name in numbers)


def own_actions(universe: Universe) -> tuple[tuple[int, Action], ...]:
    """The universe's own actions in file order, each with its number."""
    numbers = {name: number for number, name in enumerate(action_names(universe))}
    return tuple((numbers[action.name], action) for action in universe.actions)


def interact_action(universe: Universe) -> int:
    """The number of INTERACT; `NOWHERE` where it is no action."""
    names = action_names(universe)
    return names.index(INTERACT) if INTERACT in names else NOWHERE


def idle_action(universe: Universe) -> int:
    """The number of the one action that agents may take who run no tick: that of WAIT, or 0 where it is no action."""
    names = action_names(universe)
    return names.index(WAIT) if WAIT in names else 0
