"""Random states that make things happen: boundary values, agents on affordances, lives near their end."""

from __future__ import annotations

from typing import TypeAlias

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import DTYPES, Shape
from hamlet.interpreter.episode import as_i32
from hamlet.schema.bounds import fastest, speeds
from hamlet.universe import (
    Affordance,
    Age,
    CellMeter,
    Grid,
    Hour,
    Input,
    Meter,
    PairMeter,
    Param,
    Progress,
    Streak,
    Universe,
    WorldMeter,
)
from hamlet.universe.space import has_momentum
from hamlet_lab.verify.boundaries import boundary_values, compared, compared_meters, constants, with_losses
from hamlet_lab.verify.draws import Draws
from hamlet_lab.verify.whereabouts import Whereabouts

Numbered: TypeAlias = Param | Input | WorldMeter | CellMeter | PairMeter
"""Numbers with bounds of worlds, cells, pairs, and those that users write."""
LONG = 1000
"""More ticks than usually matter, where a universe sets no limit."""


class Injector:
    """Draws states; the same seed draws the same ones."""

    def __init__(self, universe: Universe, shape: Shape, seed: int) -> None:
        self._universe = universe
        self._shape = shape
        self._draws = Draws(seed)
        self._whereabouts = Whereabouts(universe, shape, self._draws)
        everything, of_meters = constants(universe), compared_meters(universe)
        of_needs = [compared_meters(item.needs) for item in universe.affordances]
        self._boundaries = {
            meter.name: tuple(
                boundary_values(values, meter.low, meter.high)
                for values in (with_losses(of_meters.get(meter.name, []), meter), everything)
            )
            for meter in universe.meters
        }
        of_world = () if universe.world is None else universe.world.meters
        of_cells = () if universe.cells is None else universe.cells.meters
        of_pairs = () if universe.pairs is None else universe.pairs.meters
        declared: tuple[Numbered, ...]
        declared = (*universe.params, *universe.inputs, *of_world, *of_cells, *of_pairs)
        self._numbers = {item.name: boundary_values(everything, item.low, item.high) for item in declared}
        self._compared = {kind: compared(universe, kind) for kind in (Age, Hour, Progress, Streak)}
        # By meter and by the number of an affordance that needs something of it.
        self._needed = {
            (meter.name, number): boundary_values(near, meter.low, meter.high)
            for meter in universe.meters
            for number, of_meter in enumerate(of_needs)
            if (near := with_losses(of_meter.get(meter.name, []), meter))
        }

    def state(self) -> dict[str, Tensor]:
        """A state that ticks could meet, most agents being at an affordance. Unless episodes are by hand every world
        has an agent alive."""
        universe, draws, shape, lanes = self._universe, self._draws, self._shape, self._shape.lanes
        fields = {field.name for field in schema.state_fields(universe)}
        affordance = draws.integers(-1, len(universe.affordances), lanes)
        alive = self._alive()
        state = {
            "layout": as_i32(draws.words(0, 1 << 32, shape.worlds)),
            "episode": draws.integers(0, LONG, shape.worlds),
            "meters": self._meters(affordance),
            "age": self._ages(alive),
            "alive": alive,
            "episode_return": draws.normal(lanes),
        }
        if "places" in fields:
            state["places"] = self._whereabouts.places(state["layout"])
        if universe.world is not None and any(item.moving for item in universe.affordances):
            state["world_meters"] = self._values(universe.world.meters, shape.worlds)
        if "position" in fields:
            state["position"] = self._whereabouts.positions(state, affordance)
        if "velocity" in fields and not has_momentum(universe.space):
            state["velocity"] = self._velocities()
        if "speed" in fields:
            state["speed"] = self._speeds(state.get("velocity"))
        if "engaged" in fields:
            state["engaged"], state["progress"] = self._engagement(affordance)
        if "used_at" in fields:
            elsewhere = self._whereabouts.positions(state, torch.full_like(affordance, schema.NOWHERE))
            state["used_at"] = torch.where(draws.chance(0.8, lanes), state["position"], elsewhere)
        if "last" in fields:
            state |= self._uses(affordance, state["age"])
        if "inputs" in fields:
            state["inputs"] = self._values(universe.inputs, lanes)
        if "hour" in fields:
            state["hour"] = self._hours()
        if "params" in fields:
            state["params"] = self._values(universe.params, shape.worlds)
        if "world_meters" in fields and universe.world is not None and "world_meters" not in state:
            state["world_meters"] = self._values(universe.world.meters, shape.worlds)
        if "cell_meters" in fields and universe.cells is not None:
            state["cell_meters"] = self._cells(universe.cells.meters)
        if universe.pairs is not None:
            state[schema.PAIR_STATES] = self._pairs(universe.pairs.meters)
        others = (field for field in schema.state_fields(universe) if field.name not in state)
        return state | {field.name: self._anything(field) for field in others}

    def actions(self, interacting: float) -> Tensor:
        """Actions [lanes] i32: INTERACT with this probability, else any."""
        lanes = self._shape.lanes
        anything = self._draws.integers(0, len(schema.action_names(self._universe)), lanes)
        interact = schema.interact_action(self._universe)
        often = self._draws.chance(interacting, lanes)
        return anything if interact == schema.NOWHERE else anything.masked_fill(often, interact)

    def controls(self) -> Tensor | None:
        """Controls of a tick [controls, lanes] f32, many of them at their bounds; `None` in a universe without any."""
        fields = (field for field in schema.state_fields(self._universe) if field.name == "controls")
        return next((self._anything(field) for field in fields), None)

    def by_tick(self, ticks: int, *names: str) -> dict[str, Tensor]:
        """Inputs and controls of each tick, [ticks, rows, lanes] f32, as far as the universe has these fields."""
        fields = [field for field in schema.state_fields(self._universe) if field.name in names]
        return {field.name: torch.stack([self._anything(field) for _ in range(ticks)]) for field in fields}

    def _anything(self, field: schema.Field) -> Tensor:
        """A field of which only its bounds are known."""
        count = self._shape.lanes if field.per == "lane" else self._shape.worlds
        rows = [self._within(field, row, count) for row in range(len(field.names))]
        return rows[0] if field.rows is None else torch.stack(rows)

    def _within(self, field: schema.Field, row: int, count: int) -> Tensor:
        if field.bounds is None:
            return self._draws.chance(0.5, count).to(DTYPES[field.dtype])
        low, high = field.bounds[row].low, field.bounds[row].high
        if field.dtype == "f32":
            drawn = self._draws.numbers(boundary_values([], low, high), low, high, count, 0.5)
            return drawn.round() + 0.0 if field.bounds[row].whole else drawn
        return self._draws.integers(int(low), min(int(high), LONG) + 1, count)

    def _meters(self, affordance: Tensor) -> Tensor:
        """Some lanes prefer boundary values or bounds, so that conditions on several meters meet. On an affordance with
        `needs`, often just about what it needs."""
        lanes, universe, draws = self._shape.lanes, self._universe, self._draws
        rows = []
        for meter in universe.meters:
            own, any_constant = self._boundaries[meter.name]
            mixed = torch.where(
                draws.chance(0.6, lanes),
                draws.numbers(own, meter.low, meter.high, lanes, 0.6),
                draws.numbers(any_constant, meter.low, meter.high, lanes, 0.3),
            )
            extreme = torch.where(draws.chance(0.5, lanes), torch.tensor(meter.low), torch.tensor(meter.high))
            row = torch.where(draws.chance(0.2, lanes), extreme, mixed)
            for number in range(len(universe.affordances)):
                if (near := self._needed.get((meter.name, number))) is not None:
                    needed = draws.one_of(near, lanes)
                    row = torch.where((affordance == number) & draws.chance(0.4, lanes), needed, row)
            rows.append(_legal(row, meter))
        return torch.stack(rows) if rows else torch.empty(0, lanes)

    def _values(self, declared: tuple[Numbered, ...], count: int) -> Tensor:
        """Params, inputs or meters of worlds."""
        rows = [
            _legal(self._draws.numbers(self._numbers[item.name], item.low, item.high, count, 0.5), item)
            for item in declared
        ]
        return torch.stack(rows)

    def _cells(self, meters: tuple[CellMeter, ...]) -> Tensor:
        """The meters of cells."""
        assert isinstance(self._universe.space, Grid), "cells are on a grid"
        cells = schema.cells(self._universe.space)
        return self._values(meters, cells * self._shape.worlds).view(-1, self._shape.worlds)

    def _pairs(self, meters: tuple[PairMeter, ...]) -> Tensor:
        """The states of pairs; of themselves agents have what is next to 0."""
        agents, worlds = self._shape.agents, self._shape.worlds
        values = self._values(meters, agents * agents * worlds).view(len(meters), agents, agents, worlds)
        for state, meter in zip(values, meters, strict=True):
            state[range(agents), range(agents)] = min(max(0.0, meter.low), meter.high)
        return values.view(-1, worlds)

    def _ages(self, alive: Tensor) -> Tensor:
        """Many just before something happens. Beyond the lifespan only the dead of episodes by hand."""
        lanes, draws, lifespan = self._shape.lanes, self._draws, self._universe.lifespan
        longest = LONG if lifespan is None else lifespan.ticks
        last = (longest - 1 - draws.integers(0, 2, lanes)).clamp(min=0)
        ages = torch.where(draws.chance(0.2, lanes), last, draws.integers(0, longest, lanes))
        near = self._near(self._compared[Age], 0, longest - 1)
        ages = torch.where(draws.chance(0.2, lanes), draws.one_of(near, lanes), ages)
        if self._universe.by_hand:
            ages = torch.where(~alive & draws.chance(0.5, lanes), ages + longest, ages)
        return ages

    def _hours(self) -> Tensor:
        """Half of them when something opens or closes, or is compared."""
        clock, draws, worlds = self._universe.clock, self._draws, self._shape.worlds
        if clock is None:
            raise ValueError(f"universe {self._universe.name} has no clock")
        opening = [item.hours for item in self._universe.affordances if item.hours is not None]
        times = [float(time % clock.hours) for hours in opening for time in (hours.opens, hours.closes)]
        near = self._near([*times, *self._compared[Hour]], 0, clock.hours - 1)
        anything = draws.integers(0, clock.hours, worlds)
        return torch.where(draws.chance(0.5, worlds), draws.one_of(near, worlds), anything)

    def _near(self, numbers: list[float], low: int, high: int) -> Tensor:
        """The integers next to these numbers, and bounds: i32."""
        near = {int(number) + step for number in numbers if abs(number) < 1 << 30 for step in (-1, 0, 1)}
        return torch.tensor(sorted({low, high, *(min(max(value, low), high) for value in near)}), dtype=torch.int32)

    def _alive(self) -> Tensor:
        worlds, agents = self._shape.worlds, self._shape.agents
        alive = self._draws.chance(0.8, self._shape.lanes).view(worlds, agents)
        if not self._universe.by_hand:
            alive[torch.arange(worlds), self._draws.words(0, agents, worlds)] = True
        return alive.view(-1)

    def _velocities(self) -> Tensor:
        """Velocities that a move could have left, rounded or not."""
        lanes, rows = self._shape.lanes, []
        for axis, most in enumerate(fastest(self._universe)):
            moves = torch.tensor([0.0, *(move.by[axis] for move in self._universe.moves)], dtype=torch.float32)
            some = self._draws.one_of(moves, lanes)
            some = torch.where(self._draws.chance(0.2, lanes), some * self._draws.normal(lanes), some)
            rows.append(some.clamp(-most, most))
        return torch.stack(rows)

    def _speeds(self, velocities: Tensor | None) -> Tensor:
        """That of the velocity, or the one that episodes begin with."""
        lanes, (least, most) = self._shape.lanes, speeds(self._universe)
        lengths = torch.zeros(lanes) if velocities is None else velocities.square().sum(dim=0).sqrt()
        start = self._universe.start
        begin = torch.tensor(0.0 if start is None or start.speed is None else start.speed)
        return torch.where(self._draws.chance(0.3, lanes), begin, lengths).clamp(least, most)

    def _engagement(self, affordance: Tensor) -> tuple[Tensor, Tensor]:
        """Half of those who are at an affordance that lasts longer than a tick are engaged in it."""
        lanes, draws = self._shape.lanes, self._draws
        engaged, progress = torch.full((lanes,), schema.NOWHERE, dtype=torch.int32), torch.zeros(lanes).to(torch.int32)
        for number, item in enumerate(self._universe.affordances):
            most = self._most_progress(item)
            if most > 0:
                who = (affordance == number) & draws.chance(0.5, lanes)
                near = self._near(self._compared[Progress], 1, most)
                near = torch.where(draws.chance(0.3, lanes), draws.one_of(near, lanes), most)
                spent = torch.where(draws.chance(0.5, lanes), near, draws.integers(1, most + 1, lanes))
                engaged = engaged.masked_fill(who, number)
                progress = torch.where(who, spent, progress)
        return engaged, progress.to(torch.int32)

    def _most_progress(self, affordance: Affordance) -> int:
        match affordance.duration:
            case None:
                return 0
            case 0:
                return LONG
            case duration:
                return duration - 1

    def _uses(self, affordance: Tensor, age: Tensor) -> dict[str, Tensor]:
        """One affordance has a streak of at most a use per tick lived, often the one where the agent is; it is the
        last use or nothing is."""
        lanes, draws, count = self._shape.lanes, self._draws, len(self._universe.affordances)
        latest = torch.where(draws.chance(0.6, lanes), affordance, draws.integers(-1, count, lanes))
        last = latest.masked_fill(draws.chance(0.2, lanes), schema.NOWHERE)
        if count == 0:
            return {"last": last}
        near = self._near(self._compared[Streak], 1, LONG)
        length = torch.where(draws.chance(0.7, lanes), draws.one_of(near, lanes), draws.integers(1, 10, lanes))
        length = torch.minimum(length, age)
        its_own = torch.arange(count).unsqueeze(1) == latest
        seen = torch.stack([draws.chance(0.5, lanes) for _ in range(count)]) | its_own
        return {"last": last, "streaks": torch.where(its_own, length, 0).to(torch.int32), "seen": seen}


def _legal(row: Tensor, drawn: Meter | Numbered) -> Tensor:
    """Values within bounds, as what is drawn can have them: a state that holds whole numbers has nothing else."""
    whole = not isinstance(drawn, Param | Input) and drawn.type is not None and drawn.type.whole
    return row.round() + 0.0 if whole else row
