"""The arrays of a batch of worlds: state, outcomes, observations, masks, statistics, all as torch tensors.

`hamlet.schema` says which arrays a universe has. All are field-major, [rows, lanes], [lanes], [rows, worlds] or
[worlds], and contiguous but those with a pitch, whose worlds lie one behind the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import torch

from hamlet import distributed, schema
from hamlet.schema import abi
from hamlet.universe import Universe

DTYPES = {"f32": torch.float32, "i32": torch.int32, "bool": torch.bool}
OBS_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "uint8": torch.uint8}
"""Types of observations."""

Memory: TypeAlias = "torch.Tensor | np.ndarray[Any, Any]"


@dataclass(frozen=True, slots=True)
class Shape:
    """How many worlds of how many agents, where this shard stands among all worlds, and whether a world whose episode
    ended waits for a tick, in which it shows its end, before it begins the next one."""

    worlds: int
    agents: int
    first_world: int = 0
    waits: bool = False

    @property
    def lanes(self) -> int:
        return self.worlds * self.agents


@dataclass(frozen=True, slots=True)
class Buffers:
    """Everything that backends read and write. Tensors are changed in place, never replaced.

    Attributes:
        state: by name, see `hamlet.schema.state_fields`.
        outcome: by name, see `hamlet.schema.outcome_fields`; what happened in the last tick, and what was reported.
        observation: [rows, lanes] f32, bf16 or u8 (`hamlet.schema.observed`); `None` where nothing is observed.
        final_observation: [rows, lanes] like `observation`, the last one of the episode that a lane finished most
            recently; but in memory the rows of a lane lie side by side, since few lanes are written at a time.
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

    def moved(self, device: torch.device) -> Buffers:
        """Buffers on a device, each tensor with the strides that it has here; tensors that are there already are no
        copies.
        """
        return self._each(lambda tensor: _moved(tensor, device))

    def copied(self) -> Buffers:
        """A copy, each tensor with the strides that it has here."""
        return self._each(copied)

    def _each(self, make: Callable[[torch.Tensor], torch.Tensor]) -> Buffers:
        observation, final = self.observation, self.final_observation
        return Buffers(
            self.shape,
            {name: make(tensor) for name, tensor in self.state.items()},
            {name: make(tensor) for name, tensor in self.outcome.items()},
            None if observation is None else make(observation),
            None if final is None else make(final),
            make(self.mask),
        )


@dataclass(frozen=True, slots=True)
class WorldCounts:
    """Counts of each world over rollouts, added to in place. They follow from the state before a rollout and after it.

    Attributes:
        episodes: [worlds] i64: episodes that the agents of a world finished.
        ended: [worlds] i64: how often the world started anew.
        ticks: [worlds] i64: the ticks of the episodes that ended so, from a beginning to the end of the last agent.
    """

    episodes: torch.Tensor
    ended: torch.Tensor
    ticks: torch.Tensor

    @classmethod
    def zeros(cls, shape: Shape, device: torch.device) -> WorldCounts:
        """Nothing counted yet."""
        return cls(*torch.zeros((3, shape.worlds), dtype=torch.int64, device=device))

    def gathered(self) -> WorldCounts:
        """The counts of the worlds of all ranks, in their order."""
        return WorldCounts(*(distributed.gather(each) for each in (self.episodes, self.ended, self.ticks)))

    def begun(self, buffers: Buffers) -> Callable[[int], None]:
        """Look at worlds before a rollout; what it gives is to be called after it, with its ticks."""
        episode = buffers.state["episode"].clone()
        dead, age = _dead(buffers), _age(buffers)

        def done(ticks: int) -> None:
            ended = (buffers.state["episode"] - episode).to(torch.int64)
            self.ended.add_(ended)
            self.episodes.add_(ended * buffers.shape.agents + _dead(buffers) - dead)
            # A world that waits has lived its episode to the end, and then takes a tick to begin the next one.
            self.ticks.add_(age - _age(buffers) + ticks - ended * buffers.shape.waits)

        return done


def _dead(buffers: Buffers) -> torch.Tensor:
    """[worlds] i64: the agents of each world whose episode is over."""
    return (~buffers.state["alive"]).view(buffers.shape.worlds, buffers.shape.agents).sum(dim=1)


def _age(buffers: Buffers) -> torch.Tensor:
    """[worlds] i64: the ticks since a world began, which whoever is alive has lived."""
    ages = buffers.state["age"] * buffers.state["alive"]
    return ages.view(buffers.shape.worlds, buffers.shape.agents).amax(dim=1).to(torch.int64)


