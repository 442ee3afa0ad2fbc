"""`hamletc runs`: all runs in a list, or some of them compared."""

from __future__ import annotations

import json
from pathlib import Path

import rich_click as click

from hamlet_train.errors import TrainError

WIDTH = 160
"""Columns of a table where there is no terminal."""


@click.command()
@click.argument("folders", type=click.Path(path_type=Path), nargs=-1, metavar="[RUN]...")
@click.option("--json", "as_json", is_flag=True, help="Print manifests and last evaluations as JSON.")
def runs(folders: tuple[Path, ...], as_json: bool) -> None:
    """List the runs in runs/ with their last evaluations. Of several RUNs that are named, say in what they differ."""
    from rich.console import Console
    from rich.table import Table

    from hamlet_train.cli.options import FOLDER
    from hamlet_train.run import Run
    from hamlet_train.runs import Summary, differences, runs_in
    from hamletc.cli.show import literal

    summaries = []
    for run in map(Run, folders) if folders else runs_in(FOLDER):
        try:
            summaries.append(Summary.of(run))
        except TrainError as error:
            if folders:
                raise
            click.echo(f"{error}; it is left out", err=True)
    if as_json:
        click.echo(json.dumps([each.report() for each in summaries], indent=1))
        return
    if not summaries:
        click.echo(f"there are no runs in {FOLDER}: hamletc train UNIVERSE makes one")
        return
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = WIDTH
    rows = Table("run", "universe", "agent-ticks", "seeds", "state", "return", "length", "weights")
    for each in summaries:
        manifest = each.manifest
        facts = (str(each.folder), manifest.universe, f"{manifest.ticks:,}", str(each.seeds), each.state)
        figures = (each.fared("returned"), each.fared("length"), (manifest.weights or "")[:12])
        rows.add_row(*map(literal, (*facts, *figures)))
    console.print(rows)
    if len(folders) > 1:
        others = Table("differs in", *(literal(str(each.folder)) for each in summaries))
        for name, values in differences(summaries).items():
            others.add_row(literal(name), *map(literal, values))
        console.print(others)
