"""Costs of an environment's calls in Python, beside their kernels, by the purpose of the code."""

from __future__ import annotations

import cProfile
import pstats
import runpy
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal, TypeAlias

import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.native.drafts import without_drafts
from hamlet.package.module import Module
from hamlet_lab.bench import some_controls

Category: TypeAlias = Literal[
    "checking arguments", "environment", "launching", "interpreter", "telemetry", "adapters", "torch", "other"
]

PLACES: tuple[tuple[str, Category], ...] = (
    ("hamlet/arguments.py", "checking arguments"),
    ("hamlet/env/act/actions.py", "checking arguments"),
    ("hamlet/env/act/inputs.py", "checking arguments"),
    ("hamlet/env/write/", "checking arguments"),
    ("hamlet/env/sealed.py", "checking arguments"),
    ("hamlet_adapters/", "adapters"),
    ("hamlet/interpreter/", "interpreter"),
    ("hamlet/numbers/", "interpreter"),
    ("hamlet/backend/", "launching"),
    ("hamlet/launch/", "launching"),
    ("hamlet/telemetry/", "telemetry"),
    ("hamlet/", "environment"),
    ("triton/", "launching"),
    ("hamlet_gym/", "adapters"),
    ("hamlet_minari/", "adapters"),
    ("hamlet_pettingzoo/", "adapters"),
    ("hamlet_rsl_rl/", "adapters"),
    ("hamlet_sb3/", "adapters"),
    ("hamlet_torchrl/", "adapters"),
    ("gymnasium/", "adapters"),
    ("pettingzoo/", "adapters"),
    ("stable_baselines3/", "adapters"),
    ("rsl_rl/", "adapters"),
    ("torchrl/", "adapters"),
    ("tensordict/", "adapters"),
    ("torch/", "torch"),
)
"""Purposes of the code in folders and files of packages; the first that fits counts."""
SECONDS = 0.3
"""For which each call is timed, about, and again under the profiler."""
ROUNDS = 5
"""The parts of that time, of which the median counts."""
STEPS = 200
"""For which an allocator is watched."""
SEED = 7

Function: TypeAlias = tuple[str, int, str]
Entry: TypeAlias = tuple[int, int, float, float, Mapping[Function, tuple[int, int, float, float]]]


@dataclass(frozen=True, slots=True)
class CallCost:
    """The cost of a call.

    Attributes:
        name: of the call, as in `step`.
        microseconds: of one call, measured without the profiler.
        calls: how many were profiled.
        parts: the share of each category in the time of the profiled calls, the greatest first. What runs on a GPU at
            the same time is not in it; a kernel on a CPU is part of launching.
    """

    name: str
    microseconds: float
    calls: int
    parts: Mapping[Category, float]


@dataclass(frozen=True, slots=True)
class DeviceUse:
    """The use of a GPU by the steps of an environment.

    Attributes:
        allocated, peak, reserved: bytes of torch's allocator: given out now, given out at most during the steps, and
            held from the driver.
        allocations: how often a step asks the allocator for memory.
        utilisation: the share of time, 0 to 1, in which some kernel ran, as the driver says; `None` where nobody knows.
    """

    allocated: int
    peak: int
    reserved: int
    allocations: float
    utilisation: float | None


@without_drafts()
def measure(module: Module, backend: str, device: str | None, agents: int) -> tuple[list[CallCost], DeviceUse | None]:
    """The calls `step`, `rollout`, `observe` and `reset` of one world, whose kernels take least beside Python; and
    where the environment is on a GPU what its steps take of that."""
    env = hamlet.make(
        module, worlds=1, agents=agents, device=device, backend=backend, seed=SEED, quiet=True, launch="step"
    )
    generator = torch.Generator().manual_seed(SEED)
    actions = torch.randint(env.num_actions, (env.num_lanes,), generator=generator, dtype=torch.int32).to(env.device)
    controls = some_controls(env, generator)
    step = _Call("step", lambda: env.step(actions, controls))
    others = (
        _Call("rollout of 1 tick", lambda: env.rollout(1)),
        _Call("observe", env.observe),
        _Call("reset", env.reset),
    )
    env.reset()
    costs = [each.cost(env) for each in (step, *others)]
    return costs, device_use(env, step.call) if env.device.type == "cuda" else None


