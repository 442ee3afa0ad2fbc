"""A whole universe."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.universe.declarations import (
    Action,
    Affordance,
    Cascade,
    Cause,
    Clock,
    Input,
    Lifespan,
    Mask,
    Meter,
    Param,
    Report,
    Reward,
    Rule,
    Start,
    Tracking,
)
from hamlet.universe.observations import Observation
from hamlet.universe.space import Move, Space


@dataclass(frozen=True, slots=True)
class Universe:
    """A checked universe. Tuples are in file order, which is execution order.

    Attributes:
        sources: the names of the files that it was read from, without their folder; spans refer to them.
        moves: the moves of the space, in the order of their numbers.
        velocity: agents have a velocity, since something reads it; only in a space.
        start: what the velocity is before the first tick of an episode; `None`: 0.
        by_hand: a world does not start anew by itself; agents whose episode ended go on, and are paid nothing.
    """

    name: str
    sources: tuple[str, ...]
    space: Space
    moves: tuple[Move, ...]
    clock: Clock | None
    lifespan: Lifespan | None
    velocity: bool
    by_hand: bool
    tracking: Tracking | None
    params: tuple[Param, ...]
    inputs: tuple[Input, ...]
    meters: tuple[Meter, ...]
    dynamics: tuple[Rule | Cascade, ...]
    affordances: tuple[Affordance, ...]
    actions: tuple[Action, ...]
    masks: tuple[Mask, ...]
    causes: tuple[Cause, ...]
    rewards: tuple[Reward, ...]
    reports: tuple[Report, ...]
    observations: tuple[Observation, ...]
    start: Start | None = None
