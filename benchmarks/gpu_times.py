"""How long steps and rollouts take, and how near that is to what the memory allows."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias
from unittest.mock import patch

import torch

import hamlet
from hamlet import schema
from hamlet.backend.protocol import TabularPolicy
from hamlet.env.environment import Env
from hamlet.launch.gpu import call
from hamlet.launch.gpu.forms import FORMS, Form
from hamlet.package.module import Module
from hamlet.policies.mlp import MLP
from hamlet.schema.abi import KERNELS, Kernel
from hamlet.schema.features import Count, features
from hamlet.schema.observed import encodes, fits_bfloat16
from hamlet_lab.verify import QUICK, Effort

Row: TypeAlias = dict[str, Any]
"""A row of a table, as it stands in the JSON."""

MOST_REGISTERS = 255
"""The most that a thread can have. Being allowed them makes other machine code than having no limit: two rows of a form
say which is the faster one."""

READ_ONLY = ("params", "inputs", "layout", "places", "episode")
"""State that a tick without a reset only reads."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: devices, sizes, repetitions."""

    device: torch.device
    backend: str
    lanes: tuple[int, ...]
    observed: tuple[str, ...]
    rollouts: tuple[int, ...]
    observed_rollout: int
    network_rollout: int
    samples: int
    sample_seconds: float
    copy_bytes: int
    quick: Effort
    effort: Effort
    capability: int
    kernels: tuple[Form, ...]
    ahead: tuple[Kernel, ...]
    chosen: tuple[int, ...]


def plan(device: torch.device) -> Plan:
    """What is measured on a GPU."""
    major, minor = torch.cuda.get_device_capability(device)
    return Plan(
        device=device,
        backend="triton",
        lanes=(1_048_576, 65_536, 4_096),
        observed=("float32", "uint8", "bfloat16"),
        rollouts=(64, 1_000),
        observed_rollout=64,
        network_rollout=8,
        samples=12,
        sample_seconds=0.005,
        copy_bytes=1 << 30,
        quick=QUICK,
        effort=Effort(2_051, 101, 256),
        capability=10 * major + minor,
        kernels=FORMS,
        ahead=KERNELS,
        chosen=(64, 1_024, 8_192, 1_048_576),
    )


def small_plan(device: torch.device) -> Plan:
    """Sizes that a simulated device can afford."""
    return replace(
        plan(device),
        lanes=(96,),
        rollouts=(3, 4),
        observed_rollout=3,
        # The simulated device knows no `ldmatrix`.
        network_rollout=0,
        samples=2,
        sample_seconds=0.0,
        copy_bytes=1 << 20,
        quick=Effort(19, 4, 64, (torch.uint8,)),
        effort=Effort(19, 4, 64),
        kernels=("step", "rollout"),
        ahead=("observe", "step"),
        chosen=(32, 64),
    )


def dry_plan() -> Plan:
    """Sizes that a test can afford, with kernels in C in place of Triton."""
    return Plan(
        device=torch.device("cpu"),
        backend="c",
        lanes=(64,),
        observed=("float32", "uint8"),
        rollouts=(4,),
        observed_rollout=4,
        network_rollout=2,
        samples=3,
        sample_seconds=0.0,
        copy_bytes=1 << 20,
        quick=QUICK,
        effort=QUICK,
        capability=90,
        kernels=("step",),
        ahead=("observe",),
        chosen=(64, 1_024),
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


@contextmanager
def limited(registers: int) -> Iterator[None]:
    """Kernels are compiled with this limit of registers."""
    chosen = call.options

    def given(*arguments: Any) -> dict[str, int | bool]:
        return {**chosen(*arguments), "maxnreg": registers}

    with patch.object(call, "options", given):
        yield


def time_forms(module: Module, lanes: int, plan: Plan, bandwidth: float | None, found: list[Row]) -> None:
    """Times at one batch size, each added to those found as soon as it is known: steps and rollouts that observe, in
    each type of observations and with either limit of registers; steps as a graph; rollouts without observations, with
    statistics and by a table."""
    generator = torch.Generator(device=plan.device).manual_seed(1)

    def row(form: str, ticks: int, traffic: float | None, call: Callable[[], object], limit: int | None = None) -> None:
        times = samples(call, plan)
        rate = lanes * ticks / statistics.median(times)
        moved = None if traffic is None else rate * traffic
        found.append(
            {"universe": module.name, "backend": plan.backend, "form": form}
            | {"registers_at_most": limit, "lanes": lanes, "ticks": ticks}
            | spread(times)
            | {"agent_ticks_per_s": rate, "bytes_per_agent_tick": traffic, "bytes_per_s": moved}
            | {"of_copy_bandwidth": None if moved is None or bandwidth is None else moved / bandwidth}
        )

    def observed(name: str, env: Env, limit: int | None = None) -> None:
        state, seen = bytes_per_lane(env)
        ticks = plan.observed_rollout
        row(f"step, {name}", 1, state + seen, lambda: env.step(actions), limit)
        rollout = partial(env.rollout, ticks, observe=True, statistics=False)
        row(f"rollout, {name}", ticks, seen + state / ticks, rollout, limit)

    plain = make(module, lanes, plan, None)
    actions = torch.randint(plain.num_actions, (lanes,), dtype=torch.int32, device=plan.device, generator=generator)
    counts, policy = plain.rollout(1).counts, some_policy(plain)
    for ticks in plan.rollouts:
        row("rollout", ticks, None, partial(plain.rollout, ticks, statistics=False))
        row("rollout, statistics", ticks, None, partial(plain.rollout, ticks, statistics=counts))
    ticks = plan.rollouts[0]
    row("rollout, table", ticks, None, partial(plain.rollout, ticks, policy, statistics=False))
    # The most that counting can be asked for: everybody uses what it stands on, again and again.
    using = plain.tabular(torch.tensor(plain.action_names.index("INTERACT")), [])
    row("rollout, all interact", ticks, None, partial(plain.rollout, ticks, using, statistics=False))
    using_counted = partial(plain.rollout, ticks, using, statistics=counts)
    row("rollout, all interact, statistics", ticks, None, using_counted)
    env = make(module, lanes, plan, "float32")
    observed("float32", env)
    if plan.device.type == "cuda":
        graphed = env.graphed()
        graphed.actions.copy_(actions)
        row("step, float32, as a graph", 1, sum(bytes_per_lane(env)), graphed.step)
    fits = {"uint8": encodes(module.universe), "bfloat16": fits_bfloat16(module.universe)}
    for name in plan.observed:
        if fits.get(name):
            observed(name, make(module, lanes, plan, name))
    if plan.backend == "triton":
        with limited(MOST_REGISTERS):
            observed("float32", make(module, lanes, plan, "float32"), MOST_REGISTERS)
    if ticks := plan.network_rollout:
        network = MLP.random(len(env.observation_names), env.num_actions, seed=1, device=plan.device)
        deciding = partial(env.rollout, ticks, network, statistics=False)
        row("rollout, network 64-64, float32", ticks, None, deciding)
