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
    World,
)
from hamlet.universe.observations import Observation
from hamlet.universe.space import Move, Space


@dataclass(frozen=True, slots=True, repr=False)
class Universe:
    """A checked universe. Tuples are in file order, which is execution order.

    Attributes:
        sources: the names of the files that it was read from, without their folder; spans refer to them.
        moves: the moves of the space, in the order of their numbers.
        velocity: agents have a velocity, since something reads it; only in a space.
        start: what the velocity is before the first tick of an episode; `None`: 0.
        world: state and rules of the world itself; `None` where it has none.
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
    world: World | None = None

    def __repr__(self) -> str:
        parts: dict[str, tuple[object, ...]] = {
            "params": self.params,
            "inputs": self.inputs,
            "meters": self.meters,
            "meters of the world": () if self.world is None else self.world.meters,
            "rules and cascades": self.dynamics,
            "rules of the world": () if self.world is None else self.world.rules,
            "affordances": self.affordances,
            "own actions": self.actions,
            "rewards": self.rewards,
        }
        said = ", ".join(f"{len(items)} {name}" for name, items in parts.items() if items)
        return f"Universe({self.name}: {said})"
