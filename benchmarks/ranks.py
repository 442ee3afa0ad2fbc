"""Two ranks of torchrun beside one: the same worlds of a universe, environment only.

    python benchmarks/ranks.py

One process on one core runs all worlds; then two ranks, each on a core of its own, run half of them each. Both take
steps that observe, or rollouts. Every rank gathers what it counted at the end, and the sums are compared. A round has
each setting once. A run takes as long as its slowest rank; where other programs take part of the machine that is told
by CPU seconds, of which the ratio is taken too. Writes benchmarks/results/ranks.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch
from facts import ROOT, facts

import hamlet
from hamlet import distributed

RESULTS = Path(__file__).parent / "results"
WORLDS = 65536
STEPS = 150
TICKS = 2000


def rank(package: str, worlds: int, output: Path) -> None:
    """A rank, pinned to a core; rank 0 writes seconds, and what was counted."""
    here = distributed.begin()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[here.number % len(cores)]})
    torch.set_num_threads(1)
    os.environ["HAMLET_THREADS"] = "1"
    env = hamlet.make(hamlet.load(package), worlds=worlds, shard="torchrun", backend="c", seed=1, quiet=True)
    actions = torch.zeros(env.num_lanes, dtype=torch.int32)
    found: dict[str, Any] = {}
    for name, ticks, run in (
        ("step", STEPS, lambda: [env.step(actions) for _ in range(STEPS)]),
        ("rollout", TICKS, lambda: env.rollout(TICKS)),
    ):
        env.step(actions)
        env.rollout(2)
        found[name] = _timed(run) | {"ticks": ticks}
    found["episodes"] = env.rollout(200).gathered().episodes()
    if here.number == 0:
        output.write_text(json.dumps(found), encoding="utf-8")


def _timed(run: Callable[[], object]) -> dict[str, float]:
    """The seconds of the slowest rank: by the clock, from a common beginning, and of CPU."""
    distributed.gather(torch.zeros(1))
    begin, busy = time.perf_counter(), time.process_time()
    run()
    taken = torch.tensor([[time.perf_counter() - begin], [time.process_time() - busy]], dtype=torch.float64)
    clock, cpu = distributed.gather(taken).max(dim=1).values.tolist()
    return {"clock": clock, "cpu": cpu}


def _started(ranks: int, package: str, worlds: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "found.json"
        torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
        command = [*torchrun, __file__, package, "--worlds", str(worlds), "--rank-output", str(output)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
        return found


def measured(package: str, worlds: int, rounds: int) -> list[dict[str, Any]]:
    """Rows of the report, from rounds of one rank and two by turns."""
    runs: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
    for number in range(rounds):
        for ranks in (1, 2) if number % 2 == 0 else (2, 1):
            runs[ranks].append(_started(ranks, package, worlds))
    counted = {run["episodes"] for several in runs.values() for run in several}
    if len(counted) > 1:
        raise SystemExit(f"ranks counted different episodes: {sorted(counted)}")
    rows = []
    for kind in ("step", "rollout"):
        for by in ("clock", "cpu"):
            ratios = [one[kind][by] / two[kind][by] for one, two in zip(runs[1], runs[2], strict=True)]
            ticks = runs[1][0][kind]["ticks"]
            rows.append(
                {
                    "what": kind,
                    "by": by,
                    "one rank": worlds * ticks / median(one[kind][by] for one in runs[1]),
                    "two ranks": worlds * ticks / median(two[kind][by] for two in runs[2]),
                    "times": {"median": median(ratios), "least": min(ratios), "most": max(ratios)},
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", default=str(ROOT / "generated" / "town"))
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, default=RESULTS / "ranks.json")
    parser.add_argument("--rank-output", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.rank_output is not None:
        rank(given.package, given.worlds, given.rank_output)
        return
    rows = measured(given.package, given.worlds, given.rounds)
    for row in rows:
        times = row["times"]
        print(
            f"{row['what']}, by {row['by']}: {row['one rank'] / 1e6:.0f} M/s with one rank, "
            f"{row['two ranks'] / 1e6:.0f} M/s with two, {times['median']:.2f} times "
            f"({times['least']:.2f} to {times['most']:.2f})"
        )
    report = {"facts": facts("benchmarks/ranks.py", "c"), "worlds": given.worlds, "rows": rows}
    given.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
