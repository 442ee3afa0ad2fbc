"""What a trainer feels: `Env.step` on a CPU with f32 observations, from one lane to many.

    python benchmarks/step.py

Actions are random, drawn beforehand, and episodes of all ages are under way, as while somebody trains. Sizes take
turns, so that a busy moment of the machine hits all of them. Three limits are measured in the same turn, by as many
threads: the bytes that a step has to move are copied, as many as observations have are filled, and a step is taken that
observes nothing. Writes JSON and a table to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import torch
from facts import ROOT, facts

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module

SIZES = (1, 64, 4096, 65536)
DRAWN = 16
"""Actions of as many ticks are drawn."""
SAMPLE, MANY = 1 << 19, 1024
"""Lane-ticks of a sample: some milliseconds, so that what another size left in the caches is soon gone. A call counts
as one of so many lanes at least, since it takes almost as long with fewer."""
AGES = 1000
"""Ticks before the first that is measured."""
RESULTS = Path(__file__).parent / "results"


def timed(call: Callable[[], object], calls: int, clock: Callable[[], float]) -> float:
    """Microseconds of a call."""
    begin = clock()
    for _ in range(calls):
        call()
    return (clock() - begin) / calls * 1e6


def moved(env: Env) -> int:
    """Bytes that a step has to read and to write: the state both, outcomes, observations and masks once."""
    buffers = env._buffers
    written = [*buffers.outcome.values(), buffers.mask]
    if buffers.observation is not None:
        written.append(buffers.observation)
    return 2 * sum(each.nbytes for each in buffers.state.values()) + sum(each.nbytes for each in written)


def runs_of(module: Module, lanes: int) -> tuple[int, dict[str, Callable[[], object]]]:
    """The bytes that a step of so many lanes moves, and what is timed, by name."""
    env, blind = (
        hamlet.make(module, worlds=lanes, backend="c", seed=1, quiet=True, **dtype)
        for dtype in ({}, {"obs_dtype": None})
    )
    for each in (env, blind):
        each.rollout(AGES)
    drawn = cycle(torch.randint(env.num_actions, (DRAWN, lanes), dtype=torch.int32).unbind())
    # A copy reads and writes, so half of the bytes are copied.
    source = torch.ones(moved(env) // 8)
    target, filled = torch.empty_like(source), torch.empty_like(env.observation)
    return moved(env), {
        "step": lambda: env.step(next(drawn)),
        "copy": lambda: target.copy_(source),
        "fill": lambda: filled.fill_(1.0),
        "blind": lambda: blind.step(next(drawn)),
    }


def measure(package: Path, sizes: list[int], rounds: int) -> list[dict[str, Any]]:
    """Medians of rounds of each size, with the least and the most."""
    module = hamlet.load(package)
    runs = {lanes: runs_of(module, lanes) for lanes in sizes}
    found = {lanes: {name: list[float]() for name in timed_ones} for lanes, (_, timed_ones) in runs.items()}
    for turn in range(-3, rounds):
        for lanes, (_, timed_ones) in runs.items():
            calls = max(DRAWN, SAMPLE // max(lanes, MANY))
            for name, call in timed_ones.items():
                # A hot loop: what was timed before does not count, nor what it left in the last cache.
                timed(call, -(-calls // 2), time.perf_counter)
                taken = timed(call, calls, time.perf_counter)
                if turn >= 0:
                    found[lanes][name].append(taken)
    return [
        {"lanes": lanes, "bytes": runs[lanes][0]} | {name: _spread(times) for name, times in taken.items()}
        for lanes, taken in found.items()
    ]


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def table(report: dict[str, Any]) -> str:
    """The report for a reader."""
    lines = ["# Microseconds of `Env.step` on a CPU, f32 observations", ""]
    lines += [f"- {name}: {value}" for name, value in report["facts"].items()]
    lines += [f"- universe: {report['universe']}", "", "Medians of rounds, with the least and the most of them.", ""]
    lines += [
        "| lanes | step | M lane-ticks/s | the bytes it moves, copied | rate of copying | its observations, filled "
        "| without observations |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in report["rows"]:
        step, copy = row["step"]["median"], row["copy"]["median"]
        shown = {
            name: f"{row[name]['median']:,.1f} ({row[name]['least']:,.1f} to {row[name]['most']:,.1f})"
            for name in ("step", "copy", "fill", "blind")
        }
        rates = f"{row['lanes'] / step:,.1f} | {shown['copy']} | {copy / step:.0%}"
        lines.append(f"| {row['lanes']:,} | {shown['step']} | {rates} | {shown['fill']} | {shown['blind']} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, nargs="?", default=ROOT / "generated" / "town")
    parser.add_argument("--lanes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=51)
    parser.add_argument("--json", type=Path, default=RESULTS / "step.json")
    arguments = parser.parse_args()
    machine = facts("benchmarks/step.py", "c")
    rows = measure(arguments.package, arguments.lanes, arguments.rounds)
    report = {"universe": arguments.package.name, "facts": machine, "rows": rows}
    arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    arguments.json.with_suffix(".md").write_text(table(report), encoding="utf-8")
    print(table(report))


if __name__ == "__main__":
    main()
