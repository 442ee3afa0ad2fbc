"""How often each instruction of a kernel's PTX runs: executed on the CPU for some ticks of the random policy.

A branch costs a warp of 32 lanes its instructions where one lane takes it, so warps are counted and not lanes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape, allocate, allocate_statistics
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.package.module import Module
from hamlet_lab.ptx.backend import PtxBackend
from hamlet_lab.ptx.threads import WARP

Kernel: TypeAlias = Literal["rollout", "step"]

LANES = 512
WARM_UP = 160
"""Ticks before the counting, so that episodes of all ages are under way."""
TICKS: dict[Kernel, int] = {"rollout": 64, "step": 16}
"""Ticks that are counted."""
SEED = 7


@dataclass(frozen=True, slots=True)
class Stretch:
    """Instructions of a PTX text that run together: their lines, from 1, and how often they run per tick of a warp."""

    lines: tuple[int, ...]
    executed: float


@dataclass(frozen=True, slots=True)
class Frequency:
    """What was executed.

    Attributes:
        ptx: the text.
        stretches: all of it.
        launches: per tick: what is not in a loop runs as often at most.
    """

    ptx: str
    stretches: tuple[Stretch, ...]
    launches: float


def frequency(module: Module, capability: int, kernel: Kernel) -> Frequency:
    """Execute a kernel as compiled for `capability` (90: sm_90): `rollout` with statistics and without observations, or
    `step` with f32 observations.

    Raises:
        EnvError: Triton cannot compile it.
        PtxError: there is an instruction that the executor does not know.
    """
    universe, cpu = module.universe, torch.device("cpu")
    backend = PtxBackend(universe, module.kernels("triton"), capability)
    buffers = allocate(universe, Shape(LANES, 1), cpu, torch.float32 if kernel == "step" else None)
    statistics = allocate_statistics(universe, buffers.shape, cpu)
    backend.reset(buffers, Stream(SEED, 0))
    backend.rollout(buffers, WARM_UP, RandomPolicy(), Stream(SEED, 0), False, statistics)
    before = [warps for _, program in backend.programs(kernel) for _, warps in program.executions()]
    ticks, launches = TICKS[kernel], 1
    match kernel:
        case "rollout":
            backend.rollout(buffers, ticks, RandomPolicy(), Stream(SEED, WARM_UP), False, statistics)
        case "step":
            launches = ticks
            _steps(backend, buffers, ticks, len(schema.action_names(universe)))
    # The same types in every launch: one program.
    [(compiled, program)] = backend.programs(kernel)
    after = program.executions()
    warps = ticks * LANES // WARP
    stretches = (
        Stretch(lines, (count - earlier) / warps)
        for (lines, count), earlier in zip(after, before or [0] * len(after), strict=True)
    )
    return Frequency(compiled.ptx, tuple(stretches), launches / ticks)


def _steps(backend: PtxBackend, buffers: Buffers, ticks: int, actions: int) -> None:
    generator = torch.Generator().manual_seed(SEED)
    for tick in range(ticks):
        drawn = torch.randint(actions, (LANES,), generator=generator, dtype=torch.int32)
        backend.step(buffers, drawn, Stream(SEED, WARM_UP + tick))
