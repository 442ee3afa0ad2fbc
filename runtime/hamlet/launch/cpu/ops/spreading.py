"""The cells of a grid: what the agents on each have together, and which are at an edge.

Rows of cells are zeros when agents begin to be joined, and are zeros again when they are cleared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamlet.launch.cpu.ops.functions import helper

_ONE = np.float32(1.0)
_INFINITY = np.float32(np.inf)


@helper
def count_on_cells(joined: Any, flags: Any, runs: Any, standing: Any, begin: Any, agents: Any) -> None:
    """How many of the `agents` lanes from `begin` on have a flag, on the cell (i32) on which each stands."""
    for lane in range(begin, begin + agents):
        if runs[lane] & flags[lane]:
            joined[standing[lane]] = joined[standing[lane]] + _ONE


@helper
def total_on_cells(joined: Any, values: Any, runs: Any, standing: Any, begin: Any, agents: Any) -> None:
    """The sum of the numbers of those that run, in their order, from 0 on."""
    for lane in range(begin, begin + agents):
        if runs[lane]:
            joined[standing[lane]] = joined[standing[lane]] + values[lane]


@helper
def lowest_on_cells(joined: Any, values: Any, runs: Any, standing: Any, begin: Any, agents: Any) -> None:
    """The least of them."""
    for lane in range(begin, begin + agents):
        if runs[lane]:
            joined[standing[lane]] = _INFINITY
    for lane in range(begin, begin + agents):
        if runs[lane] and not joined[standing[lane]] < values[lane]:
            joined[standing[lane]] = values[lane]


@helper
def highest_on_cells(joined: Any, values: Any, runs: Any, standing: Any, begin: Any, agents: Any) -> None:
    """The greatest of them."""
    for lane in range(begin, begin + agents):
        if runs[lane]:
            joined[standing[lane]] = -_INFINITY
    for lane in range(begin, begin + agents):
        if runs[lane] and not values[lane] < joined[standing[lane]]:
            joined[standing[lane]] = values[lane]


@helper
def clear_cells(joined: Any, standing: Any, begin: Any, agents: Any) -> None:
    """Zeros where these agents stand."""
    for lane in range(begin, begin + agents):
        joined[standing[lane]] = np.float32(0.0)


@helper
def mark_edges(flags: Any, stride: Any, size: Any, cells: Any, room: Any) -> None:
    """Flag the cells that have none before them on an axis of so many cells, each a stride from the next; from `room`
    on, those that have none behind them."""
    for cell in range(cells):
        place = cell // stride % size
        flags[cell] = place == 0
        flags[room + cell] = place == size - 1


@helper
def total_over_cells(values: Any, count: Any, half: Any) -> Any:
    """The sum of so many numbers, which are overwritten: halves of what is left are added until one is left. `half` is
    half the least power of two that is not below their number."""
    while half > 0:
        for place in range(min(half, count - half)):
            values[place] = values[place] + values[half + place]
        count = half
        half = half // 2
    return values[0]


@helper
def lowest_over_cells(values: Any, count: Any, half: Any) -> Any:
    """The least of them, found in the same way."""
    while half > 0:
        for place in range(min(half, count - half)):
            values[place] = values[place] if values[place] < values[half + place] else values[half + place]
        count = half
        half = half // 2
    return values[0]


@helper
def highest_over_cells(values: Any, count: Any, half: Any) -> Any:
    """The greatest of them."""
    while half > 0:
        for place in range(min(half, count - half)):
            values[place] = values[place] if values[half + place] < values[place] else values[half + place]
        count = half
        half = half // 2
    return values[0]
