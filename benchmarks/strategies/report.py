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


def facts(device: torch.device, arguments: list[str]) -> Row:
    """Machine, versions, commit, command."""

    def git(*command: str) -> str:
        try:
            return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return ""

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
        "commit": (git("rev-parse", "HEAD") or "unknown") + (", with changes" if changed else ""),
        "command": shlex.join(["python", "benchmarks/strategies/run.py", *arguments]),
    }


def table(report: Row) -> str:
    """The report for a reader."""
    low, high = report["load"]
    lines = [f"# Ways to execute {report['universe']} on {report['device']}", ""]
    lines += [f"- {name}: {value}" for name, value in report["machine"].items()]
    lines.append(f"- load average: {low:.1f} at the start, {high:.1f} at the end")
    lines.append(f"- {report['samples']} samples each, taking turns; every strategy executes the same actions")
    lines.append(
        f"- equal: state and summed outcomes against the interpreter, {report['checked_lanes']:,} lanes, "
        f"{report['checked_ticks']} ticks, new episodes, deaths and lifespans included"
    )
    lines += ["", "| | strategy | agents | ticks | million agent-ticks/s | slowest .. fastest | ratio to b | equal |"]
    lines.append("|---|---|--:|--:|--:|--:|--:|---|")
    for row in report["strategies"]:
        start = f"| {row['letter']} | {row['title']} |"
        if "reason" in row:
            lines.append(f"{start} | | not available: {row['reason']} | | | |")
            continue
        lines.append(
            f"{start} {row['lanes']:,} | {row['ticks']:,} | {millions(row['median'])} | "
            f"{millions(row['slowest'])} .. {millions(row['fastest'])} | {row['ratio']:.3g} | {row['verdict']['text']} |"
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
