"""What a trainer feels: `Env.step` on a CPU with f32 observations, from one lane to many.

    python benchmarks/step.py

Sizes take turns, so that a busy moment of the machine hits all of them. Where observations are the most of what a step
moves, the bytes that it has to move are copied in the same turn, by as many threads. Writes JSON and a table to
benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from facts import ROOT, facts

import hamlet
from hamlet.env.environment import Env

SIZES = (1, 64, 4096, 65536)
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


def measure(package: Path, sizes: list[int], rounds: int) -> list[dict[str, Any]]:
    """Medians of rounds of each size, with the least and the most."""
    module, runs = hamlet.load(package), []
    for lanes in sizes:
        env = hamlet.make(module, worlds=lanes, backend="numba", seed=1, quiet=True)
        actions = torch.randint(env.num_actions, (lanes,), dtype=torch.int32)
        # A copy reads and writes, so half of the bytes are copied.
        source = torch.ones(moved(env) // 8)
        target = torch.empty_like(source)
        step = [env.step, actions]
        runs.append((lanes, env, step, source, target))
    found: dict[int, dict[str, list[float]]] = {lanes: {"step": [], "copy": []} for lanes in sizes}
    for turn in range(-3, rounds):
        for lanes, _, (step, actions), source, target in runs:
            calls = max(2, 8192 // max(lanes, 64))
            # A hot loop: what the other sizes left in caches does not count.
            timed(lambda step=step, actions=actions: step(actions), -(-calls // 8), time.perf_counter)
            taken = timed(lambda step=step, actions=actions: step(actions), calls, time.perf_counter)
            copied = timed(lambda source=source, target=target: target.copy_(source), calls, time.perf_counter)
            if turn >= 0:
                found[lanes]["step"].append(taken)
                found[lanes]["copy"].append(copied)
    return [
        {"lanes": lanes, "bytes": moved(env)} | {name: _spread(times) for name, times in found[lanes].items()}
        for lanes, env, *_ in runs
    ]


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def table(report: dict[str, Any]) -> str:
    """The report for a reader."""
    lines = ["# Microseconds of `Env.step` on a CPU, f32 observations", ""]
    lines += [f"- {name}: {value}" for name, value in report["facts"].items()]
    lines += [f"- universe: {report['universe']}", "", "Medians of rounds, with the least and the most of them.", ""]
    lines += [
        "| lanes | step | M lane-ticks/s | the bytes it moves, copied | rate of copying |",
        "|--:|--:|--:|--:|--:|",
    ]
    for row in report["rows"]:
        step, copy = row["step"], row["copy"]
        cells = (f"{each['median']:,.1f} ({each['least']:,.1f} to {each['most']:,.1f})" for each in (step, copy))
        one, other = cells
        share = copy["median"] / step["median"]
        lines.append(f"| {row['lanes']:,} | {one} | {row['lanes'] / step['median']:,.1f} | {other} | {share:.0%} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, nargs="?", default=ROOT / "generated" / "town")
    parser.add_argument("--lanes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=51)
    parser.add_argument("--json", type=Path, default=RESULTS / "step.json")
    arguments = parser.parse_args()
    machine = facts("benchmarks/step.py", "numba")
    rows = measure(arguments.package, arguments.lanes, arguments.rounds)
    report = {"universe": arguments.package.name, "facts": machine, "rows": rows}
    arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    arguments.json.with_suffix(".md").write_text(table(report), encoding="utf-8")
    print(table(report))


if __name__ == "__main__":
    main()
