"""Counts a package's kernels and prints, for each, the stores that were counted and those that must occur. Run in a
process of its own, without TRITON_INTERPRET.

The interpreter begins the episodes, which get ages at random instead of 160 ticks of warming up.
"""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import cast

import torch

import hamlet
from hamlet import schema
from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.protocol import NOTHING_BY_TICK, ByTick, Policy, Stream
from hamlet.interpreter import Interpreter
from hamlet.launch.gpu.forms import Form
from hamlet.universe import Universe
from hamlet_lab.profile import counts, frequency
from hamlet_lab.ptx.backend import PtxBackend
from hamlet_lab.ptx.threads import WARP
from hamletc.compile import lower, optimise, specialise
from hamletc.targets.known_rows import known_rows

ENDED: list[int] = []
"""In each step, the warps in which an episode ended; the first is the last tick of warming up."""


class Watched(PtxBackend):
    """Says which episodes end."""

    def __init__(self, universe: Universe, kernels: ModuleType, capability: int) -> None:
        super().__init__(universe, kernels, capability)
        self._begin = Interpreter(universe, torch.device("cpu")).reset
        assert universe.lifespan is not None
        self._oldest = universe.lifespan.ticks

    def reset(self, buffers: Buffers, stream: Stream, worlds: torch.Tensor | None = None) -> None:
        self._begin(buffers, stream, worlds)

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        before = buffers.state["episode"].clone()
        super().step(buffers, actions, stream, statistics)
        ENDED.append(int((buffers.state["episode"] != before).view(-1, WARP).any(dim=1).sum()))

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        by_tick: ByTick = NOTHING_BY_TICK,
    ) -> None:
        if ticks == frequency.WARM_UP - 1:
            buffers.state["age"].random_(self._oldest, generator=torch.Generator().manual_seed(1))
        else:
            super().rollout(buffers, ticks, policy, stream, observe_every_tick, statistics, by_tick)


def rows(fields: tuple[schema.Field, ...]) -> int:
    return sum(1 if field.rows is None else len(field.rows) for field in fields)


def due(universe: Universe, kept: int, ticks: int) -> dict[str, float]:
    """Stores per tick of a warp. Every row of the state and of what happened is written in each launch, by a rollout
    the return of the last episode, too; a step writes masks, `kept` rows for each world, and what is observed, once
    more in a warp in which an episode ended. An agent's own row of a grid is written as one of the grid's, and then as
    its own. A store for no lane of a warp counts, too: the warp executes it."""
    launch = rows(schema.state_fields(universe)) + rows(schema.outcome_fields(universe))
    warps = frequency.TICKS["step"] * frequency.LANES // WARP
    _, known = known_rows(specialise(optimise(lower(universe)), "triton").program.function("observe"))
    again = sum(each.own is not None for each in known)
    observed = (schema.observation_rows(universe) + again) * (1 + sum(ENDED[1:]) / warps)
    return {"step": launch + kept + len(schema.action_names(universe)) + observed, "rollout": (launch + 1) / ticks}


def main(package: str, *forms: Form) -> None:
    module = hamlet.load(package)
    frequency.PtxBackend = Watched
    frequency.TICKS["rollout"] = 8
    found = counts.count(module, 90, forms)
    expected = due(module.universe, module.kernels("triton").KEPT, frequency.TICKS["rollout"])
    report = {
        kernel.kernel: {
            "stores": kernel.stores,
            "due": expected[kernel.kernel],
            "executed": kernel.executed,
            "instructions": kernel.instructions,
            "pipes": kernel.pipes,
            "alu": sum(item.alu for item in kernel.items),
        }
        for kernel in found
    }
    print(json.dumps(report | {"ended": sum(ENDED[1:])}))


if __name__ == "__main__":
    main(sys.argv[1], *cast(list[Form], sys.argv[2:]))
