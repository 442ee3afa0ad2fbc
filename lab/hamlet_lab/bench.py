"""How fast a universe runs on this machine: what `hamletc bench` measures."""

from __future__ import annotations

import gc
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch

import hamlet
from hamlet import schema
from hamlet.backend.buffers import DTYPES
from hamlet.backend.registry import Tune, working_backends
from hamlet.env.environment import Env
from hamlet.native.drafts import without_drafts
from hamlet.package.module import Module
from hamlet.schema.observed import encodes, fits_bfloat16
from hamlet.system import cpus
from hamlet.universe import Universe
from hamletc.cli.policy import Player

Launch: TypeAlias = Literal["step", "rollout"]
Observed: TypeAlias = Literal["none", "uint8", "bfloat16", "float32"]

INTERPRETER_MOST = 4096
"""The interpreter is timed up to so many lanes: its rate hardly changes beyond, and it is slow."""


@dataclass(frozen=True, slots=True)
class Case:
    """`step` is a launch per tick, `rollout` one for `ticks` ticks; both write what is `observed` every tick."""

    backend: str
    worlds: int
    agents: int
    launch: Launch
    ticks: int
    observed: Observed

    @property
    def lanes(self) -> int:
        return self.worlds * self.agents


def observable(universe: Universe) -> tuple[Observed, ...]:
    """Types of observations that a universe can have: not all observations fit into bytes."""
    fits: dict[Observed, bool] = {"uint8": encodes(universe), "bfloat16": fits_bfloat16(universe)}
    return ("none", *(observed for observed, fit in fits.items() if fit), "float32")


def cases(
    backends: Sequence[str], worlds: Sequence[int], agents: int, observed: Sequence[Observed], ticks: int
) -> tuple[Case, ...]:
    """All combinations, by backend, launch, what is observed, and size."""
    return tuple(
        Case(backend, count, agents, launch, ticks if launch == "rollout" else 1, seen)
        for backend in backends
        for launch in ("rollout", "step")
        for seen in observed
        for count in worlds
        if backend != "interpreter" or count * agents <= INTERPRETER_MOST
    )


def available(module: Module) -> tuple[str, ...]:
    """The backends that run the kernels of a module here without being told where."""
    return tuple(name for name in reversed(working_backends(module)) if name != "triton" or torch.cuda.is_available())


