"""The tables of what was counted of machine code for GPUs, and what the model makes of the counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import get_args

from reports import Report, Reports, billions, markdown, missing, source

from hamlet_lab.machine_code.pipes import PIPES
from hamlet_lab.profile.model import GPUS, Limit, Work, agents_for, predict

COUNT = "python benchmarks/machine_code.py"
LIMITS: tuple[Limit, ...] = get_args(Limit)
HOSTS = (40e-6, 8e-6)
"""Seconds that the host needs for a launch where nothing is measured: slow and fast."""
DRIVER = 4e-6
"""Seconds of NVIDIA's driver for a launch. Assumed."""


def kernels(reports: Reports) -> str:
    """Registers and instructions on sm_90."""
    if (report := reports.get("kernels")) is None:
        return missing(COUNT)
    rows = [
        [row["universe"], row["kernel"], str(row["registers"]), str(row["spilled"]), f"{row['instructions']:,}",
         "" if row["loop"] is None else f"{row['loop']['every']} ({row['loop']['alu']}) + {row['loop']['sometimes']}"]
        for row in report["kernels"]
        if row["capability"] == 90
    ]  # fmt: skip
    headings = (
        "universe",
        "kernel",
        "registers",
        "bytes spilled",
        "instructions",
        "loop: every time (of those ALU) + at times",
    )
    return f"{markdown('llrrrr', headings, rows)}\n\n{source(report['facts'])}"


def phases(reports: Reports) -> str:
    """Executed instructions of the town's kernels by phase of the tick."""
    counted = [
        row for row in counted_kernels(reports) if row["universe"] == "town" and row["kernel"] in ("rollout", "step")
    ]
    if not counted:
        return missing(COUNT)
    names = list(dict.fromkeys(name for kernel in counted for name in kernel["phases"]))
    rows = [[name, *_cells(kernel["phases"].get(name, (0, 0)) for kernel in counted)] for name in names]
    rows.append(["all", *_cells((kernel["executed"], kernel["pipes"]["alu"]) for kernel in counted)])
    headings = [heading for kernel in counted for heading in (kernel["kernel"], "of those ALU")]
    return markdown("lrrrr", ("phase", *headings), rows)


def _cells(counts: Iterable[Sequence[float]]) -> list[str]:
    return [f"{number:.1f}" for pair in counts for number in pair]


def counted_kernels(reports: Reports) -> list[Report]:
    """What was counted of each kernel."""
    found: list[Report] = reports.get("kernels", {}).get("executed", [])
    return found


def pipes(reports: Reports) -> str:
    """Executed instructions of all kernels by pipe, and what they move."""
    if not (counted := counted_kernels(reports)):
        return missing(COUNT)
    names = [name for name in PIPES if any(name in row["pipes"] for row in counted)]
    rows = [
        [row["universe"], row["kernel"], f"{row['executed']:,.1f}",
         *(f"{row['pipes'].get(name, 0):,.1f}" for name in names),
         f"{row['stores']:.1f}", f"{row['read']:.0f} + {row['written']:.0f}", f"{row['waits']:.2f}"]
        for row in counted
    ]  # fmt: skip
    headings = ("universe", "kernel", "executed", *names, "stores", "bytes read + written", "waits for loads")
    return markdown("ll" + "r" * (len(headings) - 2), headings, rows)


def model(reports: Reports) -> str:
    """What each kernel should do on GPUs, by the counts."""
    if not (counted := counted_kernels(reports)):
        return missing(COUNT)
    first, *others = GPUS
    hosts = _hosts(reports)
    said = {row["universe"] + row["kernel"]: {gpu: predict(work(row), gpu) for gpu in GPUS} for row in counted}
    rows, checks = [], []
    for row in counted:
        start = [row["universe"], row["kernel"]]
        found = said[row["universe"] + row["kernel"]]
        on, ticks = found[first], max(row["ticks"], 1)
        rows.append(
            [*start, str(on.warps), *(billions(on.limits[limit]) for limit in LIMITS),
             on.busiest if on.bound == "pipe" else on.bound, f"**{billions(on.rate)}**",
             *(f"{billions(found[gpu].rate)}" for gpu in others),
             *(f"{agents_for(on.rate, host, ticks):,.0f}" for host in hosts)]
        )  # fmt: skip
        checks.append(
            [*start, str(row["registers"]), f"{row['executed'] * ticks:,.0f}", f"{row['pipes']['alu'] * ticks:,.0f}",
             *(f"{on.busy.get(name, 0):.0%}" for name in ("issue", "alu", "fma", "fmaheavy", "lsu", "memory"))]
        )  # fmt: skip
    headings = (
        "universe", "kernel", "warps", *LIMITS, "bound by", first.name, *(gpu.name for gpu in others),
        *(f"agents for {1e6 * host:.0f} us" for host in hosts),
    )  # fmt: skip
    checked = (
        "universe", "kernel", "registers", "instructions of a warp", "of those ALU", "issue", "ALU", "FMA", "FMA heavy",
        "LSU", "memory",
    )  # fmt: skip
    return "\n\n".join(
        [
            f"Billions of agent-ticks per second; limits and warps of a multiprocessor are those of the {first.name}:",
            markdown("ll" + "r" * 5 + "l" + "r" * (len(headings) - 8), headings, rows),
            f"What `ncu` should show on the {first.name} for one launch; instructions are those of its ticks together, "
            "and the last columns are shares of the peak:",
            markdown("ll" + "r" * (len(checked) - 2), checked, checks),
        ]
    )


def _hosts(reports: Reports) -> tuple[float, ...]:
    """Seconds that the host needs for a launch: the slowest way that was timed without the driver, and that."""
    if (report := reports.get("host")) is None:
        return HOSTS
    return (max(row["whole"]["median"] for row in report["rows"]) / 1e6 + DRIVER,)


def work(row: Report) -> Work:
    """The counts of a kernel, for the model of GPUs."""
    return Work(**{field.name: row[field.name] for field in fields(Work)})