@dataclass(frozen=True, slots=True)
class LaneCounts:
    """Counts of each lane over rollouts, added to in place by the kernels.

    Attributes:
        uses: [affordances, lanes] i32: the number of ticks in which a lane used each affordance.
        episodes: [lanes] i32: the episodes that a lane finished, also those that are not kept.
        lengths: [kept, lanes] i32: the length in ticks of each lane's first episodes, in their order; 0 where it has
            finished fewer.
        returns: [kept, lanes] f32: their returns.
        causes: [kept, lanes] i32: how they ended, as `cause` of `Env.step` says it.
    """

    uses: torch.Tensor
    episodes: torch.Tensor
    lengths: torch.Tensor
    returns: torch.Tensor
    causes: torch.Tensor

    @property
    def kept(self) -> int:
        """How many episodes of each lane are kept."""
        return len(self.lengths)

    @property
    def arrays(self) -> tuple[torch.Tensor, ...]:
        """All of them, in the order of `hamlet.schema.abi.LANE_COUNTS`."""
        return self.uses, self.episodes, self.lengths, self.returns, self.causes


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over the lanes and ticks of rollouts; a rollout adds to them in place.

    Attributes:
        memory: the counts by the names of `hamlet.schema.abi.COUNTS`, of `LANE_COUNTS` where lanes are counted, and
            `ENDED_METERS` where they are wanted.
            On a CPU they are numpy arrays, which the properties below convert to tensors, because a call of torch
            right after a kernel takes as long as a tick.
        universe: the universe of the rollouts; `None` if it is not known.
        worlds: the counts of each world; `None` without `per_world`.
    """

    memory: Mapping[str, Memory]
    universe: Universe | None = None
    worlds: WorldCounts | None = None

    def misfit(self, other: Statistics) -> str | None:
        """The reason why a rollout that makes counts like `other` cannot add to these; `None` if it can."""
        if self.universe is not other.universe and self.universe != other.universe:
            return f"they are of {'no universe' if self.universe is None else self.universe.name}"
        for name in abi.COUNTS:
            memory, expected = self.memory[name], other.memory[name]
            if memory.shape != expected.shape:
                return f"{name} has the shape {list(memory.shape)}, not {list(expected.shape)}"
            if _device(memory) != _device(expected):
                return f"they are on {_device(memory)}, not on {_device(expected)}"
        return None

    def gathered(self) -> Statistics:
        """The counts of all ranks of `torchrun` together, on every rank, which all must call this: the counts of one
        process with all worlds, to the bit.
        """
        memory: dict[str, Memory] = {}
        for name, counted in self.memory.items():
            part = tensor_of(counted)
            of_all = distributed.total(part) if name in abi.SUMS else distributed.gather(part)
            memory[name] = of_all.numpy() if isinstance(counted, np.ndarray) else of_all
        worlds = None if self.worlds is None else self.worlds.gathered()
        return replace(self, memory=memory, worlds=worlds)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {list(memory.shape)}" for name, memory in self.memory.items())
        return f"Statistics({sizes})"

    @property
    def lanes(self) -> LaneCounts | None:
        """The counts of each lane; `None` without `per_lane`."""
        if abi.LANE_COUNTS[0] not in self.memory:
            return None
        return LaneCounts(*(tensor_of(self.memory[name]) for name in abi.LANE_COUNTS))

    @property
    def ended_meters(self) -> torch.Tensor | None:
        """[meters] i64: the sum of each meter over the finished episodes of lanes, in the units of
        `hamlet.schema.abi.meter_scales`; `None` where nobody asked for it."""
        memory = self.memory.get(abi.ENDED_METERS)
        return None if memory is None else tensor_of(memory)

    @property
    def uses(self) -> torch.Tensor:
        """[affordances] i64: the number of ticks in which a lane used each affordance (`used`)."""
        return tensor_of(self.memory["uses"])

    @property
    def causes(self) -> torch.Tensor:
        """[causes + 1] i64: the number of finished episodes of lanes by cause; the last entry is the lifespan."""
        return tensor_of(self.memory["causes"])

    @property
    def lengths(self) -> torch.Tensor:
        """[bins] i64: the number of finished episodes of lanes by length in ticks; the last bin has all longer ones."""
        return tensor_of(self.memory["lengths"])

    @property
    def finished_return(self) -> torch.Tensor:
        """[lanes] f32: the sum of the returns of the lane's finished episodes, added in their order."""
        return tensor_of(self.memory["finished_return"])


def _device(memory: Memory) -> str:
    return str(memory.device) if isinstance(memory, torch.Tensor) else "cpu"


def tensor_of(memory: Memory) -> torch.Tensor:
    """Counts as a tensor on the same memory."""
    return torch.from_numpy(memory) if isinstance(memory, np.ndarray) else memory


def memory_of(tensor: torch.Tensor) -> torch.Tensor:
    """All of the memory of a tensor as a contiguous one: [worlds, pitch] of one whose worlds lie one behind the
    other."""
    if tensor.dim() == 2 and tensor.stride(1) > 1:
        worlds, pitch = tensor.shape[1], tensor.stride(1)
        return tensor.as_strided((worlds, pitch), (pitch, 1))
    return tensor


