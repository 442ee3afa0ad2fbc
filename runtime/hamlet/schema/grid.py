"""Cells of grids by index, and the words that tell them apart where they are many (`hamlet.schema.cell_words`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TypeVar

import torch
from torch import Tensor

from hamlet.schema import cell_words
from hamlet.universe import Grid

Integer = TypeVar("Integer", int, Tensor)


def cell_index(cell: Sequence[Integer], sizes: Sequence[int]) -> Integer:
    """The index of a cell: x + width * (y + height * z)."""
    index = cell[-1]
    for x, size in zip(cell[-2::-1], sizes[-2::-1], strict=True):
        index = x + size * index
    return index


def coordinates(index: Integer, sizes: Sequence[int]) -> tuple[Integer, ...]:
    """The coordinates of the cell with an index, one per axis."""
    axes = []
    for size in sizes:
        axes.append(index % size)
        index = index // size
    return tuple(axes)


def words(cell: Sequence[Integer], grid: Grid) -> tuple[Integer, ...]:
    """The words of a cell, from its coordinates."""
    return tuple(cell_index(cell[begin:end], grid.sizes[begin:end]) for begin, end in cell_words(grid))


def cell_of(words: Sequence[Integer], grid: Grid) -> tuple[Integer, ...]:
    """The coordinates of a cell, from its words."""
    ranges = zip(words, cell_words(grid), strict=True)
    return tuple(x for word, (begin, end) in ranges for x in coordinates(word, grid.sizes[begin:end]))


def between(one: Sequence[Tensor], other: Sequence[Tensor], grid: Grid) -> Tensor:
    """The distance between cells by the metric of the grid, around the edges where they wrap; integers. Of the
    euclidean metric its square."""
    match grid.metric:
        case "hexagonal":
            return _hexagons_between(one, other, grid)
        case "manhattan":
            return reduce(torch.add, _steps_between(one, other, grid))
        case "chebyshev":
            return reduce(torch.maximum, _steps_between(one, other, grid))
        case "euclidean":
            return reduce(torch.add, [step * step for step in _steps_between(one, other, grid)])


def _steps_between(one: Sequence[Tensor], other: Sequence[Tensor], grid: Grid) -> list[Tensor]:
    """How far cells are from each other on each axis, around the edges where they wrap."""
    steps = []
    for x, to, size in zip(one, other, grid.sizes, strict=True):
        step = (x - to).abs()
        steps.append(step.minimum(size - step) if grid.edges == "wrap" else step)
    return steps


def _hexagons_between(position: Sequence[Tensor], there: Sequence[Tensor], grid: Grid) -> Tensor:
    """The fewest moves between hexagons without walls; integers. Where edges wrap the shortest way around."""
    right, down = (x - to for x, to in zip(position, there, strict=True))
    ways = [(right, down)]
    if grid.edges == "wrap":
        width, height = grid.sizes
        right, down = right.remainder(width), down.remainder(height)
        ways = [(x, y) for x in (right, right - width) for y in (down, down - height)]
    return reduce(torch.minimum, [x.abs().maximum(y.abs()).maximum((x + y).abs()) for x, y in ways])
