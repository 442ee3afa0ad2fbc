"""A universe in the making: what could be resolved of it so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from hamlet.universe import (
    Action,
    Affordance,
    Cascade,
    Cause,
    Clock,
    Input,
    Lifespan,
    Mask,
    Meter,
    Move,
    Observation,
    Param,
    Report,
    Reward,
    Rule,
    Space,
    Span,
    Start,
    Tracking,
    Universe,
)

Direction: TypeAlias = Literal["falls", "rises", "read"]


@dataclass(frozen=True, slots=True)
class Claim:
    """`only falls`, `only rises`, `only read`: what an author says that a meter does."""

    word: Direction
    span: Span


@dataclass(slots=True)
class Draft:
    """The parts of a `Universe` that had no errors; lists are in file order."""

    space: Space | None = None
    moves: tuple[Move, ...] | None = None
    start: Start | None = None
    clock: Clock | None = None
    lifespan: Lifespan | None = None
    by_hand: bool = False
    tracking: Tracking | None = None
    params: list[Param] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    meters: list[Meter] = field(default_factory=list)
    dynamics: list[Rule | Cascade] = field(default_factory=list)
    affordances: list[Affordance] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    masks: list[Mask] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    rewards: list[Reward] = field(default_factory=list)
    unpaid: bool = False
    """Whether the author says that there is no reward."""
    unseen: bool = False
    """Whether the author says that nothing is observed."""
    forever: Span | None = None
    """Where the author says that lives have no span."""
    claims: dict[str, Claim] = field(default_factory=dict)
    """What the author says that meters only do."""
    reports: list[Report] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    metric: Span | None = None
    """Where the metric of the space is written."""
    guards: dict[str, Span] = field(default_factory=dict)
    """Where the guard of each cascade is written."""

    def finish(self, name: str, sources: tuple[str, ...], *, velocity: bool) -> Universe | None:
        """The universe, or `None` without a space, moves or a reward. `velocity`: something reads it."""
        if self.space is None or self.moves is None or not self.rewards:
            return None
        return Universe(
            name=name,
            sources=sources,
            space=self.space,
            moves=self.moves,
            clock=self.clock,
            lifespan=self.lifespan,
            velocity=velocity,
            start=self.start,
            by_hand=self.by_hand,
            tracking=self.tracking,
            params=tuple(self.params),
            inputs=tuple(self.inputs),
            meters=tuple(self.meters),
            dynamics=tuple(self.dynamics),
            affordances=tuple(self.affordances),
            actions=tuple(self.actions),
            masks=tuple(self.masks),
            causes=tuple(self.causes),
            rewards=tuple(self.rewards),
            reports=tuple(self.reports),
            observations=tuple(self.observations),
        )
