"""(h), (i) What this project ships: its generated kernels, so many ticks per launch; and its interpreter.

Triton kernels on CUDA, kernels in C on the CPU.
"""

from __future__ import annotations

import torch
from contract import Result, Start
from torch import Tensor

import hamlet
from hamlet.backend.buffers import Shape, allocate_statistics
from hamlet.package.module import Module


class Shipped:
    """A backend of `hamlet`; `backend` is a name that `hamlet.make` takes."""

    def __init__(self, module: Module, device: torch.device, backend: str, ticks_per_launch: int) -> None:
        self._module = module
        self._device = device
        self._backend = backend
        self._ticks = ticks_per_launch
        self._lanes = 0

    def prepare(self, start: Start) -> None:
        if start.lanes != self._lanes:
            self._lanes = start.lanes
            self._env = hamlet.make(
                self._module,
                worlds=start.lanes,
                device=self._device,
                backend=self._backend,
                obs_dtype=None,
                validate=False,
                quiet=True,
                launch="step",
            )
        self._env.load_state_dict(
            {
                "universe": self._module.digest,
                "first_world": 0,
                "seed": start.seed,
                "tick": start.tick,
                "state": start.state,
            }
        )
        self._statistics = allocate_statistics(self._module.universe, Shape(start.lanes, 1), self._device)

    def run(self, actions: Tensor) -> Result:
        for first in range(0, len(actions), self._ticks):
            some = actions[first : first + self._ticks]
            self._env.rollout(len(some), some, statistics=self._statistics)
        return Result(dict(self._env.state), self._statistics)
