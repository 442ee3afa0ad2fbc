"""Random places and positions: at affordances, at edges, just off what is in reach."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet.backend.buffers import Shape
from hamlet.interpreter.places import Places
from hamlet.schema.grid import cell_of, words
from hamlet.universe import Axis, Continuous, Coordinate, Grid, NoSpace, Universe
from hamlet_lab.verify.boundaries import boundary_values, compared
from hamlet_lab.verify.draws import Draws


class Whereabouts:
    """Draws places and positions."""

    def __init__(self, universe: Universe, shape: Shape, draws: Draws) -> None:
        self._universe = universe
        self._shape = shape
        self._draws = draws
        self._places = Places(universe, torch.device("cpu"))
        self._near = compared(universe, Coordinate)

    def places(self, layout: Tensor) -> Tensor:
        """Places as state, [rows, worlds]: half as an episode begins, half moved, also onto another affordance."""
        count, draws = self._shape.worlds, self._draws
        placed = self._places.stored(layout).view(len(self._universe.affordances), -1, count)
        anew = draws.chance(0.5, count)
        for row in range(len(placed)):
            elsewhere = torch.stack(self._parts(self._anywhere(count)))
            placed[row] = torch.where(anew & draws.chance(0.5, count), elsewhere, placed[row])
            other = placed[draws.words(0, len(placed), count), :, torch.arange(count)].T
            placed[row] = torch.where(anew & draws.chance(0.5, count), other, placed[row])
        return placed.reshape(-1, count)

    def positions(self, state: dict[str, Tensor], affordance: Tensor) -> Tensor:
        """At the affordance of this number, in a state with layouts and places; where that is -1, anywhere.
        [axes, lanes]."""
        lanes = self._shape.lanes
        position = torch.stack(self._anywhere(lanes))
        for number, place in enumerate(self._places.of(state).values()):
            there = [x.expand(self._shape.worlds, self._shape.agents).reshape(-1) for x in self._coordinates(place)]
            position = torch.where(affordance == number, torch.stack(self._about(there)), position)
        return position

    def _parts(self, coordinates: list[Tensor]) -> list[Tensor]:
        space = self._universe.space
        return list(words(coordinates, space)) if isinstance(space, Grid) else coordinates

    def _coordinates(self, place: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        space = self._universe.space
        return cell_of(place, space) if isinstance(space, Grid) else place

    def _anywhere(self, count: int) -> list[Tensor]:
        """Any place of the space, often at an edge: one tensor [count] per axis."""
        match self._universe.space:
            case Grid(sizes=sizes):
                return [self._on_axis(size, count) for size in sizes]
            case Continuous(axes=axes):
                near = [boundary_values(self._near, axis.low, axis.high) for axis in axes]
                return [
                    self._draws.numbers(values, axis.low, axis.high, count, 0.4)
                    for values, axis in zip(near, axes, strict=True)
                ]
            case NoSpace():
                return []

    def _on_axis(self, size: int, count: int) -> Tensor:
        anywhere, edge = self._draws.integers(0, size, count), self._draws.integers(0, 2, count) * (size - 1)
        return torch.where(self._draws.chance(0.3, count), edge, anywhere)

    def _about(self, there: list[Tensor]) -> list[Tensor]:
        """Coordinates at an affordance: in a continuous space also off it, as far as it reaches or just beyond."""
        space, draws = self._universe.space, self._draws
        if not isinstance(space, Continuous):
            return there
        count = len(there[0])
        reaches = boundary_values([], 0.0, space.reach) if space.reach > 0 else torch.zeros(1)
        beyond = torch.nextafter(reaches.max(), torch.tensor(torch.inf))
        off = draws.numbers(torch.cat([reaches, beyond.unsqueeze(0)]), 0.0, space.reach, count, 0.5)
        off = torch.where(draws.chance(0.5, count), off, -off)
        along = draws.integers(0, 2 * len(space.axes), count)
        return [
            within(torch.where(along == number, x + off, x), axis)
            for number, (x, axis) in enumerate(zip(there, space.axes, strict=True))
        ]


def within(x: Tensor, axis: Axis) -> Tensor:
    """Coordinates, clamped to an axis."""
    low, high = torch.tensor([axis.low, axis.high], dtype=torch.float32)
    return x.clamp(low, high)
