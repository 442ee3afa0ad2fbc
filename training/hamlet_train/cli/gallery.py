"""The table of `hamletc eval gallery`."""

from __future__ import annotations

import json

import rich_click as click
from rich.console import Console
from rich.table import Table

from hamlet.policies.zoo import names
from hamlet_train.gallery import Row, compared

WIDTH = 140
"""Columns of the table where there is no terminal."""


def show_gallery(episodes: int, threads: int, as_json: bool) -> None:
    """Play all universes of the zoo, and print a row for each role of them.

    Raises:
        TrainError: a policy is damaged, or is for another version of its universe.
    """
    rows = list[Row]()
    with Console(stderr=True).status("playing") as status:
        for name in names():
            status.update(f"playing {name}")
            rows += compared(name, episodes, threads)
    if as_json:
        click.echo(json.dumps([row.report() for row in rows], indent=1))
        return
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = WIDTH
    console.print(table(rows, episodes))


def table(rows: list[Row], episodes: int) -> Table:
    """Rows beneath each other; numbers of policies with their intervals of 95 %."""
    whole = Table("universe", "role", "mean", "random", "scripted", "zoo", "theory")
    whole.title = f"first episodes of about {episodes:,} agents in worlds that no training has"
    for row in rows:
        theory = "" if row.theory is None else f"{row.theory:.4g}, {row.why}"
        scripted = f"{row.scripted:.4g}, {row.script}"
        role = "" if row.role == "all" else row.role
        whole.add_row(row.universe, role, row.measure, f"{row.random.value:.4g}", scripted, str(row.trained), theory)
    return whole
