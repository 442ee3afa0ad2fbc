"""Meters at the end of episodes: what the last observation of an episode shows of them, in worlds that ended one.

On a CPU numpy computes, in the thread that runs the ticks: torch would wake others, which takes longer than the work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hamlet.backend.buffers import Buffers


class Ends:
    """Which worlds ended an episode in a window, and the meters of their agents then."""

    def __init__(self, buffers: Buffers, meters: Mapping[int, int], scales: NDArray[np.float64]) -> None:
        """`meters` are the rows of observations that show meters, by the meters' numbers; `scales`: [meters] f64."""
        self._agents = buffers.shape.agents
        self._now = buffers.state["episode"]
        self._final = buffers.final_observation
        self._numbers, self._rows = list(meters), list(meters.values())
        self._scales = scales
        self._episode = torch.empty_like(self._now)
        self._ended = torch.zeros(buffers.shape.worlds, dtype=torch.bool, device=self._now.device)
        self._cuda = self._now.device.type == "cuda"
        # On a GPU a window copies nothing from the host.
        device = self._now.device
        self._index = torch.tensor(self._numbers, dtype=torch.int64, device=device)
        self._shown = torch.tensor(self._rows, dtype=torch.int64, device=device)
        self._by = torch.from_numpy(scales[self._numbers]).to(device).unsqueeze(1)
        self.look()

    def look(self) -> None:
        """Worlds whose episode is another one than now, later on, have ended it."""
        if not self._rows:
            return
        if self._cuda:
            self._episode.copy_(self._now)
        else:
            self._episode.numpy()[:] = self._now.numpy()

    def note(self) -> None:
        """Note the worlds that ended an episode since `look`."""
        if not self._rows:
            return
        if self._cuda:
            self._ended |= self._episode != self._now
        else:
            self._ended.numpy()[:] |= self._episode.numpy() != self._now.numpy()

    def clear(self) -> None:
        """Begin a window."""
        if self._rows:
            self._ended[:] = False
            self.look()

    def sums(self, observed: bool) -> Tensor:
        """[meters + 1] i64: the sum of each meter times its scale, each rounded to a whole number; and of how many
        lanes. All are 0 unless every tick was `observed`."""
        result = torch.zeros(len(self._scales) + 1, dtype=torch.int64, device=self._now.device)
        if not observed or not self._rows or self._final is None:
            return result
        self.note()
        result[-1] = self._ended.sum() * self._agents
        sums = self._on_gpu(self._final) if self._cuda else torch.from_numpy(self._on_cpu(self._final))
        return result.index_copy_(0, self._index, sums)

    def _on_gpu(self, final: Tensor) -> Tensor:
        lanes = self._ended.repeat_interleave(self._agents)
        values = (final[self._shown].double() * self._by).round()
        return torch.where(lanes, values, 0.0).long().sum(dim=1)

    def _on_cpu(self, final: Tensor) -> NDArray[Any]:
        # bfloat16 is the upper half of binary32, which numpy has no type for.
        shown = final if final.dtype is torch.float32 else final.float()
        lanes = np.repeat(self._ended.numpy(), self._agents)
        sums = [
            np.rint(shown.numpy()[row][lanes].astype(np.float64) * self._scales[number]).astype(np.int64).sum()
            for number, row in zip(self._numbers, self._rows, strict=True)
        ]
        return np.array(sums, np.int64)
