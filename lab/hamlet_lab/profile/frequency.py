"""How often each instruction of a kernel's PTX runs: executed on the CPU for some ticks of the random policy.

A branch costs a warp of 32 lanes its instructions where one lane takes it, so warps are counted and not lanes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import sub

import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape, allocate, allocate_statistics
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.errors import EnvError
from hamlet.interpreter.policy import drawn_controls
from hamlet.launch.gpu.forms import Form, kernel_of
from hamlet.package.module import Module
from hamlet.universe import Universe
from hamlet_lab.ptx.backend import PtxBackend
from hamlet_lab.ptx.threads import WARP

LANES = 512
WARM_UP = 160
"""Ticks before the counting, so that episodes of all ages are under way."""
TICKS: dict[Form, int] = {"reset": 1, "observe": 1, "step": 16, "rollout": 64, "rollout_observing": 16}
"""Ticks that are counted; resets and observations, which are no ticks, count as one."""
LAUNCHES: dict[Form, int] = {"reset": 1, "observe": 1, "step": 16, "rollout": 1, "rollout_observing": 1}
SEED = 7


@dataclass(frozen=True, slots=True)
class Passing:
    """Of the warps and threads that came to an instruction with a guard: those that it let through. Of a warp at least
    one thread."""

    warps: int
    threads: int


@dataclass(frozen=True, slots=True)
class Frequency:
    """Executions of a kernel's lines, in all ticks that were counted.

    Attributes:
        ptx: the text.
        stretches: the lines, from 1, of instructions that run together; every instruction of the text once.
        executed: by line, how many warps ran it.
        passing: by line, for instructions with a guard.
        launches: how many warps began the kernel.
        ticks: how many warps and ticks there were; what is shown is divided by it.
    """

    ptx: str
    stretches: tuple[tuple[int, ...], ...]
    executed: Mapping[int, int]
    passing: Mapping[int, Passing]
    launches: int
    ticks: int


def frequency(module: Module, capability: int, forms: Sequence[Form]) -> dict[Form, Frequency]:
    """Execute kernels as compiled for `capability` (90: sm_90), in worlds of one agent; `hamlet.launch.gpu.forms` says
    what they do.

    Raises:
        EnvError: Triton cannot compile it.
        PtxError: there is an instruction that the executor does not know.
    """
    universe, cpu = module.universe, torch.device("cpu")
    backend = PtxBackend(universe, module.kernels("triton"), capability)
    observing, blind = (allocate(universe, Shape(LANES, 1), cpu, dtype) for dtype in (torch.float32, None))
    statistics = allocate_statistics(universe, blind.shape, cpu)
    backend.reset(observing, Stream(SEED, 0))
    _copy(observing.state, blind.state)
    backend.rollout(blind, WARM_UP - 1, RandomPolicy(), Stream(SEED, 0), False, statistics)
    _copy(blind.state, observing.state)
    # Steps begin with what the step before them kept.
    _steps(backend, universe, observing, 1)
    warm = {name: values.clone() for name, values in observing.state.items()}

    def run(form: Form) -> None:
        buffers, stream = blind if form == "rollout" else observing, Stream(SEED, WARM_UP)
        match form:
            case "reset":
                backend.reset(buffers, stream)
            case "observe":
                backend.observe(buffers)
            case "step":
                _steps(backend, universe, buffers, TICKS[form])
            case "rollout" | "rollout_observing":
                observes = form == "rollout_observing"
                backend.rollout(buffers, TICKS[form], RandomPolicy(), stream, observes, statistics)

    result = {}
    for form in forms:
        for buffers in (observing, blind):
            _copy(warm, buffers.state)
        result[form] = _counted(backend, form, partial(run, form))
    return result


def _copy(state: Mapping[str, torch.Tensor], into: Mapping[str, torch.Tensor]) -> None:
    for name, values in state.items():
        into[name].copy_(values)


def _counted(backend: PtxBackend, form: Form, run: Callable[[], None]) -> Frequency:
    """The executions of this form's kernel while `run` runs."""
    kernel = kernel_of(form)
    earlier = {id(program): (program.executions(), program.passed()) for _, program in backend.programs(kernel)}
    run()
    for compiled, program in backend.programs(kernel):
        stretches = program.executions()
        executed, passed = earlier.get(id(program), ([(lines, 0) for lines, _ in stretches], {}))
        if stretches == executed:
            continue  # Another form of the kernel.
        return Frequency(
            compiled.ptx,
            tuple(lines for lines, _ in stretches),
            {line: n - before for (lines, n), (_, before) in zip(stretches, executed, strict=True) for line in lines},
            {line: Passing(*map(sub, count, passed.get(line, (0, 0)))) for line, count in program.passed().items()},
            LAUNCHES[form] * LANES // WARP,
            TICKS[form] * LANES // WARP,
        )
    raise EnvError(f"the kernel {form} was not executed")


def _steps(backend: PtxBackend, universe: Universe, buffers: Buffers, ticks: int) -> None:
    generator, actions = torch.Generator().manual_seed(SEED), len(schema.action_names(universe))
    for tick in range(ticks):
        drawn = torch.randint(actions, (LANES,), generator=generator, dtype=torch.int32)
        stream = Stream(SEED, WARM_UP + tick)
        if universe.controls:
            buffers.state["controls"].copy_(drawn_controls(universe, torch.arange(LANES), stream))
        backend.step(buffers, drawn, stream)
