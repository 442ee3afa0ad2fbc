"""Views of one world, read from its state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape
from hamlet.env.drawn import Colour, Drawn, Line, Mark, clipped, within
from hamlet.env.layers import Layer, layers_of
from hamlet.interpreter.expressions import is_there
from hamlet.interpreter.interact import is_open
from hamlet.interpreter.lanes import Constants, load
from hamlet.interpreter.places import Places
from hamlet.interpreter.walls import find_walls
from hamlet.schema.grid import cell_of
from hamlet.universe import AnyMeter, Continuous, Graph, Grid, NoSpace, Universe
from hamlet.universe.space import graph_of, is_hexagonal, letters_of
from hamlet.universe.terrain import Map

FLAT = 2
"""Axes that can be shown. Of a space of more the first two are, as if one looked through all others."""

FLOOR = "."
WALL = "#"
SPARE = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Board:
    """The space that is shown.

    Attributes:
        low, size: the first coordinate of both axes, and how far they reach: a number of cells on a grid. An axis
            that a space lacks is one cell.
        cells: whether it is a grid.
        reach: the distance from which an affordance is used, in a continuous space.
        ground: a letter per cell of each row, where there is a map.
        walls: the letters of cells that nobody enters.
    """

    low: tuple[float, float]
    size: tuple[float, float]
    cells: bool
    reach: float
    ground: tuple[str, ...]
    walls: str
    hexagons: bool = False
    """Whether each row begins half a cell further right than the one above it."""
    nodes: tuple[str, ...] = ()
    """Of a graph the names of its nodes; place k is node k."""
    edges: tuple[tuple[int, int, bool], ...] = ()
    """From which node one leads to which, and whether it leads back."""
    tints: tuple[tuple[str, Colour], ...] = ()
    """The colours of letters of the map, or of nodes."""
    thin: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = ()
    """The two cells on both sides of each thin wall."""

    @property
    def edge(self) -> tuple[float, float]:
        """How far the last place is from the first one, on both axes."""
        across, down = self.size
        return (across - 1, down - 1) if self.cells else self.size


@dataclass(frozen=True, slots=True)
class Bar:
    """A meter or a state: its name, value and bounds, and the names of its options."""

    name: str
    value: float
    low: float
    high: float
    options: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """How full it is, 0 .. 1."""
        return min(max((self.value - self.low) / (self.high - self.low), 0.0), 1.0) if self.high > self.low else 1.0

    @property
    def said(self) -> str:
        """The value, in few letters."""
        return self.options[int(self.value)] if self.options else f"{self.value:.3g}"


@dataclass(frozen=True, slots=True)
class Stand:
    """An affordance.

    Attributes:
        mark: a letter of its own among the first 26, of its name where that is possible.
        at: where it is; `None` without a space, and where it has not appeared.
        open: whether it can be used: it is there, it is open at this hour, and its condition holds.
        there: whether it is there; of one that appears and disappears.
        hours: from when to when it is open, as the author wrote it; empty where it always is.
        users: the numbers of the agents that used it in the last tick.
        colour: `None`: the painter chooses.
    """

    name: str
    mark: str
    at: tuple[float, float] | None
    open: bool
    hours: str
    users: tuple[int, ...]
    there: bool = True
    colour: Colour | None = None

    @property
    def state(self) -> str:
        """The word of its state: "open", "closed" or "away"."""
        return "open" if self.open else "closed" if self.there else "away"


@dataclass(frozen=True, slots=True)
class Player:
    """An agent.

    Attributes:
        name: `agent 0`, in a universe with roles `wolf 0`, counted within the role.
        mark: one letter.
        at: where it is; `None` without a space, where the drawing shows agents `aside`, and of one that is not born.
        doing: the affordance that it used in the last tick, or is engaged in; empty where there is none.
        age: the ticks that it has lived.
        reward, gained: of the last tick, and of its episode so far.
        colour: `None`: the painter chooses.
        action: the one that it chose in the last tick; empty where that is not known, and before its first tick.
        facing: which way it faces on a picture, x then y, of length 1; `None` where agents have no heading.
    """

    name: str
    mark: str
    at: tuple[float, float] | None
    alive: bool
    doing: str
    age: int
    reward: float
    gained: float
    meters: tuple[Bar, ...]
    colour: Colour | None = None
    action: str = ""
    facing: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class View:
    """A world as it is between two ticks.

    Attributes:
        name: the universe's.
        world: its number among all shards.
        hour, hours: of its day; `None` without a clock.
        board: the space; `None` without one.
        meters: of the world itself.
        layers: what its cells have.
        marks, lines: what `draw` puts on the board.
    """

    name: str
    world: int
    tick: int
    episode: int
    hour: int | None
    hours: int | None
    board: Board | None
    stands: tuple[Stand, ...]
    players: tuple[Player, ...]
    meters: tuple[Bar, ...]
    layers: tuple[Layer, ...] = ()
    marks: tuple[Mark, ...] = ()
    lines: tuple[Line, ...] = ()

    @property
    def title(self) -> str:
        """Which world it is, and when."""
        clock = "" if self.hour is None else f"  hour {self.hour}/{self.hours}"
        return f"{self.name}  world {self.world}  tick {self.tick}  episode {self.episode}{clock}"


def view_of(universe: Universe, buffers: Buffers, world: int, tick: int, acted: Tensor | None = None) -> View:
    """The view of a world, by its number in these buffers. `acted` are the actions of the last tick, [lanes], where
    they are known."""
    here = _World(universe, buffers, world, acted)
    board = _with_walls(board_of(universe, here.drawn), here)
    marks, lines = ((), ()) if board is None else here.drawn.on_board(here.lanes)
    low, size = ((0.0, 0.0), (0.0, 0.0)) if board is None else (board.low, board.edge)
    hour = here.of_world("hour")
    of_world = () if universe.world is None else universe.world.meters
    values = buffers.state["world_meters"][:, world].tolist() if of_world else []
    return View(
        universe.name,
        buffers.shape.first_world + world,
        tick,
        here.of_world("episode") or 0,
        hour,
        None if universe.clock is None else universe.clock.hours,
        board,
        tuple(here.stands()),
        tuple(here.players()),
        here.gauges(of_world, values),
        tuple(here.drawn.layers(here.layers())),
        tuple(mark for mark in marks if within(mark.at, low, size)),
        tuple(part for line in lines for part in clipped(line, low, size)),
    )


def marks(names: Sequence[str], chosen: Sequence[str] = ()) -> list[str]:
    """A letter for each name: the one that is `chosen` for it, else a capital that no other has; a star where all are
    taken."""
    said = chosen or [""] * len(names)
    taken = set(said)
    result: list[str] = []
    for name, letter in zip(names, said, strict=True):
        capitals = [each.upper() for each in name if each.upper() in SPARE]
        # Capitals inside of a name begin words, as the M of HomeMeal.
        ordered = [*(each for each in name if each in SPARE), *capitals, *SPARE]
        mark = letter or next((each for each in ordered if each not in taken), "*")
        taken.add(mark)
        result.append(mark)
    return result


def is_shown(meter: AnyMeter) -> bool:
    """Whether it is an author's, and not what the compiler made for itself."""
    return meter.type is None or meter.type.past is None


