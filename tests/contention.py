"""What agents of a world have together, by definition: totals in the order of a tree, ranks, and who gets a place."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

WORLDS = [(1, 256), (3, 85), (4, 64), (17, 15), (100, 2), (256, 1), (257, 1), (1000, 1), (1024, 1)]
"""Agents, and worlds of so many in a chunk."""


def halved(numbers: Array, absent: float, combine: Any) -> Any:
    """Numbers combined in the order of the tree."""
    padded = 1 << (len(numbers) - 1).bit_length()
    level = np.append(numbers, np.full(padded - len(numbers), absent, np.float32))
    while len(level) > 1:
        level = combine(level[::2], level[1::2])
    return level[0]


def ranked(counts: Array, priority: Array) -> Array:
    """How many that count come before each of a world."""
    lanes = np.arange(len(counts))
    higher = priority[None, :] > priority[:, None]
    equal = (priority[None, :] == priority[:, None]) & (lanes[None, :] < lanes[:, None])
    result: Array = ((higher | equal) & counts[None, :]).sum(1)
    return result


def granted(claims: Array, first: Array, priority: Array, places: int) -> Array:
    """The claims of a world that find a place."""
    order = sorted(np.flatnonzero(claims), key=lambda lane: (not first[lane], -int(priority[lane]), lane))
    result = np.zeros_like(claims)
    result[order[:places]] = True
    return result
