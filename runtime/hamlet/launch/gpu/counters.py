"""Copies of the counters of rollouts: blocks count apart, and what they counted is added up after a launch.

Sums of integers do not depend on their order.
"""

from __future__ import annotations

from itertools import accumulate

import torch

from hamlet.backend.buffers import Statistics
from hamlet.schema import abi
from hamlet.universe import Universe

LINE = 16
"""The words of a line of memory: no two counters share one."""


class Counters:
    """The copies of one universe's counters, which are 0 between launches.

    Attributes:
        arrays: by the names of `hamlet.schema.abi.counters`, [copies, words] i64.
    """

    def __init__(self, universe: Universe, device: torch.device) -> None:
        shapes = {name: (abi.copies(words), words) for name, words in abi.counters(universe).items()}
        sizes = [copies * words for copies, words in shapes.values()]
        *firsts, end = accumulate((-(-size // LINE) * LINE for size in sizes), initial=0)
        self._all = torch.zeros(end, dtype=torch.int64, device=device)
        parts = (self._all[first : first + size] for first, size in zip(firsts, sizes, strict=True))
        self.arrays = {name: part.view(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}

    def add_to(self, statistics: Statistics) -> None:
        """Add what was counted, and begin anew."""
        for name, counted in self.arrays.items():
            total: torch.Tensor | None = getattr(statistics, name)
            if total is not None:
                total += counted.sum(dim=0)
        self._all.zero_()
