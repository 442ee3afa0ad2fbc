"""How far a training is: a bar with its last evaluation on a terminal, elsewhere a line now and then; TensorBoard."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

import rich_click as click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.table import Column

from hamlet_train.errors import TrainError
from hamlet_train.evaluation import RANDOM, Evaluated, Fared
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
LEARNING = ("policy_loss", "value_loss", "entropy", "clipped", "divergence", "gradient")
"""Numbers of an update that TensorBoard shows."""


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
        return ": ".join(filter(None, (rate, fared and f"return {fared}")))

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


def in_short(number: float) -> str:
    """A number in thousands or millions."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {letter}"
    return f"{number:.0f}"


@contextmanager
def shown(what: str, updates: int, board: Watch | None = None) -> Iterator[Watch]:
    """Show on standard error what the given one is told, and pass it on to a board."""
    with _on_screen(what, updates) as screen:
        if board is None:
            yield screen
        else:
            yield Watch(_both(screen.updated, board.updated), _both(screen.evaluated, board.evaluated))


def _both(first: Any, second: Any) -> Any:
    def tell(said: Any) -> None:
        first(said)
        second(said)

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


def on_board(folder: Path) -> Watch:
    """Writes updates and evaluations for TensorBoard, into a folder, in the place of what is there.

    Raises:
        TrainError: TensorBoard is not installed.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as error:
        raise TrainError("--tensorboard needs TensorBoard: pip install 'hamletc[tensorboard]'") from error
    shutil.rmtree(folder, ignore_errors=True)
    writer: Any = SummaryWriter(str(folder))

    def updated(update: Update) -> None:
        for name, value in asdict(update).items():
            if name in LEARNING and not math.isnan(value):
                writer.add_scalar(f"{name}/{update.role}" if update.role else name, value, update.ticks)
        writer.flush()

    chance = dict[str, float]()

    def evaluated(said: Evaluated) -> None:
        values = scalars(said)
        if said.policy == RANDOM:
            chance.update({name: value for name, value in values.items() if not name.endswith("quartile")})
            return
        for name, value in values.items():
            writer.add_scalar(name, value, said.ticks)
        # A line that does not change: TensorBoard has no other baselines.
        for name, value in chance.items():
            writer.add_scalar(f"{name}/random", value, said.ticks)
        writer.flush()

    return Watch(updated, evaluated)


def scalars(evaluated: Evaluated) -> dict[str, float]:
    """The numbers of an evaluation by the names under which TensorBoard shows them: `length`, `return`, or of each role
    `length/wolf`, and quartiles behind them."""
    numbers = dict[str, float]()
    for fared in evaluated.fared:
        for name, middle in (("length", fared.length), ("return", fared.returned)):
            whole = f"{name}/{fared.role}" if fared.role else name
            numbers[whole] = middle.mean
            numbers[f"{whole}/lower quartile"] = middle.lower
            numbers[f"{whole}/upper quartile"] = middle.upper
    return numbers
