"""Timing things in turns, so that a busy moment of the machine hits all of them, and comparing them within a round."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rate:
    """Agent-ticks per second of the rounds by the clock, and the CPU seconds of all threads that each round took."""

    name: str
    by_clock: tuple[float, ...]
    cpu_seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Percent:
    """How much more time something takes than what it is compared with: the median of the rounds, least and most."""

    median: float
    least: float
    most: float


def rates(
    runs: Sequence[tuple[str, Callable[[], None]]],
    agent_ticks: int,
    rounds: int,
    synchronize: Callable[[], None],
) -> list[Rate]:
    """Run everything once in each round, forwards and backwards by turns; a first round is not counted."""
    clock: list[list[float]] = [[] for _ in runs]
    cpu: list[list[float]] = [[] for _ in runs]
    for number in range(rounds + 1):
        order = list(enumerate(runs))
        for index, (_, run) in order if number % 2 == 0 else reversed(order):
            begin, used = time.perf_counter(), time.process_time()
            run()
            synchronize()
            seconds, busy = time.perf_counter() - begin, time.process_time() - used
            if number > 0:
                clock[index].append(agent_ticks / seconds)
                cpu[index].append(busy)
    return [Rate(name, tuple(c), tuple(u)) for (name, _), c, u in zip(runs, clock, cpu, strict=True)]


def more_time(rate: Rate, than: Rate, on_gpu: bool) -> Percent:
    """By CPU time, which other processes hardly disturb; on a GPU by the clock."""
    if on_gpu:
        pairs = [(other / own) for own, other in zip(rate.by_clock, than.by_clock, strict=True)]
    else:
        pairs = [(own / other) for own, other in zip(rate.cpu_seconds, than.cpu_seconds, strict=True)]
    percents = [100 * (ratio - 1) for ratio in pairs]
    return Percent(statistics.median(percents), min(percents), max(percents))


def as_json(rate: Rate, percent: Percent | None) -> dict[str, Any]:
    """A row of a report; `percent` is `None` for what the others are compared with."""
    result: dict[str, Any] = {
        "name": rate.name,
        "median": statistics.median(rate.by_clock),
        "slowest": min(rate.by_clock),
        "fastest": max(rate.by_clock),
        "rounds": len(rate.by_clock),
    }
    return result | ({} if percent is None else {"percent": asdict(percent)})
