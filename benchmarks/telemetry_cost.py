"""What statistics of a rollout cost: the same rollouts with and without them, in turns.

    python benchmarks/telemetry_cost.py
    python benchmarks/telemetry_cost.py --backend triton --agents 1048576

Uses, causes of death, lengths and returns of episodes are counted in every tick; nothing is observed. Writes
benchmarks/results/telemetry_BACKEND.json.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from facts import ROOT, facts
from rounds import as_json, more_time, rates

import hamlet

RESULTS = Path(__file__).parent / "results"
WARM_UP = 300
TICKS = (64, 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, nargs="?", default=ROOT / "generated" / "town")
    parser.add_argument("--backend", choices=("numba", "triton"), default="numba")
    parser.add_argument("--agents", type=int, default=65536)
    parser.add_argument("--ticks", type=int, nargs="+", default=TICKS)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    env = hamlet.load(arguments.package).make(
        arguments.agents, 1, None, arguments.backend, 7, None, validate=False, quiet=True, launch="step"
    )
    env.rollout(WARM_UP)
    rows = []
    for ticks in arguments.ticks:

        def run(count: bool, ticks: int = ticks) -> None:
            env.rollout(ticks, statistics=count)

        without, counting = rates(
            [("without statistics", lambda: run(False)), ("with statistics", lambda: run(True))],
            arguments.agents * ticks,
            arguments.rounds,
            env.synchronize,
        )
        percent = more_time(counting, without, arguments.backend == "triton")
        rows += [{"ticks": ticks} | as_json(without, None), {"ticks": ticks} | as_json(counting, percent)]
        spread = f"{percent.least:.1f} to {percent.most:.1f}"
        print(f"{ticks} ticks: statistics take {percent.median:.1f}% ({spread}) more time")
    report = {
        "facts": facts("benchmarks/telemetry_cost.py", arguments.backend),
        "universe": env.universe.name,
        "agents": arguments.agents,
        "rows": rows,
    }
    path = arguments.json or RESULTS / f"telemetry_{arguments.backend}.json"
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
