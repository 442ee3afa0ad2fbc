"""What was found, as data and as tables."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TypeAlias

from gpu_times import Row


@dataclass(slots=True)
class Report:
    """What was found so far. It is written after every part, so that a crash leaves what was known."""

    facts: Row = field(default_factory=dict)
    findings: list[Row] = field(default_factory=list)
    left_out: list[Row] = field(default_factory=list)
    verified: list[Row] = field(default_factory=list)
    counters: list[Row] = field(default_factory=list)
    kernels: list[Row] = field(default_factory=list)
    first_launch: list[Row] = field(default_factory=list)
    other_steps: list[Row] = field(default_factory=list)
    ahead: list[Row] = field(default_factory=list)
    tuned: list[Row] = field(default_factory=list)
    chosen: list[Row] = field(default_factory=list)
    copy_bandwidth: float | None = None
    timed: list[Row] = field(default_factory=list)
    failures: list[Row] = field(default_factory=list)
    parts: list[Row] = field(default_factory=list)
    seconds: float = 0.0


Table: TypeAlias = tuple[str, list[str], list[list[str]]]
"""Title, header, cells."""


def spelled(value: object) -> str:
    """A value as a table shows it."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.2f}"
        case _:
            return str(value)


def si(value: float | None) -> str:
    """1.23e9 as `1.23 G`."""
    if value is None:
        return ""
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.2f} {unit}"
    return f"{value:.2f}"


def plain_table(title: str, rows: list[Row]) -> Table:
    """Rows as they are."""
    header = list(rows[0]) if rows else []
    return title, header, [[spelled(row.get(name)) for name in header] for row in rows]


def time_table(rows: list[Row]) -> Table:
    """The times, in the units in which one reads them."""
    header = [
        "universe",
        "form",
        "registers at most",
        "lanes",
        "ticks",
        "median ms",
        "fastest .. slowest",
        "agent-ticks/s",
        "bytes",
        "of copy",
    ]
    cells = [
        [
            row["universe"],
            row["form"],
            spelled(row["registers_at_most"]),
            f"{row['lanes']:,}",
            f"{row['ticks']:,}",
            f"{row['median_ms']:.4f}",
            f"{row['fastest_ms']:.4f} .. {row['slowest_ms']:.4f}",
            si(row["agent_ticks_per_s"]),
            si(row["bytes_per_agent_tick"]),
            "" if row["of_copy_bandwidth"] is None else f"{row['of_copy_bandwidth']:.1%}",
        ]
        for row in rows
    ]
    return "Times", header, cells


def tables(report: Report) -> list[Table]:
    """Everything that was found."""
    known = report.facts | {"copy bandwidth, bytes/s": si(report.copy_bandwidth), "seconds": f"{report.seconds:.0f}"}
    facts = [{"": name, " ": spelled(value)} for name, value in known.items()]
    found = [
        plain_table("FAILED", [{"part": each["part"], "error": each["error"]} for each in report.failures]),
        plain_table("Machine", facts),
        plain_table("Findings", report.findings),
        plain_table("Not on this machine", report.left_out),
        time_table(report.timed),
        plain_table("Verified: bits compared after every tick", report.verified),
        plain_table("Graphs and compiled steps against plain ones", report.other_steps),
        plain_table("Kernels", report.kernels),
        plain_table("Counters of the GPU", report.counters),
        plain_table("First launch, seconds", report.first_launch),
        plain_table("Machine code in the package", report.ahead),
        plain_table("Blocks, by time", report.tuned),
        plain_table("What auto chooses", report.chosen),
        plain_table("Parts, seconds", report.parts),
    ]
    return [table for table in found if table[2]]


def markdown(found: list[Table]) -> str:
    """The tables in Markdown."""
    lines = ["# GPU check", ""]
    for title, header, cells in found:
        lines += [f"## {title}", "", f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
        lines += [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in cells]
        lines.append("")
    return "\n".join(lines)


def show(found: list[Table]) -> None:
    """Print the tables, with rich where it is installed."""
    try:
        from rich.console import Console
        from rich.table import Table as RichTable
    except ImportError:
        print(markdown(found))
        return
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 160)
    for title, header, cells in found:
        table = RichTable(*header, title=title, title_justify="left")
        for row in cells:
            table.add_row(*row)
        console.print(table)
