"""The view of a world, read from its state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape
from hamlet.env.board import FLAT, FLOOR, SOLID, SOLID_TINT, WALL, Board, board_of
from hamlet.env.drawn import Drawn
from hamlet.env.layers import Layer, layers_of
from hamlet.env.marked import clipped, on_board, within
from hamlet.env.view import Bar, Player, Stand, View, is_shown, kinds_of, mark_of_agent, marks_of, said_hours
from hamlet.interpreter.constants import Constants
from hamlet.interpreter.expressions import is_there
from hamlet.interpreter.interact import is_open
from hamlet.interpreter.lanes import load
from hamlet.interpreter.places import Places
from hamlet.interpreter.walls import find_walls
from hamlet.schema.grid import cell_of
from hamlet.universe import AnyMeter, Continuous, Grid, NoSpace, Universe


def view_of(universe: Universe, buffers: Buffers, world: int, tick: int, acted: Tensor | None = None) -> View:
    """The view of a world, by its number in these buffers. `acted` are the actions of the last tick, [lanes], where
    they are known."""
    here = _World(universe, buffers, world, acted)
    board = _with_solid(_with_walls(board_of(universe, here.drawn), here), here)
    marks, lines = ((), ()) if board is None else on_board(here.drawn, here.lanes)
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


def _bars(meters: Sequence[AnyMeter], values: list[float]) -> Iterator[Bar]:
    """Meters and states in file order, but not what the compiler made for itself."""
    for meter, value in zip(meters, values, strict=True):
        if is_shown(meter):
            yield Bar(meter.name, value, meter.low, meter.high, () if meter.type is None else meter.type.options)


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


def _with_solid(board: Board | None, here: _World) -> Board | None:
    """The board with a letter on the cells that are solid now, and no walls."""
    cells = here.lanes.universe.cells
    if board is None or here.lanes.closed is None or cells is None or cells.solid is None:
        return board
    width, height = (int(size) for size in board.size)
    rows = board.ground or (FLOOR * width,) * height
    letter = next(each for each in SOLID if each not in "".join(rows))
    closed = here.lanes.closed[0].tolist()

    def drawn(there: str, cell: int) -> str:
        return letter if closed[cell] and there not in board.walls else there

    ground = tuple("".join(drawn(each, x + width * y) for x, each in enumerate(row)) for y, row in enumerate(rows))
    # A board without colours finds one for each letter.
    return replace(board, ground=ground, tints=(*board.tints, (letter, SOLID_TINT)) if board.tints else ())


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
        letters, kinds = marks_of(self._universe, drawn), kinds_of(self._universe)
        used: list[int] = self._outcome["used"].tolist()
        for number, (affordance, mark) in enumerate(zip(affordances, letters, strict=True)):
            appeared = is_there(affordance, lanes)
            there = appeared is None or bool(appeared.all())
            yield Stand(
                affordance.name,
                mark,
                self._place(lanes.place_of(affordance.name)) if there else None,
                there and bool(is_open(affordance, lanes).all()),
                said_hours(affordance),
                tuple(agent for agent, what in enumerate(used) if what == number),
                there,
                drawn.colour("affordance", affordance.name),
                kinds[affordance.copy_of or affordance.name],
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
                mark_of_agent(letter, agent, self._agents),
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
