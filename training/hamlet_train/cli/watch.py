"""How far a training is: a bar with its last evaluation on a terminal, elsewhere a line now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any

import rich_click as click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.table import Column

from hamlet_train.evaluation import RANDOM, Evaluated, Fared, Kind
from hamlet_train.kinds import told
from hamlet_train.ppo import Progress as Update
from hamlet_train.training import Watch

SECONDS = 5.0
"""Between two lines where there is no terminal."""
INSTANT = 1e-3
"""Seconds that an update takes at least."""
WIDE = 100
"""Columns of a terminal that has room for a bar."""
RECENT = 10.0
"""Seconds over which a rate is taken, about."""


class Last:
    """The last evaluation and the rate of a training, in words."""

    def __init__(self) -> None:
        self._chance: Evaluated | None = None
        self._now: Evaluated | None = None
        self._marks: list[tuple[float, int]] = []

    def evaluated(self, evaluated: Evaluated) -> None:
        """Note an evaluation."""
        if evaluated.policy == RANDOM:
            self._chance = evaluated
        else:
            self._now = evaluated

    def said(self, update: Update) -> str:
        """The rate, and how long episodes are."""
        rate = self._rate(update.ticks)
        figures = () if self._now is None else self._now.fared
        by_chance = figures if self._chance is None else self._chance.fared
        fared = ", ".join(map(_briefly, figures, by_chance))
        kinds = [] if self._now is None else [f"{each.name} {_means(each)}" for each in self._now.kinds]
        said = "; ".join([*filter(None, [fared and f"return {fared}"]), *kinds])
        return ": ".join(filter(None, (rate, said))) + (f" (worlds: {told(update.stages)})" if update.stages else "")

    def _rate(self, ticks: int) -> str:
        now = monotonic()
        if self._marks and now - self._marks[-1][0] < INSTANT:
            # Updates of before an interruption are told all at once.
            self._marks.clear()
        self._marks = [mark for mark in self._marks if now - mark[0] < RECENT] or self._marks[-1:]
        self._marks.append((now, ticks))
        (begin, first), seconds = self._marks[0], now - self._marks[0][0]
        return f"{in_short((ticks - first) / seconds)} agent-ticks/s" if seconds > 0 and begin < now else ""


def _briefly(fared: Fared, by_chance: Fared) -> str:
    role = f"{fared.role} " if fared.role else ""
    return f"{role}{fared.returned.mean:.4g} (random {by_chance.returned.mean:.4g})"


def _means(kind: Kind) -> str:
    return "/".join(f"{each.returned.mean:.4g}" for each in kind.fared)


def in_short(number: float) -> str:
    """A number in thousands or millions."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {letter}"
    return f"{number:.0f}"


@contextmanager
def shown(what: str, updates: int, boards: Sequence[Watch] = ()) -> Iterator[Watch]:
    """Show on standard error what the given one is told, and pass it on to boards."""
    with _on_screen(what, updates) as screen:
        watches = (screen, *boards)
        yield Watch(_all([each.updated for each in watches]), _all([each.evaluated for each in watches]))


def _all(tells: Sequence[Callable[[Any], None]]) -> Callable[[Any], None]:
    def tell(said: Any) -> None:
        for each in tells:
            each(said)

    return tell


@contextmanager
def _on_screen(what: str, updates: int) -> Iterator[Watch]:
    console, last = Console(stderr=True), Last()
    if console.is_terminal:
        bar_and_sign = (SpinnerColumn(), BarColumn(16)) if console.width >= WIDE else ()
        columns = (
            *bar_and_sign,
            TextColumn("{task.description}"),
            TextColumn("{task.completed:.0f}/{task.total:.0f} updates"),
            TextColumn("{task.fields[said]}", table_column=Column(no_wrap=False)),
            TimeRemainingColumn(compact=True),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(what, total=updates, said="")
            yield Watch(
                lambda update: bar.update(task, completed=update.update, said=last.said(update)), last.evaluated
            )
        return
    begin = before = monotonic()
    told = 0

    def line(update: Update) -> None:
        nonlocal before, told
        if update.update == told:
            return  # Another role has told it.
        now, said = monotonic(), last.said(update)
        told = update.update
        if now - before >= SECONDS or update.update == updates:
            before = now
            done = f"update {update.update:,} of {updates:,}, {in_short(update.ticks)} agent-ticks"
            click.echo(f"{what}: {done} after {now - begin:.0f} s, {said}", err=True)

    yield Watch(line, last.evaluated)
