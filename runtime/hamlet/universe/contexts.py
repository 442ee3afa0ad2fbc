"""Where each quantity of a Universe has a value: of whom it is, when it is known, and what it needs. A compiler reports
what is read elsewhere in the words of its author; of a Universe that was read from a file this is the check."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from hamlet.frozen import dataclass
from hamlet.universe import (
    actions,
    affordances,
    declarations,
    drawings,
    expressions,
    meters,
    observations,
    quantities,
    space,
    statements,
)
from hamlet.universe.expressions import Expression
from hamlet.universe.space import letters_of
from hamlet.universe.walk import depends_on_asker, nodes
from hamlet.universe.whole import Universe


@dataclass(frozen=True, slots=True)
class Context:
    """Where an expression is evaluated, and what has a value there.

    Attributes:
        where: the place in words, as in "a mask".
        of: whose values are read: those of each agent, of a world, of each cell.
        action, used: whether it is known which action agents chose, what they used.
        past: whether `Previous` is.
        draws: whether random words are.
        agents: whether a world's agents can be counted; "when all is done" they have used what they use.
        asker: who asks each agent of a world for this.
        cascade: whether a cascade measured a deficit.
        beside: whether the cells next to this one are.
        elsewhere: whether cells can be named by their coordinates.
        begun: which cells have their meters.
    """

    where: str
    of: Literal["agent", "world", "cell"] = "agent"
    action: bool = False
    used: bool = False
    past: bool = False
    draws: bool = False
    agents: Literal["as they were", "when all is done"] | None = None
    asker: Literal["agent", "world", "itself"] | None = None
    cascade: bool = False
    beside: bool = False
    begun: Literal["none", "this one", "all"] = "all"
    elsewhere: bool = True
    there: bool = False
    """Whether this is read of a cell that is named by its coordinates."""
    stands: bool = False
    """Whether cells have what stands on them."""


START = Context("a start value", draws=True, begun="none", elsewhere=False)
START_OF_WORLD = replace(START, of="world")
START_OF_CELLS = replace(START, of="cell", begun="this one", elsewhere=True)
START_OF_PAIRS = replace(START, asker="agent")
BEGIN = replace(START_OF_WORLD, where="how many agents live at first", draws=False)
BIRTH = Context("a birth", elsewhere=False)
MASK = Context("a mask")
OBSERVED = Context("an observation")
OPENING = Context("what opens an affordance", of="world", elsewhere=False)
DRAWN = Context("a drawing")
NEEDS = Context("what can be done", past=True)
PLACES = Context("the places of an affordance", of="world", elsewhere=False)
CLAIM = Context("the order of claims", action=True, draws=True)
ACTING = Context("what agents do", action=True, past=True, draws=True, agents="as they were")
TICK = replace(ACTING, where="a rule", used=True)
BODY = replace(TICK, where="a cascade", cascade=True)
PAIRS = Context("a rule of pairs", action=True, draws=True, asker="agent", elsewhere=False)
WORLD = Context("a rule of the world", of="world", past=True, draws=True, agents="when all is done")
CELLS = Context("a rule of cells", of="cell", past=True, draws=True, agents="when all is done", beside=True)
ENDING = replace(TICK, where="an end or a reward", agents="when all is done")
WALLS = Context("the condition of a wall or of a solid cell", of="cell", elsewhere=False)
STARTING = Context("the condition of a start", of="cell", elsewhere=False)
OVER_CELLS = Context("what is asked of cells", of="cell", elsewhere=False)
IN_WINDOW = Context("what a window shows of a cell", of="cell", stands=True)
ON_CELLS = Context("what is counted on cells", elsewhere=False)

FIELDS: dict[tuple[type, str], Context] = {
    (meters.Meter, "start"): START,
    (declarations.Pool, "begin"): BEGIN,
    (meters.Meter, "decay"): TICK,
    (meters.WorldMeter, "start"): START_OF_WORLD,
    (meters.CellMeter, "start"): START_OF_CELLS,
    (meters.PairMeter, "start"): START_OF_PAIRS,
    (declarations.CellSum, "operand"): OVER_CELLS,
    (declarations.CellCount, "operand"): ON_CELLS,
    **dict.fromkeys(((declarations.Cells, "wall"), (declarations.Cells, "solid")), WALLS),
    (declarations.Cascade, "body"): BODY,
    (observations.ObserveView, "value"): IN_WINDOW,
    (affordances.Affordance, "needs"): NEEDS,
    (affordances.Affordance, "opening"): OPENING,
    (actions.Action, "needs"): NEEDS,
    (affordances.Capacity, "places"): PLACES,
    (affordances.Capacity, "priority"): CLAIM,
    (actions.Blocking, "priority"): CLAIM,
    (actions.Pushing, "priority"): CLAIM,
    (drawings.DrawLinks, "condition"): replace(DRAWN, asker="agent"),
}
"""Fields that are evaluated elsewhere than the declaration that they stand in."""

OF_AGENT = (
    *(quantities.MeterValue, quantities.InputValue, quantities.ControlValue, quantities.Age, quantities.AgentNumber),
    *(quantities.Velocity, quantities.Speed, quantities.Progress, quantities.ShareOfUse, quantities.Here),
    *(
        quantities.LastUse,
        quantities.ActionTaken,
        quantities.Used,
        quantities.Every,
        quantities.After,
        quantities.Streak,
    ),
    *(quantities.Visited, quantities.Distance, quantities.StraightDistance, quantities.WalkingDistance),
    *(expressions.Rank, expressions.Nearest),
)
"""Quantities of each agent's own."""
OF_PLACE = (quantities.CellValue, quantities.Coordinate, quantities.On, quantities.TerrainValue)
"""Quantities of the cell that an agent is on."""
OF_CELL = (quantities.CellValue, quantities.On, quantities.TerrainValue, quantities.Wall)
"""Quantities of a cell that is named by its coordinates."""
DRAWS: tuple[type, ...] = expressions.Draw.__args__
READS = quantities.MeterValue | quantities.WorldValue | quantities.CellValue
"""Quantities that have a start value."""
TOGETHER = (expressions.Among, expressions.Rank, expressions.Nearest, expressions.Upon)
"""Reductions over the agents of a world."""


