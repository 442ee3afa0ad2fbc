"""Our kernels beside other ways to run the same town, in turns in one process:

    pip install -r benchmarks/peers/requirements.txt   # as much of it as you like
    python benchmarks/peers/run.py [--lanes 65536] [--ticks 64 1000] [--rounds 7] [--statistics]

Every peer that has the town is first checked against the interpreter. Then all take turns: a busy moment of the machine
hits all of them, and ratios are taken within a round. Writes JSON and a table to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from importlib import metadata
from math import ceil
from pathlib import Path
from typing import Any, TypeAlias

import native
from variants import OURS, Plan, Variant, everything

import hamlet

ROOT = Path(__file__).resolve().parents[2]
Row: TypeAlias = dict[str, Any]

LEAST = 0.1
"""Seconds of a sample."""


def sampled(variant: Variant, runs: int) -> tuple[float, float]:
    """Seconds of so many runs, by the clock and of all threads."""
    seconds = used = 0.0
    for _ in range(runs):
        given = variant.prepare()
        started, busy = time.perf_counter(), time.process_time()
        variant.run(given)
        seconds, used = seconds + time.perf_counter() - started, used + time.process_time() - busy
        variant.after(given)
    return seconds, used


def measure(variants: list[Variant], rounds: int) -> list[Row]:
    """Rates, and ours over theirs in the same round; a first round, not counted, says how many runs a sample is."""
    rates: list[list[float]] = [[] for _ in variants]
    busy: list[list[float]] = [[] for _ in variants]
    runs = [1] * len(variants)
    for turn in range(rounds + 1):
        for index, variant in enumerate(variants):
            seconds, used = sampled(variant, runs[index])
            if turn == 0:
                runs[index] = ceil(LEAST / seconds)
                continue
            agent_ticks = variant.lanes * variant.ticks * runs[index]
            rates[index].append(agent_ticks / seconds)
            busy[index].append(agent_ticks / used)
    ours = {(v.ticks, v.observing): rate for v, rate in zip(variants, rates, strict=True) if v.name == OURS}
    rows = []
    for variant, rate, per_cpu in zip(variants, rates, busy, strict=True):
        ratios = [us / them for us, them in zip(ours[variant.ticks, variant.observing], rate, strict=True)]
        rows.append(
            {
                "what": variant.name,
                "lanes": variant.lanes,
                "ticks": variant.ticks,
                "observations": variant.observing,
                "agent_ticks_per_s": {"median": statistics.median(rate), "slowest": min(rate), "fastest": max(rate)},
                "agent_ticks_per_cpu_s": statistics.median(per_cpu),
                "ours_over_it": {"median": statistics.median(ratios), "least": min(ratios), "most": max(ratios)},
                "checked": variant.checked,
                "leaves_out": variant.leaves_out,
            }
        )
    return rows


def facts(threads: int) -> Row:
    """Machine, versions, commit, command."""

    def git(*command: str) -> str:
        return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    def version(package: str) -> str:
        try:
            return f"{package} {metadata.version(package)}"
        except metadata.PackageNotFoundError:
            return f"{package} not installed"

    cpuinfo = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":")[1].strip() for line in cpuinfo if "model name" in line), platform.processor())
    packages = ("numpy", "torch", "jax", "jaxlib", "gymnax", "navix", "xminigrid")
    compilers = [f"{compiler.name}: {compiler.version}" for compiler in native.compilers()]
    return {
        "cpu": f"{model}, {len(os.sched_getaffinity(0))} CPUs, {threads} threads",
        "versions": ", ".join([f"python {platform.python_version()}", *map(version, packages)]),
        "compilers": "; ".join(compilers) or "none",
        "flags": " ".join(native.FLAGS),
        "commit": git("rev-parse", "HEAD") + (" with changes" if git("status", "--porcelain") else ""),
        "command": shlex.join(["python", "benchmarks/peers/run.py", *sys.argv[1:]]),
    }


def table(report: Row) -> str:
    """The report for a reader."""
    lines = ["# Peers: the town under a random policy", ""]
    lines += [f"- {name}: {value}" for name, value in report["machine"].items()]
    before, after = report["load"]
    lines.append(
        f"- load: {before:.1f} processes wanted a CPU in the minute before; {after:.1f} at the end, with this one"
    )
    if before > 1 or after > 3:
        lines.append("- the machine was busy with other work: rates by the clock are too low")
    lines += [f"- rounds: {report['rounds']}, after one that is not counted"]
    if report["statistics"]:
        lines.append("- statistics: counted by ours and by plain and AVX-512 C, by no other")
    lines += [f"- not available: {text}" for text in report["missing"]]
    lines += ["", "Millions of agent-ticks per second. *ours / it*: median (least to most) of the ratios within a"]
    lines += ["round; above 1 ours is faster. Rates by CPU time suffer less from what else the machine does.", ""]
    groups: dict[tuple[int, bool], list[Row]] = defaultdict(list)
    for row in report["rates"]:
        groups[row["ticks"], row["observations"]].append(row)
    for (ticks, observing), rows in groups.items():
        lines += [f"## {ticks} ticks, {'f32 observations written every tick' if observing else 'no observations'}", ""]
        lines += ["| what | agents | median | slowest | fastest | per core, by CPU time | ours / it |"]
        lines += ["|---|--:|--:|--:|--:|--:|--:|"]
        for row in rows:
            rates = [row["agent_ticks_per_s"][name] for name in ("median", "slowest", "fastest")]
            rate = " | ".join(f"{value / 1e6:.1f}" for value in [*rates, row["agent_ticks_per_cpu_s"]])
            ratio = row["ours_over_it"]
            ratios = f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f})"
            lines.append(f"| {row['what']} | {row['lanes']:,} | {rate} | {ratios} |")
        lines.append("")
    lines += ["## What each is", "", "| what | checked | leaves out |", "|---|---|---|"]
    seen = {row["what"]: row for row in report["rates"]}
    lines += [f"| {name} | {row['checked']} | {row['leaves_out']} |" for name, row in seen.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lanes", type=int, default=65536, help="agents, a multiple of 256")
    parser.add_argument("--published-lanes", type=int, default=8192, help="agents of other projects' environments")
    parser.add_argument("--ticks", type=int, nargs="+", default=[64, 1000])
    parser.add_argument("--statistics", action="store_true", help="count in rollouts, in ours and in fast C")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "peers.json")
    arguments = parser.parse_args()
    if arguments.lanes < 256 or arguments.lanes % 256 or min(arguments.ticks) < 1 or arguments.rounds < 1:
        parser.error("lanes are a multiple of 256, ticks and rounds at least 1")
    before = os.getloadavg()[0]
    threads = min(len(os.sched_getaffinity(0)), native.MAX_THREADS)
    module = hamlet.load(ROOT / "generated" / "town")
    plan = Plan(module, arguments.lanes, tuple(dict.fromkeys(arguments.ticks)), threads, arguments.statistics)
    with tempfile.TemporaryDirectory() as folder:
        variants, missing = everything(plan, Path(folder), arguments.published_lanes)
        rates = measure(variants, arguments.rounds)
    report = {
        "machine": facts(threads),
        "load": [before, os.getloadavg()[0]],
        "rounds": arguments.rounds,
        "statistics": arguments.statistics,
        "missing": missing,
        "rates": rates,
    }
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    text = table(report)
    arguments.json.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
