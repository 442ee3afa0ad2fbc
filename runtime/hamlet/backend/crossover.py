"""Which choice is the fastest for a number of agents is measured once per machine and universe: below some number a GPU
loses to the CPU, and below another a launch of a kernel takes longer than a tick, so that a CUDA graph wins."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from itertools import pairwise
from time import perf_counter
from typing import TypeAlias

import torch

from hamlet.backend.choose import Choice
from hamlet.package import cache
from hamlet.system import cpus

SIZES = (64, 1024, 16384, 65536)
"""Numbers of agents that are timed. From the last one on a GPU is chosen without timing the CPU."""
GRAPHED_MOST = 1 << 20
"""The agents from which on a tick takes longer than its launch anywhere, and graphs are not timed."""
SWITCH = "HAMLET_MEASURE"
"""Set to 0, this variable keeps `auto` from measuring."""
SAMPLE_SECONDS = 0.03
"""Of a timing."""
GAIN = 1.05
"""How many times faster than launches a graph must be: less may be noise, and each seed needs a new recording."""

Times: TypeAlias = Mapping[int, float]
"""Seconds of a step by number of agents."""
Measure: TypeAlias = Callable[[Choice, int], float]
"""Gives the seconds that a step of a number of agents takes by a choice."""
Missing: TypeAlias = Callable[[Choice], str]
"""Says what this machine lacks to run kernels by a choice; empty where it lacks nothing."""


def settle(
    options: Sequence[Choice],
    lanes: int,
    sizes: Sequence[int],
    identity: cache.Key,
    measure: Measure,
    missing: Missing,
    quiet: bool,
) -> Choice:
    """The fastest choice for this many agents, with the reason.

    Args:
        options: the one to take without measuring first.
        lanes: all agents.
        sizes: the numbers of agents that are timed; fewer than two sizes cannot tell.
        identity: of the universe, its agents per world, and what it observes.
        measure: times a step.
        missing: asked before a choice is timed, and before it is taken.
        quiet: do not say that something is measured.
    """
    first = options[0]
    if len(options) == 1:
        return first
    worth = [choice for choice in options if lanes < _limit(choice)]
    if len(worth) == 1:
        return replace(first, reason=f"{first.reason}, and {lanes:,} agents keep it busy")
    if len(sizes) < 2:
        return replace(first, reason=f"{first.reason}, and worlds are too large to time many")
    if os.environ.get(SWITCH) == "0":
        return replace(first, reason=f"{first.reason}, and {SWITCH}=0")
    # A cached time says that a backend ran once; whether it can now matters where it would be chosen.
    tried = [choice for choice in worth if cache.load("crossover", _key(choice, first, identity)) is None]
    broken = {choice: why for choice in tried if choice.backend != first.backend and (why := missing(choice))}
    worth = [choice for choice in worth if choice not in broken]
    while len(worth) > 1:
        times, day = _measured(worth, sizes, identity, measure, quiet)
        best, *others = ranked(times, lanes)
        if best.backend != first.backend and (why := missing(best)):
            broken[best] = why
            worth.remove(best)
            continue
        rates = {choice: f"{lanes / expected(times[choice], lanes) / 1e6:.3g}" for choice in worth}
        against = " and ".join(f"{rates[choice]} by {_name(choice)}" for choice in others)
        reason = f"{lanes:,} agents, {rates[best]} million steps/s against {against}; {_summary(times)}; measured {day}"
        return replace(best, reason=reason + _left_out(broken))
    return replace(worth[0], reason=first.reason + _left_out(broken))


def _left_out(broken: Mapping[Choice, str]) -> str:
    return "".join(f"; {choice.backend} is left out: {why}" for choice, why in broken.items())


def _measured(
    choices: Sequence[Choice], sizes: Sequence[int], identity: cache.Key, measure: Measure, quiet: bool
) -> tuple[Mapping[Choice, Times], str]:
    """The times of these choices, from the cache where they are there, and the day of the latest."""
    keys = {choice: _key(choice, choices[0], identity) for choice in choices}
    answers = {choice: answer for choice, key in keys.items() if (answer := cache.load("crossover", key)) is not None}
    missing = [choice for choice in choices if choice not in answers]
    if missing and not quiet:
        names = ", ".join(_name(choice) for choice in missing)
        print(f"hamlet: timing {names} once, to choose ({SWITCH}=0: do not)", file=sys.stderr, flush=True)
    for choice in missing:
        seconds = {str(size): measure(choice, size) for size in sizes}
        answers[choice] = {"seconds": seconds, "measured": datetime.now(UTC).date().isoformat()}
        cache.save("crossover", keys[choice], answers[choice])
    times: dict[Choice, Times] = {
        choice: {int(size): float(time) for size, time in answers[choice]["seconds"].items()} for choice in choices
    }
    return times, max(str(answer["measured"]) for answer in answers.values())


def ranked(times: Mapping[Choice, Times], lanes: int) -> list[Choice]:
    """The choices worth considering for a number of agents, the best one first."""

    def cost(choice: Choice) -> float:
        return expected(times[choice], lanes) * (GAIN if choice.launch == "graph" else 1.0)

    return sorted((choice for choice in times if lanes < _limit(choice)), key=cost)


def expected(times: Times, lanes: int) -> float:
    """The seconds of a step of `lanes` agents: on a line between the sizes that were measured. Beyond them it is that
    of the last two, if it rises: where launches decide, times are flat, and noise would make them fall below 0."""
    sizes = sorted(times)
    if lanes <= sizes[0]:
        return times[sizes[0]]
    upper = next((number for number, size in enumerate(sizes) if size >= lanes), len(sizes) - 1)
    low, high = sizes[upper - 1], sizes[upper]
    slope = (times[high] - times[low]) / (high - low)
    return times[high] + max(slope, 0.0) * (lanes - high) if lanes > high else times[low] + slope * (lanes - low)


def crossovers(times: Mapping[Choice, Times]) -> list[tuple[int, Choice]]:
    """The best choices by number of agents, each with the fewest agents, to two digits, from which it is the best."""
    least = min(min(sizes) for sizes in times.values())
    sizes = [least << power for power in range(GRAPHED_MOST.bit_length()) if least << power < GRAPHED_MOST]
    grid = [low + low * eighth // 8 for low in sizes for eighth in range(8)]
    best = [(size, ranked(times, size)[0]) for size in (*grid, GRAPHED_MOST)]
    changes = [after for before, after in pairwise(best) if after[1] != before[1]]
    return [best[0], *((_two_digits(size), choice) for size, choice in changes)]


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


def _limit(choice: Choice) -> float:
    """The agents from which on a choice is not worth a measurement."""
    match choice:
        case Choice(backend="c"):
            return SIZES[-1]
        case Choice(launch="graph"):
            return GRAPHED_MOST
        case _:
            return float("inf")


def _name(choice: Choice) -> str:
    return f"{choice.backend} ({choice.launch})" if len(choice.launches) > 1 else choice.backend


def _summary(times: Mapping[Choice, Times]) -> str:
    """Which is the fastest for which numbers of agents."""
    (_, first), *others = crossovers(times)
    if not others:
        return f"{_name(first)} is the fastest for any number"
    return ", ".join(
        [f"{_name(first)} is the fastest", *(f"from about {size:,} {_name(choice)}" for size, choice in others)]
    )


def _two_digits(number: int) -> int:
    digits = len(str(number)) - 2
    return round(number, -digits) if digits > 0 else number


def _key(choice: Choice, first: Choice, identity: cache.Key) -> cache.Key:
    """The key of the times of a choice; `first` is on the GPU that it competes with."""
    return {**identity, **_machine(choice, first.device)}


def _machine(choice: Choice, device: torch.device) -> dict[str, str | int]:
    return {
        "backend": choice.backend,
        "launch": choice.launch,
        "device": torch.cuda.get_device_name(device),
        "processor": platform.machine(),
        "processors": cpus(),
        "threads": os.environ.get("HAMLET_THREADS", ""),
        **{name: _version(name) for name in ("torch", choice.backend)},
    }


def _version(package: str) -> str:
    """Of a package; empty where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
