"""The report at the end of `hamletc run`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hamletc.cli.show import literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

BLOCKS = " ▁▂▃▄▅▆▇█"
CURVE_WIDTH = 60
BAR_WIDTH = 30


@dataclass(frozen=True, slots=True)
class RunReport:
    """The numbers of a run. Counts are over all lanes and ticks; `policy` and `params` are those that were given;
    `causes` are deaths, goals and the lifespan."""

    universe: str
    choice: str
    worlds: int
    agents: int
    roles: tuple[str, ...]
    ticks: int
    seed: int
    policy: str
    params: Mapping[str, float]
    seconds: float
    start_seconds: float
    episodes: int
    mean_length: float
    mean_return: float
    curve: Sequence[float]
    causes: Mapping[str, int]
    uses: Mapping[str, int]


def show(report: RunReport, console: Console) -> None:
    """Print the report."""
    agents = f"{report.agents} agent" + ("s" if report.agents > 1 else "")
    lanes = report.worlds * report.agents
    console.print(
        f"\n[bold]{literal(report.universe)}[/bold]  {report.worlds:,} worlds of {agents}, {report.ticks:,} ticks"
    )
    facts = {
        "backend": literal(report.choice),
        "policy": f"{literal(report.policy)}, seed {report.seed}",
        "speed": f"[bold]{_rate(lanes * report.ticks / report.seconds)} agent-ticks per second[/bold] "
        f"({report.seconds:.2f} s, without observations; {report.start_seconds:.2f} s to start)",
        "episodes": f"{report.episodes:,} finished",
    }
    if report.params:
        facts["params"] = ", ".join(f"{literal(name)} = {value:.10g}" for name, value in report.params.items())
    if report.episodes:
        facts["mean length"] = f"{report.mean_length:.1f} ticks"
        of = f", of {literal(' and '.join(report.roles))} together" if len(report.roles) > 1 else ""
        facts["mean return"] = f"{report.mean_return:.6g}{of}"
    for name, value in facts.items():
        console.print(f"[dim]{name:<13}[/dim]{value}")
    if len(report.curve) > 1:
        console.print("\n[bold]Survival[/bold]  agents alive after so many ticks")
        console.print(f"  {sparkline(report.curve, CURVE_WIDTH)}")
        console.print(_milestones(report.curve))
    console.print("\n[bold]How episodes ended[/bold]")
    console.print(_shares(report.causes, console.width))
    if report.uses:
        console.print("\n[bold]Affordances used[/bold]")
        console.print(_shares(report.uses, console.width))
    console.print()


def sparkline(values: Sequence[float], width: int) -> str:
    """Fractions as a row of at most `width` blocks."""
    count = min(width, len(values))
    picked = [values[index * (len(values) - 1) // max(count - 1, 1)] for index in range(count)]
    return "".join(BLOCKS[math.ceil(value * (len(BLOCKS) - 1))] for value in picked).rstrip()


def _milestones(curve: Sequence[float]) -> str:
    last = len(curve) - 1
    step = _round_step(last / 9)
    ages = [*range(step, last - step // 2, step), last]
    ticks = "".join(f"{age:>8,}" for age in ages)
    alive = "".join(f"{100 * curve[age]:>7.1f}%" for age in ages)
    return f"[dim]  ticks[/dim]{ticks}\n[dim]  alive[/dim]{alive}"


def _round_step(step: float) -> int:
    """The smallest of 1, 2, 4, 5, 10, 20, 40, 50, ... that is not below `step`."""
    size = 1
    while True:
        for digit in (1, 2, 4, 5):
            if digit * size >= step:
                return digit * size
        size *= 10


def _shares(counts: Mapping[str, int], width: int) -> Table:
    """Counts by name, their shares, and bars, which leave names the room that they need."""
    total = sum(counts.values())
    most = max(counts.values(), default=0)
    room = width - max(map(len, counts), default=0) - len(f"{most:,}") - len("  100.0%    ")
    table = _table()
    for name, count in counts.items():
        bar = "█" * round(min(BAR_WIDTH, max(room, 0)) * count / most) if most else ""
        table.add_row(
            literal(name), f"{count:,}", f"{100 * count / total:.1f}%" if total else "", f"[cyan]{bar}[/cyan]"
        )
    for column in table.columns[1:3]:
        column.justify = "right"
    return table


def _table() -> Table:
    from rich.table import Table

    return Table(box=None, show_header=False, pad_edge=False, padding=(0, 0, 0, 2))


def _rate(rate: float) -> str:
    for size, word in ((1e9, "billion"), (1e6, "million"), (1e3, "thousand")):
        if rate >= size:
            return f"{rate / size:.3g} {word}"
    return f"{rate:.3g}"
