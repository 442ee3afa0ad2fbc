"""`hamletc design`: search params until wishes hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from hamletc.cli.policy import RANDOM, Player, player_of, policy_option
from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet.package.module import Module
    from hamlet.universe import Universe
    from hamlet_lab.design.search import Candidate, Looks, Range, Retrain
    from hamlet_lab.design.wishes import Wish
    from hamlet_lab.sweep.run import Trial

PATH = click.Path(path_type=Path)
TRAINERS = "hamletc.trainers"
"""The entry points of what trains."""
TRAININGS = 32
"""Trainings of a search, where no budget is given."""
FORM = "NAME=FROM:TO or NAME=NUMBER, as in --param wage=0.05:0.3"


@click.command()
@click.argument("universe", type=PATH)
@click.option("--param", "param", multiple=True, metavar="NAME=FROM:TO", help="Where a param may lie. Repeatable.")
@click.option("--want", "want", multiple=True, metavar="WISH",
              help='As in "median life 200 .. 300" or "no affordance above 60 % of uses". Repeatable.')  # fmt: skip
@policy_option()
@click.option("--retrain", type=click.IntRange(min=1), is_flag=False, flag_value=1_000_000, metavar="[TICKS]",
              help="Train a policy for each candidate, for so many agent-ticks, by default 1,000,000.")  # fmt: skip
@click.option("--budget", type=click.IntRange(min=1), metavar="TICKS",
              help="Of all trainings together; by default 32 times that of one.")  # fmt: skip
@click.option("--ticks", type=click.IntRange(1, 2**31 - 1), default=1000, show_default=True, help="For how long.")
@click.option("--worlds", type=click.IntRange(1, 2**20), default=64, show_default=True, help="Of each candidate.")
@click.option(
    "--agents", type=click.IntRange(min=1), default=None, help="In each world; by default 1, or as roles say."
)
@click.option("--json", "json_path", type=PATH, help="Write what was found there.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--backend", default="auto", show_default=True, help="auto, triton, c or interpreter.")
@click.option("--device", help="cpu, cuda, cuda:1, ...; by default what the backend runs on.")
@click.pass_context
def design(
    context: click.Context,
    universe: Path,
    param: tuple[str, ...],
    want: tuple[str, ...],
    policy: str,
    retrain: int | None,
    budget: int | None,
    ticks: int,
    worlds: int,
    agents: int | None,
    json_path: Path | None,
    seed: int,
    backend: str,
    device: str | None,
) -> None:
    """Search params of UNIVERSE (a file, or a generated package) with which all wishes hold.

    Hundreds of candidates run side by side. Exit code 1: none met all wishes; the report says how near the best one
    came.
    """
    from hamlet.schema.roles import fewest_agents
    from hamlet_lab.design.search import search
    from hamlet_lab.design.wishes import FORMS, parse
    from hamlet_lab.sweep.run import Trial
    from hamletc.cli.package import open_package
    from hamletc.cli.progress import progress_of

    check_budget(policy, retrain, budget)
    chosen = player_of(policy)
    if not want:
        raise CompileError(f'say what you want: --want "{FORMS[0]}"')
    module = open_package(universe)
    chosen.check(module)
    ranges = searched(param, module.universe)
    wishes = [parse(text, module.universe, ticks) for text in want]
    trial = Trial(module, worlds, agents or fewest_agents(module.universe), ticks, seed, backend, device, chosen)
    looks, trainer = (None, None) if retrain is None else trained_anew(module, trial, retrain, budget)
    with progress_of(f"{module.name}: searching") as tell:
        best = search(trial, ranges, wishes, tell, looks, trainer)
    if json_path is not None:
        _write(json_path, report(module.universe, best, wishes))
    show(best, wishes)
    if not best.met:
        context.exit(1)


def check_budget(policy: str, retrain: int | None, budget: int | None) -> None:
    """Raise `CompileError` where options about trainings contradict each other."""
    if retrain is None:
        if budget is not None:
            raise CompileError("--budget is that of trainings: give --retrain too")
        return
    if policy != RANDOM:
        raise CompileError("--retrain trains the policies that play: leave --policy out")
    if budget is not None and budget < retrain:
        raise CompileError(f"--budget {budget:,} is less than one training of {retrain:,} agent-ticks")


def trained_anew(module: Module, trial: Trial, ticks: int, budget: int | None) -> tuple[Looks, Retrain]:
    """How many candidates a budget of agent-ticks allows, and who trains each of them.

    Raises:
        CompileError: nobody trains here.
    """
    from hamlet.plugins import load, named
    from hamlet_lab.design.search import Looks

    trainers = list(named(TRAINERS))
    if not trainers:
        raise CompileError("--retrain needs a package that trains: pip install 'hamletc[train]'")
    trainer: Any = load(TRAINERS, trainers[0])

    def retrain(params: Mapping[str, float]) -> Player:
        return Player("retrained", trainer.retrain(module, trial.agents, params, ticks, trial.seed))

    return Looks.within(TRAININGS if budget is None else budget // ticks), retrain


def searched(params: Sequence[str], universe: Universe) -> list[Range]:
    """The ranges of some `--param`.

    Raises:
        CompileError: one is malformed, or its param does not exist, is given twice or cannot have such a value.
    """
    from hamlet_lab.design.search import Range
    from hamlet_lab.sweep.grid import number_of
    from hamletc.cli.params import check_within, declared, named_text

    ranges: dict[str, Range] = {}
    for text in params:
        name, rest = named_text(text, FORM)
        param = declared(name, universe)
        if name in ranges:
            raise CompileError(f"--param {text}: {name} is given twice")
        numbers = [number_of(text, part, FORM) for part in rest.split(":")]
        if len(numbers) > 2:
            raise CompileError(f"--param {text}: write {FORM}")
        low, high = numbers[0], numbers[-1]
        if len(numbers) == 2 and low >= high:
            raise CompileError(f"--param {text}: begin with the lower number")
        for value in (low, high):
            check_within(param, value)
        ranges[name] = Range(name, low, high)
    if all(each.low == each.high for each in ranges.values()):
        raise CompileError(f"nothing can be searched: give a --param {FORM}")
    return list(ranges.values())


def show(best: Candidate, wishes: Sequence[Wish]) -> None:
    """Print the wishes with what was found, and the params."""
    from hamlet_lab.design.wishes import UNKNOWN

    looked = f"{best.candidates:,} candidates in {best.rounds} round{'s' if best.rounds > 1 else ''}"
    click.echo(f"{looked}; the best one, in {best.worlds:,} worlds:")
    for wish, values, miss in zip(wishes, best.values, best.misses, strict=True):
        state = "holds" if miss == 0 else "nothing to see" if miss >= UNKNOWN else f"misses by {miss:.1%}"
        click.echo(f"  {wish.text}: {wish.spelled(values)} ({state})")
    click.echo("all wishes hold with" if best.met else "not all wishes hold; the nearest is")
    click.echo("  " + " ".join(f"--param {_quoted(name)}={value:.10g}" for name, value in best.params.items()))


def report(universe: Universe, best: Candidate, wishes: Sequence[Wish]) -> dict[str, Any]:
    """The report of a design, for JSON."""
    return {
        "universe": universe.name,
        "met": best.met,
        "params": dict(best.params),
        "wishes": [
            {"want": wish.text, "value": wish.spelled(values), "miss": miss}
            for wish, values, miss in zip(wishes, best.values, best.misses, strict=True)
        ],
        "worlds": best.worlds,
        "candidates": best.candidates,
        "rounds": best.rounds,
    }


def _quoted(name: str) -> str:
    return name if name.isidentifier() else f"'{name}'"


def _write(path: Path, contents: dict[str, Any]) -> None:
    try:
        path.write_text(json.dumps(contents, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write {path}: {error.strerror}") from error
