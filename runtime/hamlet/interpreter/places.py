"""Where the affordances of each world are."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from hamlet.interpreter.arrangements import Arrangements
from hamlet.interpreter.layouts import Layouts
from hamlet.schema.grid import cell_index, words
from hamlet.universe import Continuous, Grid, NoSpace, Universe
from hamlet.universe.space import graph_of


class Places:
    """Computes places from layouts, or reads them from the state where they are stored. Remembers those that it
    computed from the last layouts it saw: they change only with an episode.

    A place on a grid is given by the words of its cell (`hamlet.schema.cell_words`), in a continuous space by its
    coordinates, without a space by nothing.
    """

    def __init__(self, universe: Universe, device: torch.device) -> None:
        self._universe = universe
        self._layouts = Layouts(universe, device)
        self._arrangements = Arrangements(universe, device)
        self._device = device
        self._at_random = tuple(item.name for item in universe.affordances if item.place is None)
        self._layout = torch.zeros(0, dtype=torch.int32, device=device)
        self._cells = torch.zeros((len(self._at_random), 0), dtype=torch.int32, device=device)
        self._fixed = {
            item.name: self._fixed_place(item.place) for item in universe.affordances if item.place is not None
        }

    def of(self, state: dict[str, Tensor]) -> dict[str, tuple[Tensor, ...]]:
        """The place of each affordance, in file order: parts shaped [worlds, 1], or [1, 1] at a fixed place."""
        names = [item.name for item in self._universe.affordances]
        if isinstance(self._universe.space, NoSpace):
            return dict.fromkeys(names, ())
        if "places" in state:
            parts = state["places"].view(len(names), -1, state["places"].shape[1], 1)
            return {name: tuple(parts[row]) for row, name in enumerate(names)} | self._moving(state)
        self._compute(state["layout"])
        cells = self._cells.unsqueeze(2).unbind()
        at_random = {name: (cell,) for name, cell in zip(self._at_random, cells, strict=True)}
        return {name: at_random[name] if name in at_random else self._fixed[name] for name in names}

    def _moving(self, state: dict[str, Tensor]) -> dict[str, tuple[Tensor, ...]]:
        """The place of each affordance that moves."""
        world = self._universe.world
        numbers = {} if world is None else {meter.name: row for row, meter in enumerate(world.meters)}
        return {
            item.name: place_by(
                self._universe, [state["world_meters"][numbers[meter]].unsqueeze(1) for meter in item.moving]
            )
            for item in self._universe.affordances
            if item.moving
        }

    def stored(self, layout: Tensor) -> Tensor:
        """The places with which an episode of these layouts (i32 [n]) begins, as state: [rows, n]."""
        rows: list[Tensor] = []
        at_random = iter(self._places_at_random(layout))
        for affordance in self._universe.affordances:
            if affordance.place is None:
                rows += next(at_random)
            else:
                rows += [part.expand(1, len(layout)).squeeze(0) for part in self._fixed[affordance.name]]
        return torch.stack(rows)

    def starts(self, layout: Tensor, agents: int) -> list[Tensor]:
        """Where each agent starts, [agents, worlds] per axis; agents follow the affordances at random places, or start
        on the cells of some letters."""
        first, space = len(self._at_random), self._universe.space
        if isinstance(space, Grid) and space.map is not None and space.map.starts is not None:
            return self._layouts.starting(layout, space.map.starts, agents)
        graph = graph_of(space)
        if graph is not None and graph.start is not None:
            there = torch.tensor(graph.number(graph.start), dtype=torch.int32, device=self._device)
            return [there.expand(agents, len(layout))]
        if isinstance(space, Grid) and space.starts == "apart":
            return self._layouts.apart(layout, first, agents)
        return self._layouts.anywhere(layout, first, agents)

    def open_starts(self, layout: Tensor, walls: Tensor, agents: int) -> list[Tensor]:
        """Where each agent starts, [agents, worlds] per axis, beside walls (bool [worlds, cells]) of which cells
        decide."""
        first, space = len(self._at_random), self._universe.space
        if isinstance(space, Grid) and space.map is not None and space.map.starts is not None:
            return self._layouts.open_letters(layout, walls, space.map.starts, agents)
        if isinstance(space, Grid) and space.starts == "apart":
            return self._layouts.open_apart(layout, walls, range(first, first + agents), first + agents)
        return self._layouts.open_anywhere(layout, walls, first, agents)

    def sought_starts(self, layout: Tensor, sought: Sequence[Tensor], agents: int) -> list[Tensor]:
        """Where each agent starts, [agents, worlds] per axis, among the first of these cells (bool [worlds, cells]) of
        which some are free."""
        return self._layouts.sought(layout, sought, len(self._at_random), agents)

    def open_places(self, layout: Tensor, walls: Tensor, agents: int) -> list[tuple[int, Tensor]]:
        """The rows of the stored places of affordances at random that stay and may stand anywhere, and their cells
        (i32 [worlds]), where cells decide which are walls."""
        indices = {name: index for index, name in enumerate(self._at_random)}
        stride, grid = len(indices) + agents, self._universe.space
        if any(item.spread is not None for item in self._universe.affordances) or not isinstance(grid, Grid):
            return []
        result = []
        for row, item in enumerate(self._universe.affordances):
            if item.name in indices and not item.moving:
                index = indices[item.name]
                axes = self._layouts.open_apart(layout, walls, range(index, index + 1), stride)
                result.append((row, cell_index(axes, grid.sizes).squeeze(0)))
        return result

    def _fixed_place(self, place: tuple[float, ...]) -> tuple[Tensor, ...]:
        """A place that the author gave, [1, 1] per part."""
        match self._universe.space:
            case Grid() as grid:
                cell = words([int(x) for x in place], grid)
                return tuple(torch.tensor([[word]], dtype=torch.int32, device=self._device) for word in cell)
            case _:
                return tuple(torch.tensor([[x]], dtype=torch.float32, device=self._device) for x in place)

    def _places_at_random(self, layout: Tensor) -> list[tuple[Tensor, ...]]:
        """The place of each affordance at random, [worlds] per part."""
        if any(item.spread is not None for item in self._universe.affordances):
            return [(cell,) for cell in self._arrangements.cells(layout)]
        axes = self._layouts.apart(layout, 0, len(self._at_random))
        match self._universe.space:
            case Grid() as grid:
                parts = words(axes, grid)
            case Continuous() | NoSpace():
                parts = tuple(axes)
        return [tuple(part[row] for part in parts) for row in range(len(self._at_random))]

    def _compute(self, layout: Tensor) -> None:
        """The cells of the affordances at random on a grid of few cells."""
        if layout.shape != self._layout.shape:
            self._layout = layout.clone()
            self._cells = self._cells.new_zeros((len(self._at_random), len(layout)))
            changed = torch.arange(len(layout), device=layout.device)
        else:
            changed = (layout != self._layout).nonzero().squeeze(1)
        if self._at_random and len(changed) > 0:
            self._layout[changed] = layout[changed]
            for row, (cell,) in enumerate(self._places_at_random(layout[changed])):
                self._cells[row, changed] = cell


def place_by(universe: Universe, coordinates: list[Tensor]) -> tuple[Tensor, ...]:
    """The place at these coordinates, f32 per axis; on a grid they are rounded down."""
    match universe.space:
        case Grid() as grid:
            return words([x.floor().to(torch.int32) for x in coordinates], grid)
        case _:
            return tuple(coordinates)
