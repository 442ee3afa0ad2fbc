"""How far a long command has come: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import rich_click as click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

SECONDS = 5.0
"""Between two lines where there is no terminal."""
BETWEEN_STEPS = 0.5
"""Seconds between two lines about steps, of which each may be the long one."""


@contextmanager
def progress_of(what: str) -> Iterator[Callable[[float], None]]:
    """Show on standard error what is being done, and the share of it, 0 to 1, that the given function is told."""
    console = Console(stderr=True)
    if console.is_terminal:
        with _bar(console) as bar:
            task = bar.add_task(what, total=1.0)
            yield lambda share: bar.update(task, completed=share)
        return
    begin = last = monotonic()
    click.echo(what, err=True)

    def line(share: float) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= SECONDS:
            last = now
            click.echo(f"{what}: {share:.0%} after {now - begin:.0f} s", err=True)

    yield line


@contextmanager
def steps_of(count: int) -> Iterator[Callable[[int, str], None]]:
    """Show on standard error which of so many steps is done next, by its number from 0 on, and what it is: in the words
    that the given function is told before each."""
    console = Console(stderr=True)
    if console.is_terminal:
        with _bar(console) as bar:
            task = bar.add_task("", total=count)
            yield lambda number, what: bar.update(task, completed=number, description=what)
        return
    last = monotonic() - BETWEEN_STEPS

    def line(number: int, what: str) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= BETWEEN_STEPS:
            last = now
            click.echo(f"{number / count:.0%}  {what}", err=True)

    yield line


def _bar(console: Console) -> Progress:
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn()
    return Progress(*columns, console=console, transient=True)
