"""`hamletc verify`: do all backends give the same bits?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet.backend.registry import backend_names, working_backends
from hamlet.terminal import visible_lines
from hamlet_lab.runners import ARCHITECTURES, EXECUTED
from hamletc.cli.policy import Player, player_of, policy_option

if TYPE_CHECKING:
    from hamlet_lab.diff.open import Opened
    from hamlet_lab.divergence.session import Side


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option(
    "--backends",
    metavar="NAMES",
    help=f"Some of {', '.join(backend_names())} (the interpreter is compared on CUDA), by default all of these; or "
    "of ir and kernel, the package's program and schedule by their definitions.",
)
@click.option(
    "--ptx",
    "architectures",
    type=click.Choice(ARCHITECTURES),
    multiple=True,
    help="Compile for this GPU and execute its PTX on the CPU; no other backend unless --backends names it.",
)
@click.option("--worlds", type=click.IntRange(min=1), help="How many worlds; the default is odd on purpose.")
@click.option("--ticks", type=click.IntRange(1, 2**20), help="Ticks of each kind of play.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@policy_option("Who acts in rollouts beside random actions, tables and scripts", None)
@click.option("--quick", is_flag=True, help="Compare less.")
@click.option("--allow-unfired", is_flag=True, help="List constructs that never fired, and exit with 0 all the same.")
@click.option("--counts", is_flag=True, help="Print how often each construct fired.")
@click.pass_context
def verify(
    ctx: click.Context,
    universe: Path,
    backends: str | None,
    architectures: tuple[str, ...],
    worlds: int | None,
    ticks: int | None,
    seed: int,
    policy: str | None,
    quick: bool,
    allow_unfired: bool,
    counts: bool,
) -> None:
    """Compare the backends of UNIVERSE (a file, or a generated package) with the interpreter, bit for bit.

    Exit code 1 if they differ, if nothing was compared, or if some construct never fired: it was not verified then.
    With --allow-unfired what is too rare to happen is listed, and is no failure. Triton runs on the GPU, or without
    one under TRITON_INTERPRET=1.
    """
    from hamletc.cli.package import open_package
    from hamletc.cli.progress import progress_of

    names, player = _names(backends), Player() if policy is None else player_of(policy)
    module = open_package(universe, runners=names or ())

    from hamlet_lab.diff.open import opened_package
    from hamlet_lab.divergence.cause import explained
    from hamlet_lab.verify import QUICK, THOROUGH, play
    from hamlet_lab.verify.players import acting_of

    player.check(module)
    opened = opened_package(universe, module)
    others = [opened.side(architecture) for architecture in architectures]
    if names is not None or not architectures:
        others += _sides(opened, names)
    effort = QUICK if quick else THOROUGH
    effort = replace(effort, worlds=worlds or effort.worlds, ticks=ticks or effort.ticks)
    with progress_of(f"comparing backends of {module.name}") as progress:
        left = opened.side("interpreter", "cpu")
        comparison = play(left, others, effort, seed, progress, explained, acting_of(player, module))
    comparison = replace(comparison, must_fire="some" if allow_unfired else "all")
    click.echo(visible_lines(comparison.render(counts)))
    if comparison.never_fired and replace(comparison, must_fire="some").ok and not allow_unfired:
        click.echo("what never fired is a failure: take more --ticks or --worlds, or --allow-unfired where it is rare")
    if not comparison.ok:
        ctx.exit(1)


def _sides(opened: Opened, names: tuple[str, ...] | None) -> list[Side]:
    """Sides with these backends, by default with all that this machine has."""
    import torch

    from hamlet.errors import EnvError
    from hamlet_lab.diff.open import prepare

    cuda = torch.cuda.is_available()
    if names is None:
        names = tuple(name for name in working_backends(opened.package("")) if cuda or name != "interpreter")
    if "interpreter" in names and not cuda:
        raise EnvError("the interpreter on the CPU is what the others are compared with: leave it out")
    prepare(names)
    return [opened.side(name, "cuda" if name == "interpreter" else None) for name in names]


def _names(backends: str | None) -> tuple[str, ...] | None:
    if backends is None:
        return None
    names = tuple(name.strip() for name in backends.split(","))
    for name in names:
        if name not in (runners := (*backend_names(), *EXECUTED)):
            raise click.BadParameter(f"{name!r} is not one of {', '.join(runners)}.", param_hint="--backends")
    return names
