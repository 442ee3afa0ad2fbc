"""What is code generation worth? The same ticks of the town, executed in many ways, each checked before it is timed:

    python benchmarks/strategies/run.py
    python benchmarks/strategies/run.py --device cuda --lanes 1048576

Every strategy gets the same state, in which episodes of all ages are under way, and the same actions, recorded from the
random policy; worlds start anew as their agents die; outcomes are counted. Nothing observes. A sample is as many runs
as fill a fifth of a second; strategies take turns. Writes benchmarks/results/strategies.{json,md,png}, or --json PATH
and its neighbours.

Exit code 1: a strategy that should be exact is not. Only torch.compile may differ; the table says by how much.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import torch
from backends import Shipped
from contract import NotAvailableError, Strategy
from exactness import Verdict, as_json, judge
from registry import Entry, entries
from report import ROOT, Row, facts, plot, stderr, table
from timing import PAUSE, measure, near_the_end, random_actions, warm_start
from torch_compile import CompiledInterpreter, TorchCompile

import hamlet
from hamlet.package.module import Module

CHECKED_LANES, CHECKED_TICKS = 512, 128
SAMPLES = 7
LONG_TICKS = 1000


def available(
    module: Module, device: torch.device, wanted: list[Entry], arguments: argparse.Namespace
) -> list[tuple[Entry, Strategy | str, Verdict | None]]:
    """Every strategy, checked, or the reason why there is none."""
    start = near_the_end(module, warm_start(module, device, arguments.checked_lanes))
    actions = random_actions(module, start, arguments.checked_ticks)
    reference = Shipped(module, device, "interpreter", 1)
    found: list[tuple[Entry, Strategy | str, Verdict | None]] = []
    for entry in wanted:
        if entry.letter in arguments.skip:
            found.append((entry, "skipped", None))
            continue
        try:
            strategy = entry.make()
            verdict = judge(module.universe, reference, strategy, start, actions)
        except NotAvailableError as error:
            stderr(f"({entry.letter}) {entry.title}: not available: {error}")
            found.append((entry, str(error), None))
            continue
        stderr(f"({entry.letter}) {entry.title}: equal: {verdict}")
        found.append((entry, strategy, verdict))
    return found


def ablation(module: Module, device: torch.device, arguments: argparse.Namespace) -> Row:
    """Check and time everything."""
    load = os.getloadavg()[0]
    wanted = entries(module, device, arguments.lanes, arguments.ticks, arguments.long_ticks)
    checked = available(module, device, wanted, arguments)
    timed = [(entry, strategy) for entry, strategy, _ in checked if not isinstance(strategy, str)]
    start = warm_start(module, device, arguments.lanes)
    actions = random_actions(module, start, max(entry.ticks for entry in wanted))
    measured = measure(timed, start, actions, arguments.samples, arguments.pause)
    rates = {entry.letter: found for (entry, _), found in zip(timed, measured, strict=True)}
    rows: list[Row] = []
    for entry, strategy, verdict in checked:
        row: Row = {"letter": entry.letter, "title": entry.title, "lanes": entry.lanes, "ticks": entry.ticks}
        if isinstance(strategy, str) or verdict is None:
            rows.append(row | {"reason": strategy})
            continue
        found = rates[entry.letter]
        rows.append(
            row
            | {
                "median": found.median,
                "slowest": found.slowest,
                "fastest": found.fastest,
                "by_cpu_time": found.median_by_cpu_time,
                "samples": found.samples,
                "ratio": found.median / rates["b"].median,
                "may_differ": isinstance(strategy, CompiledInterpreter | TorchCompile),
                "verdict": as_json(verdict),
            }
        )
    return {
        "universe": module.name,
        "device": device.type,
        "lanes": arguments.lanes,
        "samples": arguments.samples,
        "checked_lanes": arguments.checked_lanes,
        "checked_ticks": arguments.checked_ticks,
        "machine": facts(device, sys.argv[1:]),
        "load": [load, os.getloadavg()[0]],
        "strategies": rows,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lanes", type=int, default=65536)
    parser.add_argument("--ticks", type=int, default=64)
    parser.add_argument("--long-ticks", type=int, default=LONG_TICKS, help="ticks of the longest launch")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--checked-lanes", type=int, default=CHECKED_LANES)
    parser.add_argument("--checked-ticks", type=int, default=CHECKED_TICKS)
    parser.add_argument("--pause", type=float, default=PAUSE, help="seconds before each sample")
    parser.add_argument("--skip", nargs="*", default=[], metavar="LETTER", help="strategies to leave out")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "strategies.json")
    arguments = parser.parse_args()
    if "b" in arguments.skip:
        parser.error("b is what the others are compared with")
    if arguments.device == "cuda" and not torch.cuda.is_available():
        parser.error("there is no GPU here")
    report = ablation(hamlet.load(ROOT / "generated" / "town"), torch.device(arguments.device), arguments)
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    text = table(report)
    arguments.json.with_suffix(".md").write_text(text, encoding="utf-8")
    plot(report, arguments.json.with_suffix(".png"))
    print(text)
    wrong = [row for row in report["strategies"] if "verdict" in row and not row["verdict"]["equal"]]
    return 1 if any(not row["may_differ"] for row in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
