"""The arrays of a batch of worlds: state, outcomes, observations, masks, statistics, all as torch tensors.

`hamlet.schema` says which arrays a universe has. All are contiguous and field-major: [rows, lanes], [lanes],
[rows, worlds] or [worlds].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch

from hamlet import schema
from hamlet.universe import Universe

DTYPES = {"f32": torch.float32, "i32": torch.int32, "bool": torch.bool}

Memory: TypeAlias = "torch.Tensor | np.ndarray[Any, Any]"

LENGTH_BINS = 1024
"""Bins of the histogram of episode lengths in a universe without a lifespan; the last one takes all longer ones."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How many worlds of how many agents, and where this shard stands among all worlds."""

    worlds: int
    agents: int
    first_world: int = 0

    @property
    def lanes(self) -> int:
        return self.worlds * self.agents


@dataclass(frozen=True, slots=True)
class Buffers:
    """Everything that backends read and write. Tensors are changed in place, never replaced.

    Attributes:
        state: by name, see `hamlet.schema.state_fields`.
        outcome: by name, see `hamlet.schema.outcome_fields`; what happened in the last tick, and what was reported.
        observation: [rows, lanes] f32, bf16 or u8 (`hamlet.encoding`); `None` where nothing is observed.
        final_observation: like `observation`: the last one of the episode that a lane finished most recently.
        mask: [actions, lanes] bool.
    """

    shape: Shape
    state: dict[str, torch.Tensor]
    outcome: dict[str, torch.Tensor]
    observation: torch.Tensor | None
    final_observation: torch.Tensor | None
    mask: torch.Tensor

    @property
    def tensors(self) -> tuple[torch.Tensor, ...]:
        """All of them."""
        observed = [each for each in (self.observation, self.final_observation) if each is not None]
        return (*self.state.values(), *self.outcome.values(), *observed, self.mask)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over the lanes and ticks of rollouts, added to in place.

    Attributes:
        memory: where they are, by the names of `hamlet.abi.COUNTS`. On a CPU these are arrays, and tensors are made of
            them when somebody looks: next to a kernel nothing of torch is in the cache, and it takes as long as a tick.
    """

    memory: Mapping[str, Memory]

    @property
    def uses(self) -> torch.Tensor:
        """[affordances] i64: effective ticks of each affordance (`used`)."""
        return _tensor(self.memory["uses"])

    @property
    def causes(self) -> torch.Tensor:
        """[causes + 1] i64: ends of lanes' episodes by cause; the last one is the lifespan."""
        return _tensor(self.memory["causes"])

    @property
    def lengths(self) -> torch.Tensor:
        """[bins] i64: finished episodes of lanes by length in ticks (age at the end, at most bins - 1)."""
        return _tensor(self.memory["lengths"])

    @property
    def finished_return(self) -> torch.Tensor:
        """[lanes] f32: the sum of the returns of a lane's finished episodes, in order."""
        return _tensor(self.memory["finished_return"])


def _tensor(memory: Memory) -> torch.Tensor:
    return torch.from_numpy(memory) if isinstance(memory, np.ndarray) else memory


def _allocate(field: schema.Field, shape: Shape, device: torch.device) -> torch.Tensor:
    count = shape.lanes if field.per == "lane" else shape.worlds
    size = (count,) if field.rows is None else (len(field.rows), count)
    return torch.zeros(size, dtype=DTYPES[field.dtype], device=device)


def allocate(universe: Universe, shape: Shape, device: torch.device, obs_dtype: torch.dtype | None) -> Buffers:
    """Zeroed buffers; params and inputs hold their defaults. `obs_dtype`: float32, bfloat16, uint8, `None` for
    nothing observed."""
    state = {field.name: _allocate(field, shape, device) for field in schema.state_fields(universe)}
    for row, param in enumerate(universe.params):
        state["params"][row].fill_(param.default)
    for row, item in enumerate(universe.inputs):
        state["inputs"][row].fill_(item.default)
    rows = schema.observation_rows(universe)
    observation = final = None
    if obs_dtype is not None:
        observation = torch.zeros((rows, shape.lanes), dtype=obs_dtype, device=device)
        final = torch.zeros_like(observation)
    return Buffers(
        shape,
        state,
        {field.name: _allocate(field, shape, device) for field in schema.outcome_fields(universe)},
        observation,
        final,
        torch.zeros((len(schema.action_names(universe)), shape.lanes), dtype=torch.bool, device=device),
    )


def length_bins(universe: Universe) -> int:
    """The number of bins of `Statistics.lengths`."""
    return LENGTH_BINS if universe.lifespan is None else universe.lifespan.ticks + 1


def allocate_statistics(universe: Universe, shape: Shape, device: torch.device) -> Statistics:
    """Zeroed statistics."""
    return statistics_allocator(universe, shape, device)()


def statistics_allocator(universe: Universe, shape: Shape, device: torch.device) -> Callable[[], Statistics]:
    """A function that makes zeroed statistics; it does not even ask torch for a device's type."""
    uses, causes, lengths = len(universe.affordances), len(universe.causes) + 1, length_bins(universe)
    lanes = shape.lanes

    def arrays() -> Statistics:
        return Statistics(
            {
                "uses": np.zeros(uses, np.int64),
                "causes": np.zeros(causes, np.int64),
                "lengths": np.zeros(lengths, np.int64),
                "finished_return": np.zeros(lanes, np.float32),
            }
        )

    def tensors() -> Statistics:
        sizes = {"uses": uses, "causes": causes, "lengths": lengths}
        memory = {name: torch.zeros(size, dtype=torch.int64, device=device) for name, size in sizes.items()}
        return Statistics(memory | {"finished_return": torch.zeros(lanes, dtype=torch.float32, device=device)})

    return arrays if device.type == "cpu" else tensors
