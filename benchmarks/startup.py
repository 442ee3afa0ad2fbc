"""Whole-process times of the command line, from `exec` to exit:

    python benchmarks/startup.py

`hamletc check` and `hamletc compile` of the town are run many times each in new processes, in turns, after one run that
fills Python's bytecode caches. `compile` writes into an empty folder every time. Prints medians and spread, and writes
JSON to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results"


def commands(universe: Path, folder: Path) -> dict[str, list[str]]:
    """What is timed, by name. `python -c pass` is the share of the interpreter itself."""
    hamletc = str(Path(sys.executable).with_name("hamletc"))
    return {
        "python": [sys.executable, "-c", "pass"],
        "hamletc check": [hamletc, "check", str(universe)],
        "hamletc compile": [hamletc, "compile", str(universe), "-o", str(folder)],
    }


def seconds(command: list[str]) -> float:
    """Wall-clock time of one process.

    Raises:
        CalledProcessError: it failed.
    """
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def measure(universe: Path, runs: int) -> dict[str, list[float]]:
    """Times by command; the commands take turns, so that a busy moment of the machine hits all of them."""
    times: dict[str, list[float]] = {}
    for run in range(runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            for name, command in commands(universe, Path(folder) / universe.stem).items():
                took = seconds(command)
                if run > 0:
                    times.setdefault(name, []).append(took)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universe", type=Path, nargs="?", default=ROOT / "universes" / "town.hamlet")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=Path, default=RESULTS / "startup.json")
    arguments = parser.parse_args()

    times = measure(arguments.universe, arguments.runs)
    rows = {
        name: {"median_s": statistics.median(took), "fastest_s": min(took), "slowest_s": max(took), "runs": len(took)}
        for name, took in times.items()
    }
    print(f"{'':16} {'median':>8} {'fastest':>8} {'slowest':>8}")
    for name, row in rows.items():
        print(f"{name:16} {row['median_s']:7.3f}s {row['fastest_s']:7.3f}s {row['slowest_s']:7.3f}s")
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    machine = {
        "commit": commit or None,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
    }
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(
        json.dumps({"universe": arguments.universe.name, **machine, "times": rows}, indent=2) + "\n"
    )


if __name__ == "__main__":
    main()
