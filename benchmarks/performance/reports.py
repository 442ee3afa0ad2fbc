"""Reports in results/, and how their numbers are written in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Report: TypeAlias = dict[str, Any]
Reports: TypeAlias = Mapping[str, Report]
Table: TypeAlias = Callable[[Reports], str]


def markdown(alignment: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; `alignment` has an `l` (text) or an `r` (numbers) for each column."""
    rule = [{"l": "---", "r": "--:"}[side] for side in alignment]
    return "\n".join("| " + " | ".join(row) + " |" for row in (headings, rule, *rows))


def missing(command: str, what: str = "Not measured yet") -> str:
    return f"{what}. The command: `{command}`."


def millions(rate: float) -> str:
    """To three digits."""
    value = rate / 1e6
    return f"{value:.3f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def spread(row: Report) -> str:
    return f"{millions(row['median'])} ({millions(row['slowest'])} to {millions(row['fastest'])})"


def percent(row: Report) -> str:
    found = row["percent"]
    return f"{found['median']:+.1f}% ({found['least']:+.1f} to {found['most']:+.1f})"


def source(facts: Report, machine: str = "machine") -> str:
    """Where numbers come from, below their table."""
    load = f" Load: {facts['load']}." if "load" in facts else ""
    return f"{facts[machine]}; {facts['versions']}; commit {facts['commit'][:12]}; `{facts['command']}`.{load}"


def billions(rate: float) -> str:
    """To a digit behind the point."""
    return f"{rate / 1e9:.1f}" if rate < 1e11 else f"{rate / 1e9:,.0f}"
