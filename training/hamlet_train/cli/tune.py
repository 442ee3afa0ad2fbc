"""`hamletc tune`: settings that find themselves, by successive halving."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from click import get_current_context
from click.core import ParameterSource

from hamlet_train.errors import TrainError
from hamlet_train.settings import names

if TYPE_CHECKING:
    from rich.table import Table

    from hamlet_train.run import Run
    from hamlet_train.settings import Settings
    from hamlet_train.tuning.budget import Budget
    from hamlet_train.tuning.kept import Tuned
    from hamlet_train.tuning.search import Candidate, Search
    from hamlet_train.tuning.shelf import Shelf
    from hamlet_train.tuning.space import Space

OF_RESUMED = ("universe", "name", "resume", "threads", "as_json")
"""Parameters that `--resume` takes."""
SHOWN = 9
"""Candidates that the table has, at most, and that of the defaults."""
WIDTH = 140
"""Columns of the table where there is no terminal."""


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--budget", "budgets", multiple=True, metavar="20M|10m",
              help="Agent-ticks of all trainings together, as 20M, or how long, as 90s, 10m, 2h.")  # fmt: skip
@click.option("--candidates", type=click.IntRange(2, 729), help="How many begin; by default 27, or 9 where few can.")
@click.option("--population", type=click.IntRange(4, 729),
              help="In place of candidates: so many learn side by side, and change settings.")  # fmt: skip
@click.option("--worlds", type=click.IntRange(1, 2**24), help="Of a training; by default as the budget has room.")
@click.option("--agents", type=click.IntRange(min=1), help="In each world; by default 1, or as roles say.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--name", help="The best one's folder is runs/NAME; by default the name of the universe and -tuned.")
@click.option("--set", "settings", multiple=True, metavar="NAME=NUMBER",
              help=f"A setting that all candidates have, repeatable: {', '.join(names())}.")  # fmt: skip
@click.option("--search", "searches", multiple=True, metavar="NAME=NUMBER/NUMBER",
              help="The numbers that a setting is tried with, in place of the usual ones. Repeatable.")  # fmt: skip
@click.option("--memory", metavar="gru:N", help="Agents of all candidates remember N numbers.")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE",
              help="A param of worlds, as for train. Repeatable.")  # fmt: skip
@click.option("--shared", is_flag=True, help="One policy for all roles.")
@click.option("--opponent", "opponents", multiple=True, metavar="[ROLE=]RUN",
              help="The policy of a run plays ROLE as it is; settings are for the role left. Repeatable.")  # fmt: skip
@click.option("--by", "measure", type=click.Choice(["return", "length"]), default="return", show_default=True,
              help="The mean by which candidates are ranked.")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on with a tuning that was stopped, as it was asked for.")
@click.option("--threads", type=click.IntRange(1, 1024), help="By default the CPUs. No result depends on it.")
@click.option("--json", "as_json", is_flag=True, help="Print the tuning as JSON in place of the table.")
def tune(
    universe: Path,
    budgets: tuple[str, ...],
    candidates: int | None,
    population: int | None,
    worlds: int | None,
    agents: int | None,
    seed: int,
    name: str | None,
    settings: tuple[str, ...],
    searches: tuple[str, ...],
    memory: str | None,
    params: tuple[str, ...],
    shared: bool,
    opponents: tuple[str, ...],
    measure: str,
    resume: bool,
    threads: int | None,
    as_json: bool,
) -> None:
    """Find settings of `hamletc train` for UNIVERSE: many begin, and those that return most learn on.

    Successive halving (Jamieson and Talwalkar 2016): of all candidates a third learns three times as long, until one is
    left, which is kept as a run. A budget in agent-ticks gives the same bits each time; one in time is measured first.
    """
    from rich.console import Console

    from hamlet.waiting import told
    from hamlet_train.cli.begin import name_of
    from hamlet_train.cli.ending import show
    from hamlet_train.cli.options import folder_of, searched_of, settings_of, threads_of
    from hamlet_train.run import Run, open_universe
    from hamlet_train.settings import usual_of
    from hamlet_train.tuning.asked import Asked
    from hamlet_train.tuning.budget import Budget
    from hamlet_train.tuning.kept import PICTURE, TABLE, Tuned, keep
    from hamlet_train.tuning.picture import write_picture
    from hamlet_train.tuning.plan import read_plan, write_plan
    from hamlet_train.tuning.population import narrowed
    from hamlet_train.tuning.shelf import TUNING, Shelf

    run = Run(folder_of(f"{name_of(universe)}-tuned" if name is None else name))
    shelf, few = Shelf(run.folder / TUNING), threads_of(threads)
    if resume:
        check_resumed(run)
        asked = read_plan(shelf.folder, universe, few)
    else:
        budget, usual = Budget.of(budgets), settings_of(settings, memory)
        space: Space = searched_of(searches, settings)
        check_free(run)
        if population is not None:
            if candidates is not None:
                raise TrainError("--population and --candidates both say how many learn: take one of them")
            space = narrowed(space, [each.partition("=")[0] for each in searches])
        basics = (universe, budget, candidates, worlds, agents, seed)
        asked = Asked(*basics, usual, space, params, shared, measure, few, population, opponents)
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise TrainError("tune trains in one process: leave out torchrun")
    screen = Console(stderr=True)
    try:
        with told(name_of(universe)), screen.status("compiling") as status:
            if not resume:
                defaults = usual_of(open_universe(universe).universe)
                asked = replace(asked, usual=settings_of(settings, memory, defaults))
            search = asked.search(shelf, status.update)
            write_plan(shelf.folder, asked, search)
            click.echo(planned(search, asked.budget), err=True)

            def said(rung: int, ranking: Sequence[Candidate]) -> None:
                click.echo(ended(rung, ranking, search.usual), err=True)

            tuned = Tuned.of(search, status.update, said)
            module, manifest, digest = keep(run, tuned, universe)
        write_picture(f"{module.name}: {len(tuned.ranking)} candidates", tuned, run.folder / PICTURE)
        shutil.rmtree(shelf.folder)
    except KeyboardInterrupt:
        click.echo(stopped(universe, run, shelf), err=True)
        sys.exit(130)
    if as_json:
        click.echo(json.dumps(tuned.report(), indent=1))
        return
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = WIDTH
    console.print(table(tuned))
    best, chance = tuned.fresh
    click.echo(f"in worlds that ranked nobody: {measure} {best}, random actions {chance}")
    show(run, module, manifest, digest, few)
    for line in behind(tuned):
        click.echo(f"warning: {line}", err=True)
    click.echo(f"tuning    {run.folder / PICTURE}, {run.folder / TABLE}")
    click.echo(f"again     {shlex.join(manifest.command)}")


def check_free(run: Run) -> None:
    """Raise `TrainError` where a folder has something already."""
    from hamlet_train.tuning.shelf import TUNING

    if (run.folder / TUNING).exists():
        raise TrainError(f"{run.folder} has a tuning that was stopped: take --resume, or another --name")
    if run.folder.exists():
        raise TrainError(f"{run.folder} exists: take another --name")


def check_resumed(run: Run) -> None:
    """Raise `TrainError` where a tuning is asked to go on otherwise than it began, or has ended."""
    context = get_current_context()
    for parameter in context.command.params:
        said = context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
        if said and parameter.name not in OF_RESUMED:
            raise TrainError(f"--resume goes on as the tuning began: leave out {parameter.opts[0]}")
    if run.begun:
        raise TrainError(f"{run.folder} has a tuning that has ended: leave out --resume, and take another --name")


def stopped(universe: Path, run: Run, shelf: Shelf) -> str:
    """The line after Ctrl-C: how to go on."""
    if not shelf.folder.exists():
        return "stopped before the tuning began"
    command = ["hamletc", "tune", str(universe), "--name", run.folder.name, "--resume"]
    return f"stopped; this goes on with the training that was under way:\n{shlex.join(command)}"


def planned(search: Search, budget: Budget) -> str:
    """The plan of a tuning in a line."""
    from hamlet_train.tuning.population import Population

    rungs, manifest = search.rungs, search.candidates[0].manifest
    counts, ticks = " > ".join(map(str, rungs.counts)), " < ".join(f"{each:,}" for each in rungs.ticks)
    if isinstance(search, Population):
        counts, ticks = str(rungs.counts[0]), f"{rungs.ticks[-1]:,}"
    line = f"{counts} candidates in {manifest.worlds:,} worlds learn until {ticks} agent-ticks, {rungs.budget:,} in all"
    if budget.seconds is not None:
        option = "population" if isinstance(search, Population) else "candidates"
        repeats = f"--budget {rungs.budget} --{option} {rungs.counts[0]} --worlds {manifest.worlds}"
        line += f", as this machine does in the time; {repeats} repeats it to the bit"
    return line


def ended(rung: int, ranking: Sequence[Candidate], defaults: Settings) -> str:
    """The end of a rung in a line."""
    best = ranking[0]
    usual = next((each for each in ranking if each.is_usual), best)
    now = best.scores[-1]
    line = f"rung {rung + 1}: {now.value:.4g} after {now.ticks:,} agent-ticks with {settings_in(best, defaults)}"
    return (
        line
        if usual is best
        else f"{line}; with the defaults {usual.scores[-1].value:.4g} after {usual.scores[-1].ticks:,}"
    )


def behind(tuned: Tuned) -> list[str]:
    """A line where somebody who learns nothing is better than the best candidate."""
    name, most = max(tuned.references.items(), key=lambda each: each[1].value)
    best = tuned.best.scores[-1]
    if best.mean.high >= most.value:
        return []
    measure = tuned.search.worlds.measure
    return [
        f"the mean {measure} of {name} is {most.value:.4g}, that of the best candidate {best.value:.4g} after "
        f"{best.ticks:,} agent-ticks: take a larger --budget first"
    ]


def settings_in(candidate: Candidate, defaults: Settings) -> str:
    """The settings of a candidate that are not the defaults, those with which it learnt last."""
    from hamlet_train.tuning.space import differing

    said = differing(candidate.settings, defaults)
    return " ".join(f"{name}={value}" for name, value in said.items()) or "the defaults"


def table(tuned: Tuned) -> Table:
    """The best candidates, the one of the defaults, and those who learn nothing."""
    from rich.table import Table

    from hamletc.cli.show import literal

    ranking, worlds = tuned.ranking, tuned.search.worlds
    who = "agents" if worlds.role is None else f"agents of {worlds.role}"
    rows = Table(
        "",
        "agent-ticks",
        worlds.measure,
        "95 % of it",
        "settings",
        title=f"{worlds.module.name}: first episodes of {worlds.count * worlds.ranked:,} {who} after each training",
    )
    for place, each in enumerate(ranking, 1):
        if place <= SHOWN or each.is_usual:
            last = each.scores[-1]
            mean = last.mean
            interval, settings = f"{mean.low:.4g} to {mean.high:.4g}", settings_in(each, tuned.search.usual)
            rows.add_row(str(place), f"{last.ticks:,}", f"{mean.value:.4g}", interval, settings)
    for name, mean in tuned.references.items():
        rows.add_row("", "", f"{mean.value:.4g}", f"{mean.low:.4g} to {mean.high:.4g}", literal(name))
    return rows
