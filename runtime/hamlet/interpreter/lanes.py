"""The values that a tick works on, by name. Statements replace them; buffers change only when a tick stores them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hamlet import schema
from hamlet.binary32 import bits32
from hamlet.interpreter.coverage import Coverage
from hamlet.interpreter.places import Places
from hamlet.interpreter.trace import Trace
from hamlet.state import Buffers
from hamlet.universe import Span, Universe


class Constants:
    """Binary32 constants as tensors on a device.

    torch computes `tensor / python_float` differently on CPU and CUDA; between tensors it rounds correctly on both.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._tensors: dict[int, Tensor] = {}

    def __call__(self, value: float) -> Tensor:
        bits = bits32(value)
        if bits not in self._tensors:
            self._tensors[bits] = torch.tensor(value, dtype=torch.float32, device=self._device)
        return self._tensors[bits]


@dataclass(slots=True)
class Lanes:
    """All lanes in the middle of a tick.

    Attributes:
        constant: turns a number of the universe into a tensor.
        meters: f32 [worlds, agents] by name.
        position: i32 [worlds, agents] per axis.
        age, engaged, progress: i32 [worlds, agents]; nobody is engaged where no affordance lasts.
        alive: bool [worlds, agents]; as at the beginning of the tick.
        hour: i32 [worlds, 1]; 0 without a clock.
        params: f32 [worlds, 1] by name.
        places: the index of each affordance's cell, i32 [worlds, 1] or [1, 1], by name.
        coverage, trace: told what happens, where somebody wants to know.
    """

    universe: Universe
    constant: Constants
    meters: dict[str, Tensor]
    position: list[Tensor]
    age: Tensor
    engaged: Tensor
    progress: Tensor
    alive: Tensor
    hour: Tensor
    params: dict[str, Tensor]
    places: dict[str, Tensor]
    coverage: Coverage | None
    trace: Trace | None

    def cell(self) -> Tensor:
        """The index of the cell that each agent stands on, i32 [worlds, agents]."""
        index = self.position[-1]
        for x, size in zip(self.position[-2::-1], self.universe.space.sizes[-2::-1], strict=True):
            index = x + size * index
        return index

    def here(self, affordance: str) -> Tensor:
        """Who stands on an affordance, bool [worlds, agents]."""
        return self.cell() == self.places[affordance]

    def write(self, meter: str, value: Tensor, who: Tensor, construct: str, span: Span) -> None:
        """Give a meter a new value in the lanes `who`; the others keep theirs."""
        self.meters[meter] = torch.where(who, value, self.meters[meter])
        if self.trace is not None:
            self.trace.record(construct, span, meter, self.meters[meter], who)

    def count(self, construct: str, who: Tensor) -> None:
        """Tell that a construct fired in the lanes `who`."""
        if self.coverage is not None:
            self.coverage.count(construct, who)


def load(
    universe: Universe,
    buffers: Buffers,
    places: Places,
    constant: Constants,
    coverage: Coverage | None = None,
    trace: Trace | None = None,
) -> Lanes:
    """The lanes of some buffers as they are now."""
    state, worlds, agents = buffers.state, buffers.shape.worlds, buffers.shape.agents
    lasting = schema.has_progress(universe)
    age = state["age"].view(worlds, agents)
    return Lanes(
        universe=universe,
        constant=constant,
        meters={meter.name: state["meters"][row].view(worlds, agents) for row, meter in enumerate(universe.meters)},
        position=[state["position"][axis].view(worlds, agents) for axis in range(len(universe.space.sizes))],
        age=age,
        engaged=state["engaged"].view(worlds, agents) if lasting else torch.full_like(age, schema.NOWHERE),
        progress=state["progress"].view(worlds, agents) if lasting else torch.zeros_like(age),
        alive=state["alive"].view(worlds, agents),
        hour=state["hour"].view(worlds, 1) if universe.clock is not None else torch.zeros_like(age[:, :1]),
        params={param.name: state["params"][row].view(worlds, 1) for row, param in enumerate(universe.params)},
        places=places.of(state["layout"]),
        coverage=coverage,
        trace=trace,
    )


def store(lanes: Lanes, buffers: Buffers) -> None:
    """Write what a tick may have changed back: meters, position, age, engaged, progress."""
    state = buffers.state
    for row, value in enumerate(lanes.meters.values()):
        state["meters"][row].copy_(value.reshape(-1))
    for axis, value in enumerate(lanes.position):
        state["position"][axis].copy_(value.reshape(-1))
    state["age"].copy_(lanes.age.reshape(-1))
    if schema.has_progress(lanes.universe):
        state["engaged"].copy_(lanes.engaged.reshape(-1))
        state["progress"].copy_(lanes.progress.reshape(-1))