def _bars(meters: Sequence[AnyMeter], values: list[float]) -> Iterator[Bar]:
    """Meters and states in file order, but not what the compiler made for itself."""
    for meter, value in zip(meters, values, strict=True):
        if is_shown(meter):
            yield Bar(meter.name, value, meter.low, meter.high, () if meter.type is None else meter.type.options)


def board_of(universe: Universe, drawn: Drawn) -> Board | None:
    """The space as it is in all worlds: without walls of which a condition of cells decides."""
    canvas = drawn.canvas
    match universe.space:
        case Grid(sizes=sizes):
            width, height = (*sizes, 1)[:FLAT]
            graph = graph_of(universe.space)
            ground = None if graph is not None else letters_of(universe.space)
            rows, walls = ((), "") if ground is None else (ground.rows, ground.walls)
            return Board(
                (0.0, 0.0),
                (float(width), float(height)),
                True,
                0.0,
                rows,
                walls,
                is_hexagonal(universe.space),
                () if graph is None else tuple(node.name for node in graph.nodes),
                () if graph is None else tuple(_edges(graph)),
                tuple(_tints(universe.space, drawn)),
                () if ground is None else tuple(_thin(ground, width)),
            )
        case Continuous(axes=axes, reach=reach):
            low = (*(axis.low for axis in axes), 0.0)[:FLAT]
            size = (*(axis.size for axis in axes), 0.0)[:FLAT]
            return Board((low[0], low[1]), (size[0], size[1]), False, reach, (), "")
        case NoSpace() if canvas is not None:
            (left, bottom), (right, top) = canvas.low, canvas.high
            return Board(canvas.low, (right - left, top - bottom), False, 0.0, (), "")
        case NoSpace():
            return None


