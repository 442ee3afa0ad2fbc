"""What statistics of a rollout cost: the same rollouts with and without them, in turns.

    python benchmarks/telemetry_cost.py
    python benchmarks/telemetry_cost.py --backend triton --agents 1048576

Uses, causes of death, lengths and returns of episodes are counted in every tick; nothing is observed. Where memory lies
makes a process faster or slower than another, so several are run, and their medians are compared. Writes
benchmarks/results/telemetry_BACKEND.json.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from facts import ROOT, facts
from rounds import as_json, more_time, rates

import hamlet

RESULTS = Path(__file__).parent / "results"
WARM_UP = 300
TICKS = (64, 1000)


def measured(package: Path, backend: str, agents: int, ticks: list[int], rounds: int) -> dict[str, Any]:
    """What this process finds."""
    env = hamlet.make(
        hamlet.load(package),
        worlds=agents,
        backend=backend,
        seed=7,
        obs_dtype=None,
        validate=False,
        quiet=True,
        launch="step",
    )
    env.rollout(WARM_UP)
    rows = []
    for count in ticks:

        def run(counting: bool, count: int = count) -> None:
            env.rollout(count, statistics=counting)

        without, counting = rates(
            [("without statistics", lambda: run(False)), ("with statistics", lambda: run(True))],
            agents * count,
            rounds,
            env.synchronize,
        )
        percent = more_time(counting, without, backend == "triton")
        rows += [{"ticks": count} | as_json(without, None), {"ticks": count} | as_json(counting, percent)]
    found = facts("benchmarks/telemetry_cost.py", backend)
    return {"facts": found, "universe": env.universe.name, "agents": agents, "rows": rows}


def in_processes(processes: int, backend: str) -> dict[str, Any]:
    """What so many processes with the arguments of this one find: of each row the median of their medians, the slowest
    and fastest round of all; of percents the least and the most median of a process."""
    reports = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.json"
        for _ in range(processes):
            command = [sys.executable, *sys.argv, "--processes", "1", "--json", str(path)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            reports.append(json.loads(path.read_text(encoding="utf-8")))
    rows = []
    for same in zip(*(report["rows"] for report in reports), strict=True):
        row = same[0] | {
            "median": median(each["median"] for each in same),
            "slowest": min(each["slowest"] for each in same),
            "fastest": max(each["fastest"] for each in same),
            "processes": processes,
        }
        if "percent" in row:
            medians = [each["percent"]["median"] for each in same]
            row["percent"] = {"median": median(medians), "least": min(medians), "most": max(medians)}
        rows.append(row)
    return reports[0] | {"facts": facts("benchmarks/telemetry_cost.py", backend), "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, nargs="?", default=ROOT / "generated" / "town")
    parser.add_argument("--backend", choices=("numba", "triton"), default="numba")
    parser.add_argument("--agents", type=int, default=65536)
    parser.add_argument("--ticks", type=int, nargs="+", default=TICKS)
    parser.add_argument("--rounds", type=int, default=101, help="of a process")
    parser.add_argument("--processes", type=int, default=9)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.processes > 1:
        report = in_processes(given.processes, given.backend)
    else:
        report = measured(given.package, given.backend, given.agents, given.ticks, given.rounds)
    for row in report["rows"]:
        if (percent := row.get("percent")) is not None:
            spread = f"{percent['least']:.1f} to {percent['most']:.1f}"
            print(f"{row['ticks']} ticks: statistics take {percent['median']:.1f}% ({spread}) more time")
    path = given.json or RESULTS / f"telemetry_{given.backend}.json"
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
