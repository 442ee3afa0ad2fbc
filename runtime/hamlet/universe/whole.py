"""A whole universe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from hamlet import html
from hamlet.universe import declarations
from hamlet.universe.actions import Acting, Action, Blocking, Mask, Pushing
from hamlet.universe.affordances import Affordance
from hamlet.universe.drawings import Drawing
from hamlet.universe.expressions import Binary, Expression
from hamlet.universe.meters import Meter
from hamlet.universe.observations import Observation, ObservedGroup, Role
from hamlet.universe.space import Move, Space

MANY = 12
"""Names that a row of a table has."""


@dataclass(frozen=True, slots=True, repr=False)
class Universe:
    """A checked universe. Tuples are in file order, which is execution order.

    Attributes:
        sources: the names of the files that it was read from, without their folder; spans refer to them.
        moves: the moves of the space, in the order of their numbers.
        velocity: agents have a velocity, since something reads it; only in a space.
        start: what the velocity is before the first tick of an episode; `None`: 0.
        world: state and rules of the world itself; `None` where it has none.
        observations: what every agent observes.
        controls: what is given in every tick beside the action.
        cells: state and rules of the cells of the grid; `None` where they have none.
        roles: the kinds of agents, by their numbers; together they are all agents. `None` where all are alike.
        order: the names of the actions that agents choose from, by their numbers, where the author lists them; empty:
            the moves, INTERACT, WAIT, then the universe's own in file order.
        acting: in which ticks agents act; none: in every one.
        blocking: how agents block each other's moves; `None`: not at all.
        starting: the condition of the cells on which agents begin an episode, as cells begin; `None`: those that the
            space says.
        pushing: what agents push; `None`: nothing.
        drawings: what pictures show, and how.
        groups: the groups of observations that the author names, all of them in one; empty: none is in a group.
        tables: constant numbers that expressions read by an index.
        pools: the roles whose agents are born within an episode, by their numbers.
        pairs: what each agent has of each other one; `None`: nothing.
        by_hand: a world does not start anew by itself; agents whose episode ended go on, and are paid nothing.
    """

    name: str
    sources: tuple[str, ...]
    space: Space
    moves: tuple[Move, ...]
    clock: declarations.Clock | None
    lifespan: declarations.Lifespan | None
    velocity: bool
    by_hand: bool
    tracking: declarations.Tracking | None
    params: tuple[declarations.Param, ...]
    inputs: tuple[declarations.Input, ...]
    meters: tuple[Meter, ...]
    dynamics: tuple[declarations.Rule | declarations.Cascade, ...]
    affordances: tuple[Affordance, ...]
    actions: tuple[Action, ...]
    masks: tuple[Mask, ...]
    causes: tuple[declarations.Cause, ...]
    rewards: tuple[declarations.Reward, ...]
    reports: tuple[declarations.Report, ...]
    observations: tuple[Observation, ...]
    start: declarations.Start | None = None
    world: declarations.World | None = None
    controls: tuple[declarations.Control, ...] = ()
    cells: declarations.Cells | None = None
    roles: tuple[Role, ...] | None = None
    order: tuple[str, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    groups: tuple[ObservedGroup, ...] = ()
    acting: tuple[Acting, ...] = ()
    tables: tuple[declarations.NumberTable, ...] = ()
    pools: tuple[declarations.Pool, ...] = ()
    blocking: Blocking | None = None
    starting: Expression | None = None
    pushing: Pushing | None = None
    pairs: declarations.Pairs | None = None

    def __repr__(self) -> str:
        said = ", ".join(f"{len(items)} {name}" for name, items in self._parts().items() if items)
        return f"Universe({self.name}: {said})"

    def _repr_html_(self) -> str:
        said = {name: _listed([each.name or "" for each in items]) for name, items in self._parts().items() if items}
        lifespan = {} if self.lifespan is None else {"lifespan": f"{self.lifespan.ticks} ticks"}
        causes = {"dies when": " or ".join(cause.name for cause in self.causes)} if self.causes else {}
        return html.table(f"Universe {self.name}", said | lifespan | causes)

    def undrawn(self) -> Universe:
        """The universe without what pictures show: all that is computed."""
        return replace(self, drawings=())

    @property
    def agents(self) -> int | None:
        """How many agents a world has where its roles say so; `None` where one of them is all others, or there are
        none."""
        counts = [role.agents for role in self.roles or ()]
        return None if not counts or None in counts else sum(count or 0 for count in counts)

    @property
    def world_rules(self) -> tuple[declarations.Rule, ...]:
        """The rules of the world."""
        return () if self.world is None else self.world.rules

    @property
    def cell_rules(self) -> tuple[declarations.Rule, ...]:
        """The rules of cells."""
        return () if self.cells is None else self.cells.rules

    @property
    def pair_rules(self) -> tuple[declarations.Rule, ...]:
        """The rules of pairs."""
        return () if self.pairs is None else self.pairs.rules

    @property
    def wall(self) -> Expression | None:
        """The condition of cells that are walls beside those of the map."""
        return None if self.cells is None else self.cells.wall

    @property
    def closed(self) -> Expression | None:
        """The condition of cells that nobody enters, beside walls of the map: they are walls, or solid."""
        wall, solid = (None, None) if self.cells is None else (self.cells.wall, self.cells.solid)
        if wall is None or solid is None:
            return solid if wall is None else wall
        return Binary("or", wall, solid, solid.span)

    @property
    def order_of_moves(self) -> Expression | None:
        """By which number agents come first where some keep others from moving; `None`: by their own."""
        by = (each.priority for each in (self.pushing, self.blocking) if each is not None)
        return next((priority for priority in by if priority is not None), None)

    @property
    def sums(self) -> tuple[declarations.CellSum, ...]:
        """Sums over all cells."""
        return () if self.cells is None else self.cells.sums

    @property
    def counts(self) -> tuple[declarations.CellCount, ...]:
        """Counts of the agents on cells."""
        return () if self.cells is None else self.cells.counts

    def _parts(self) -> dict[str, Sequence[Named]]:
        return {
            "params": self.params,
            "inputs": self.inputs,
            "roles": self.roles or (),
            "controls": self.controls,
            "meters": self.meters,
            "meters of the world": () if self.world is None else self.world.meters,
            "rules and cascades": self.dynamics,
            "rules of the world": self.world_rules,
            "meters of cells": () if self.cells is None else self.cells.meters,
            "rules of cells": self.cell_rules,
            "states of pairs": () if self.pairs is None else self.pairs.meters,
            "rules of pairs": self.pair_rules,
            "affordances": self.affordances,
            "own actions": self.actions,
            "rewards": self.rewards,
        }


class Named(Protocol):
    """A construct that an author can name."""

    @property
    def name(self) -> str | None: ...


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many there are where some are left out."""
    shown = ", ".join(name for name in names[:MANY] if name)
    return shown if shown and len(names) <= MANY else f"{len(names)}: {shown}, ..." if shown else str(len(names))
