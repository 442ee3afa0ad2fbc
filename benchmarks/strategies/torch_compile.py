"""(g) torch.compile of the tick of (c), in a mode of torch's choice; new episodes stay eager, as in (c).

`reduce-overhead` replays CUDA graphs, so its results are copied out before the next replay overwrites them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import index_tensors
import torch
from contract import NotAvailableError, Result, Start
from index_tensors import IndexTensors
from torch import Tensor

from hamlet.universe import Universe

Mode: TypeAlias = Literal["default", "reduce-overhead"]


class TorchCompile(IndexTensors):
    """See the module. Compiles in the first run of each number of lanes."""

    def __init__(self, universe: Universe, device: torch.device, mode: Mode = "default") -> None:
        if mode == "reduce-overhead" and device.type != "cuda":
            raise NotAvailableError("CUDA graphs need a GPU")
        super().__init__(universe, device)
        self._mode = mode
        self._begin_step: Callable[[], None] = torch.compiler.cudagraph_mark_step_begin
        self._tick = torch.compile(index_tensors.tick, mode=mode, dynamic=False)

    def prepare(self, start: Start) -> None:
        super().prepare(start)
        state, ones = self.worlds.state, torch.ones(start.lanes, dtype=torch.int64, device=self.worlds.device)
        try:
            self._tick(self.tables, state["meters"], state["position"], state["age"], self.boards.board, ones)
        except Exception as error:
            # torch wraps what went wrong in types of its own; whatever it is, this machine has no such tick
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise NotAvailableError(f"torch.compile failed: {reason[:120]}") from error

    def run(self, actions: Tensor) -> Result:
        state, graphs = self.worlds.state, self._mode == "reduce-overhead"
        for row in actions.long():
            if graphs:
                self._begin_step()
            meters, position, age, ending = self._tick(
                self.tables, state["meters"], state["position"], state["age"], self.boards.board, row
            )
            if graphs:
                meters, position, age = meters.clone(), position.clone(), age.clone()
            state["meters"], state["position"], state["age"] = meters, position, age
            self.boards.renew(self.worlds.end_tick(ending))
        return self.worlds.result()
