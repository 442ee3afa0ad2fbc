"""A universe in the making: what could be resolved of it so far, and walks over that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from functools import reduce
from math import inf
from typing import Literal, NamedTuple, TypeAlias

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import canonical32
from hamletc.intervals import Interval

IN_THE_TICK = (
    *(universe.InputValue, universe.ControlValue, universe.Previous),
    *(universe.Velocity, universe.Speed),  # an own action begins with a velocity of 0
)
"""Quantities that an action can need and masks cannot tell: the tick decides them."""
UNPROVEN = (-inf, inf)
"""The range of an observed expression of an author, until all is known that it is made of."""
PROVEN = universe.ObserveValue | universe.ObserveHot
"""Observations whose ranges are proven."""
DEEPEST_TREE = 200
"""The most levels that an expression may have."""
Direction: TypeAlias = Literal["falls", "rises", "read"]


@dataclass(frozen=True, slots=True)
class Claim:
    """`only falls`, `only rises`, `only read`: what an author says that a meter does."""

    word: Direction
    span: universe.Span


class Within(NamedTuple):
    """A range that an author says, and where."""

    low: float
    high: float
    span: universe.Span


@dataclass(slots=True)
class Draft:
    """The parts of a `Universe` that had no errors; lists are in file order."""

    space: universe.Space | None = None
    moves: tuple[universe.Move, ...] | None = None
    order: tuple[str, ...] = ()
    start: universe.Start | None = None
    clock: universe.Clock | None = None
    lifespan: universe.Lifespan | None = None
    by_hand: bool = False
    tracking: universe.Tracking | None = None
    params: list[universe.Param] = field(default_factory=list)
    inputs: list[universe.Input] = field(default_factory=list)
    tables: list[universe.NumberTable] = field(default_factory=list)
    controls: list[universe.Control] = field(default_factory=list)
    meters: list[universe.Meter] = field(default_factory=list)
    of_world: universe.Span | None = None
    """Where the first block of the world is written."""
    world_meters: list[universe.WorldMeter] = field(default_factory=list)
    world_rules: list[universe.Rule] = field(default_factory=list)
    of_cells: universe.Span | None = None
    """Where the first block of cells is written."""
    cell_meters: list[universe.CellMeter] = field(default_factory=list)
    of_pairs: universe.Span | None = None
    """Where it is written what agents have of each other."""
    pair_meters: list[universe.PairMeter] = field(default_factory=list)
    pair_rules: list[universe.Rule] = field(default_factory=list)
    wall: universe.Expression | None = None
    solid: universe.Expression | None = None
    starting: universe.Expression | None = None
    cell_rules: list[universe.Rule] = field(default_factory=list)
    dynamics: list[universe.Rule | universe.Cascade] = field(default_factory=list)
    affordances: list[universe.Affordance] = field(default_factory=list)
    actions: list[universe.Action] = field(default_factory=list)
    masks: list[universe.Mask] = field(default_factory=list)
    drawings: tuple[universe.Drawing, ...] = ()
    acting: list[universe.Acting] = field(default_factory=list)
    blocking: universe.Blocking | None = None
    pushing: universe.Pushing | None = None
    causes: list[universe.Cause] = field(default_factory=list)
    rewards: list[universe.Reward] = field(default_factory=list)
    unpaid: bool = False
    """Whether the author says that there is no reward."""
    unseen: bool = False
    """Whether the author says that nothing is observed."""
    forever: universe.Span | None = None
    """Where the author says that lives have no span."""
    claims: dict[str, Claim] = field(default_factory=dict)
    """What the author says that meters only do."""
    reports: list[universe.Report] = field(default_factory=list)
    observations: list[universe.Observation] = field(default_factory=list)
    groups: list[universe.ObservedGroup] = field(default_factory=list)
    within: dict[universe.Span, Within] = field(default_factory=dict)
    """The ranges that the author says of what is observed, by where that stands."""
    roles: list[universe.Role] = field(default_factory=list)
    pools: list[universe.Pool] = field(default_factory=list)
    metric: universe.Span | None = None
    """Where the metric of the space is written."""
    effects: frozenset[str] = frozenset()
    """The names of the rules by which effects go on."""
    past: frozenset[str] = frozenset()
    """The hidden states of what looks back, and hidden meters of what all cells, or the agents on each, come to."""
    sums: list[universe.CellSum] = field(default_factory=list)
    """What all cells come to."""
    counts: list[universe.CellCount] = field(default_factory=list)
    """What the agents on each cell come to."""
    lets: list[universe.Let] = field(default_factory=list)
    """The locals of all bodies."""
    guards: dict[str, universe.Span] = field(default_factory=dict)
    """Where the guard of each cascade is written."""
    _parts: tuple[universe.Expression, ...] | None = field(default=None, init=False)
    """Every expression and everything in it, once nothing is added any more."""
    _kinds: frozenset[type] = field(default=frozenset(), init=False)
    """The types of these."""
    highest: tuple[universe.Expression, ...] = field(default=(), init=False)
    """The expressions of more than `DEEPEST_TREE` levels."""

    def bodies(self) -> Iterator[tuple[universe.Expression | str | None, tuple[universe.Statement, ...]]]:
        """Every body, with the guard of its rule or the source of its cascade."""
        for dynamic in self.dynamics:
            yield dynamic.guard if isinstance(dynamic, universe.Rule) else dynamic.source, dynamic.body
        for affordance in self.affordances:
            for body in (affordance.instantly, affordance.each_tick, affordance.on_completion):
                yield None, body
        for action in self.actions:
            yield None, (*action.body, *action.after)

    def meters_of_all(self) -> tuple[universe.AnyMeter, ...]:
        """The meters of agents, then those of the world, then those of cells, then those of pairs."""
        return (*self.meters, *self.world_meters, *self.cell_meters, *self.pair_meters)

    def bodies_of_world(self) -> Iterator[tuple[universe.Expression | None, tuple[universe.Statement, ...]]]:
        """The bodies of the world's rules, of those of cells and of those of pairs, with their guards; then what all
        cells come to, and the agents on each."""
        for rule in (*self.world_rules, *self.cell_rules, *self.pair_rules):
            yield rule.guard, rule.body
        asked: tuple[universe.CellSum | universe.CellCount, ...] = (*self.sums, *self.counts)
        for each in asked:
            yield None, (universe.Assign(each.meter, "=", each.operand, True, each.span),)

    def outcomes(self) -> Iterator[universe.Expression]:
        """The expressions whose values show by themselves: what is observed, rewards, reports, causes of death, masks,
        and `needs` and capacities, which decide what an agent uses."""
        yield from (item.value for item in self.values())
        views = [item for item in self.observed() if isinstance(item, universe.ObserveView)]
        yield from (item.value for item in views if item.value is not None)
        yield from (item.own for item in views if item.own is not None)
        yield from (universe.MeterValue(item.heading, item.span) for item in views if item.heading is not None)
        yield from (reward.value for reward in self.rewards)
        yield from (reward.potential.before for reward in self.rewards if reward.potential is not None)
        yield from (cause.goal.reward for cause in self.causes if cause.goal is not None)
        yield from (report.value for report in self.reports)
        yield from (mask.allowed for mask in self.masks)
        yield from (each.condition for each in self.acting)
        yield from (*self.closing(), *(() if self.starting is None else (self.starting,)))
        for pool in self.pools:
            yield from (each for each in (pool.begin, pool.asks) if each is not None)
            yield from (each.value for each in pool.handed)
        if self.lifespan is not None and self.lifespan.of_world is not None:
            yield self.lifespan.of_world
        if self.blocking is not None and self.blocking.priority is not None:
            yield self.blocking.priority
        if self.pushing is not None and self.pushing.priority is not None:
            yield self.pushing.priority
        yield from (cause.condition for cause in self.causes)
        yield from (affordance.needs for affordance in self.affordances if affordance.needs is not None)
        yield from (affordance.opening for affordance in self.affordances if affordance.opening is not None)
        yield from (action.needs for action in self.actions if action.needs is not None)
        for affordance in self.affordances:
            if affordance.capacity is not None:
                yield affordance.capacity.places
                if affordance.capacity.priority is not None:
                    yield affordance.capacity.priority

    def drains(self) -> Iterator[tuple[str, universe.Expression]]:
        """What meters lose by `decay`, `move` and `interact`, each with the name of its meter."""
        for meter in self.meters:
            for drain in (meter.decay, meter.move, meter.interact):
                if drain is not None:
                    yield meter.name, drain

    def starts(self) -> Iterator[tuple[str, universe.Expression]]:
        """The start values of meters that are no constants, each with the name of its meter."""
        yield from ((each.name, each.start) for each in self.meters_of_all() if not isinstance(each.start, float))

    def expressions(self) -> Iterator[universe.Expression]:
        """Every expression."""
        yield from self.outcomes()
        yield from (drain for _, drain in self.drains())
        yield from (start for _, start in self.starts())
        yield from (let.value for let in self.lets)
        for guard, body in (*self.bodies(), *self.bodies_of_world()):
            if guard is not None and not isinstance(guard, str):
                yield guard
            yield from (assign.value for assign in universe.assigns(body))
            yield from (guarded.condition for guarded in universe.guards(body))
            yield from (push.value for push in universe.pushes(body))
            yield from (value for relocation in universe.relocations(body) for value in relocation.coordinates)

    def parts(self) -> Iterable[universe.Expression]:
        """Every expression and everything in it."""
        if self._parts is not None:
            return self._parts
        return (node for expression in self.expressions() for node, _ in universe.parts(expression))

    def settle(self) -> None:
        """Note that nothing is added any more: whoever looks for expressions then finds them at once."""
        found: list[universe.Expression] = []
        highest: list[universe.Expression] = []
        for expression in self.expressions():
            most = 0
            for node, level in universe.parts(expression):
                found.append(node)
                most = max(most, level)
            if most > DEEPEST_TREE:
                highest.append(expression)
        self._parts, self._kinds, self.highest = tuple(found), frozenset(map(type, found)), tuple(highest)

    def mentions(self, kind: type[universe.Expression]) -> bool:
        """Whether there is an expression of a type."""
        return kind in (self._kinds if self._parts is not None else set(map(type, self.parts())))

    def observed(self) -> tuple[universe.Observation, ...]:
        """What agents observe: all of them, then each role."""
        return (*self.observations, *(item for role in self.roles for item in role.observations))

    def observed_in_groups(self) -> Iterator[tuple[universe.ObservedGroup, list[universe.Observation]]]:
        """The groups, of all agents and of roles, with what is in each."""
        for groups, items in (
            (self.groups, self.observations),
            *((each.groups, each.observations) for each in self.roles),
        ):
            first = 0
            for group in groups:
                yield group, list(items[first : first + group.items])
                first += group.items

    def discrete(self) -> list[universe.ObserveValue]:
        """The whole numbers that are observed as groups of their own."""
        every = self.observed_in_groups()
        alone = (items[0] for group, items in every if group.form in ("discrete", "text") and items)
        return [item for item in alone if isinstance(item, universe.ObserveValue)]

    def texts(self) -> dict[universe.Span, universe.ObservedGroup]:
        """The texts that a whole number chooses, by where the number is written."""
        chosen = ((group, items) for group, items in self.observed_in_groups() if group.form == "text" and items)
        return {items[0].span: group for group, items in chosen}

    def values(self) -> list[universe.ObserveValue | universe.ObserveOneHot | universe.ObserveHot]:
        """What agents observe of expressions."""
        kinds = universe.ObserveValue | universe.ObserveOneHot | universe.ObserveHot
        return [item for item in self.observed() if isinstance(item, kinds)]

    def unproven(self) -> list[universe.ObserveValue | universe.ObserveHot]:
        """What agents observe of expressions of authors, whose ranges are not known yet."""
        return [item for item in self.observed() if isinstance(item, PROVEN) and item.low == -inf]

    def prove(self, lies: Callable[[universe.Expression], Interval]) -> None:
        """Write down where the expressions lie that are observed."""

        def proven(item: universe.Observation) -> universe.Observation:
            if not isinstance(item, PROVEN) or item.low != -inf:
                return item
            where = self.within.get(item.span) or lies(item.value)
            return replace(item, low=canonical32(where.low), high=canonical32(where.high))

        self.observations = [proven(item) for item in self.observations]
        self.roles = [replace(role, observations=tuple(map(proven, role.observations))) for role in self.roles]

    def reads_speed(self) -> bool:
        """Whether something mentions the speed."""
        return self.mentions(universe.Speed)

    def tables_read(self) -> tuple[universe.NumberTable, ...]:
        """The tables that are read by more than constants, if only by pictures."""
        every = (*self.parts(), *universe.nodes(self.drawings))
        read = {node.table for node in every if isinstance(node, universe.TableValue)}
        return tuple(table for table in self.tables if table.name in read)

    def velocities_read(self) -> frozenset[str]:
        """The axes whose velocity is mentioned, by itself."""
        read = self.parts() if self.mentions(universe.Velocity) else ()
        return frozenset(node.axis for node in read if isinstance(node, universe.Velocity))

    def reads_velocity(self) -> bool:
        """Whether something needs to know how agents move."""
        if self.momentum() is not None:
            return True
        return not isinstance(self.space, universe.NoSpace) and (self.reads_speed() or bool(self.velocities_read()))

    def momentum(self) -> float | None:
        """The most velocity on each axis of a space in which agents have momentum."""
        return self.space.momentum if isinstance(self.space, universe.Continuous) else None

    def start_that_shows(self) -> universe.Start | None:
        """What an episode begins with, as far as something reads it."""
        if self.start is None:
            return None
        speed = self.start.speed if self.reads_speed() else None
        velocity = self.start.velocity if self.reads_velocity() else ()
        return replace(self.start, velocity=velocity, speed=speed) if speed is not None or any(velocity) else None

    def world(self) -> universe.World | None:
        """What the world has beside its agents."""
        if self.of_world is None:
            return None
        return universe.World(tuple(self.world_meters), tuple(self.world_rules), self.of_world)

    def cells(self) -> universe.Cells | None:
        """What the cells of the grid have."""
        if self.of_cells is None or not self.cell_meters:
            return None
        return universe.Cells(
            *(tuple(self.cell_meters), tuple(self.cell_rules), self.of_cells, tuple(self.sums), self.wall),
            counts=tuple(self.counts),
            solid=self.solid,
        )

    def closing(self) -> tuple[universe.Expression, ...]:
        """The conditions of cells that nobody enters."""
        return tuple(each for each in (self.wall, self.solid) if each is not None)

    def pairs(self) -> universe.Pairs | None:
        """What agents have of each other."""
        if self.of_pairs is None or not self.pair_meters:
            return None
        return universe.Pairs(tuple(self.pair_meters), tuple(self.pair_rules), self.of_pairs)

    def moves_taken(self) -> Iterator[universe.Move]:
        """The moves of the space that are actions."""
        return (move for move in self.moves or () if not self.order or move.name in self.order)

    def needs_in_masks(self) -> Iterator[universe.Mask]:
        """Masks of own actions of which no `allow` speaks: what they need, as far as it is known before the tick."""
        said = {name for mask in self.masks for name in mask.actions}
        for action in self.actions:
            parts = () if action.needs is None or action.name in said else _conjuncts(action.needs)
            known = [part for part in parts if not any(isinstance(n, IN_THE_TICK) for n in universe.nodes(part))]
            if known:
                both = reduce(lambda left, right: universe.Binary("and", left, right, right.span), known)
                yield universe.Mask((action.name,), both, both.span)

    def finish(self, name: str, sources: tuple[str, ...]) -> universe.Universe | None:
        """The universe, or `None` without a space, moves or a reward."""
        if self.space is None or self.moves is None or not self.rewards:
            return None
        return universe.Universe(
            name=name,
            sources=sources,
            space=self.space,
            moves=self.moves,
            order=self.order,
            clock=self.clock,
            lifespan=self.lifespan,
            velocity=self.reads_velocity(),
            start=self.start_that_shows(),
            by_hand=self.by_hand,
            tracking=self.tracking,
            params=tuple(self.params),
            inputs=tuple(self.inputs),
            meters=tuple(self.meters),
            dynamics=tuple(self.dynamics),
            affordances=tuple(self.affordances),
            actions=tuple(self.actions),
            masks=(*self.needs_in_masks(), *self.masks),
            causes=tuple(self.causes),
            rewards=tuple(self.rewards),
            reports=tuple(self.reports),
            observations=tuple(self.observations),
            world=self.world(),
            roles=tuple(self.roles) or None,
            controls=tuple(self.controls),
            cells=self.cells(),
            drawings=self.drawings,
            groups=tuple(self.groups),
            acting=tuple(self.acting),
            tables=self.tables_read(),
            pools=tuple(self.pools),
            blocking=self.blocking,
            starting=self.starting,
            pushing=self.pushing,
            pairs=self.pairs(),
        )


def _conjuncts(condition: universe.Expression) -> Iterator[universe.Expression]:
    """Conditions that are joined by `and`."""
    match condition:
        case universe.Binary(op="and", left=left, right=right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield condition
