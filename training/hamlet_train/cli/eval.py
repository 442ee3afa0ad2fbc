"""`hamletc eval`: how a policy fares, beside random actions and beside another one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet_train.errors import TrainError

if TYPE_CHECKING:
    from rich.table import Table

    from hamlet_train.judged import Side

PATH = click.Path(path_type=Path)
NAME = "gallery"
"""The word that stands for all shipped universes."""
FEW = 200
"""Agents of each universe of the gallery, at most."""


@click.command(name="eval")
@click.argument("universe", type=PATH)
@click.option("--policy", "path", type=PATH,
              help="The folder of a run, also an interrupted one, or a file: weights, a table, ONNX.")  # fmt: skip
@click.option(
    "--compare", type=PATH, nargs=2, metavar="A B", help="In place of --policy: two of them, beside each other."
)
@click.option("--param", "texts", multiple=True, metavar="NAME=VALUE",
              help="A param of worlds, as for train: also one that no training had. Repeatable.")  # fmt: skip
@click.option("--against", "rival", type=PATH,
              help="Another policy: each role of both plays beside the others of both.")  # fmt: skip
@click.option("--elo", is_flag=True, help="Rate checkpoints of the run by what each role returns in the same worlds.")
@click.option("--episodes", type=click.IntRange(1, 2**20), default=1000, show_default=True, help="How many, about.")
@click.option("--agents", type=click.IntRange(min=1), help="In each world; by default 1, or as roles say.")
@click.option(
    "--greedy", is_flag=True, help="Take the likeliest actions and the means of controls rather than draw them."
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="By default the next after those of the trainings.")
@click.option("--threads", type=click.IntRange(1, 1024), help="By default the CPUs. No result depends on it.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, with intervals of return and length.")
def evaluate(
    universe: Path,
    path: Path | None,
    compare: tuple[Path, Path] | None,
    texts: tuple[str, ...],
    rival: Path | None,
    elo: bool,
    episodes: int,
    agents: int | None,
    greedy: bool,
    seed: int | None,
    threads: int | None,
    as_json: bool,
) -> None:
    """Play episodes of UNIVERSE with a trained policy, and as many with random actions.

    `eval gallery` plays all shipped universes: random actions, a script, the policy of the zoo, and theory.

    Of a run with several seeds all policies play. Intervals are those of a bootstrap, 95 %. --compare says with which
    probability A improves on B (Agarwal and others, 2021).
    """
    from rich.console import Console

    from hamlet.waiting import told
    from hamlet_train.cli.options import threads_of
    from hamlet_train.evaluate import environment
    from hamlet_train.judged import Named, Worlds, improvement, of_what
    from hamlet_train.run import open_universe
    from hamlet_train.variety import params_of

    if str(universe) == NAME and path is None and compare is None and not universe.exists():
        from hamlet_train.cli.gallery import show_gallery

        if texts or rival or elo or agents or greedy or seed is not None:
            raise TrainError("eval gallery plays the zoo as it was trained: it takes --episodes, --threads and --json")
        show_gallery(min(episodes, FEW), threads_of(threads), as_json)
        return
    if (path is None) == (compare is None):
        raise TrainError("say who plays: --policy RUN, or --compare RUN OTHER, not both")
    if (rival or elo) and (path is None or as_json):
        raise TrainError("--against and --elo go with --policy RUN, and print tables alone: leave out the others")
    module = open_universe(universe)
    params = params_of(texts, module.universe)
    paths = [*compare] if compare else [Path() if path is None else path]
    named = [Named.read(each, module) for each in paths]
    for each in named:
        for file in each.going:
            click.echo(f"{each.path} has not ended: these are the weights of its latest checkpoint, {file}", err=True)
    # Worlds that none of them was trained in.
    chosen = (max(each.seed for each in named) + 1) % 2**64 if seed is None else seed
    with told(module.name):
        small = environment(module, 1, agents, chosen)
    if rival is not None or elo:
        from hamlet_train.cli.meeting import show_crossed, show_rated
        from hamlet_train.crossing import Arena
        from hamlet_train.policy import read_all

        size = -(-episodes // small.num_agents), small.num_agents
        arena = Arena(module, *size, chosen, threads_of(threads), greedy, params=params)
        with told(module.name):
            if rival is not None:
                show_crossed(arena, {str(paths[0]): named[0].policies[0], str(rival): read_all(rival, module)})
            if elo:
                show_rated(arena, paths[0])
        return
    worlds = Worlds(module, -(-episodes // small.num_agents), agents, chosen, params)
    with Console(stderr=True).status("playing"), told(module.name):
        names = [str(each) for each in paths] if compare else ["greedy" if greedy else "policy"]
        sides = [
            worlds.side(name, each.policies, threads_of(threads), greedy)
            for name, each in zip(names, named, strict=True)
        ]
        sides.append(worlds.chance())
    better = improvement(sides[0], sides[1]) if compare else {}
    if as_json:
        report = {
            "universe": module.name,
            "digest": module.digest,
            "seed": chosen,
            "greedy": greedy,
            "sides": [each.report() for each in sides],
        }
        if compare:
            report["improvement"] = {role: asdict(each) for role, each in better.items()}
            report["of"] = of_what(sides[0], sides[1])
        click.echo(json.dumps(report, indent=1))
        return
    title = f"{module.name}: the first episodes of {worlds.count * small.num_agents:,} agents, seed {chosen}"
    console = Console(highlight=False, soft_wrap=True)
    for role in sides[0].roles:
        console.print(table(f"{title}: {role}" if small.roles else title, sides, role))
    for role, interval in better.items():
        who = f"{role} of {paths[0]}" if small.roles else str(paths[0])
        shares = f"{interval.value:.1%} ({interval.low:.1%} to {interval.high:.1%})"
        click.echo(f"{who} improves on {paths[1]} with probability {shares}, by {of_what(sides[0], sides[1])}")


def table(title: str, sides: Sequence[Side], role: str) -> Table:
    """Sides beside each other."""
    from rich.table import Table

    from hamlet_train import certainty
    from hamlet_train.evaluate import MOST_TICKS
    from hamletc.cli.show import literal

    every = [each.together(role) for each in sides]
    rows = Table("", *(literal(each.name) for each in sides), title=title)
    several = any(len(each.groups) > 1 for each in sides)
    if several:
        rows.add_row("seeds", *(str(len(each.groups)) if each.name != "random" else "" for each in sides))
    rows.add_row("episodes", *(f"{len(each.lengths):,}" for each in every))
    rows.add_row("mean length", *(f"{each.length:.1f} ± {each.spread:.1f}" for each in every))
    rows.add_row("mean return", *(f"{each.returned:.4g}" for each in every))
    intervals = (certainty.of_mean(each.returns(role)) for each in sides)
    rows.add_row("95 % of it", *(f"{each.low:.4g} to {each.high:.4g}" for each in intervals))
    for name in every[0].causes:
        if any(each.causes[name] for each in every):
            rows.add_row(literal(name), *(f"{each.causes[name]:,}" for each in every))
    if any(each.unfinished for each in every):
        rows.add_row(f"not ended after {MOST_TICKS:,}", *(f"{each.unfinished:,}" for each in every))
    return rows