def _thin(ground: Map, width: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    for wall in ground.thin:
        (y, x), (v, u) = (divmod(cell, width) for cell in wall.cells)
        yield (x, y), (u, v)


def _with_walls(board: Board | None, here: _World) -> Board | None:
    """The board with the cells as walls that are walls now, where a condition of cells decides it."""
    if board is None or here.lanes.walls is None:
        return board
    width, height = (int(size) for size in board.size)
    walls = here.lanes.walls[0].tolist()
    rows = board.ground or (FLOOR * width,) * height
    letter = board.walls[:1] or WALL
    drawn = (
        "".join(letter if walls[x + width * y] else each for x, each in enumerate(row)) for y, row in enumerate(rows)
    )
    colour = here.drawn.colour("wall")
    tints = () if colour is None or board.walls else ((letter, colour),)
    return replace(board, ground=tuple(drawn), walls=board.walls or letter, tints=(*board.tints, *tints))


def _tints(space: Grid, drawn: Drawn) -> Iterator[tuple[str, Colour]]:
    """The colours of letters of the map, or of nodes: of regions, the first that has one, and of walls."""
    ground = letters_of(space)
    if ground is None:
        return
    tints: dict[str, Colour] = {}
    if (wall := drawn.colour("wall")) is not None:
        tints |= dict.fromkeys(ground.walls, wall)
    for region in ground.regions:
        if (tint := drawn.colour("region", region.name)) is not None:
            tints = dict.fromkeys(region.letters, tint) | tints
    yield from tints.items()


def _edges(graph: Graph) -> Iterator[tuple[int, int, bool]]:
    """The edges of a graph, those that lead both ways once."""
    for one, node in enumerate(graph.nodes):
        for other in sorted(graph.number(name) for name in node.leads):
            back = node.name in graph.nodes[other].leads
            if not back or one <= other:
                yield one, other, back


class _World:
    """The part of buffers that is about one world, on the host."""

    def __init__(self, universe: Universe, buffers: Buffers, world: int, acted: Tensor | None) -> None:
        shape, device = buffers.shape, torch.device("cpu")
        lanes = slice(world * shape.agents, (world + 1) * shape.agents)
        per = {field.name: field.per for field in (*schema.state_fields(universe), *schema.outcome_fields(universe))}

        def cut(name: str, value: Tensor) -> Tensor:
            part = value[..., world : world + 1] if per[name] == "world" else value[..., lanes]
            return part.cpu().contiguous()

        self._universe = universe
        self._agents = shape.agents
        self._shape = Shape(1, shape.agents, shape.first_world + world)
        self._state = {name: cut(name, value) for name, value in buffers.state.items()}
        self._outcome = {name: cut(name, value) for name, value in buffers.outcome.items()}
        self._acted = None if acted is None else acted.reshape(-1)[lanes].tolist()
        self.drawn = Drawn(universe)
        alone = Buffers(self._shape, self._state, {}, None, None, torch.empty(0))
        self.lanes = load(universe, alone, Places(universe, device), Constants(universe, device))
        find_walls(self.lanes)

    def of_world(self, field: str) -> int | None:
        """A number of the world; `None` where the universe has none."""
        return int(self._state[field]) if field in self._state else None

    def stands(self) -> Iterator[Stand]:
        """The affordances in file order."""
        affordances, lanes, drawn = self._universe.affordances, self.lanes, self.drawn
        names = [each.name for each in affordances]
        letters = marks(names, [drawn.letter("affordance", name) for name in names])
        used: list[int] = self._outcome["used"].tolist()
        for number, (affordance, mark) in enumerate(zip(affordances, letters, strict=True)):
            hours, appeared = affordance.hours, is_there(affordance, lanes)
            there = appeared is None or bool(appeared.all())
            yield Stand(
                affordance.name,
                mark,
                self._place(lanes.place_of(affordance.name)) if there else None,
                there and bool(is_open(affordance, lanes).all()),
                "" if hours is None else f"{hours.opens}..{hours.closes}",
                tuple(agent for agent, what in enumerate(used) if what == number),
                there,
                drawn.colour("affordance", affordance.name),
            )

    def layers(self) -> Iterator[Layer]:
        """The layers of the cells."""
        return layers_of(self._universe, self._state["cell_meters"][:, 0] if "cell_meters" in self._state else None)

    def players(self) -> Iterator[Player]:
        """The agents by number."""
        state, outcome = self._state, self._outcome
        affordances = [affordance.name for affordance in self._universe.affordances]
        engaged = state.get("engaged", torch.full((self._agents,), schema.NOWHERE))
        for agent in range(self._agents):
            what = int(outcome["used"][agent])
            what = what if what != schema.NOWHERE else int(engaged[agent])
            name, letter, colour = self.drawn.agent(agent)
            yield Player(
                name,
                letter or ("@" if self._agents == 1 else str(agent)[-1]),
                None if self.drawn.aside else self._spot(agent),
                bool(state["alive"][agent]),
                "" if what == schema.NOWHERE else affordances[what],
                int(state["age"][agent]),
                float(outcome["reward"][agent]),
                float(state["episode_return"][agent]),
                self.gauges(self._universe.meters, state["meters"][:, agent].tolist(), self.drawn.of_others(agent)),
                colour,
                self._action(agent),
                self.drawn.facing(self._state["meters"][:, agent].tolist()),
            )

    def gauges(
        self, meters: Sequence[AnyMeter], values: list[float], without: frozenset[str] = frozenset()
    ) -> tuple[Bar, ...]:
        """The meters and states that are shown, in order."""
        bars = tuple(bar for bar in _bars(meters, values) if bar.name not in without)
        return self.drawn.gauges(bars, [bar.name for bar in bars])

    def _action(self, agent: int) -> str:
        """The action of the last tick; empty where none is known, or none was of this episode."""
        if self._acted is None or not self._state["age"][agent]:
            return ""
        return str(schema.action_names(self._universe)[self._acted[agent]])

    def _spot(self, agent: int) -> tuple[float, float] | None:
        if self._universe.pools and not self._state["alive"][agent]:
            return None
        return _flat(self._state["position"][:, agent].tolist()) if "position" in self._state else None

    def _place(self, parts: tuple[Tensor, ...]) -> tuple[float, float] | None:
        match self._universe.space:
            case Grid() as grid:
                return _flat([float(x) for x in cell_of([int(part) for part in parts], grid)])
            case Continuous():
                return _flat([float(part) for part in parts])
            case NoSpace():
                return None


def _flat(coordinates: Sequence[float]) -> tuple[float, float]:
    x, y = (*coordinates, 0.0)[:FLAT]
    return float(x), float(y)
