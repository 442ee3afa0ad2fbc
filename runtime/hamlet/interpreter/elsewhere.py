"""Values of the cell that an expression names by its coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from hamlet import universe
from hamlet.interpreter.lanes import Lanes
from hamlet.universe import Expression

FARTHEST = 1 << 20
"""A coordinate beyond this number, either way, counts as this number where edges wrap."""


def read(operand: Expression, place: Sequence[Tensor], lanes: Lanes) -> Tensor:
    """A number or a condition of the cells at `place`, whole f32 numbers per axis; all broadcast together. In rules of
    cells it is of the cells as they were before these ran."""
    index, inside = _cell(place, lanes)
    match operand:
        case universe.CellValue(meter=meter):
            values = (lanes.nearby or lanes).cells[meter]
            there = values.expand(*index.shape[:-1], values.shape[-1]).gather(-1, index)
            return torch.where(inside, there, 0.0)
        case universe.TerrainValue(terrain=terrain):
            return torch.where(inside, lanes.ground.terrains[terrain][index], 0.0)
        case universe.On(region=region):
            return lanes.ground.regions[region][index] & inside
        case universe.Wall():
            ground = lanes.constant.ground
            return ~inside if ground is None else ground.walls[index] | ~inside
        case _:
            raise TypeError(f"{type(operand).__name__} is nothing that a cell has, line {operand.span.line}")


def _cell(place: Sequence[Tensor], lanes: Lanes) -> tuple[Tensor, Tensor]:
    """The indices (i64) of cells, of others beyond the edges, and whether there are such cells (bool)."""
    index = torch.zeros_like(lanes.age[:, :1], dtype=torch.int64)
    inside = torch.ones_like(index, dtype=torch.bool)
    stride = 1
    for coordinate, size in zip(place, lanes.grid.sizes, strict=True):
        if lanes.grid.edges == "wrap":
            along = coordinate.clamp(-FARTHEST, FARTHEST).long() % size
        else:
            inside = inside & (coordinate >= 0) & (coordinate <= size - 1)
            along = coordinate.clamp(0, size - 1).long()
        index, stride = index + along * stride, stride * size
    return index, inside
