"""Declarations: meters, rules, affordances, actions, rewards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe.expressions import Expression
from hamlet.universe.span import Span
from hamlet.universe.statements import Assign, Statement

__all__ = [
    "POSTED",
    "POSTS",
    "Acting",
    "Action",
    "Affordance",
    "AnyMeter",
    "Blocking",
    "Capacity",
    "Cascade",
    "Cause",
    "CellCount",
    "CellMeter",
    "CellSum",
    "Cells",
    "Clock",
    "Control",
    "Goal",
    "Handed",
    "Hours",
    "Input",
    "Lifespan",
    "Mask",
    "Meter",
    "NumberTable",
    "PairMeter",
    "Pairs",
    "Param",
    "Pool",
    "Potential",
    "Pushing",
    "Report",
    "Reward",
    "Rule",
    "Spread",
    "Start",
    "StateType",
    "Tracking",
    "World",
    "WorldMeter",
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


Holds: TypeAlias = Literal["real", "int", "bool", "options"]


POSTS, POSTED = "posts", "posted"
"""The `past` of states that say on which cell an agent posts in a tick, and of those that say what."""


@dataclass(frozen=True, slots=True)
class StateType:
    """The type of a meter that is declared as `state`: real numbers, whole numbers, 0 or 1 for a condition, or the
    number of one of its `options`. The compiler proves that nothing else is written into it.

    Attributes:
        past: what the compiler made this state for: a construct that looks back, that asks all cells, that moves,
            births, layouts, or posts on cells; `None` for one of an author's.
    """

    holds: Holds
    options: tuple[str, ...]
    past: str | None = None

    @property
    def whole(self) -> bool:
        """Whether it holds whole numbers only."""
        return self.holds != "real"


@dataclass(frozen=True, slots=True)
class Meter:
    """A number per agent with bounds and a start value. `decay` is subtracted every tick, `move` in a tick with a move
    action, `interact` in a tick with INTERACT; `None` where the author said nothing.

    Attributes:
        start: a constant within the bounds, or an expression of params, draws and the agent's number, whose value is
            clamped to them.
        reach: where it lies between ticks, its bounds included, where some statement leaves it unclamped: proven by the
            compiler. `None` where nothing does; or in a package of an older compiler, and then nothing is known.
        type: what it holds, where it is declared as `state`; `None` for a meter.
    """

    name: str
    start: float | Expression
    low: float
    high: float
    decay: Expression | None
    move: Expression | None
    interact: Expression | None
    span: Span
    reach: tuple[float, float] | None = None
    type: StateType | None = None

    @property
    def of_tick(self) -> bool:
        """Whether it says where an agent posts in a tick: it is 0 when a tick of the agent begins."""
        return self.type is not None and self.type.past == POSTS


@dataclass(frozen=True, slots=True)
class WorldMeter:
    """A number per world with bounds and a start value; `start` and `type` are as those of a meter, but no start value
    of a world reads the number of an agent.

    Attributes:
        kept: it begins with the first episode of its world, and later ones leave it as it is. Start values of what
            begins with every episode may read it.
    """

    name: str
    start: float | Expression
    low: float
    high: float
    span: Span
    type: StateType | None = None
    kept: bool = False


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
class CellMeter:
    """A number per cell of a grid and world, with bounds. Walls of a map have none.

    Attributes:
        start: a constant within the bounds, or an expression of params, draws and of where the cell is, whose value is
            clamped to them.
        type: as that of a meter.
    """

    name: str
    start: float | Expression
    low: float
    high: float
    span: Span
    type: StateType | None = None


@dataclass(frozen=True, slots=True)
class PairMeter:
    """A state of pairs: a number that each agent has of each other agent of its world, with bounds. Of itself an agent
    has what is next to 0 within them.

    Attributes:
        start: a constant within the bounds, or an expression, whose value is clamped to them: of params, of what the
            world has, of draws, of the number of the other agent, and of what the agent itself begins with (`Own`).
        type: as that of a meter.
    """

    name: str
    start: float | Expression
    low: float
    high: float
    span: Span
    type: StateType


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


AnyMeter: TypeAlias = Meter | WorldMeter | CellMeter | PairMeter
"""A meter or a state of agents, of the world, of cells or of pairs."""


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
class Hours:
    """Open from hour `opens` (inclusive) to hour `closes` (exclusive); wraps past midnight where closes < opens."""

    opens: int
    closes: int


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many agents of a world an affordance serves in a tick. Of those that claim it the agents that are engaged in
    it come first, then those with the highest `priority` (`None`: all have the same), then those with the lowest
    number.

    Attributes:
        places: how many are served, the same for all agents of a world; a number that is not whole is rounded down.
    """

    places: Expression
    priority: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Spread:
    """Where an affordance at random may stand; `None` where that is not said. Distances are those of the space.

    Attributes:
        region: on its cells.
        apart: at least so far from each other affordance for which that is said; the greater number counts.
        near, within: at most so far from this affordance, which has a fixed place or stands before it in the file.
    """

    region: str | None
    apart: int | None
    near: str | None
    within: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class Affordance:
    """An affordance: INTERACT on its cell has its effects.

    Attributes:
        place: its coordinates, whole numbers on a grid; `None` for a random place, and without a space.
        duration: `None` for an instantaneous affordance (`instantly`), else the ticks it lasts (`each_tick`,
            `on_completion`); 0 for one that is never completed.
        capacity: how many agents can use it in a tick; `None`: any number.
        opening: the condition, about what a world has, under which it is open besides; `None`: always.
        spread: of one at random, where it may stand; `None`: on any free cell.
        together: `each_tick` and `on_completion` are like one `together`: every `Assign` in them has `clamped=False`,
            and the meters that they write are clamped once, after both, in order of first appearance.
        copy_of: the name of all copies of which this is one; `None` where there are none.
        moving: the meters of the world that say where it is, one per axis, of one that moves; none of one that stays.
        elsewhere: where it begins is what these meters start with, not its `place`, whose cell is nobody's.
        appears: where the `opening` does not hold it is not there, neither to be used nor to be seen.
        solid: no displacement leads to its cell; in step 1 one that would is an INTERACT with what is there.
    """

    name: str
    place: tuple[float, ...] | None
    hours: Hours | None
    duration: int | None
    together: bool
    needs: Expression | None
    instantly: tuple[Statement, ...]
    each_tick: tuple[Statement, ...]
    on_completion: tuple[Statement, ...]
    span: Span
    capacity: Capacity | None = None
    opening: Expression | None = None
    spread: Spread | None = None
    copy_of: str | None = None
    moving: tuple[str, ...] = ()
    appears: Literal["by opening"] | None = None
    solid: bool = False
    elsewhere: bool = False

    @property
    def stands(self) -> tuple[float, ...] | None:
        """The place whose cell it has for itself: where it begins each episode; `None` where there is none."""
        return None if self.elsewhere else self.place


