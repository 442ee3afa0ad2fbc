"""Where values of the state lie. Compiled code relies on it (`hamletc.passes.facts`), so that what users bring from
elsewhere is held to it (`hamlet.checkpoint`)."""

from __future__ import annotations

from hamlet.binary32 import round32
from hamlet.universe import (
    Action,
    Affordance,
    Assign,
    Cascade,
    Continuous,
    Grid,
    NoSpace,
    Rule,
    Statement,
    Universe,
)


def coordinates(universe: Universe) -> tuple[tuple[float, float], ...]:
    """The least and the greatest coordinate of an agent on each axis; in a continuous space binary32 numbers."""
    match universe.space:
        case Grid(sizes=sizes):
            return tuple((0, size - 1) for size in sizes)
        case Continuous(axes=axes):
            # where edges wrap or bounce, rounding can lead just beyond
            beyond = (round32(round32(axis.low) + round32(axis.size)) for axis in axes)
            return tuple(
                (round32(axis.low), max(round32(axis.high), most)) for axis, most in zip(axes, beyond, strict=True)
            )
        case NoSpace():
            return ()


def fastest(universe: Universe) -> tuple[float, ...]:
    """The greatest velocity on each axis, from one end to the other."""
    return tuple(round32(high - low) for low, high in coordinates(universe))


def unclamped_meters(universe: Universe) -> frozenset[str]:
    """The meters that some statement writes without clamping, so that they may leave their bounds."""
    bodies: list[tuple[Statement, ...]] = []
    construct: Rule | Cascade | Affordance | Action
    for construct in (*universe.dynamics, *universe.affordances, *universe.actions):
        match construct:
            case Affordance(together=True):
                pass
            case Affordance():
                bodies += [construct.instantly, construct.each_tick, construct.on_completion]
            case _:
                bodies.append(construct.body)
    return frozenset(
        statement.meter
        for body in bodies
        for statement in body
        if isinstance(statement, Assign) and not statement.clamped
    )
