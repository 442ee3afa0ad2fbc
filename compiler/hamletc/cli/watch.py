"""`hamletc watch`: one world live in the terminal, which goes on when its text changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamletc.cli.policy import Player, player_of, policy_option

if TYPE_CHECKING:
    from hamlet.env.environment import Env
    from hamlet.package.module import Module

RATE = 8.0
"""Ticks of a second."""


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--agents", type=click.IntRange(min=1), default=None, help="In the world; by default 1, or as roles say.")
@click.option("--ticks", type=click.IntRange(1, 2**31 - 1), help="For how long; by default until Ctrl-C.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--param", "param", multiple=True, metavar="NAME=NUMBER", help="A param of the world. Repeatable.")
@policy_option()
@click.option("--world", type=click.IntRange(min=0), default=0, show_default=True, help="Which one, by its number.")
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), default=RATE, show_default=True,
              help="Ticks of a second.")  # fmt: skip
def watch(
    universe: Path,
    agents: int | None,
    ticks: int | None,
    seed: int,
    param: tuple[str, ...],
    policy: str,
    world: int,
    rate: float,
) -> None:
    """Watch a world of UNIVERSE (a file, or a generated package) live, under a policy, random by default.

    Save the file, and the world goes on in the new version: meters, positions, ages and the hour stay, new ones begin
    with their start values. Errors are shown beneath the world, which goes on as it was. Nothing is written.
    """
    from hamletc.cli.params import numbers_of

    watch_world(universe, agents, ticks, seed, numbers_of(param), world, rate, player_of(policy))


def watch_world(
    universe: Path,
    agents: int | None,
    ticks: int | None,
    seed: int,
    params: Mapping[str, float],
    world: int,
    rate: float,
    player: Player,
    backend: str = "interpreter",
    device: str | None = None,
) -> None:
    """Show a world of what a user named, and what becomes of it when that changes.

    Args:
        ticks: for how long; `None` until Ctrl-C.
        player: who acts.
        backend: one world needs no kernels, and the interpreter starts at once; it gives the same bits.

    Raises:
        CompileError: it cannot be read or has errors, or a param does not fit.
        EnvError: the backend cannot run here, or the policy is for another universe.
    """
    from rich.console import Console

    import hamlet
    from hamlet.backend.choose import choose
    from hamletc.cli.params import check_within, declared
    from hamletc.cli.reload import Watched
    from hamletc.cli.screen import show_live
    from hamletc.targets.target import target_names

    chosen = choose(backend, device).backend

    def make(module: Module) -> Env:
        for name, value in params.items():
            check_within(declared(name, module.universe), value)
        player.check(module)
        return hamlet.make(
            module,
            worlds=1,
            agents=agents,
            device=device,
            backend=backend,
            seed=seed,
            first_world=world,
            params=dict(params),
            obs_dtype=player.obs_dtype,
            quiet=True,
            launch="step",
        )

    watched = Watched(universe, make, tuple(name for name in target_names() if name == chosen))
    show_live(watched.first(), ticks, rate, Console(highlight=False), watched, player)