WANTING: dict[type, str] = {
    quantities.DayTime: "clock",
    quantities.Apart: "space",
    **dict.fromkeys((quantities.WalkingDistance, quantities.CellValue, declarations.Cells, expressions.At), "grid"),
    **dict.fromkeys((observations.ObserveGrid, observations.ObserveWindow, observations.ObserveCells), "grid"),
    affordances.Spread: "grid",
    **dict.fromkeys((quantities.On, quantities.TerrainValue, observations.ObserveRegion), "map"),
    statements.Push: "momentum",
    **dict.fromkeys((statements.Displace, statements.Teleport), "space"),
}
"""The part of a universe that such a node needs."""


def lacking(universe: Universe) -> Iterator[str]:
    """Parts that a universe needs and has not, and for which node."""
    of, letters = universe.space, letters_of(universe.space)
    grid = of if isinstance(of, space.Grid) else None
    has = {
        "clock": universe.clock is not None,
        "lifespan": universe.lifespan is not None,
        "space": not isinstance(of, space.NoSpace),
        "grid": grid is not None,
        "map": letters is not None,
        "momentum": space.has_momentum(of),
        "grid with two axes": grid is not None and len(grid.sizes) == 2,
        "map with two axes": letters is not None and grid is not None and len(grid.sizes) == 2,
    }
    if universe.starting is not None and grid is None:
        yield "a condition of cells on which agents start needs a grid, and there is none"
    for node in nodes(universe):
        part = WANTING.get(type(node))
        match node:
            case observations.ObserveRegion(region=None, within=None) if universe.wall is not None:
                part = "grid"
            case observations.ObserveRegion(region=None) if universe.wall is not None:
                part = "grid with two axes"
            case observations.ObserveWindow(within="sight") if universe.wall is not None:
                part = "grid with two axes"
            case observations.ObserveWindow(within="sight"):
                part = "map with two axes"
            case observations.ObserveRegion(radius=int()):
                part = "map with two axes"
            case _:
                pass
        if part is not None and not has[part]:
            yield f"{type(node).__name__} needs a {part}, and there is none"


def misplaced(universe: Universe) -> Iterator[str]:
    """Quantities that are read where they have no value, or are somebody else's, and why."""
    world, cells = universe.world, universe.cells
    parts: list[tuple[object, Context]] = [
        ((universe.meters, universe.affordances, universe.actions, universe.blocking, universe.pushing), ACTING),
        (universe.dynamics, TICK),
        (universe.pairs, PAIRS),
        (() if world is None else (world.meters, world.rules), WORLD),
        (() if cells is None else (cells.meters, cells.rules, cells.sums, cells.counts), CELLS),
        (() if cells is None else (cells.wall, cells.solid), WALLS),
        (universe.starting, STARTING),
        ((universe.causes, universe.rewards, universe.reports), ENDING),
        ((universe.acting, universe.masks), MASK),
        (universe.pools, BIRTH),
        (() if universe.lifespan is None else universe.lifespan.of_world or (), replace(ENDING, of="world")),
        ((universe.observations, tuple(role.observations for role in universe.roles or ())), OBSERVED),
        (universe.drawings, DRAWN),
    ]
    for part, context in parts:
        for tree, there in _placed(part, context):
            yield from _misplaced(tree, there)