def machine(device: torch.device) -> str:
    """The device in words."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{platform.processor() or platform.machine()}, {cpus()} CPUs"


def bytes_per_agent_tick(universe: Universe, case: Case) -> float:
    """A launch reads the state and writes it; a step reads an action and writes outcomes; both write observations and
    masks in every tick. What stays in registers or caches between the ticks of a rollout costs nothing."""
    state = sum(_bytes(field, case) for field in schema.state_fields(universe))
    outcome = sum(_bytes(field, case) for field in schema.outcome_fields(universe))
    per_launch = 2 * state + outcome
    masks = len(schema.action_names(universe))
    if case.observed == "none":
        observations = masks / case.ticks
    else:
        size = getattr(torch, case.observed).itemsize
        observations = masks + schema.observation_rows(universe) * size
    actions = DTYPES["i32"].itemsize if case.launch == "step" else 0
    return per_launch / case.ticks + observations + actions


def _bytes(field: schema.Field, case: Case) -> float:
    rows = 1 if field.rows is None else len(field.rows)
    size = rows * DTYPES[field.dtype].itemsize
    return size if field.per == "lane" else size / case.agents


RANDOM = Player()
SHORTEST = 0.02
"""Seconds that a sample takes at least: more launches are timed together where one is shorter."""
COPIED = 1 << 28
"""Bytes of the buffer that is copied; larger than caches."""


@dataclass(frozen=True, slots=True)
class CaseRates:
    """Agent-ticks per second of a case: median, slowest, fastest of the samples; and what a tick moves.

    Attributes:
        bytes: moved per agent-tick, at the least.
        roofline: `bytes` times the median rate, as a share of the copy bandwidth of the same run.
        first: seconds of the first launch, with compilation.
        memory: bytes of the environment's arrays: state, outcomes, observations, masks.
        peak: bytes that the allocator of a GPU gave out at most for the environment and its first launches, arrays
            included; `None` on CPUs, where nobody counts them.
    """

    case: Case
    median: float
    slowest: float
    fastest: float
    samples: int
    bytes: float
    roofline: float
    first: float
    memory: int
    peak: int | None


def copy_bandwidth(device: torch.device, samples: int) -> float:
    """Bytes per second, read and written, of copying a buffer: the median."""
    source = torch.zeros(COPIED // 4, dtype=torch.float32, device=device)
    target = torch.ones_like(source)

    def copy() -> None:
        target.copy_(source)
        _wait(device)

    copy()
    return 2 * COPIED / statistics.median(_seconds(copy) for _ in range(samples))


@without_drafts()
def measure(
    module: Module,
    cases: Sequence[Case],
    device: str | None,
    samples: int,
    bandwidth: float,
    progress: Callable[[Case], None],
    tune: Tune = "default",
    player: Player = RANDOM,
) -> list[CaseRates]:
    """Time every case: rollouts of a policy, by default of random actions, which the backend draws. Those of steps are
    drawn before the clock starts."""
    runs = []
    for case in cases:
        progress(case)
        runs.append(_Sampling(module, case, device, tune, player))
    for _ in range(samples):
        for run in runs:
            run.sample()
    return [run.result(bandwidth) for run in runs]


def env_bytes(env: Env) -> int:
    """The bytes of all arrays of an environment, with the room that is left between them."""
    final = env.info["final_observation"]
    arrays = [*env.state.values(), *env.outcome.values(), env.action_mask]
    arrays += [each for each in (env.observation, final) if each is not None]
    return sum({each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in arrays}.values())


class _Allocator:
    """Bytes that the allocator of a GPU hands out from now on."""

    def __init__(self) -> None:
        self._before: dict[int, int] = {}
        if torch.cuda.is_available():
            # What nobody refers to any more, and is freed later, would be missing in what is given out from now on.
            gc.collect()
            for index in range(torch.cuda.device_count()):
                torch.cuda.reset_peak_memory_stats(index)
                self._before[index] = torch.cuda.memory_allocated(index)

    def most(self, device: torch.device) -> int | None:
        """Bytes at most, beyond those from before; `None` on a CPU."""
        if device.type != "cuda":
            return None
        index = torch.cuda.current_device() if device.index is None else device.index
        return torch.cuda.max_memory_allocated(index) - self._before[index]


def some_controls(env: Env, generator: torch.Generator) -> torch.Tensor | None:
    """Controls of a step within their bounds; `None` in a universe without any."""
    if not env.control_names:
        return None
    low, high = env.control_low.unsqueeze(1), env.control_high.unsqueeze(1)
    shares = torch.rand((env.num_controls, env.num_lanes), generator=generator).to(env.device)
    some = torch.minimum(low + shares * (high - low), high)
    return torch.where(torch.tensor(env.control_whole, device=env.device).unsqueeze(1), some.round(), some)


class _Sampling:
    """An environment of a case, and the rates of its samples."""

    def __init__(self, module: Module, case: Case, device: str | None, tune: Tune, player: Player) -> None:
        observed = None if case.observed == "none" else case.observed
        self._case = case
        allocator = _Allocator()
        self._env: Env = hamlet.make(
            module,
            worlds=case.worlds,
            agents=case.agents,
            device=device,
            backend=case.backend,
            seed=7,
            obs_dtype=observed,
            validate=False,
            quiet=True,
            tune=tune,
            launch="step",
        )
        generator = torch.Generator().manual_seed(7)
        actions = torch.randint(self._env.num_actions, (case.lanes,), generator=generator, dtype=torch.int32)
        self._actions = actions.to(self._env.device)
        self._controls = some_controls(self._env, generator)
        self._policy = player.of(self._env)
        self._first = _seconds(self._launch)
        self._launches = max(1, round(SHORTEST / max(_seconds(self._launch), 1e-7)))
        self._peak = allocator.most(self._env.device)
        self._rates: list[float] = []

    def sample(self) -> None:
        seconds = _seconds(lambda: self._launch(self._launches))
        self._rates.append(self._case.lanes * self._case.ticks * self._launches / seconds)

    def result(self, bandwidth: float) -> CaseRates:
        rates, moved = self._rates, bytes_per_agent_tick(self._env.universe, self._case)
        median = statistics.median(rates)
        share = moved * median / bandwidth
        memory = env_bytes(self._env)
        least, most = min(rates), max(rates)
        return CaseRates(self._case, median, least, most, len(rates), moved, share, self._first, memory, self._peak)

    def _launch(self, launches: int = 1) -> None:
        env, case = self._env, self._case
        for _ in range(launches):
            match case.launch:
                case "step":
                    env.step(self._actions, self._controls)
                case "rollout":
                    env.rollout(case.ticks, self._policy, observe=case.observed != "none", statistics=False)
        env.synchronize()


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
