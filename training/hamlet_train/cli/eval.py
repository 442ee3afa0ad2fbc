"""`hamletc eval`: how a policy fares, beside random actions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from rich.table import Table

    from hamlet_train.evaluate import Episodes


@click.command(name="eval")
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--policy", "path", type=click.Path(path_type=Path), required=True,
              help="The folder of a run, also an interrupted one, or a file with weights or a table.")  # fmt: skip
@click.option("--episodes", type=click.IntRange(1, 2**20), default=1000, show_default=True, help="How many, about.")
@click.option("--agents", type=click.IntRange(min=1), help="In each world; by default 1, or as roles say.")
@click.option(
    "--greedy", is_flag=True, help="Take the likeliest actions and the means of controls rather than draw them."
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="By default the next after that of the training.")
@click.option("--threads", type=click.IntRange(1, 1024), help="By default the CPUs. No result depends on it.")
def evaluate(
    universe: Path,
    path: Path,
    episodes: int,
    agents: int | None,
    greedy: bool,
    seed: int | None,
    threads: int | None,
) -> None:
    """Play episodes of UNIVERSE with a trained policy, and as many with random actions."""
    from rich.console import Console

    from hamlet.waiting import told
    from hamlet_train.checkpoint import weights_in
    from hamlet_train.cli.options import threads_of
    from hamlet_train.evaluate import environment, played, played_by_chance
    from hamlet_train.policy import read_all
    from hamlet_train.run import open_universe

    module = open_universe(universe)
    policies = read_all(path, module)
    about = next(iter(policies.values())).about
    if path.is_dir() and "update" in about:
        file = weights_in(path)
        click.echo(f"{path} has not ended: these are the weights of its latest checkpoint, {file}", err=True)
    chosen = (about["seed"] + 1) % 2**64 if seed is None else seed
    with told(module.name):
        small = environment(module, 1, agents, chosen)
    worlds = -(-episodes // small.num_agents)
    with Console(stderr=True).status("playing"), told(module.name):
        env = environment(module, worlds, agents, chosen)
        by_policy = played(env, policies, threads_of(threads), greedy)
        other = environment(module, worlds, agents, chosen)
        by_chance = played_by_chance(other)
    title = f"{module.name}: the first episodes of {worlds * small.num_agents:,} agents, seed {chosen}"
    of_roles = by_policy.by_role(env), by_chance.by_role(other)
    console, names = Console(highlight=False, soft_wrap=True), ("greedy" if greedy else "policy", "random")
    for role in of_roles[0]:
        console.print(table(f"{title}: {role}", dict(zip(names, (each[role] for each in of_roles), strict=True))))
    if not of_roles[0]:
        console.print(table(title, dict(zip(names, (by_policy, by_chance), strict=True))))


def table(title: str, sides: dict[str, Episodes]) -> Table:
    """Sides beside each other."""
    from rich.table import Table

    from hamlet_train.evaluate import MOST_TICKS
    from hamletc.cli.show import literal

    rows = Table("", *sides, title=title)
    rows.add_row("episodes", *(f"{len(each.lengths):,}" for each in sides.values()))
    rows.add_row("mean length", *(f"{each.length:.1f} ± {each.spread:.1f}" for each in sides.values()))
    rows.add_row("mean return", *(f"{each.returned:.4g}" for each in sides.values()))
    for name in next(iter(sides.values())).causes:
        if any(each.causes[name] for each in sides.values()):
            rows.add_row(literal(name), *(f"{each.causes[name]:,}" for each in sides.values()))
    if any(each.unfinished for each in sides.values()):
        rows.add_row(f"not ended after {MOST_TICKS:,}", *(f"{each.unfinished:,}" for each in sides.values()))
    return rows
