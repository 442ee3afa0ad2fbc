"""The tables of `hamletc profile`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hamlet_lab.profile.counts import Counted
    from hamlet_lab.profile.times import Times

SHOWN_LINES = 24
"""Lines of the universe in the table, the dearest first; the JSON has all."""


def time_table(times: Times, title: str) -> Any:
    """Nanoseconds of each part."""
    table = _table(
        f"{title}: measured, {times.clock}, median of {times.rounds} rounds",
        ("part", "ns per agent-tick", "least", "most", "share"),
    )
    for part in (*times.parts, times.whole):
        numbers = (f"{value:.3f}" for value in (part.median, part.least, part.most))
        table.add_row(part.name, *numbers, f"{part.median / times.whole.median:.1%}")
    return table


def code_tables(counted: Sequence[Counted]) -> list[Any]:
    """Kernels, phases and lines."""
    architecture = f"sm_{counted[0].capability}"
    headings = ("kernel", "registers", "spilled", "instructions", "executed per agent-tick")
    kernels = _table(f"kernels for {architecture}: counted", headings)
    for kernel in counted:
        kernels.add_row(
            kernel.kernel,
            str(kernel.registers),
            f"{kernel.spilled} bytes",
            f"{kernel.instructions:,}",
            f"{kernel.executed:,.1f}",
        )
    phases = _costs("phase", architecture, counted, lambda purpose: purpose.phase)
    lines = _costs(
        "line", architecture, counted,
        lambda purpose: f"{purpose.source}:{purpose.line}  {purpose.construct}" if purpose.line else "",
    )  # fmt: skip
    return [kernels, phases, lines]


def _costs(what: str, architecture: str, counted: Sequence[Counted], name: Any) -> Any:
    """Executed instructions by a name of purposes; what has none is left out."""
    costs: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(counted))
    for index, kernel in enumerate(counted):
        for item in kernel.items:
            if key := name(item.purpose):
                costs[key][index] += item.executed
    headings = [heading for kernel in counted for heading in (kernel.kernel, "share")]
    table = _table(f"machine instructions for {architecture} per agent-tick by {what}: counted", (what, *headings))
    ordered = sorted(costs.items(), key=lambda item: -item[1][0]) if what == "line" else list(costs.items())
    for key, values in ordered[: SHOWN_LINES if what == "line" else None]:
        cells = ((f"{v:.1f}", f"{v / kernel.executed:.1%}") for v, kernel in zip(values, counted, strict=True))
        table.add_row(key, *(cell for pair in cells for cell in pair))
    if what == "line" and len(ordered) > SHOWN_LINES:
        table.add_row(f"... {len(ordered) - SHOWN_LINES} more lines")
    return table


def _table(title: str, headings: Sequence[str]) -> Any:
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="", box=None, pad_edge=False)
    table.add_column(headings[0])
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table
