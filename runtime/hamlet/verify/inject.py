"""Random states that make things happen: boundary values, agents on affordances, lives near their end."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import torch
from torch import Tensor

from hamlet import schema
from hamlet.binary32 import bits32, round32
from hamlet.interpreter.episode import as_i32
from hamlet.interpreter.places import Places, coordinates
from hamlet.state import Shape
from hamlet.universe import Binary, Cascade, Meter, MeterValue, Number, Universe


def nodes(node: object) -> Iterator[object]:
    """All nodes of a universe."""
    if isinstance(node, tuple):
        for item in node:
            yield from nodes(item)
    elif dataclasses.is_dataclass(node):
        yield node
        for field in dataclasses.fields(node):
            yield from nodes(getattr(node, field.name))


def numbers(universe: Universe) -> list[float]:
    """All constants of a universe: what numbers may be compared with."""
    return [node.value for node in nodes(universe) if isinstance(node, Number)]


def compared(where: object, meter: Meter) -> list[float]:
    """The constants that a meter is compared or combined with; also plus what the meter loses before that."""
    constants = []
    for node in nodes(where):
        match node:
            case Cascade(source=source, threshold=threshold) if source == meter.name:
                constants.append(threshold)
            case Binary(left=MeterValue(meter=name), right=Number(value=value)) if name == meter.name:
                constants.append(value)
            case Binary(left=Number(value=value), right=MeterValue(meter=name)) if name == meter.name:
                constants.append(value)
    costs = [cost.value for cost in (meter.decay, meter.move, meter.interact) if isinstance(cost, Number)]
    lost = [0.0, *costs, *(a + b for a, b in itertools.combinations(costs, 2))]
    return [constant + loss for constant in constants for loss in lost]


def neighbours(value: float) -> list[float]:
    """A binary32 number with the next smaller and the next larger one."""
    exact = torch.tensor(round32(value))
    below, above = (torch.nextafter(exact, torch.tensor(limit)) for limit in (-torch.inf, torch.inf))
    return [float(below), float(exact), float(above)]


def boundary_values(constants: list[float], low: float, high: float) -> Tensor:
    """Values within these bounds at which something may change, f32: bounds, constants, +-1 ulp, zeros, subnormals."""
    tiny = 2.0**-149
    near = [value for number in (low, high, *constants) for value in neighbours(number)]
    values = [value for value in (*near, 0.0, -0.0, tiny, -tiny) if round32(low) <= value <= round32(high)]
    return torch.tensor(list({bits32(value): value for value in values}.values()), dtype=torch.float32)


class Injector:
    """Draws states; the same seed draws the same ones."""

    def __init__(self, universe: Universe, shape: Shape, seed: int) -> None:
        self._universe = universe
        self._shape = shape
        self._generator = torch.Generator().manual_seed(seed)
        self._places = Places(universe, torch.device("cpu"))
        constants = numbers(universe)
        self._boundaries = {
            meter.name: tuple(
                boundary_values(values, meter.low, meter.high) for values in (compared(universe, meter), constants)
            )
            for meter in universe.meters
        }

    def _chance(self, probability: float, count: int) -> Tensor:
        return torch.rand(count, generator=self._generator) < probability

    def _integers(self, low: int, high: int, count: int) -> Tensor:
        """Integers low .. high - 1, i32."""
        return torch.randint(low, high, (count,), generator=self._generator, dtype=torch.int64).to(torch.int32)

    def _numbers(self, boundaries: Tensor, low: float, high: float, count: int, at_boundary: float) -> Tensor:
        """Numbers within bounds, f32; so many of them at a boundary value."""
        spread = torch.rand(count, generator=self._generator)
        anywhere = (low + spread * (high - low)).clamp(low, high)
        chosen = boundaries[self._integers(0, len(boundaries), count).long()]
        return torch.where(self._chance(at_boundary, count), chosen, anywhere)

    def state(self) -> dict[str, Tensor]:
        """A state that ticks could meet: every world has an agent alive; who is engaged stands on the affordance."""
        universe, shape, lanes = self._universe, self._shape, self._shape.lanes
        layout = as_i32(torch.randint(0, 1 << 32, (shape.worlds,), generator=self._generator))
        affordance = self._integers(-1, len(universe.affordances), lanes)
        state = {
            "layout": layout,
            "episode": self._integers(0, 1000, shape.worlds),
            "position": self._positions(layout, affordance),
            "meters": self._meters(affordance),
            "age": self._ages(),
            "alive": self._alive(),
            "episode_return": torch.randn(lanes, generator=self._generator),
        }
        if schema.has_progress(universe):
            state["engaged"], state["progress"] = self._engagement(affordance)
        if universe.clock is not None:
            state["hour"] = self._integers(0, universe.clock.hours, shape.worlds)
        if universe.params:
            constants = numbers(universe)
            rows = [(boundary_values(constants, item.low, item.high), item.low, item.high) for item in universe.params]
            state["params"] = torch.stack([self._numbers(*row, shape.worlds, 0.5) for row in rows])
        return state

    def actions(self, interacting: float) -> Tensor:
        """Actions [lanes] i32: INTERACT with this probability, else any."""
        lanes = self._shape.lanes
        anything = self._integers(0, len(schema.action_names(self._universe)), lanes)
        return anything.masked_fill(self._chance(interacting, lanes), schema.interact_action(self._universe))

    def _meters(self, affordance: Tensor) -> Tensor:
        """Some lanes prefer boundary values or bounds, so that conditions on several meters meet. On an affordance with
        `needs`, often just about what it needs."""
        lanes, universe = self._shape.lanes, self._universe
        rows = []
        for meter in universe.meters:
            own, any_constant = self._boundaries[meter.name]
            mixed = torch.where(
                self._chance(0.6, lanes),
                self._numbers(own, meter.low, meter.high, lanes, 0.6),
                self._numbers(any_constant, meter.low, meter.high, lanes, 0.3),
            )
            extreme = torch.where(self._chance(0.5, lanes), torch.tensor(meter.low), torch.tensor(meter.high))
            row = torch.where(self._chance(0.2, lanes), extreme, mixed)
            for number, item in enumerate(universe.affordances):
                if constants := compared(item.needs, meter):
                    near = boundary_values(constants, meter.low, meter.high)
                    needed = near[self._integers(0, len(near), lanes).long()]
                    row = torch.where((affordance == number) & self._chance(0.4, lanes), needed, row)
            rows.append(row)
        return torch.stack(rows)

    def _positions(self, layout: Tensor, affordance: Tensor) -> Tensor:
        """On the affordance of this number; where it is -1, anywhere, often at an edge."""
        universe, agents, lanes = self._universe, self._shape.agents, self._shape.lanes
        sizes = universe.space.sizes
        axes = []
        for size in sizes:
            anywhere, edge = self._integers(0, size, lanes), self._integers(0, 2, lanes) * (size - 1)
            axes.append(torch.where(self._chance(0.3, lanes), edge, anywhere))
        for number, place in enumerate(self._places.of(layout).values()):
            there = place.expand(self._shape.worlds, agents).reshape(-1)
            for axis, x in enumerate(coordinates(there, sizes)):
                axes[axis] = torch.where(affordance == number, x, axes[axis])
        return torch.stack(axes).to(torch.int32)

    def _ages(self) -> Tensor:
        lanes, lifespan = self._shape.lanes, self._universe.lifespan
        longest = 1000 if lifespan is None else lifespan.ticks
        last = (longest - 1 - self._integers(0, 2, lanes)).clamp(min=0)
        return torch.where(self._chance(0.2, lanes), last, self._integers(0, longest, lanes))

    def _alive(self) -> Tensor:
        worlds, agents = self._shape.worlds, self._shape.agents
        alive = self._chance(0.8, self._shape.lanes).view(worlds, agents)
        alive[torch.arange(worlds), self._integers(0, agents, worlds).long()] = True
        return alive.view(-1)

    def _engagement(self, affordance: Tensor) -> tuple[Tensor, Tensor]:
        """Half of those who stand on an affordance that lasts longer than a tick are engaged in it."""
        lanes = self._shape.lanes
        engaged, progress = torch.full((lanes,), schema.NOWHERE, dtype=torch.int32), torch.zeros(lanes).to(torch.int32)
        for number, item in enumerate(self._universe.affordances):
            if item.duration is not None and item.duration > 1:
                who = (affordance == number) & self._chance(0.5, lanes)
                spent = torch.where(
                    self._chance(0.5, lanes), item.duration - 1, self._integers(1, item.duration, lanes)
                )
                engaged = engaged.masked_fill(who, number)
                progress = torch.where(who, spent, progress)
        return engaged, progress.to(torch.int32)
