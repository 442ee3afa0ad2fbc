"""A GPU loses to the CPU below some number of agents: which, is measured once per machine and universe."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import metadata
from time import perf_counter
from typing import TypeAlias

import torch

from hamlet import cache
from hamlet.choose import Choice, describe
from hamlet.errors import EnvError

SIZES = (64, 1024, 16384, 65536)
"""Agents that are timed. With as many as the last, or more, a GPU is taken without measuring."""
SWITCH = "HAMLET_MEASURE"
"""Set to 0, this variable keeps `auto` from measuring."""
SAMPLE_SECONDS = 0.03
"""Of a timing."""

Times: TypeAlias = Mapping[int, float]
"""Seconds of a step by number of agents."""
Measure: TypeAlias = Callable[[Choice, int], float]
"""Seconds of a step of so many agents by this choice."""


def settle(gpu: Choice, lanes: int, agents: int, identity: cache.Key, measure: Measure, quiet: bool) -> Choice:
    """The faster of numba on the CPU and of `gpu` for this many agents.

    Args:
        gpu: Triton on a device.
        lanes: all agents.
        agents: in a world.
        identity: of the universe and what it observes.
        measure: times a step.
        quiet: do not say that something is measured.
    """
    if lanes >= SIZES[-1]:
        return Choice(gpu.backend, gpu.device, f"{lanes:,} agents are enough for a GPU")
    if os.environ.get(SWITCH) == "0":
        return Choice(gpu.backend, gpu.device, f"there is a CUDA device, and {SWITCH}=0")
    cpu = Choice("numba", torch.device("cpu"), "")
    key = {**identity, "agents": agents, **_machine(gpu.device)}
    found = cache.load("crossover", key)
    if found is None:
        if not quiet:
            text = f"hamlet: timing numba and triton once, to choose between them ({SWITCH}=0: do not)"
            print(text, file=sys.stderr, flush=True)
        sizes = [max(size // agents, 1) * agents for size in SIZES]
        found = {
            "numba": {str(size): measure(cpu, size) for size in sizes},
            "triton": {str(size): measure(gpu, size) for size in sizes},
            "measured": datetime.now(UTC).date().isoformat(),
        }
        cache.save("crossover", key, found)
    on_cpu, on_gpu = ({int(size): float(time) for size, time in found[name].items()} for name in ("numba", "triton"))
    return _faster(cpu, gpu, lanes, on_cpu, on_gpu, str(found["measured"]))


def _faster(cpu: Choice, gpu: Choice, lanes: int, on_cpu: Times, on_gpu: Times, day: str) -> Choice:
    times = expected(on_cpu, lanes), expected(on_gpu, lanes)
    (chosen, time), (other, slower) = sorted(zip((cpu, gpu), times, strict=True), key=lambda pair: pair[1])
    where = crossover(on_cpu, on_gpu)
    about = f"crossover at about {where:,} agents" if where is not None else "whatever the number of agents"
    reason = (
        f"{lanes:,} agents, {lanes / time / 1e6:.3g} million steps/s against {lanes / slower / 1e6:.3g} on "
        f"{describe(other.device)} ({about}; measured {day})"
    )
    return Choice(chosen.backend, chosen.device, reason)


def expected(times: Times, lanes: int) -> float:
    """The seconds of a step of so many agents: on a line between the sizes that were measured, and beyond them."""
    sizes = sorted(times)
    if lanes <= sizes[0]:
        return times[sizes[0]]
    upper = next((number for number, size in enumerate(sizes) if size >= lanes), len(sizes) - 1)
    low, high = sizes[upper - 1], sizes[upper]
    return times[low] + (times[high] - times[low]) * (lanes - low) / (high - low)


def crossover(on_cpu: Times, on_gpu: Times) -> int | None:
    """The fewest agents, to two digits, from which the GPU is faster; `None` where one of them always is."""
    sizes = sorted({size for low in on_cpu for size in range(low, 4 * low, max(low // 8, 1)) if size <= max(on_cpu)})
    faster = [expected(on_gpu, size) < expected(on_cpu, size) for size in sizes]
    if all(faster) or not faster[-1]:
        return None
    first = sizes[len(faster) - faster[::-1].index(False)]
    digits = len(str(first)) - 2
    return round(first, -digits) if digits > 0 else first


def timed(step: Callable[[], object], wait: Callable[[], None], clock: Callable[[], float] = perf_counter) -> float:
    """The seconds of a step, over enough of them, after three that warm up."""
    for _ in range(3):
        step()
    wait()
    begin, count = clock(), 0
    while count == 0 or clock() - begin < SAMPLE_SECONDS:
        for _ in range(8):
            step()
        wait()
        count += 8
    return (clock() - begin) / count


def _machine(device: torch.device) -> dict[str, str | int]:
    versions = {}
    for name in ("torch", "triton", "numba"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError as error:
            raise EnvError(f'backend "auto" compares numba and triton, and {name} is not installed') from error
    return {
        "device": torch.cuda.get_device_name(device),
        "processor": platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "threads": os.environ.get("NUMBA_NUM_THREADS", ""),
        **versions,
    }
