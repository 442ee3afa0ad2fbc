"""The table and the plot."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

import numba
import torch
import triton

Row: TypeAlias = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
BUSY = 0.5
"""A load average before the start above this means that others are at work."""


def facts(device: torch.device, arguments: list[str]) -> Row:
    """Machine, versions, commit, command."""

    def git(*command: str) -> str:
        try:
            done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return ""
        return done.stdout.strip()

    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":")[1].strip() for line in lines if "model name" in line), platform.processor())
    changed = git("status", "--porcelain", "--", "runtime", "compiler", "generated", "universes")
    machine = f"{model}, {os.cpu_count()} CPUs"
    if device.type == "cuda":
        machine = f"{torch.cuda.get_device_name(device)}; {machine}"
    return {
        "machine": machine,
        "versions": f"python {platform.python_version()}, torch {torch.__version__}, numba {numba.__version__}, "
        f"triton {triton.__version__}",
        "threads": f"{torch.get_num_threads()} of torch, {numba.get_num_threads()} of numba",
        "commit": (git("rev-parse", "HEAD") or "unknown") + (", with changes" if changed else ""),
        "command": shlex.join(["python", "benchmarks/strategies/run.py", *arguments]),
    }


def table(report: Row) -> str:
    """The report for a reader."""
    low, high = report["load"]
    lines = [f"# Ways to execute {report['universe']} on {report['device']}", ""]
    lines += [f"- {name}: {value}" for name, value in report["machine"].items()]
    busy = "; **other processes took part of the machine: do not quote these rates**" if low > BUSY else ""
    lines.append(f"- load average: {low:.1f} at the start, {high:.1f} at the end{busy}")
    lines.append(f"- {report['samples']} samples each, taking turns; every strategy executes the same actions")
    lines.append(
        f"- equal: state and summed outcomes against the interpreter, {report['checked_lanes']:,} lanes, "
        f"{report['checked_ticks']} ticks, new episodes, deaths and lifespans included"
    )
    lines += ["", "Million agent-ticks per second by the clock, and per second of CPU time of all threads:", ""]
    lines.append("| | strategy | agents | ticks | median | slowest .. fastest | ratio to b | per CPU second | equal |")
    lines.append("|---|---|--:|--:|--:|--:|--:|--:|---|")
    for row in report["strategies"]:
        start = f"| {row['letter']} | {row['title']} |"
        if "reason" in row:
            lines.append(f"{start} | | not available: {row['reason']} | | | | |")
            continue
        spread = f"{millions(row['slowest'])} .. {millions(row['fastest'])}"
        lines.append(
            f"{start} {row['lanes']:,} | {row['ticks']:,} | {millions(row['median'])} | {spread} | "
            f"{row['ratio']:.3g} | {millions(row['by_cpu_time'])} | {row['verdict']['text']} |"
        )
    return "\n".join(lines) + "\n"


def millions(rate: float) -> str:
    """A rate in millions, to three digits."""
    value = rate / 1e6
    return f"{value:.3f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def plot(report: Row, path: Path) -> None:
    """Bars of the medians on a logarithmic axis, with the slowest and the fastest sample."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = [row for row in report["strategies"] if "reason" not in row]
    medians = [row["median"] for row in rows]
    spread = [[row["median"] - row["slowest"] for row in rows], [row["fastest"] - row["median"] for row in rows]]
    colours = ["#c44e52" if row["letter"][0] in "hi" else "#4c72b0" for row in rows]
    figure, axes = pyplot.subplots(figsize=(9, 0.42 * len(rows) + 1.2), layout="constrained")
    axes.barh(range(len(rows)), medians, xerr=spread, color=colours, capsize=3, height=0.7)
    axes.set_yticks(range(len(rows)), [f"{row['title']}  ({row['letter']})" for row in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(right=max(row["fastest"] for row in rows) * 8)
    for place, row in enumerate(rows):
        note = "" if row["verdict"]["equal"] else ", not exact"
        axes.text(row["fastest"] * 1.15, place, f"{row['ratio']:.3g}x{note}", va="center", fontsize=8)
    axes.set_xlabel(f"agent-ticks per second, {report['machine']['machine']}", fontsize=8)
    axes.set_title(f"The same ticks of {report['universe']}, {report['lanes']:,} agents; ratios to (b)", fontsize=10)
    figure.savefig(path, dpi=90, metadata={"Software": None})
    pyplot.close(figure)


def stderr(text: str) -> None:
    """Progress, for whoever waits."""
    print(text, file=sys.stderr, flush=True)
