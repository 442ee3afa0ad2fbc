"""(g) torch.compile of a tick, in a mode of torch's choice; new episodes stay eager.

`CompiledInterpreter` takes our interpreter's tick as it stands, with its look-ups by name: torch unrolls those,
compiles again where a function is called with other names, and gives some functions up. `TorchCompile` takes the tick
of (c), without look-ups. `reduce-overhead` replays CUDA graphs, so its results are copied out before the next replay
overwrites them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal, TypeAlias
from unittest.mock import patch

import index_tensors
import torch
from backends import Shipped
from contract import NotAvailableError, Result, Start
from index_tensors import IndexTensors
from torch import Tensor

from hamlet.interpreter import interpreter
from hamlet.package.module import Module
from hamlet.universe import Universe

Mode: TypeAlias = Literal["default", "reduce-overhead"]


class CompiledInterpreter(Shipped):
    """See the module. Compiles in the first run of each number of lanes."""

    def __init__(self, module: Module, device: torch.device, mode: Mode = "default") -> None:
        _check(mode, device)
        super().__init__(module, device, "interpreter", 1)
        # What torch gives up is expected, and runs as it is.
        logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
        self._tick = torch.compile(interpreter.tick, mode=mode, dynamic=False)

    def prepare(self, start: Start) -> None:
        if start.lanes != self._lanes:
            # Torch would count other shapes as recompilations, and give up.
            torch.compiler.reset()
        super().prepare(start)

    def run(self, actions: Tensor) -> Result:
        with patch.object(interpreter, "tick", self._tick):
            return super().run(actions)


class TorchCompile(IndexTensors):
    """See the module. Compiles in the first run of each number of lanes."""

    def __init__(self, universe: Universe, device: torch.device, mode: Mode = "default") -> None:
        _check(mode, device)
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


def _check(mode: Mode, device: torch.device) -> None:
    if mode == "reduce-overhead" and device.type != "cuda":
        raise NotAvailableError("CUDA graphs need a GPU")
