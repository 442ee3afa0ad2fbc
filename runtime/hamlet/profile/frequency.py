"""How often each line of a kernel runs: its PTX, executed on the CPU for some ticks of the random policy.

A branch costs a warp of 32 lanes its instructions where one lane takes it, so warps are counted and not lanes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, TypeAlias

import torch

from hamlet import schema
from hamlet.backend import RandomPolicy, Stream
from hamlet.module import Module
from hamlet.ptx.backend import PtxBackend
from hamlet.ptx.compile import Compiled
from hamlet.ptx.program import Program
from hamlet.ptx.threads import WARP
from hamlet.state import Buffers, Shape, allocate, allocate_statistics

Kernel: TypeAlias = Literal["rollout", "step"]
Place: TypeAlias = tuple[int, int | None]
"""A line of the kernels file and the line that calls it, 0 where it is in the kernel itself, `None` for any."""

LANES = 512
WARM_UP = 160
"""Ticks before the counting, so that episodes of all ages are under way."""
TICKS: dict[Kernel, int] = {"rollout": 64, "step": 16}
"""Ticks that are counted."""
SEED = 7
LOC = re.compile(r"\s*\.loc\s+(\d+) (\d+) \d+(?:, function_name \S+(?: \+ \d+)?, inlined_at (\d+) (\d+) \d+)?")
FILE = re.compile(r'^\s*\.file\s+(\d+) "([^"]*)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frequency:
    """Executions per tick of a warp, by place."""

    places: Mapping[Place, float]

    def of(self, place: Place) -> float | None:
        """`None`: nothing is known of this line."""
        return self.places.get(place, self.places.get((place[0], None)))


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
    before = _executed(backend.programs(kernel))
    ticks = TICKS[kernel]
    match kernel:
        case "rollout":
            backend.rollout(buffers, ticks, RandomPolicy(), Stream(SEED, WARM_UP), False, statistics)
        case "step":
            _steps(backend, buffers, ticks, len(schema.action_names(universe)))
    after = _executed(backend.programs(kernel))
    ticks *= LANES // WARP
    # A few instructions of a line can be in a branch of their own.
    return Frequency(
        {place: (fmean(counts) - fmean(before.get(place, [0]))) / ticks for place, counts in after.items()}
    )


def _steps(backend: PtxBackend, buffers: Buffers, ticks: int, actions: int) -> None:
    generator = torch.Generator().manual_seed(SEED)
    for tick in range(ticks):
        drawn = torch.randint(actions, (LANES,), generator=generator, dtype=torch.int32)
        backend.step(buffers, drawn, Stream(SEED, WARM_UP + tick))


def _executed(programs: list[tuple[Compiled, Program]]) -> dict[Place, list[int]]:
    """Warps so far, of every instruction of a place; there is one program, or none before the first launch."""
    result: dict[Place, list[int]] = defaultdict(list)
    for compiled, program in programs:
        places = _places(compiled.ptx)
        for line, warps in program.executions().items():
            for place in places.get(line, ()):
                result[place].append(warps)
    return result


def _places(ptx: str) -> dict[int, tuple[Place, ...]]:
    """For each line of PTX, from 1, the place in the kernels file that it comes from."""
    ours = {number for number, path in FILE.findall(ptx) if path.endswith("_kernels.py")}
    result: dict[int, tuple[Place, ...]] = {}
    places: tuple[Place, ...] = ()
    for number, line in enumerate(ptx.split("\n"), 1):
        if found := LOC.match(line):
            file, own, caller_file, caller = found.groups()
            if file in ours:
                places = (int(own), int(caller or 0)), (int(own), None)
            elif caller_file in ours:
                places = ((int(caller), None),)
        result[number] = places
    return result
