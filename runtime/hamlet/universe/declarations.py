"""Declarations: meters, rules, affordances, actions, rewards."""

from __future__ import annotations

from typing import Literal

from hamlet.frozen import dataclass
from hamlet.universe.expressions import Expression
from hamlet.universe.meters import CellMeter, PairMeter, WorldMeter
from hamlet.universe.span import Span
from hamlet.universe.statements import Assign, Statement

__all__ = [
    "Cascade",
    "Cause",
    "CellCount",
    "CellSum",
    "Cells",
    "Clock",
    "Control",
    "Goal",
    "Handed",
    "Input",
    "Lifespan",
    "NumberTable",
    "Pairs",
    "Param",
    "Pool",
    "Potential",
    "Report",
    "Reward",
    "Rule",
    "Start",
    "Tracking",
    "World",
]


@dataclass(frozen=True, slots=True)
class Clock:
    """A day of `hours`; an hour passes every tick and a world starts at hour 0."""

    hours: int
    span: Span


@dataclass(frozen=True, slots=True)
class Lifespan:
    """An agent that reaches this age is truncated; if it is alive then it gets `reward` on top. With episodes by hand
    it gets `reward` in every tick from then on, dead or alive.

    Attributes:
        of_world: where agents are born, the condition that the episode of the world is so old; it truncates them, too.
    """

    ticks: int
    reward: float
    span: Span
    of_world: Expression | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """The start of agents in an episode, before they ever acted, in place of the 0 of their velocity: a `velocity` per
    axis (none without a space), and a `speed`; `None`: the length of that velocity.
    """

    velocity: tuple[float, ...]
    speed: float | None
    span: Span


@dataclass(frozen=True, slots=True)
class Handed:
    """A meter of a child that begins with a value of its mother's, clamped to the bounds of the meter."""

    meter: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Pool:
    """The agents of a role that come and go within an episode: of those that are not alive some are born.

    Attributes:
        role: its name.
        first, agents: the numbers of its agents, as in `Role`.
        begin: of how many of them, those with the lowest numbers, the episode begins alive; `None`: of all.
        asks: the condition of a mother that she asks for a child in this tick; `None`: nobody ever does.
        asked: the state of agents that says so; it is 0 again when children have been born.
        handed: what a child has of its mother, in the order of the meters.
        after: in how many ticks from its death, or from the beginning of the episode, one is born that nobody asked
            for; `None`: never.
        waits: the state of agents that counts these ticks.
    """

    role: str
    first: int
    agents: int | None
    begin: Expression | None
    asks: Expression | None
    asked: str | None
    handed: tuple[Handed, ...]
    span: Span
    after: int | None = None
    waits: str | None = None


@dataclass(frozen=True, slots=True)
class Param:
    """A number per world that can be changed between ticks, within its bounds."""

    name: str
    default: float
    low: float
    high: float
    span: Span


@dataclass(frozen=True, slots=True)
class Input:
    """A number per lane that is given before a tick, within its bounds; it stays until another is given."""

    name: str
    default: float
    low: float
    high: float
    span: Span


@dataclass(frozen=True, slots=True)
class Control:
    """A number per lane that is given in every tick, like the action, within its bounds; `whole`: a whole number."""

    name: str
    low: float
    high: float
    span: Span
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Tracking:
    """Agents remember what they used: `last`, `streak of`, `visited`. An agent's memory is brought up to date in ticks
    with an INTERACT of its own ("agent"), or of anybody in its world ("world")."""

    by: Literal["agent", "world"]
    span: Span


@dataclass(frozen=True, slots=True)
class Rule:
    """Statements that run every tick, or in ticks where the guard holds when the rule is reached."""

    name: str
    guard: Expression | None
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class World:
    """The parts of a world beside its agents: meters, and rules that run once per tick, after the agents' rules, and
    write these meters. Tuples are in file order.
    """

    meters: tuple[WorldMeter, ...]
    rules: tuple[Rule, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Pairs:
    """States that each agent has of each other one, and rules that run once per tick for each two agents, on what the
    tick began with, and write these states. Tuples are in file order."""

    meters: tuple[PairMeter, ...]
    rules: tuple[Rule, ...]
    span: Span

    @property
    def written(self) -> tuple[PairMeter, ...]:
        """The states that rules write."""
        names = {each.meter for rule in self.rules for each in rule.body if isinstance(each, Assign)}
        return tuple(meter for meter in self.meters if meter.name in names)


@dataclass(frozen=True, slots=True)
class CellSum:
    """A sum over all cells of a world that are no walls, in the order of a tree (docs/semantics.md, "Over cells"). It
    is computed when the rules of cells have run and when an episode begins, and a `meter` of the world has it.
    """

    meter: str
    op: Literal["total", "lowest", "highest"]
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class CellCount:
    """The total of a number of the agents on each cell, added in the order of agents, which a `meter` of cells has.
    It is found after the births of a tick and when an episode begins, of the agents that are alive, and of those whose
    age is the lifespan.

    Attributes:
        extreme: it is the least or the greatest of these numbers instead, found in that order from the high or the low
            bound of the meter on.
    """

    meter: str
    operand: Expression
    span: Span
    extreme: Literal["lowest", "highest"] | None = None


@dataclass(frozen=True, slots=True)
class Cells:
    """Meters of the cells of a grid, rules that run once per tick for every cell, after those of the world, and write
    these meters, and sums over all cells. Tuples are in file order.

    Attributes:
        counts: of the agents on each cell.
        wall: the condition of a cell under which it is a wall to agents; `None`: walls are those of the map alone.
        solid: the condition of a cell under which no agent enters it, while all see past it; `None`: none is so.
    """

    meters: tuple[CellMeter, ...]
    rules: tuple[Rule, ...]
    span: Span
    sums: tuple[CellSum, ...] = ()
    wall: Expression | None = None
    counts: tuple[CellCount, ...] = ()
    solid: Expression | None = None


@dataclass(frozen=True, slots=True)
class Cascade:
    """Statements that run in ticks where `source < threshold` when the cascade is reached; for those agents only for
    whom `who` holds."""

    name: str
    source: str
    threshold: float
    body: tuple[Statement, ...]
    span: Span
    who: Expression | None = None


@dataclass(frozen=True, slots=True)
class NumberTable:
    """A table of numbers, row by row: the last index counts within a row."""

    name: str
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Goal:
    """An end that is no death: the tick is paid like any other, and `reward` on top."""

    reward: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Cause:
    """One way in which the episode of an agent ends: a death, or a goal. `name` is the condition as the author wrote
    it, in canonical spelling."""

    name: str
    condition: Expression
    span: Span
    goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class Potential:
    """The discount and the earlier value that make the value of a reward a potential: paid is `discount` times the
    value after the tick, which counts as 0 where the agent is terminated, minus the value `before` the tick.
    """

    discount: float
    before: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Reward:
    """A term of the reward; terms are added from left to right. One with a name is also reported."""

    name: str | None
    value: Expression
    span: Span
    potential: Potential | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A number per lane that every tick computes when it computes the reward."""

    name: str
    value: Expression
    span: Span
