"""`hamletc report`: the page of a run, which one hands in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from hamlet_train.run import Run


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--threads", type=click.IntRange(1, 1024), help="By default the CPUs. No result depends on it.")
def report(folder: Path, threads: int | None) -> None:
    """Write RUN/report.html, one file that needs no network: how good the policies of RUN are, how they learnt, what
    ends lives and what is used, films of three lives, settings, hashes, and the command to train them again.

    It is played anew, in worlds that no training has, and is the same each time.
    """
    from hamlet_train.cli.options import threads_of
    from hamlet_train.run import Run

    write_report(Run(folder), threads_of(threads))


def write_report(run: Run, threads: int) -> None:
    """Write the page of a run, whole or not at all.

    Raises:
        TrainError: nothing was trained there, or the file cannot be written.
    """
    from rich.console import Console

    from hamlet.waiting import told
    from hamlet_train.files import write_whole
    from hamlet_train.report.page import page
    from hamlet_train.report.studied import studied

    name = run.read().universe
    with Console(stderr=True).status("playing") as status, told(name):
        contents = page(studied(run, threads, lambda what: status.update(f"playing: {what}")))
    write_whole(run.folder / "report.html", contents.encode())
    click.echo(f"report    {run.folder / 'report.html'}")
