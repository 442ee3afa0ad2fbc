"""What statistics of a rollout cost, and what telemetry of steps and rollouts costs: with and without, in turns.

    python benchmarks/telemetry_cost.py
    python benchmarks/telemetry_cost.py --backend triton --agents 1048576
    python benchmarks/telemetry_cost.py --telemetry --processes 3

Uses, causes of death, lengths and returns of episodes are counted in every tick; rollouts observe nothing. Where memory
lies makes a process faster or slower than another, so several are run, and their medians are compared. Writes
benchmarks/results/telemetry_BACKEND.json, or with `--telemetry` benchmarks/results/telemetry_steps_BACKEND.json: there
records of windows of 1,000 ticks go to a file (`Env.telemetry`), and steps write f32 observations.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch
from facts import ROOT, facts
from rounds import as_json, more_time, rates

import hamlet
from hamlet.telemetry import JsonLines

RESULTS = Path(__file__).parent / "results"
WARM_UP = 300
TICKS = (64, 1000)
LANES = (64, 4096, 65536)
EVERY = 1000
STEPS = 1 << 23
"""Lane-steps of a round, in 200 to 4,000 steps."""


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


def measured_telemetry(package: Path, backend: str, lanes: list[int], rounds: int) -> dict[str, Any]:
    """What telemetry costs steps of so many lanes, and a rollout of the most of them."""
    module, rows = hamlet.load(package), []
    for count in lanes:
        env, steps = _made(module, backend, count, "float32"), max(min(STEPS // count, 4000), 200)
        rows += _pair(f"steps of {count} lanes", env, rounds, steps, _steps(steps))
    env = _made(module, backend, max(lanes), None)
    for ticks in TICKS:
        rows += _pair(f"rollout({ticks}) of {max(lanes)} lanes", env, rounds, ticks, _rollout(ticks))
    found = facts("benchmarks/telemetry_cost.py", backend)
    return {"facts": found, "universe": module.universe.name, "every": EVERY, "rows": rows}


def _made(module: Any, backend: str, lanes: int, obs_dtype: str | None) -> Any:
    env = hamlet.make(module, worlds=lanes, backend=backend, seed=7, obs_dtype=obs_dtype, validate=False, quiet=True)
    env.rollout(WARM_UP)
    return env


def _steps(count: int) -> Callable[[Any], None]:
    def run(env: Any) -> None:
        actions = torch.zeros(env.num_lanes, dtype=torch.int32, device=env.device)
        for _ in range(count):
            env.step(actions)

    return run


def _rollout(ticks: int) -> Callable[[Any], None]:
    return lambda env: env.rollout(ticks)


def _pair(name: str, env: Any, rounds: int, ticks: int, run: Callable[[Any], None]) -> list[dict[str, Any]]:
    """The same runs of one environment, by turns with telemetry that it has, or has put aside."""
    with tempfile.TemporaryDirectory() as folder, env.telemetry(EVERY, JsonLines(Path(folder) / "run.jsonl")) as own:

        def by_turns(telemetry: Any) -> Callable[[], None]:
            def once() -> None:
                env._now.telemetry = telemetry
                run(env)

            return once

        without, having = rates(
            [(name, by_turns(None)), (f"{name}, telemetry", by_turns(own))],
            env.num_lanes * ticks,
            rounds,
            env.synchronize,
        )
    percent = more_time(having, without, env.device.type == "cuda")
    return [{"ticks": ticks} | as_json(without, None), {"ticks": ticks} | as_json(having, percent)]


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
    parser.add_argument("--backend", choices=("c", "triton"), default="c")
    parser.add_argument("--agents", type=int, default=65536)
    parser.add_argument("--ticks", type=int, nargs="+", default=TICKS)
    parser.add_argument("--rounds", type=int, default=101, help="of a process")
    parser.add_argument("--processes", type=int, default=9)
    parser.add_argument("--telemetry", action="store_true", help="measure Env.telemetry of steps and rollouts")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    name = f"telemetry_steps_{given.backend}" if given.telemetry else f"telemetry_{given.backend}"
    if given.processes > 1:
        report = in_processes(given.processes, given.backend)
    elif given.telemetry:
        report = measured_telemetry(given.package, given.backend, list(LANES), given.rounds)
    else:
        report = measured(given.package, given.backend, given.agents, given.ticks, given.rounds)
    for row in report["rows"]:
        if (percent := row.get("percent")) is not None:
            spread = f"{percent['least']:.1f} to {percent['most']:.1f}"
            what = row["name"] if given.telemetry else f"{row['ticks']} ticks: statistics"
            print(f"{what}: {percent['median']:.1f}% ({spread}) more time")
    path = given.json or RESULTS / f"{name}.json"
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
