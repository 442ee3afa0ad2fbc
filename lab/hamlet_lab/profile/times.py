"""The time of a tick by its parts: the same kernel with and without a part, in turns, and the difference."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal, TypeAlias

import hamlet
from hamlet.env.environment import Env
from hamlet.native.drafts import without_drafts
from hamlet.package.module import Module

Clock: TypeAlias = Literal["CPU time of all threads", "time by the clock"]

WARM_UP = 128
"""Ticks before the first sample, so that episodes of all ages are under way."""
SEED = 7
WHOLE, STATISTICS, MASK, OBSERVE, REST = "whole tick", "statistics", "mask", "observe", "rest"


@dataclass(frozen=True, slots=True)
class Variant:
    """The universe compiled without a part, and what the part is called."""

    part: str
    module: Module


@dataclass(frozen=True, slots=True)
class PartCost:
    """Nanoseconds per agent-tick that a part costs: the median of the rounds, least and most. A part that costs less
    than the spread of the clock can come out negative."""

    name: str
    median: float
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Times:
    """The parts, after them `rest` (what no part explains), and the whole tick with statistics and observations."""

    clock: Clock
    rounds: int
    parts: tuple[PartCost, ...]
    whole: PartCost


@without_drafts()
def measure(
    module: Module,
    variants: Sequence[Variant],
    phases: int,
    backend: str,
    device: str | None,
    worlds: int,
    agents: int,
    ticks: int,
    rounds: int,
    progress: Callable[[str], None],
) -> Times:
    """Time rollouts of the random policy.

    Args:
        module: the whole universe.
        variants: without a part each.
        phases: so many variants, the first ones, add up; the others are parts of those.
        backend, device, worlds, agents: as `hamlet.make` takes them; no `auto`.
        ticks: of a rollout.
        rounds: every round runs everything once; a first one is not counted.
        progress: is told what is being compiled.
    """

    def run(name: str, module: Module, observed: str | None, every_tick: bool, count: bool) -> _Timing:
        progress(name)
        env = hamlet.make(
            module,
            worlds=worlds,
            agents=agents,
            device=device,
            backend=backend,
            seed=SEED,
            obs_dtype=observed,
            validate=False,
            quiet=True,
            launch="step",
        )
        return _Timing(env, ticks, every_tick, count)

    base = run("the universe", module, None, False, False)
    counting = run(STATISTICS, module, None, False, True)
    masking = run(MASK, module, None, True, False)
    observing = run(OBSERVE, module, "float32", True, False)
    without = [run(f"without {variant.part}", variant.module, None, False, False) for variant in variants]
    runs = [base, counting, masking, observing, *without]
    for _ in range(rounds + 1):
        for each in runs:
            each.sample()
    rest = [b - sum(b - w for w in others) for b, *others in _rows(base, *without[:phases])]
    whole = [o + c - b for b, c, o in _rows(base, counting, observing)]
    parts = (
        *(
            _part(variant.part, [b - w for b, w in _rows(base, other)])
            for variant, other in zip(variants, without, strict=True)
        ),
        _part(STATISTICS, [c - b for b, c in _rows(base, counting)]),
        _part(OBSERVE, [o - m for m, o in _rows(masking, observing)]),
        _part(MASK, [m - b for b, m in _rows(base, masking)]),
        _part(REST, rest),
    )
    return Times(base.clock, rounds, parts, _part(WHOLE, whole))


class _Timing:
    """An environment that goes on for some ticks at a time, and the nanoseconds per agent-tick that it took."""

    def __init__(self, env: Env, ticks: int, every_tick: bool, count: bool) -> None:
        self._env = env
        self._ticks = ticks
        self._every_tick = every_tick
        self._count = count
        self.clock: Clock = "time by the clock" if env.device.type == "cuda" else "CPU time of all threads"
        self.samples: list[float] = []
        env.rollout(WARM_UP, statistics=False)
        env.synchronize()

    def sample(self) -> None:
        now = time.perf_counter if self.clock == "time by the clock" else time.process_time
        begin = now()
        self._env.rollout(self._ticks, observe=self._every_tick, statistics=self._count)
        self._env.synchronize()
        self.samples.append(1e9 * (now() - begin) / (self._env.num_lanes * self._ticks))


def _rows(*runs: _Timing) -> list[tuple[float, ...]]:
    """The samples of some runs, round by round, without the first."""
    return list(zip(*(run.samples[1:] for run in runs), strict=True))


def _part(name: str, samples: list[float]) -> PartCost:
    return PartCost(name, median(samples), min(samples), max(samples))
