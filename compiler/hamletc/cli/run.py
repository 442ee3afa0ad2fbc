"""`hamletc run`: compile a universe and watch many worlds of it live."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

import hamlet
from hamletc.cli.params import check_within, declared, numbers_of
from hamletc.cli.policy import player_of, policy_option
from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet.backend.registry import Tune
    from hamlet.env.environment import Env


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--worlds", type=click.IntRange(min=1), default=16384, show_default=True, help="How many worlds.")
@click.option(
    "--agents", type=click.IntRange(min=1), default=None, help="In each world; by default 1, or as roles say."
)
@click.option("--ticks", type=click.IntRange(1, 2**31 - 1), default=1000, show_default=True, help="For how long.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--backend", default="auto", show_default=True, help="auto, triton, c or interpreter.")
@click.option("--device", help="cpu, cuda, cuda:1, ...; by default what the backend runs on.")
@click.option("--tune", type=click.Choice(["default", "max", "off"]), default="default", show_default=True,
              help="How much triton may try for speed.")  # fmt: skip
@click.option("--param", "param", multiple=True, metavar="NAME=NUMBER", help="A param of all worlds. Repeatable.")
@policy_option()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the plot; by default runs/NAME.")
@click.option("--no-write", is_flag=True, help="Write neither generated/NAME nor runs/NAME into this folder.")
@click.option("--watch", is_flag=True, help="Show one world, tick by tick, in place of the report: see hamletc watch.")
@click.option("--world", type=click.IntRange(min=0), help="Which one --watch shows, by its number; by default 0.")
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Ticks of a second; by default 8.")
def run(
    universe: Path,
    worlds: int,
    agents: int | None,
    ticks: int,
    seed: int,
    backend: str,
    device: str | None,
    tune: Tune,
    param: tuple[str, ...],
    policy: str,
    output: Path | None,
    no_write: bool,
    watch: bool,
    world: int | None,
    rate: float | None,
) -> None:
    """Run worlds of UNIVERSE (a file, or a generated package) under a policy, random by default, and report what
    happened; or watch one of them live."""
    from rich.console import Console

    from hamlet.launch.cpu.kernels import SHORT
    from hamlet.native.drafts import without_drafts
    from hamlet.schema.roles import fewest_agents
    from hamlet.waiting import told
    from hamletc.cli.live import live
    from hamletc.cli.package import at_home, open_package
    from hamletc.cli.plot import write_meters
    from hamletc.cli.report import show
    from hamletc.cli.watch import RATE, watch_world

    for option, value in (("--world", world), ("--rate", rate)):
        if value is not None and not watch:
            raise CompileError(f"{option} is about the world that --watch shows")
    if world is not None and world >= worlds:
        raise CompileError(f"--world {world}: there are worlds 0 .. {worlds - 1}")
    params, player = numbers_of(param), player_of(policy)
    if watch:
        # One world needs no kernels, and the interpreter starts at once; it gives the same bits.
        alone = "interpreter" if backend == "auto" and device is None else backend
        speed = RATE if rate is None else rate
        watch_world(universe, agents, ticks, seed, params, world or 0, speed, player, alone, device)
        return
    home = at_home()
    module = open_package(universe, write_here=not (no_write or home))
    player.check(module)
    for name, value in params.items():
        check_within(declared(name, module.universe), value)

    def make() -> Env:
        return hamlet.make(
            module,
            worlds=worlds,
            agents=agents,
            device=device,
            backend=backend,
            seed=seed,
            params=params,
            obs_dtype=player.obs_dtype,
            quiet=True,
            tune=tune,
            launch="step",
        )

    # Where a draft would soon be waited for, it is left out.
    many = worlds * (agents or fewest_agents(module.universe)) * ticks > SHORT
    with told(module.name), without_drafts() if many else nullcontext():
        report, samples = live(make, module.name, ticks, params, player)
    show(report, Console(highlight=False, soft_wrap=True))
    click.echo(f"package  {module.path}")
    if output is None and (no_write or home):
        why = "--no-write" if no_write else "this is your home folder; -o FOLDER says where"
        click.echo(f"plot     not written: {why}")
        return
    plot = (Path("runs") / module.name if output is None else output) / "meters.png"
    lanes = worlds * (agents or fewest_agents(module.universe))
    title = f"{module.name}: {lanes:,} agents under {player.title}; mean and 10-90% band"
    write_meters(title, [meter.name for meter in module.universe.meters], samples, plot)
    click.echo(f"plot     {plot}")