def device_use(env: Env, step: Callable[[], object]) -> DeviceUse:
    """The use of a GPU by steps of an environment on it."""
    device = env.device
    step()
    env.synchronize()
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_stats(device).get("allocation.all.allocated", 0)
    for _ in range(STEPS):
        step()
    busy = _utilisation(device)
    env.synchronize()
    asked = torch.cuda.memory_stats(device).get("allocation.all.allocated", 0) - before
    return DeviceUse(
        torch.cuda.memory_allocated(device),
        torch.cuda.max_memory_allocated(device),
        torch.cuda.memory_reserved(device),
        asked / STEPS,
        busy,
    )


def of_script(path: Path) -> CallCost:
    """The cost of a program by category, from its first line to its end.

    Raises:
        EnvError: the file cannot be read.
    """
    try:
        path.read_bytes()
    except OSError as error:
        raise EnvError(f"cannot read {path}: {error.strerror}") from error
    profiler, arguments, places = cProfile.Profile(), sys.argv, list(sys.path)
    sys.argv, sys.path[0] = [str(path)], str(path.parent)
    begin = time.perf_counter()
    try:
        profiler.runcall(runpy.run_path, str(path), run_name="__main__")
    finally:
        sys.argv, sys.path[:] = arguments, places
    return CallCost(path.name, 1e6 * (time.perf_counter() - begin), 1, shares(pstats.Stats(profiler)))


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    call: Callable[[], object]

    def cost(self, env: Env) -> CallCost:
        """Timed, then profiled; after calls that compile what is to be compiled."""
        for _ in range(2):
            self._seconds(env, 1)
        count = max(1, min(2000, round(SECONDS / ROUNDS / max(self._seconds(env, 1), 1e-7))))
        timed = median(self._seconds(env, count) for _ in range(ROUNDS)) / count
        profiler = cProfile.Profile()
        with profiler:
            for _ in range(count):
                self.call()
        env.synchronize()
        return CallCost(self.name, 1e6 * timed, count, shares(pstats.Stats(profiler)))

    def _seconds(self, env: Env, count: int) -> float:
        begin = time.perf_counter()
        for _ in range(count):
            self.call()
        env.synchronize()
        return time.perf_counter() - begin


def shares(stats: pstats.Stats) -> dict[Category, float]:
    """The share of each category in the time of what was profiled, the greatest first. A function of C counts for who
    calls it, unless it is torch's."""
    seconds: dict[Category, float] = defaultdict(float)
    places = _places()
    entries: Mapping[Function, Entry] = stats.stats  # type: ignore[attr-defined]
    for function, (_, _, own, _, callers) in entries.items():
        category = _category(function, places)
        if category is not None or not callers:
            seconds[category or "other"] += own
            continue
        for caller, (_, _, of_caller, _) in callers.items():
            seconds[_category(caller, places) or "other"] += of_caller
    total = sum(seconds.values()) or 1.0
    return {name: each / total for name, each in sorted(seconds.items(), key=lambda item: -item[1]) if each > 0}


def _places() -> list[tuple[str, Category]]:
    """`PLACES` of the packages that are imported, as they begin the names of files."""
    places: list[tuple[str, Category]] = []
    for place, category in PLACES:
        package, _, rest = place.partition("/")
        if package in sys.modules:
            places += [(str(Path(folder) / rest), category) for folder in sys.modules[package].__path__]
    return places


def _category(function: Function, places: Sequence[tuple[str, Category]]) -> Category | None:
    """The category of a function; `None` of one of C that is not torch's."""
    file, _, name = function
    if file == "~":
        return "torch" if "torch" in name or "Tensor" in name else None
    return next((category for place, category in places if file.startswith(place)), "other")


def _utilisation(device: torch.device) -> float | None:
    """The utilisation that the driver reports, if it can be asked."""
    try:
        return torch.cuda.utilization(device) / 100
    except (ImportError, RuntimeError):
        return None
