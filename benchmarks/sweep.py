"""What a sweep of a million variants and a design of three wishes take, on kernels in C:

    python benchmarks/sweep.py
    python benchmarks/sweep.py --side 100 --rounds 3 --json /tmp/sweep.json

The universe is that of docs/sweep.md: four meters. A sweep is of `--side` times `--side` variants, a world each, with
all columns of the table, without writing it. Kernels are compiled before. A design is a whole process, which compiles
them too unless they are kept. Counts of lanes are what sweeps are made of: rollouts with and without them take turns.
Writes benchmarks/results/sweep.json.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from facts import ROOT, facts
from rounds import as_json, more_time, rates

import hamlet
from hamlet.package.module import Module
from hamlet_lab.cli.sweep import swept
from hamlet_lab.sweep.grid import grid
from hamlet_lab.sweep.run import Trial

RESULTS = Path(__file__).parent / "results"
TICKS = 1000
LANES = 65536
WISHES = ("median life 100 .. 120", "no affordance above 30 % of uses", "end by `mood <= 0` below 5 %")


def universe(folder: Path) -> Path:
    """The universe of the page, as a file."""
    page = (ROOT / "docs" / "sweep.md").read_text(encoding="utf-8")
    found = re.search(r"^```hamlet\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert found is not None
    path = folder / "wages.hamlet"
    path.write_text(found[1], encoding="utf-8")
    return path


def spread(values: list[float]) -> dict[str, float]:
    return {"median": median(values), "least": min(values), "most": max(values)}


def timed_sweeps(module: Module, side: int, rounds: int) -> dict[str, Any]:
    """Seconds by the clock, and CPU seconds of all threads divided by the CPUs there are."""
    cpus = len(os.sched_getaffinity(0))
    trial = Trial(module, ticks=TICKS, backend="c")
    swept(trial, grid(["difficulty=0.5:2:10", "wage=0:0.5:10"], module.universe))
    wanted = grid([f"difficulty=0.5:2:{side}", f"wage=0:0.5:{side}"], module.universe)
    clock, cpu, episodes = [], [], 0
    for _ in range(rounds):
        begin, used = time.perf_counter(), time.process_time()
        table = swept(trial, wanted)
        clock.append(time.perf_counter() - begin)
        cpu.append((time.process_time() - used) / cpus)
        episodes = int(table["episodes"].sum())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {
        "variants": wanted.variants,
        "ticks": TICKS,
        "episodes": episodes,
        "seconds": spread(clock),
        "CPU seconds per CPU": spread(cpu),
        "MiB at most": memory,
        "rounds": rounds,
    }


def timed_designs(source: Path, rounds: int) -> dict[str, Any]:
    """Seconds of processes."""
    wishes = [word for wish in WISHES for word in ("--want", wish)]
    ranges = ["--param", "wage=0:0.5", "--param", "difficulty=0.5:2"]
    program = "from hamletc.cli.main import main; main()"
    command = [sys.executable, "-c", program, "design", str(source), *ranges, *wishes, "--backend", "c"]
    clock = []
    for _ in range(rounds):
        begin = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=source.parent)
        clock.append(time.perf_counter() - begin)
        assert "all wishes hold" in done.stdout
    return {"wishes": list(WISHES), "seconds of a process": spread(clock), "rounds": rounds}


def counts_of_lanes(module: Module, rounds: int) -> list[dict[str, Any]]:
    """What counting by lane takes, beside what a rollout counts anyway."""
    env = hamlet.make(module, worlds=LANES, backend="c", seed=7, obs_dtype=None, validate=False, quiet=True)
    env.rollout(300)
    runs = [
        ("all lanes together", lambda: void(env.rollout(TICKS))),
        ("each lane too", lambda: void(env.rollout(TICKS, per_lane=32))),
    ]
    together, each = rates(runs, LANES * TICKS, rounds, env.synchronize)
    return [as_json(together, None), as_json(each, more_time(each, together, False))]


def void(_: object) -> None:
    """Nothing."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=1000, help="variants are this number squared")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, default=RESULTS / "sweep.json")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = universe(Path(folder))
        module = hamlet.compile(source, Path(folder) / "wages")
        report = {
            "facts": facts("benchmarks/sweep.py", "c"),
            "sweep": timed_sweeps(module, given.side, given.rounds),
            "design": timed_designs(source, given.rounds),
            "counts of lanes": counts_of_lanes(module, 2 * given.rounds + 1),
        }
    given.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
