"""The tables of `hamletc eval --against` and `--elo`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hamlet_train.crossing import RANDOM, Arena, crossed, rated
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Policies
from hamlet_train.files import read_tensors
from hamlet_train.policy import read_all
from hamlet_train.run import Run

RATED = 6
"""Checkpoints of a run that are rated, at most."""


def show_crossed(arena: Arena, sides: Mapping[str, Policies]) -> None:
    """A table for each role: whose policy it has, by whose policies others have; mean returns with intervals of 95 %.

    Raises:
        TrainError: a policy does not fit.
    """
    console = Console(highlight=False, soft_wrap=True)
    with Console(stderr=True).status("playing"):
        tables = crossed(arena, sides)
    for role, means in tables.items():
        beside = list(dict.fromkeys(other for _, other in means))
        several = len(beside) > 1
        headers = [f"others: {other}" for other in beside] if several else ["mean return"]
        title = f"{arena.module.name}: mean return of {role or 'agents'} in {arena.worlds:,} worlds, seed {arena.seed}"
        rows = Table(f"{role}" if role else "", *headers, title=title)
        for own in (*sides, RANDOM):
            rows.add_row(own, *(f"{means[own, each].value:.4g} ± {means[own, each].half:.2g}" for each in beside))
        console.print(rows)


def show_rated(arena: Arena, path: Path) -> None:
    """A table of checkpoints by role, with their ratings.

    Raises:
        TrainError: the folder is that of no run, or has no checkpoints.
    """
    files = checkpoints_of(path)
    with Console(stderr=True).status("playing"):
        ratings = rated(arena, [read_all(file, arena.module) for file in files])
    title = f"{arena.module.name}: ratings in {arena.worlds:,} worlds, random actions have 1000"
    rows = Table("update", *(role or "Elo" for role in ratings), title=title)
    for number, file in enumerate(files):
        update = read_tensors(file)[1]["update"]
        rows.add_row(f"{update:,}", *(f"{each[number]:.0f}" for each in ratings.values()))
    Console(highlight=False, soft_wrap=True).print(rows)


def checkpoints_of(path: Path) -> list[Path]:
    """Checkpoints of a run, evenly spaced, the last one among them.

    Raises:
        TrainError: there are none.
    """
    files = sorted(Run(path).checkpoints.glob("*.safetensors"))
    if not files:
        raise TrainError(f"{path} has no checkpoints: --elo rates those of a run")
    count = min(len(files), RATED)
    return [files[(len(files) - 1) * (number + 1) // count] for number in range(count)]
