"""The values that a tick works on, by name. Statements replace them; buffers change only when a tick stores them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.interpreter.constants import Constants, Ground
from hamlet.interpreter.coverage import Coverage
from hamlet.interpreter.draws import PairDraws, Sites
from hamlet.interpreter.places import Places, place_by
from hamlet.interpreter.trace import Trace
from hamlet.schema.grid import cell_of, words
from hamlet.universe import Grid, Span, Universe


@dataclass(slots=True)
class Lanes:
    """All lanes in the middle of a tick.

    Attributes:
        constant: turns a number of the universe into a tensor.
        meters, inputs, controls: f32 [worlds, agents] by name.
        position, used_at: i32 or f32 [worlds, agents] per axis; `used_at` only where it is state.
        velocity: f32 [worlds, agents] per axis; 0 where it is not state.
        speed: f32 [worlds, agents]; `None` where it is not state: it is the length of the velocity.
        age, engaged, progress: i32 [worlds, agents]; nobody is engaged where no affordance lasts.
        last: i32 [worlds, agents]; streaks: i32, seen: bool, by affordance. No uses where they are not tracked.
        alive: bool [worlds, agents]; as at the beginning of the tick.
        running: bool [worlds, agents]; who runs the tick: those alive, or with episodes by hand all.
        hour: i32 [worlds, 1]; 0 without a clock.
        params: f32 [worlds, 1] by name.
        world: the meters of the worlds, f32 [worlds, 1] by name.
        cells: the meters of the cells of the grid, f32 [worlds, cells] by name.
        pairs: what each agent has of each, f32 [worlds, agents, agents] by name.
        places: of each affordance by name, see `hamlet.interpreter.places`.
        sites: the random words of the tick; `None` outside a tick.
        sites_of_world: those of worlds, [worlds, 1].
        draws_of_pairs: those of all agents with each other.
        sites_of_pairs: those of agents that ask, with each agent; `None` where draws are of each agent alone.
        action: i32 [worlds, agents]; `None` outside a tick.
        used: bool [worlds, agents], who used an affordance in this tick, by its name; one that is missing nobody used.
            `None` before everything has been used.
        before: these lanes at the beginning of the tick, for `previous`.
        others: these lanes as what agents have together is of: at the beginning of the tick, or when they have done
            what they do. `None` outside a tick.
        askers: in what agents are asked by each other: the numbers of those that ask now.
        granted: bool [worlds, agents], whose claims were granted, by affordance with a capacity.
        walls: bool [worlds, cells], the cells that are walls, where a condition of cells decides that; `None` where the
            map alone does, and where no agent goes anywhere.
        closed: bool [worlds, cells], the cells that nobody enters, walls and solid ones, likewise.
        walked: bool [worlds, agents], who walked into a solid affordance in this tick; `None`: nobody could.
        reached: the cell of that affordance, i32 [worlds, agents] per axis.
        locals: those of the statements that run: f32 or bool [worlds, agents], or of one column, by name.
        blocked: bool [worlds, agents], whom others keep from moving; `None` where agents do not block each other.
        pushed: cells that agents push something from or to, i64 [worlds, agents], each with what is added to its
            state, f32.
        coverage, trace: told what happens, where somebody wants to know.
    """

    universe: Universe
    constant: Constants
    meters: dict[str, Tensor]
    inputs: dict[str, Tensor]
    controls: dict[str, Tensor]
    position: tuple[Tensor, ...]
    velocity: tuple[Tensor, ...]
    speed: Tensor | None
    age: Tensor
    engaged: Tensor
    progress: Tensor
    used_at: tuple[Tensor, ...]
    last: Tensor
    streaks: dict[str, Tensor]
    seen: dict[str, Tensor]
    alive: Tensor
    running: Tensor
    hour: Tensor
    params: dict[str, Tensor]
    world: dict[str, Tensor]
    cells: dict[str, Tensor]
    pairs: dict[str, Tensor]
    places: dict[str, tuple[Tensor, ...]]
    sites: Sites | None
    coverage: Coverage | None
    trace: Trace | None
    sites_of_world: Sites | None = None
    sites_of_cells: Sites | None = None
    draws_of_pairs: PairDraws | None = None
    sites_of_pairs: Sites | None = None
    action: Tensor | None = None
    used: dict[str, Tensor] | None = None
    before: Lanes | None = None
    others: Lanes | None = None
    askers: slice | None = None
    nearby: Lanes | None = None
    granted: dict[str, Tensor] = field(default_factory=dict)
    walls: Tensor | None = None
    closed: Tensor | None = None
    blocked: Tensor | None = None
    pushed: tuple[tuple[Tensor, Tensor], ...] = ()
    walked: Tensor | None = None
    reached: tuple[Tensor, ...] = ()
    locals: dict[str, Tensor] = field(default_factory=dict)
    _cell: tuple[tuple[Tensor, ...], tuple[Tensor, ...]] = field(default=((), ()), init=False)

    def changed(self, **values: object) -> Lanes:
        """The lanes with other values for some attributes. What is behind the rest is shared."""
        # Dozens of times in a tick: what `copy` does by the protocol of pickles, it does by hand.
        lanes = Lanes.__new__(Lanes)
        names, parts = _parts()
        for name, value in zip(names, parts(self), strict=True):
            setattr(lanes, name, value)
        for name, value in values.items():
            setattr(lanes, name, value)
        return lanes

    def cell(self) -> tuple[Tensor, ...]:
        """The words of the cell that each agent stands on, i32 [worlds, agents]; computed once per position."""
        if self._cell[0] is not self.position:
            self._cell = (self.position, words(self.position, self.grid))
        return self._cell[1]

    @property
    def ground(self) -> Ground:
        """The ground of the map; a universe without one is a `ValueError`."""
        if self.constant.ground is None:
            raise ValueError(f"universe {self.universe.name} has no map")
        return self.constant.ground

    def index(self) -> Tensor:
        """The index of the cell that each agent stands on, i64 [worlds, agents]; with a map one word holds it."""
        (cell,) = self.cell()
        return cell.long()

    @property
    def grid(self) -> Grid:
        """The space, where it is a grid."""
        if not isinstance(self.universe.space, Grid):
            raise ValueError(f"universe {self.universe.name} has no grid")
        return self.universe.space

    def place_of(self, affordance: str) -> tuple[Tensor, ...]:
        """The place of an affordance as in `places`; of one that moves where meters of the world say that it is."""
        meters = self.constant.affordances[affordance].moving
        return place_by(self.universe, [self.world[meter] for meter in meters]) if meters else self.places[affordance]

    def coordinates_of(self, affordance: str) -> tuple[Tensor, ...]:
        """The coordinates of an affordance, [worlds, 1] or [1, 1] per axis."""
        place = self.place_of(affordance)
        return cell_of(place, self.universe.space) if isinstance(self.universe.space, Grid) else place

    @property
    def these(self) -> slice:
        """The numbers of the agents that ask now; a `ValueError` where nobody does."""
        if self.askers is None:
            raise ValueError("nobody asks")
        return self.askers

    @property
    def number_of_askers(self) -> int:
        """How many agents of each world ask now."""
        return 0 if self.askers is None else self.askers.stop - self.askers.start

    def of_pairs(self, meter: str, *, reverse: bool) -> Tensor:
        """A state that those that ask have of each agent, or in `reverse` each of them: [askers, worlds, agents]."""
        values = self.pairs[meter]
        return values[:, :, self.these].permute(2, 0, 1) if reverse else values[:, self.these].permute(1, 0, 2)

    def asked_by(self, values: Tensor, span: Span) -> Tensor:
        """The values of askers, [askers, worlds, 1], from values that broadcast to [worlds, agents]."""
        if self.askers is None:
            raise ValueError(f"nobody asks, line {span.line}")
        return values.expand(self.running.shape)[:, self.askers].T.unsqueeze(-1)

    def write(self, meter: str, value: Tensor, who: Tensor, construct: str, span: Span) -> None:
        """Give a meter a new value in the lanes `who`; the others keep theirs."""
        self.meters[meter] = torch.where(who, value, self.meters[meter])
        if self.trace is not None:
            self.trace.record(construct, span, meter, self.meters[meter], who)

    def count(self, construct: str, who: Tensor) -> None:
        """Tell that a construct fired in the lanes `who`."""
        if self.coverage is not None:
            self.coverage.count(construct, who)


@cache
def _parts() -> tuple[tuple[str, ...], Callable[[Lanes], tuple[object, ...]]]:
    """The names of all attributes, and what reads them at once."""
    names = tuple(each.name for each in fields(Lanes))
    return names, attrgetter(*names)


def load(
    universe: Universe,
    buffers: Buffers,
    places: Places,
    constant: Constants,
    coverage: Coverage | None = None,
    trace: Trace | None = None,
    sites: Sites | None = None,
    sites_of_world: Sites | None = None,
    sites_of_cells: Sites | None = None,
    draws_of_pairs: PairDraws | None = None,
) -> Lanes:
    """The lanes of some buffers as they are now."""
    state, worlds, agents = buffers.state, buffers.shape.worlds, buffers.shape.agents
    age, alive = state["age"].view(worlds, agents), state["alive"].view(worlds, agents)
    names = [affordance.name for affordance in universe.affordances]
    of_world = () if universe.world is None else universe.world.meters
    of_cells = () if universe.cells is None else universe.cells.meters
    of_pairs = () if universe.pairs is None else universe.pairs.meters
    by_pair = pair_views(state, len(of_pairs), agents) if of_pairs else ()
    by_cell = state["cell_meters"].view(len(of_cells), -1, worlds).transpose(1, 2) if of_cells else ()

    def rows(name: str) -> tuple[Tensor, ...]:
        return state[name].view(-1, worlds, agents).unbind() if name in state else ()

    def of_worlds(name: str) -> tuple[Tensor, ...]:
        return state[name].view(-1, worlds, 1).unbind() if name in state else ()

    def number(name: str, otherwise: int) -> Tensor:
        return state[name].view(worlds, agents) if name in state else torch.full_like(age, otherwise)

    velocity = rows("velocity") or (torch.zeros_like(age, dtype=torch.float32),) * len(schema.axes(universe))
    return Lanes(
        universe=universe,
        constant=constant,
        meters=dict(zip([meter.name for meter in universe.meters], rows("meters"), strict=True)),
        inputs=dict(zip([item.name for item in universe.inputs], rows("inputs"), strict=True)),
        controls=dict(zip([item.name for item in universe.controls], rows("controls"), strict=True)),
        position=rows("position"),
        velocity=velocity,
        speed=state["speed"].view(worlds, agents) if "speed" in state else None,
        age=age,
        engaged=number("engaged", schema.NOWHERE),
        progress=number("progress", 0),
        used_at=rows("used_at"),
        last=number("last", schema.NOWHERE),
        streaks=dict(zip(names, rows("streaks") or [torch.zeros_like(age)] * len(names), strict=True)),
        seen=dict(zip(names, rows("seen") or [torch.zeros_like(alive)] * len(names), strict=True)),
        alive=alive,
        running=torch.ones_like(alive) if universe.by_hand else alive,
        hour=state["hour"].view(worlds, 1) if universe.clock is not None else torch.zeros_like(age[:, :1]),
        params=dict(zip([param.name for param in universe.params], of_worlds("params"), strict=True)),
        world=dict(zip([meter.name for meter in of_world], of_worlds("world_meters"), strict=True)),
        cells={meter.name: values for meter, values in zip(of_cells, by_cell, strict=True)},
        pairs={meter.name: values for meter, values in zip(of_pairs, by_pair, strict=True)},
        places=places.of(state),
        sites=sites,
        sites_of_world=sites_of_world,
        sites_of_cells=sites_of_cells,
        draws_of_pairs=draws_of_pairs,
        coverage=coverage,
        trace=trace,
    )


def as_they_are(lanes: Lanes, coverage: Coverage | None = None) -> Lanes:
    """The lanes as they are now, whatever is written later; nothing is traced on them."""
    return lanes.changed(
        meters=dict(lanes.meters),
        streaks=dict(lanes.streaks),
        seen=dict(lanes.seen),
        world=dict(lanes.world),
        cells=dict(lanes.cells),
        pairs=dict(lanes.pairs),
        coverage=coverage,
        trace=None,
    )


def store(lanes: Lanes, buffers: Buffers) -> None:
    """Write what a tick may have changed back."""
    state = buffers.state
    values = {
        "meters": tuple(lanes.meters.values()),
        "world_meters": tuple(lanes.world.values()),
        "position": lanes.position,
        "velocity": lanes.velocity,
        "speed": () if lanes.speed is None else (lanes.speed,),
        "age": (lanes.age,),
        "engaged": (lanes.engaged,),
        "progress": (lanes.progress,),
        "used_at": lanes.used_at,
        "last": (lanes.last,),
        "streaks": tuple(lanes.streaks.values()),
        "seen": tuple(lanes.seen.values()),
    }
    for name, parts in values.items():
        if parts and name in state:
            for row, value in zip(state[name].view(len(parts), -1), parts, strict=True):
                row.copy_(value.reshape(-1))
    store_cells(lanes.cells, state)
    store_pairs(lanes.pairs, state)


def store_cells(values: dict[str, Tensor], state: dict[str, Tensor]) -> None:
    """Write the meters of cells back, f32 [worlds, cells] by name, all of them in order."""
    for number, value in enumerate(values.values()):
        cells = value.shape[1]
        state["cell_meters"][number * cells : (number + 1) * cells].copy_(value.T)


def pair_views(state: Mapping[str, Tensor], meters: int, agents: int) -> Tensor:
    """Views of the states of pairs: [meters, worlds, agents, agents]."""
    return state[schema.PAIR_STATES].view(meters, agents, agents, -1).permute(0, 3, 2, 1)


def store_pairs(values: dict[str, Tensor], state: dict[str, Tensor]) -> None:
    """Write what agents have of each other back, f32 [worlds, agents, agents] by name, all of it in order."""
    if values:
        agents = next(iter(values.values())).shape[1]
        for view, value in zip(pair_views(state, len(values), agents), values.values(), strict=True):
            view.copy_(value)
