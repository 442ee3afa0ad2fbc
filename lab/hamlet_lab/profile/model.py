"""How fast a kernel should be on a GPU, from what was counted without one: a model that a measurement can prove wrong.

A kernel cannot be faster than any of its limits: issue of instructions, the busiest pipe, memory, latency, and the host
that launches it. The slowest of the first four, times `EFFICIENCY`, is the prediction for many agents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet_lab.machine_code.pipes import Pipe, clocks

Limit: TypeAlias = Literal["issue", "pipe", "memory", "latency"]

QUARTERS = 4
LANES = 32
"""Of a warp; each is an agent."""
REGISTERS = 16_384
"""Of a quarter of a multiprocessor (CUDA C++ Programming Guide, "Compute Capabilities": 65,536 of four)."""
GRANULE = 8
"""Registers of a thread are given by so many (256 of a warp; CUDA occupancy calculator)."""
BLOCKS = 32
"""Blocks of a multiprocessor at most, of one warp each here (same table: 32 on 8.0, 9.0 and 10.0)."""
PER_INSTRUCTION = 3.0
"""Clocks from an instruction of a warp to its next one, if nothing else is in the way. Assumed: 4 to 6 where the one
needs the other's result, 1 to 2 where it does not."""
EFFICIENCY = 0.85
"""The share of the slowest limit that is reached, as none is reached alone. Assumed; 0.8 to 0.92 are plausible."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU.

    Attributes:
        capability: whose machine code it runs.
        multiprocessors: how many.
        clock: in Hz, under load.
        peak, bandwidth: bytes per second of its memory, by the data sheet and as a large copy reaches it.
        latency: clocks from a load to its answer from memory.
    """

    name: str
    capability: int
    multiprocessors: int
    clock: float
    peak: float
    bandwidth: float
    latency: float


GPUS = (
    # NVIDIA H100 SXM data sheet: 132, 3.35 TB/s. Assumed: 1.755 GHz under load, copies at 3.0 TB/s, 650 clocks.
    Gpu("H100", 90, 132, 1.755e9, 3.35e12, 3.0e12, 650),
    # NVIDIA H200 data sheet: 132, 4.8 TB/s. Measured (benchmarks/results/h200.md): 1.98 GHz in rollouts, copies at 4.26
    # TB/s. Assumed: 650 clocks.
    Gpu("H200", 90, 132, 1.98e9, 4.8e12, 4.26e12, 650),
    # NVIDIA B200 data sheet: 148, 8 TB/s. Assumed: 1.9 GHz under load, copies at 7.2 TB/s, 800 clocks.
    Gpu("B200", 100, 148, 1.9e9, 8.0e12, 7.2e12, 800),
)


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a kernel per agent-tick, as `hamlet_lab.profile.counts.Counted` has it."""

    registers: int
    executed: float
    pipes: Mapping[Pipe, float]
    read: float
    written: float
    waits: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """The prediction of the model.

    Attributes:
        warps: of a multiprocessor at the same time.
        limits: agent-ticks per second that each allows.
        busiest: the pipe that allows the fewest.
        busy: the share of time in which each pipe is busy, as predicted; that of an instruction issued as `issue`, and
            of the peak bandwidth as `memory`.
    """

    warps: int
    limits: Mapping[Limit, float]
    busiest: Pipe
    busy: Mapping[str, float]

    @property
    def bound(self) -> Limit:
        """The limit that decides."""
        return min(self.limits, key=lambda limit: self.limits[limit])

    @property
    def rate(self) -> float:
        """Agent-ticks per second of many agents."""
        return self.limits[self.bound] * EFFICIENCY


def predict(work: Work, gpu: Gpu) -> Prediction:
    """The prediction for a kernel on a GPU, with enough agents to fill it."""
    # Warps and clocks of all quarters: so many agents advance by one clock of work per second.
    lanes = gpu.multiprocessors * QUARTERS * gpu.clock * LANES
    allocated = -(-work.registers // GRANULE) * GRANULE * LANES
    warps = min(REGISTERS // allocated, BLOCKS // QUARTERS)
    busy = clocks(work.pipes, gpu.capability)
    busiest = max(busy, key=lambda pipe: busy[pipe])
    moved = work.read + work.written
    limits: dict[Limit, float] = {
        "issue": lanes / work.executed,
        "pipe": lanes / busy[busiest],
        "memory": gpu.bandwidth / moved,
        "latency": lanes * warps / (work.waits * gpu.latency + work.executed * PER_INSTRUCTION),
    }
    rate = min(limits.values()) * EFFICIENCY
    shares: dict[str, float] = {pipe: rate * taken / lanes for pipe, taken in busy.items()}
    shares |= {"issue": rate * work.executed / lanes, "memory": rate * moved / gpu.peak}
    return Prediction(warps * QUARTERS, limits, busiest, shares)


def agents_for(rate: float, host: float, ticks: int) -> float:
    """The agents from which on a GPU with this rate is busy, if each launch of so many ticks takes the host `host`
    seconds; with fewer the host decides."""
    return rate * host / ticks
