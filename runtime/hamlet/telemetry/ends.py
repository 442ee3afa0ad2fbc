"""Meters at the end of episodes, added up: those of the last episode that each lane finished in a window.

On a CPU numpy computes, in the thread that runs the ticks: torch would wake others, which takes longer than the work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class Ends:
    """Adds up the meters that kernels have written down, see `Statistics.last_meters`."""

    def __init__(self, last: Tensor, scales: NDArray[np.float64]) -> None:
        """`last`: [meters, lanes] f32, NaN in lanes that have ended no episode; `scales`: [meters] f64."""
        self._last = last
        self._scales = scales
        # On a GPU a window copies nothing from the host.
        self._by = torch.from_numpy(scales).to(last.device).unsqueeze(1)

    def sums(self) -> Tensor:
        """[meters + 1] i64: the sum of each meter times its scale, each rounded to a whole number; and of how many
        lanes."""
        if self._last.device.type != "cpu":
            return self._on_gpu()
        return torch.from_numpy(self._on_cpu(self._last.numpy()))

    def _on_gpu(self) -> Tensor:
        ended = ~self._last.isnan()
        values = torch.where(ended, (self._last.double() * self._by).round(), 0.0)
        return torch.cat([values.long().sum(dim=1), ended[:1].sum(dim=1) if len(ended) else ended.sum().view(1)])

    def _on_cpu(self, last: NDArray[np.float32]) -> NDArray[Any]:
        result = np.zeros(len(last) + 1, np.int64)
        if len(last):
            (ended,) = np.nonzero(last[0] == last[0])
            values = last[:, ended].astype(np.float64) * self._scales[:, None]
            result[:-1] = np.rint(values, out=values).astype(np.int64).sum(axis=1)
            result[-1] = len(ended)
        return result
