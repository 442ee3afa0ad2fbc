"""How long steps and rollouts take, and how near that is to what the memory allows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import torch

import hamlet
from hamlet import schema
from hamlet.backend.protocol import TabularPolicy
from hamlet.env.environment import Env
from hamlet.launch.gpu.forms import FORMS, Form
from hamlet.package.module import Module
from hamlet.schema.abi import KERNELS, Kernel
from hamlet.schema.features import Count, features
from hamlet_lab.verify import QUICK, Effort

Row: TypeAlias = dict[str, Any]
"""A row of a table, as it stands in the JSON."""

READ_ONLY = ("params", "inputs", "layout", "places", "episode")
"""State that a tick without a reset only reads."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: devices, sizes, repetitions."""

    device: torch.device
    backend: str
    lanes: tuple[int, ...]
    rollouts: tuple[int, ...]
    observed_rollout: int
    samples: int
    sample_seconds: float
    copy_bytes: int
    effort: Effort
    capability: int
    kernels: tuple[Form, ...]
    ahead: tuple[Kernel, ...]


def plan(device: torch.device) -> Plan:
    """What is measured on a GPU."""
    major, minor = torch.cuda.get_device_capability(device)
    return Plan(
        device=device,
        backend="triton",
        lanes=(4_096, 65_536, 1_048_576),
        rollouts=(64, 1_000),
        observed_rollout=64,
        samples=12,
        sample_seconds=0.005,
        copy_bytes=1 << 30,
        effort=Effort(2_051, 101, 256),
        capability=10 * major + minor,
        kernels=FORMS,
        ahead=KERNELS,
    )


def dry_plan() -> Plan:
    """Sizes that a test can afford, with numba in place of Triton."""
    return Plan(
        device=torch.device("cpu"),
        backend="numba",
        lanes=(64,),
        rollouts=(4,),
        observed_rollout=4,
        samples=3,
        sample_seconds=0.0,
        copy_bytes=1 << 20,
        effort=QUICK,
        capability=90,
        kernels=("step",),
        ahead=("observe",),
    )


def seconds_of(call: Callable[[], object], repeats: int, device: torch.device) -> float:
    """The time of one call, over so many in a row, by CUDA events where there is CUDA."""
    if device.type == "cuda":
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(repeats):
            call()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) / 1e3 / repeats
    started = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - started) / repeats


def samples(call: Callable[[], object], plan: Plan) -> list[float]:
    """Times of one call in seconds, after warm-up; a sample takes so many calls that it lasts long enough."""
    for _ in range(3):
        call()
    once = max(seconds_of(call, 1, plan.device), 1e-7)
    repeats = max(1, round(plan.sample_seconds / once))
    return [seconds_of(call, repeats, plan.device) for _ in range(plan.samples)]


def spread(times: list[float]) -> Row:
    """Median, fastest and slowest in milliseconds."""
    return {
        "median_ms": statistics.median(times) * 1e3,
        "fastest_ms": min(times) * 1e3,
        "slowest_ms": max(times) * 1e3,
        "samples": len(times),
    }


def copy_bandwidth(plan: Plan) -> float:
    """Bytes per second (read and written) of copying a large tensor."""
    source = torch.empty(plan.copy_bytes, dtype=torch.uint8, device=plan.device)
    target = torch.empty_like(source)
    return 2 * plan.copy_bytes / statistics.median(samples(lambda: target.copy_(source), plan))


def bytes_per_lane(env: Env) -> tuple[float, float]:
    """The least bytes per lane that a tick must move: (state, actions and outcomes; observations and masks).

    State is read once and, unless only a reset changes it, written once. Final observations are written by resets only.
    """
    state = sum(
        value.numel() * value.element_size() * (1 if name in READ_ONLY else 2) for name, value in env.state.items()
    )
    sizes = {"f32": 4, "i32": 4, "bool": 1}
    outcomes = 4 + sum(sizes[f.dtype] * len(f.rows or ("",)) for f in schema.outcome_fields(env.universe))
    observation = 0 if env.observation is None else env.observation.element_size() * env.observation.shape[1]
    return state / env.num_lanes + outcomes, observation + env.num_actions


def make(module: Module, worlds: int, plan: Plan, obs_dtype: str | None) -> Env:
    """Worlds on the device that is checked."""
    return hamlet.make(
        module,
        worlds=worlds,
        device=plan.device,
        backend=plan.backend,
        seed=1,
        obs_dtype=obs_dtype,
        validate=False,
        quiet=True,
        launch="step",
    )


def some_policy(env: Env) -> TabularPolicy:
    """Random probabilities by whatever is a whole number and smaller than a hundred."""
    axes = [each for each in features(env.universe) if isinstance(each, Count) and each.size < 100]
    generator = torch.Generator().manual_seed(1)
    table = torch.rand((*(axis.size for axis in axes), env.num_actions), generator=generator)
    return env.tabular(table / table.sum(dim=-1, keepdim=True), [axis.name for axis in axes])


def time_forms(module: Module, lanes: int, plan: Plan, bandwidth: float | None) -> list[Row]:
    """Times of steps, also in bytes and (on CUDA) as a graph, of rollouts, also by a table, and of a rollout that
    observes every tick, at one batch size."""
    env, plain = make(module, lanes, plan, "float32"), make(module, lanes, plan, None)
    encoded = make(module, lanes, plan, "uint8")
    state, observed = bytes_per_lane(env)
    generator = torch.Generator(device=plan.device).manual_seed(1)
    actions = torch.randint(env.num_actions, (lanes,), dtype=torch.int32, device=plan.device, generator=generator)
    rows = []

    def row(form: str, ticks: int, traffic: float | None, call: Callable[[], object]) -> None:
        times = samples(call, plan)
        rate = lanes * ticks / statistics.median(times)
        moved = None if traffic is None else rate * traffic
        rows.append(
            {"universe": module.name, "backend": plan.backend, "form": form, "lanes": lanes, "ticks": ticks}
            | spread(times)
            | {"agent_ticks_per_s": rate, "bytes_per_agent_tick": traffic, "bytes_per_s": moved}
            | {"of_copy_bandwidth": None if moved is None or bandwidth is None else moved / bandwidth}
        )

    row("step, observed", 1, state + observed, lambda: env.step(actions))
    row("step, observed as bytes", 1, sum(bytes_per_lane(encoded)), lambda: encoded.step(actions))
    if plan.device.type == "cuda":
        graphed = env.graphed()
        graphed.actions.copy_(actions)
        row("step, observed, as a graph", 1, state + observed, graphed.step)
    for ticks in plan.rollouts:
        row("rollout", ticks, None, partial(plain.rollout, ticks, statistics=False))
        row("rollout, table", ticks, None, partial(plain.rollout, ticks, some_policy(plain), statistics=False))
    ticks = plan.observed_rollout
    call = partial(env.rollout, ticks, observe=True, statistics=False)
    row("rollout, observed", ticks, observed + state / ticks, call)
    return rows