@dataclass(frozen=True, slots=True)
class NumberTable:
    """A table of numbers, row by row: the last index counts within a row."""

    name: str
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    span: Span


INTERACT, WAIT = "INTERACT", "WAIT"
"""The actions that are no universe's own, and no moves."""


@dataclass(frozen=True, slots=True)
class Action:
    """A custom action: where `needs` holds, its statements run, then it moves by `move`, then it teleports, and what is
    `after` that runs. With `keeps_progress` an agent that it displaces stays engaged.

    Attributes:
        move, teleport: constants. A displacement that is none is the last of the `body`.
        after: a teleport to a place that is no constant.
    """

    name: str
    needs: Expression | None
    body: tuple[Statement, ...]
    move: tuple[float, ...] | None
    teleport: tuple[float, ...] | None
    keeps_progress: bool
    span: Span
    after: tuple[Statement, ...] = ()

    @property
    def displaces(self) -> bool:
        """Whether it can change where an agent is."""
        own = any(statement.relocations for statement in (*self.body, *self.after))
        return own or self.move is not None or self.teleport is not None


@dataclass(frozen=True, slots=True)
class Mask:
    """Says when actions are allowed. For named actions it takes the place of what is built in, or of what was said
    before it; without names (all actions) it restricts whatever else holds. It is said of the agents for whom `who`
    holds."""

    actions: tuple[str, ...]
    allowed: Expression
    span: Span
    who: Expression | None = None


@dataclass(frozen=True, slots=True)
class Acting:
    """Says in which ticks agents act: those for whom `who` holds (`None`: all) only where the condition holds when the
    tick begins. Where there are several, an agent acts where all of them let it. One that does not act does WAIT,
    whatever it chose."""

    condition: Expression
    span: Span
    who: Expression | None = None


@dataclass(frozen=True, slots=True)
class Blocking:
    """Agents block each other on a grid: a move leads to a cell on which no other one stands when the tick begins, and
    of several that lead to one cell only that of the agent with the highest priority leads there. Of equals, and
    without a priority, the one with the lowest number comes first."""

    priority: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Pushing:
    """Agents push what lies on cells of a grid: a move to a cell where `state`, one of cells, is not 0 moves its value
    on, and those of the cells that follow in a row, `most` at most. Of several agents that claim a cell the one with
    the highest priority goes; of equals, and without a priority, the one with the lowest number."""

    state: str
    most: int
    priority: Expression | None
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
