"""The table of docs/ports.md, from results/ports.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from reports import Report, Reports, markdown, millions, missing, source

Rates: TypeAlias = Mapping[str, Any]


def ports(reports: Reports) -> str:
    """Ports beside their originals, and beside environments of other projects that run many worlds at once."""
    if (report := reports.get("ports")) is None:
        return missing("python benchmarks/ports.py")
    worlds = f"{report['worlds']:,} worlds"
    headings = [
        "port",
        "one world, us",
        "original, us",
        "original / ours",
        f"{worlds}, M/s",
        "unobserved, M/s",
    ]
    originals = markdown("lrrrrr", headings, [_beside_original(row, report["worlds"]) for row in report["rows"]])
    rivals = [line for row in report["rows"] for line in _beside_rivals(row)]
    headings = ["port", f"rival, {worlds}", "M/s", "ours / it", "unobserved, M/s", "ours / it"]
    parts = [originals, markdown("llrrrr", headings, rivals)] if rivals else [originals]
    absent = sorted({text for row in report["rows"] for text in row["missing"]})
    if absent:
        parts.append(f"Not there when this was measured: {'; '.join(absent)}.")
    threads = report["facts"]["threads"]
    return "\n\n".join([*parts, f"{report['rounds']} rounds; {threads} threads; {source(report['facts'])}"])


def _beside_original(row: Report, worlds: int) -> list[str]:
    single, observed, unobserved = row["one_world"], row["observed"], row["unobserved"]
    fewer = "" if row["worlds"] == worlds else f", {row['worlds']} worlds"
    cells = [f"[{row['port']}](../universes/ports/{row['port']}.hamlet){fewer}", _microseconds(single["ours"])]
    if "original" in single:
        cells += [_microseconds(single["original"]), _ratio(single["original"], "cpu")]
    else:
        cells += ["", ""]
    return [*cells, _rate(observed["ours"]), _rate(unobserved["ours"])]


def _beside_rivals(row: Report) -> list[list[str]]:
    return [
        [
            row["port"],
            name,
            _rate(rates),
            _ratios(rates),
            _rate(row["unobserved"][name]),
            _ratios(row["unobserved"][name]),
        ]
        for name, rates in row["observed"].items()
        if name != "ours"
    ]


def _microseconds(rates: Rates) -> str:
    """Of CPU time."""
    return f"{1e6 / rates['cpu']['median']:.1f}"


def _rate(rates: Rates) -> str:
    """By the clock, and by CPU time."""
    return f"{millions(rates['clock']['median'])} ({millions(rates['cpu']['median'])})"


def _ratios(rates: Rates) -> str:
    return f"{_ratio(rates, 'clock')}; {_ratio(rates, 'cpu')}"


def _ratio(rates: Rates, by: str) -> str:
    ratio = rates["ours_over_it"][by]
    return f"{ratio['median']:.1f} ({ratio['least']:.1f} to {ratio['most']:.1f})"
