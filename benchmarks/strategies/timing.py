"""Taking times: the strategies take turns, so that a busy moment of the machine hits all of them."""

from __future__ import annotations

import os
import statistics
import time
from dataclasses import dataclass
from math import ceil

import torch
from contract import Start, Strategy
from registry import Entry
from torch import Tensor
from town import town_config

import hamlet
from hamlet.numbers.random import multiply_high, policy_words
from hamlet.package.module import Module
from hamlet.schema import action_names

# What is measured is what goes on, not what runs while a compiler makes it.
os.environ["HAMLET_DRAFTS"] = "0"

SEED = 7
WARM_UP_TICKS = 300
"""So many ticks precede, so that episodes of all ages are under way and end all the time."""
LEAST = 0.2
"""Seconds of a sample: after a pause a processor is slow, and its caches hold something else."""
PAUSE = 0.3
"""Seconds: torch's threads spin for a while after its last operation, and would take time from the next strategy."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Agent-ticks per second of the samples of one strategy, by the clock and by the CPU time of all its threads."""

    samples: list[float]
    by_cpu_time: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def median_by_cpu_time(self) -> float:
        return statistics.median(self.by_cpu_time)

    @property
    def slowest(self) -> float:
        return min(self.samples)

    @property
    def fastest(self) -> float:
        return max(self.samples)


def warm_start(module: Module, device: torch.device, lanes: int) -> Start:
    """The state after some ticks of the random policy."""
    backend = "triton" if device.type == "cuda" else "c"
    env = hamlet.make(
        module,
        worlds=lanes,
        device=device,
        backend=backend,
        seed=SEED,
        obs_dtype=None,
        quiet=True,
        launch="step",
    )
    env.rollout(WARM_UP_TICKS, statistics=False)
    return Start({name: value.clone() for name, value in env.state.items()}, SEED, env.tick)


def near_the_end(module: Module, start: Start) -> Start:
    """The same, but with lanes near every end: random agents hardly ever reach the lifespan, and die of one cause."""
    config = town_config(module.universe)
    rows = {meter["name"]: row for row, meter in enumerate(config["meters"])}
    state = {name: value.clone() for name, value in start.state.items()}
    state["age"][::8] = config["lifespan"] - 40
    state["meters"][:, ::8] = 1.0
    for number, cause in enumerate(config["causes"], start=1):
        state["meters"][:, number::8] = 1.0
        state["meters"][rows[cause["meter"]], number::8] = cause["at_most"] + 0.02
    return Start(state, start.seed, start.tick)


def random_actions(module: Module, start: Start, ticks: int) -> Tensor:
    """What the random policy does in the next ticks: i32 [ticks, lanes]."""
    count = len(action_names(module.universe))
    device = start.state["age"].device
    lanes = torch.arange(start.lanes, device=device)
    actions = torch.empty((ticks, start.lanes), dtype=torch.int32, device=device)
    for index in range(ticks):
        tick = start.tick + index
        if index == 0 or tick % 4 == 0:
            words = policy_words(lanes, tick, start.halves)
        actions[index] = multiply_high(words[tick % 4], count)
    return actions


def measure(
    strategies: list[tuple[Entry, Strategy]], start: Start, actions: Tensor, samples: int, pause: float
) -> list[Rates]:
    """The rates of all strategies; a first round is not counted, it says how often a strategy runs for a sample."""
    rates: list[Rates] = [Rates([], []) for _ in strategies]
    runs = [1] * len(strategies)
    for sample in range(samples + 1):
        for index, ((entry, strategy), found) in enumerate(zip(strategies, rates, strict=True)):
            part = Start(
                {name: value[..., : entry.lanes] for name, value in start.state.items()}, start.seed, start.tick
            )
            given = actions[: entry.ticks, : entry.lanes].contiguous()
            strategy.prepare(part)
            synchronize(actions.device)
            time.sleep(pause)
            started, used = time.perf_counter(), time.process_time()
            for _ in range(runs[index]):
                strategy.run(given)
            synchronize(actions.device)
            seconds, busy = time.perf_counter() - started, time.process_time() - used
            if sample == 0:
                runs[index] = ceil(LEAST / seconds)
                continue
            agent_ticks = entry.lanes * entry.ticks * runs[index]
            found.samples.append(agent_ticks / seconds)
            found.by_cpu_time.append(agent_ticks / max(busy, 1e-9))
    return rates


def synchronize(device: torch.device) -> None:
    """Wait for the device."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
