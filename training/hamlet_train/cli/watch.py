"""How far a training is: a bar with lengths and returns on a terminal, elsewhere a line now and then; TensorBoard."""

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
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from hamlet_train.errors import TrainError
from hamlet_train.ppo import Progress as Update
from hamlet_train.training import Watcher

SECONDS = 5.0
"""Between two lines where there is no terminal."""
SHOWN = ("length", "returned", "policy_loss", "value_loss", "entropy", "clipped", "divergence")


class Last:
    """The last update of which episodes ended, in words."""

    def __init__(self) -> None:
        self._said = "no episode has ended yet"

    def of(self, update: Update) -> str:
        if not math.isnan(update.length):
            self._said = f"length {update.length:.1f}, return {update.returned:.4g}"
        return self._said


@contextmanager
def shown(what: str, updates: int, board: Watcher | None = None) -> Iterator[Watcher]:
    """Show on standard error what the given function is told, and pass it on to a board."""
    with _on_screen(what, updates) as tell:
        yield tell if board is None else lambda update: (tell(update), board(update))[0]


def ignore(_update: Update) -> None:
    """What other processes than the first are told."""


@contextmanager
def _on_screen(what: str, updates: int) -> Iterator[Watcher]:
    console, last = Console(stderr=True), Last()
    if console.is_terminal:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[said]}"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(what, total=updates, said="")
            yield lambda update: bar.update(task, completed=update.update, said=last.of(update))
        return
    begin = before = monotonic()

    def line(update: Update) -> None:
        nonlocal before
        now, said = monotonic(), last.of(update)
        if now - before >= SECONDS or update.update == updates:
            before = now
            click.echo(f"{what}: {update.ticks:,} ticks after {now - begin:.0f} s: {said}", err=True)

    yield line


def on_board(folder: Path) -> Watcher:
    """Writes updates for TensorBoard, into a folder, in the place of what is there.

    Raises:
        TrainError: TensorBoard is not installed.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as error:
        raise TrainError("--tensorboard needs TensorBoard: pip install 'hamletc[tensorboard]'") from error
    shutil.rmtree(folder, ignore_errors=True)
    writer: Any = SummaryWriter(str(folder))

    def write(update: Update) -> None:
        for name, value in asdict(update).items():
            if name in SHOWN and not math.isnan(value):
                writer.add_scalar(name, value, update.ticks)
        writer.flush()

    return write
