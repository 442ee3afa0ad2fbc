"""A universe in the making: what could be resolved of it so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from hamlet.universe import (
    Action,
    Affordance,
    Cascade,
    Cause,
    Clock,
    Expression,
    Grid,
    Lifespan,
    Meter,
    Observation,
    Param,
    Rule,
    Span,
    Universe,
)


@dataclass(slots=True)
class Draft:
    """The parts of a `Universe` that had no errors; lists are in file order."""

    space: Grid | None = None
    clock: Clock | None = None
    lifespan: Lifespan | None = None
    params: list[Param] = field(default_factory=list)
    meters: list[Meter] = field(default_factory=list)
    dynamics: list[Rule | Cascade] = field(default_factory=list)
    affordances: list[Affordance] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    reward: Expression | None = None
    observations: list[Observation] = field(default_factory=list)
    metric: Span | None = None
    """Where the metric of the space is written."""
    guards: dict[str, Span] = field(default_factory=dict)
    """Where the guard of each cascade is written."""

    def finish(self, name: str, source: str) -> Universe | None:
        """The universe, or `None` without a space or a reward."""
        if self.space is None or self.reward is None:
            return None
        return Universe(
            name,
            source,
            self.space,
            self.clock,
            self.lifespan,
            tuple(self.params),
            tuple(self.meters),
            tuple(self.dynamics),
            tuple(self.affordances),
            tuple(self.actions),
            tuple(self.causes),
            self.reward,
            tuple(self.observations),
        )