def of_agents(worlds: torch.Tensor, agents: int) -> torch.Tensor:
    """[lanes] of a value per world, [worlds], for each of its agents. `repeat_interleave` would start threads for any
    size, which a fork leaves behind."""
    return worlds.unsqueeze(1).expand(-1, agents).reshape(-1)


def copied(tensor: torch.Tensor) -> torch.Tensor:
    """A copy that lies in memory as the tensor does."""
    memory = memory_of(tensor)
    return tensor.clone() if memory is tensor else memory.clone().T[: len(tensor)]


def _moved(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    memory = memory_of(tensor)
    # Torch keeps strides only where they leave no gaps.
    return tensor.to(device) if memory is tensor else memory.to(device).T[: len(tensor)]


def _allocate(field: schema.Field, shape: Shape, device: torch.device) -> torch.Tensor:
    count = shape.lanes if field.per == "lane" else shape.worlds
    if field.pitch and field.rows is not None:
        worlds = torch.zeros((count, field.pitch), dtype=DTYPES[field.dtype], device=device)
        return worlds.T[: len(field.rows)]
    size = (count,) if field.rows is None else (len(field.rows), count)
    return torch.zeros(size, dtype=DTYPES[field.dtype], device=device)


def allocate(universe: Universe, shape: Shape, device: torch.device, obs_dtype: torch.dtype | None) -> Buffers:
    """Zeroed buffers; params and inputs hold their defaults, controls what is nearest to 0. `obs_dtype`: float32,
    bfloat16, uint8, `None` for nothing observed."""
    state = {field.name: _allocate(field, shape, device) for field in schema.state_fields(universe)}
    for row, param in enumerate(universe.params):
        state["params"][row].fill_(param.default)
    for row, item in enumerate(universe.inputs):
        state["inputs"][row].fill_(item.default)
    for row, control in enumerate(universe.controls):
        state["controls"][row].fill_(min(max(control.low, 0.0), control.high))
    rows = schema.observation_rows(universe)
    observation = final = None
    if obs_dtype is not None:
        observation = torch.zeros((rows, shape.lanes), dtype=obs_dtype, device=device)
        final = torch.zeros((shape.lanes, rows), dtype=obs_dtype, device=device).T
    return Buffers(
        shape,
        state,
        {field.name: _allocate(field, shape, device) for field in schema.outcome_fields(universe)},
        observation,
        final,
        torch.zeros((len(schema.action_names(universe)), shape.lanes), dtype=torch.bool, device=device),
    )


def allocate_statistics(
    universe: Universe, shape: Shape, device: torch.device, per_lane: int | None = None
) -> Statistics:
    """Zeroed statistics; with `per_lane` also of each lane, of which so many episodes are kept."""
    counts = statistics_allocator(universe, shape, device)()
    return counts if per_lane is None else counted_by_lane(counts, len(universe.affordances), per_lane)


def counted_by_lane(counts: Statistics, affordances: int, per_lane: int) -> Statistics:
    """Statistics that also count the uses of each lane, and write down its first `per_lane` episodes."""
    finished = counts.finished_return
    lanes = finished.shape[0]
    sizes = ((affordances, lanes), (lanes,), (per_lane, lanes), (per_lane, lanes), (per_lane, lanes))
    memory: dict[str, Memory] = dict(counts.memory)
    for name, size in zip(abi.LANE_COUNTS, sizes, strict=True):
        floating = name == "lane_returns"
        if finished.device.type == "cpu":
            memory[name] = np.zeros(size, np.float32 if floating else np.int32)
        else:
            dtype = torch.float32 if floating else torch.int32
            memory[name] = torch.zeros(size, dtype=dtype, device=finished.device)
    return replace(counts, memory=memory)


def with_ended_meters(counts: Statistics, meters: int) -> Statistics:
    """Statistics that also add up the meters of finished episodes."""
    sums = torch.zeros(meters, dtype=torch.int64, device=counts.finished_return.device)
    memory: Memory = sums.numpy() if sums.device.type == "cpu" else sums
    return replace(counts, memory={**counts.memory, abi.ENDED_METERS: memory})


def statistics_allocator(universe: Universe, shape: Shape, device: torch.device) -> Callable[[], Statistics]:
    """A function that makes zeroed statistics; it does not even ask torch for a device's type."""
    sizes = {name: size for name, size in abi.counters(universe).items() if name in abi.COUNTS}
    lanes = shape.lanes

    def arrays() -> Statistics:
        counters = {name: np.zeros(size, np.int64) for name, size in sizes.items()}
        return Statistics(counters | {"finished_return": np.zeros(lanes, np.float32)}, universe)

    def tensors() -> Statistics:
        counters = {name: torch.zeros(size, dtype=torch.int64, device=device) for name, size in sizes.items()}
        finished = torch.zeros(lanes, dtype=torch.float32, device=device)
        return Statistics(counters | {"finished_return": finished}, universe)

    return arrays if device.type == "cpu" else tensors
