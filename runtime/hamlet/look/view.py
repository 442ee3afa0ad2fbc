"""What can be seen of one world, read from its state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.interpreter.places import Places
from hamlet.schema.grid import cell_of
from hamlet.universe import Affordance, Continuous, Grid, NoSpace, Universe
from hamlet.universe.space import is_hexagonal, letters_of

FLAT = 2
"""Axes that can be shown. Of a space of more the first two are, as if one looked through all others."""

FLOOR = "."
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


@dataclass(frozen=True, slots=True)
class Bar:
    """A meter: its name, value and bounds."""

    name: str
    value: float
    low: float
    high: float

    @property
    def share(self) -> float:
        """How full it is, 0 .. 1."""
        return min(max((self.value - self.low) / (self.high - self.low), 0.0), 1.0) if self.high > self.low else 1.0


@dataclass(frozen=True, slots=True)
class Stand:
    """An affordance.

    Attributes:
        mark: a letter of its own among the first 26, of its name where that is possible.
        at: where it is; `None` without a space.
        open: whether it is open at this hour.
        hours: from when to when it is open, as the author wrote it; empty where it always is.
        users: the numbers of the agents that used it in the last tick.
    """

    name: str
    mark: str
    at: tuple[float, float] | None
    open: bool
    hours: str
    users: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Player:
    """An agent.

    Attributes:
        name: `agent 0`.
        at: where it is; `None` without a space.
        doing: the affordance that it used in the last tick, or is engaged in; empty where there is none.
        age: the ticks that it has lived.
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


@dataclass(frozen=True, slots=True)
class View:
    """A world as it is between two ticks.

    Attributes:
        name: the universe's.
        world: its number among all shards.
        hour, hours: of its day; `None` without a clock.
        board: the space; `None` without one.
        meters: of the world itself.
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

    @property
    def title(self) -> str:
        """Which world it is, and when."""
        clock = "" if self.hour is None else f"  hour {self.hour}/{self.hours}"
        return f"{self.name}  world {self.world}  tick {self.tick}  episode {self.episode}{clock}"


def view_of(universe: Universe, buffers: Buffers, world: int, tick: int) -> View:
    """What can be seen of a world, by its number in these buffers."""
    here = _World(universe, buffers, world)
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
        _board(universe),
        tuple(here.stands(hour)),
        tuple(here.players()),
        tuple(Bar(meter.name, value, meter.low, meter.high) for meter, value in zip(of_world, values, strict=True)),
    )


def marks(names: Sequence[str]) -> list[str]:
    """A capital for each of the first 26 names, each another one; a star for those that are left."""
    taken: dict[str, None] = {}
    for name in names:
        wanted = [letter.upper() for letter in name if letter.upper() in SPARE]
        # Capitals inside of a name begin words, as the M of HomeMeal.
        ordered = [*(letter for letter in name if letter in SPARE), *wanted, *SPARE]
        taken[next((letter for letter in ordered if letter not in taken), f"*{len(taken)}")] = None
    return [mark if len(mark) == 1 else "*" for mark in taken]


def opened(affordance: Affordance, hour: int | None) -> bool:
    """Whether an affordance is open at an hour."""
    hours = affordance.hours
    if hours is None or hour is None:
        return True
    if hours.opens < hours.closes:
        return hours.opens <= hour < hours.closes
    return hour >= hours.opens or hour < hours.closes


def _board(universe: Universe) -> Board | None:
    match universe.space:
        case Grid(sizes=sizes):
            width, height = (*sizes, 1)[:FLAT]
            ground = letters_of(universe.space)
            rows, walls = ((), "") if ground is None else (ground.rows, ground.walls)
            return Board(
                (0.0, 0.0), (float(width), float(height)), True, 0.0, rows, walls, is_hexagonal(universe.space)
            )
        case Continuous(axes=axes, reach=reach):
            low = (*(axis.low for axis in axes), 0.0)[:FLAT]
            size = (*(axis.size for axis in axes), 0.0)[:FLAT]
            return Board((low[0], low[1]), (size[0], size[1]), False, reach, (), "")
        case NoSpace():
            return None


class _World:
    """The part of buffers that is about one world, on the host."""

    def __init__(self, universe: Universe, buffers: Buffers, world: int) -> None:
        shape = buffers.shape
        lanes = slice(world * shape.agents, (world + 1) * shape.agents)
        per = {field.name: field.per for field in (*schema.state_fields(universe), *schema.outcome_fields(universe))}

        def cut(name: str, value: Tensor) -> Tensor:
            part = value[..., world : world + 1] if per[name] == "world" else value[..., lanes]
            return part.cpu()

        self._universe = universe
        self._agents = shape.agents
        self._state = {name: cut(name, value) for name, value in buffers.state.items()}
        self._outcome = {name: cut(name, value) for name, value in buffers.outcome.items()}

    def of_world(self, field: str) -> int | None:
        """A number of the world; `None` where the universe has none."""
        return int(self._state[field]) if field in self._state else None

    def stands(self, hour: int | None) -> Iterator[Stand]:
        """The affordances in file order."""
        affordances = self._universe.affordances
        places = Places(self._universe, torch.device("cpu")).of(self._state)
        used: list[int] = self._outcome["used"].tolist()
        for number, (affordance, mark) in enumerate(
            zip(affordances, marks([a.name for a in affordances]), strict=True)
        ):
            hours = affordance.hours
            yield Stand(
                affordance.name,
                mark,
                self._place(places[affordance.name]),
                opened(affordance, hour),
                "" if hours is None else f"{hours.opens}..{hours.closes}",
                tuple(agent for agent, what in enumerate(used) if what == number),
            )

    def players(self) -> Iterator[Player]:
        """The agents by number."""
        state, outcome = self._state, self._outcome
        affordances = [affordance.name for affordance in self._universe.affordances]
        engaged = state.get("engaged", torch.full((self._agents,), schema.NOWHERE))
        for agent in range(self._agents):
            what = int(outcome["used"][agent])
            what = what if what != schema.NOWHERE else int(engaged[agent])
            yield Player(
                f"agent {agent}",
                "@" if self._agents == 1 else str(agent)[-1],
                self._spot(agent),
                bool(state["alive"][agent]),
                "" if what == schema.NOWHERE else affordances[what],
                int(state["age"][agent]),
                float(outcome["reward"][agent]),
                float(state["episode_return"][agent]),
                tuple(
                    Bar(meter.name, value, meter.low, meter.high)
                    for meter, value in zip(self._universe.meters, state["meters"][:, agent].tolist(), strict=True)
                ),
            )

    def _spot(self, agent: int) -> tuple[float, float] | None:
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
