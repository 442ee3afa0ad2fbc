"""The numbers of a universe as tensors, made once."""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import DTYPES
from hamlet.schema.actions import moves_of, own_actions
from hamlet.universe import AnyMeter, Map, Universe
from hamlet.universe.space import graph_of, letters_of


class Ground:
    """The ground of a map, cell by cell.

    Attributes:
        walls: bool [cells].
        thin: pairs of cells between which no move leads.
        regions: bool [cells] by name.
        terrains: f32 [cells] by name.
    """

    def __init__(self, letters: Map, device: torch.device) -> None:
        cells = "".join(letters.rows)

        def has(one: str) -> Tensor:
            return torch.tensor([letter in one for letter in cells], device=device)

        self.walls = has(letters.walls)
        self.thin = tuple(wall.cells for wall in letters.thin)
        self.regions = {region.name: has(region.letters) for region in letters.regions}
        self.terrains: dict[str, Tensor] = {}
        for terrain in letters.terrains:
            numbers = torch.full((len(cells),), terrain.default, dtype=torch.float32, device=device)
            for part in terrain.numbers:
                numbers[self.regions[part.region]] = part.value
            self.terrains[terrain.name] = numbers


class Constants:
    """The numbers of a universe as tensors on a device.

    torch computes `tensor / python_float` differently on CPU and CUDA; between tensors it rounds correctly on both.

    Attributes:
        actions, interact, idle: the names of the actions, and two of their numbers (`hamlet.schema.actions`).
        moves, own: moves and the universe's own actions, each with its number.
        custom, going: bool [actions]: which are the universe's own, and which are moves that lead somewhere.
        affordances: by name.
        displacements: [axes, actions], of the type of positions; those of what is no move are 0.
        leads: i32 [nodes, actions] of a graph, what is added to the number of the node; `None` elsewhere.
        ground: what is on each cell of a map; `None` without one.
        walks: i32 [cells] by cell, how many moves lead there, as far as somebody asked (`hamlet.interpreter.ways`).
        sights: bool [rows, cells] by the radius of a window, likewise.
    """

    def __init__(self, universe: Universe, device: torch.device) -> None:
        self._universe = universe
        self._device = device
        self._numbers: dict[float | str, Tensor] = {}
        self._rows: dict[tuple[object, ...], Tensor] = {}
        self._counted: dict[int, Tensor] = {}
        self._tables: dict[str, Tensor] = {}
        self._bounds: dict[str, tuple[Tensor, Tensor]] = {}
        self.actions = schema.action_names(universe)
        self.interact, self.idle = schema.interact_action(universe), schema.idle_action(universe)
        self.moves, self.own = moves_of(universe), own_actions(universe)
        every, going = range(len(self.actions)), {number for number, move in self.moves if any(move.by)}
        self.custom = torch.tensor([number in dict(self.own) for number in every], device=device)
        self.going = torch.tensor([number in going for number in every], device=device)
        self.affordances = {affordance.name: affordance for affordance in universe.affordances}
        axes, dtype = len(schema.axes(universe)), DTYPES[schema.position_dtype(universe)]
        moves = {move.name: number for number, move in enumerate(universe.moves)}
        taken = [moves.get(name) for name in self.actions]
        by = [[0.0 if number is None else universe.moves[number].by[axis] for number in taken] for axis in range(axes)]
        self.displacements = torch.tensor(by, device=device).to(dtype).reshape(axes, len(taken))
        graph = graph_of(universe.space)
        steps = [] if graph is None else [graph.steps(cell) for cell in range(len(graph.nodes))]
        leads = [[0 if number is None else row[number] for number in taken] for row in steps]
        self.leads = torch.tensor(leads, dtype=torch.int32, device=device) if leads else None
        on_it = letters_of(universe.space)
        self.ground = None if on_it is None else Ground(on_it, device)
        self.walks: dict[int, Tensor] = {}
        self.sights: dict[int, Tensor] = {}

    def __call__(self, value: float) -> Tensor:
        # 0.0 and -0.0 are one key of a dictionary, but not the same number.
        key = value or str(value)
        if key not in self._numbers:
            self._numbers[key] = torch.tensor(value, dtype=torch.float32, device=self._device)
        return self._numbers[key]

    def whole(self, numbers: tuple[object, ...]) -> Tensor:
        """Whole numbers, i64; tuples of tuples of one length have several dimensions."""
        if numbers not in self._rows:
            self._rows[numbers] = torch.tensor(numbers, dtype=torch.int64, device=self._device)
        return self._rows[numbers]

    def numbers(self, count: int) -> Tensor:
        """The numbers from 0 on, f32 [count]."""
        if count not in self._counted:
            self._counted[count] = torch.arange(count, dtype=torch.float32, device=self._device)
        return self._counted[count]

    def table(self, name: str) -> Tensor:
        """The numbers of a table, f32 of its sizes."""
        if name not in self._tables:
            table = next(each for each in self._universe.tables if each.name == name)
            numbers = torch.tensor(table.values, dtype=torch.float32, device=self._device)
            self._tables[name] = numbers.view(table.sizes)
        return self._tables[name]

    def day(self, function: Literal["sin", "cos"], hours: int) -> Tensor:
        """sin or cos of each hour of a day, made in binary64; f32 [hours]."""
        if function not in self._tables:
            f = math.sin if function == "sin" else math.cos
            table = [f(2.0 * math.pi * hour / hours) for hour in range(hours)]
            self._tables[function] = torch.tensor(table, dtype=torch.float32, device=self._device)
        return self._tables[function]

    def bounds(self, meter: str) -> tuple[Tensor, Tensor]:
        """The low and the high bound of a meter."""
        if meter not in self._bounds:
            universe = self._universe
            others = [part.meters for part in (universe.world, universe.cells, universe.pairs) if part is not None]
            meters: tuple[AnyMeter, ...] = sum(others, universe.meters)
            (declared,) = (item for item in meters if item.name == meter)
            self._bounds[meter] = self(declared.low), self(declared.high)
        return self._bounds[meter]