def untimely(universe: Universe) -> Iterator[str]:
    """Start values that read those of what begins later: an episode begins with what the world keeps, what else it has,
    what agents, what cells and what pairs have, each in order."""
    of_world = () if universe.world is None else universe.world.meters
    first, anew = ([meter for meter in of_world if meter.kept == lasts] for lasts in (True, False))
    of_cells = () if universe.cells is None else universe.cells.meters
    sums = {each.meter for each in universe.cells.sums} if universe.cells is not None else set()
    begun: set[str] = set()
    of_pairs = () if universe.pairs is None else universe.pairs.meters
    declared: tuple[meters.AnyMeter, ...] = (*first, *anew, *universe.meters, *of_cells, *of_pairs)
    for meter in declared:
        for node in nodes(meter.start):
            if isinstance(node, READS) and node.meter not in begun:
                yield f"{meter.name} begins with {node.meter}, which begins later"
        if meter.name not in sums:
            begun.add(meter.name)


def _placed(part: object, context: Context) -> Iterator[tuple[Any, Context]]:
    """The expressions of a part of a Universe that stand in no other one, and where they are evaluated."""
    if isinstance(part, tuple):
        for each in part:
            yield from _placed(each, context)
    elif type(part) in EXPRESSIONS:
        yield part, context
    elif dataclasses.is_dataclass(part):
        kind: Any = type(part)
        for name in _fields(kind):
            yield from _placed(getattr(part, name), FIELDS.get((kind, name), context))


def _misplaced(tree: Expression, at: Context) -> Iterator[str]:
    if missing := _missing(tree, at):
        yield f"{type(tree).__name__} is read in {at.where}: {missing}"
    for operand, there in _inside(tree, at):
        yield from _misplaced(operand, there)


def _missing(tree: Expression, at: Context) -> str | None:
    """Why a quantity has no value there, whatever it is made of; `None` where it has one."""
    if isinstance(tree, OF_AGENT) and at.of != "agent" and not (at.stands and isinstance(tree, quantities.Here)):
        return "no agent is meant"
    if isinstance(tree, OF_PLACE) and at.of == "world":
        return "no cell is meant"
    if isinstance(tree, DRAWS) and not at.draws:
        return "nothing is drawn"
    if isinstance(tree, TOGETHER) and (at.agents is None or at.asker is not None):
        return "no agents are counted"
    match tree:
        case quantities.ActionTaken() if not at.action:
            return "no action is chosen yet"
        case quantities.Used() if not at.used:
            return "nothing has been used yet"
        case quantities.Deficit() | quantities.Shortfall() if not at.cascade:
            return "no cascade measured it"
        case quantities.Apart() | quantities.PairValue() | expressions.Own() if at.asker != "agent":
            return "no agent asks"
        case expressions.Previous() if not at.past:
            return "it has no past"
        case quantities.CellValue() if at.begun == "none" or (at.there and at.begun != "all"):
            return "no cell has begun yet"
        case quantities.PairValue() if at.begun == "none":
            return "nobody has begun with anybody yet"
        case quantities.Wall() if not at.there:
            return "no cell is meant"
        case expressions.At() if not at.elsewhere:
            return "no cell is named"
        case expressions.At(operand=operand) if not isinstance(operand, OF_CELL):
            return "it is not of a cell"
        case expressions.Neighbours() if not at.beside:
            return "no cell is meant"
        case expressions.Among() if at.of == "cell":
            return "no agents are counted"
        case expressions.Among() if at.of == "world" and depends_on_asker(tree):
            return "no agent asks"
        case expressions.Upon() if at.of != "cell":
            return "no cell is meant"
        case _:
            return None


def _inside(tree: Expression, at: Context) -> Iterator[tuple[Expression, Context]]:
    """The operands of an expression, and the context in which each is evaluated."""
    there = at
    match tree:
        case expressions.Previous():
            there = Context(f"the past of {at.where}", of=at.of)
        case expressions.Neighbours():
            there = OVER_CELLS
        case expressions.Own():
            there = replace(at, asker="itself")
        case expressions.Among() | expressions.Rank() | expressions.Nearest() | expressions.Upon():
            asker: Literal["agent", "world"] = "agent" if at.of == "agent" else "world"
            done = at.agents == "when all is done"
            there = Context("what agents have together", action=True, used=done, draws=True, asker=asker)
        case _:
            pass
    kind: Any = type(tree)
    for name in _fields(kind):
        value = getattr(tree, name)
        for each in value if isinstance(value, tuple) else (value,):
            if type(each) in EXPRESSIONS:
                match tree, name:
                    case expressions.Nearest(), "otherwise":
                        yield each, replace(there, asker="itself")
                    case expressions.At(), "operand":
                        yield each, replace(there, of="cell", there=True)
                    case _:
                        yield each, there


EXPRESSIONS: frozenset[type] = frozenset(Expression.__args__)


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))
