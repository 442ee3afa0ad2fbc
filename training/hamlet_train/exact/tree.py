"""Sums over groups, in one tree over their numbers, whichever process holds which of them.

A node of level 0 is a group; node i of level l + 1 is node 2 i plus node 2 i + 1 of level l, or node 2 i alone where
there is no other. A process adds up the largest nodes that lie in its groups, and processes exchange those: of
neighbouring groups they are at most two for each level.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
Node: TypeAlias = tuple[int, int]
"""A level and a number."""


def nodes(first: int, end: int, groups: int) -> list[Node]:
    """The largest nodes that cover the groups first .. end - 1 of so many, in ascending order."""
    result, begin = [], first
    while begin < end:
        level = 0
        while begin % (2 << level) == 0 and begin + (1 << level) < groups and _end(begin, level + 1, groups) <= end:
            level += 1
        result.append((level, begin >> level))
        begin = _end(begin, level, groups)
    return result


def _end(begin: int, level: int, groups: int) -> int:
    """Before which group the node ends that begins with one."""
    return min(begin + (1 << level), groups)


def reduce(values: Array, first: int, nodes_of: list[Node], groups: int) -> Array:
    """The sums of these nodes, [nodes, ...]. It overwrites the values [groups here, ...], from group `first` on."""
    sums = np.empty((len(nodes_of), *values.shape[1:]), values.dtype)
    for index, (level, number) in enumerate(nodes_of):
        sums[index] = _added(values[groups_of((level, number), first, groups)])
    return sums


def groups_of(node: Node, first: int, groups: int) -> slice:
    """The groups of a node, counted from group `first` on, of so many."""
    level, number = node
    return slice((number << level) - first, _end(number << level, level, groups) - first)


def total(sums: dict[Node, Array]) -> Array:
    """The sum of all groups, of the sums of nodes that cover them."""
    sums_of = dict(sums)
    level = 0
    while len(sums_of) > 1 or level < max(node[0] for node in sums_of):
        for node in sorted(each for each in sums_of if each[0] == level):
            if node[1] % 2 == 0:
                value = sums_of.pop(node)
                other = sums_of.pop((level, node[1] + 1), None)
                sums_of[level + 1, node[1] // 2] = value if other is None else value + other
        level += 1
    return next(iter(sums_of.values()))


def _added(values: Array) -> Array:
    """The sum of rows, a power of two of them or the last of all."""
    count = len(values)
    while count > 1:
        half, odd = divmod(count, 2)
        # Row by row: what overlaps is copied first.
        for row in range(half):
            np.add(values[2 * row], values[2 * row + 1], out=values[row])
        if odd:
            values[half] = values[count - 1]
        count = half + odd
    total_of: Array = values[0]
    return total_of
