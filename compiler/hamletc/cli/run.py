"""`hamletc run`: compile a universe and watch many worlds of it live."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    from hamlet.launch.tuning import Tune


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--worlds", type=click.IntRange(min=1), default=16384, show_default=True, help="How many worlds.")
@click.option("--agents", type=click.IntRange(min=1), default=1, show_default=True, help="Agents in each world.")
@click.option("--ticks", type=click.IntRange(1, 2**31 - 1), default=1000, show_default=True, help="For how long.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@click.option("--backend", default="auto", show_default=True, help="auto, triton, numba or interpreter.")
@click.option("--device", help="cpu, cuda, cuda:1, ...; by default what the backend runs on.")
@click.option("--tune", type=click.Choice(["default", "max", "off"]), default="default", show_default=True,
              help="How much triton may try for speed.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the plot; by default runs/NAME.")
def run(
    universe: Path,
    worlds: int,
    agents: int,
    ticks: int,
    seed: int,
    backend: str,
    device: str | None,
    tune: Tune,
    output: Path | None,
) -> None:
    """Run worlds of UNIVERSE (a file, or a generated package) under a random policy, and report what happened."""
    from rich.console import Console

    from hamletc.cli.live import live
    from hamletc.cli.package import open_package
    from hamletc.cli.plot import write_meters
    from hamletc.cli.report import show

    module = open_package(universe)
    make = partial(
        module.make, worlds, agents, device, backend, seed, obs_dtype=None, quiet=True, tune=tune, launch="step"
    )
    report, samples = live(make, module.name, ticks)
    show(report, Console(highlight=False, soft_wrap=True))
    plot = (Path("runs") / module.name if output is None else output) / "meters.png"
    title = f"{module.name}: {worlds * agents:,} agents under a random policy; mean and 10-90% band"
    write_meters(title, [meter.name for meter in module.universe.meters], samples, plot)
    click.echo(f"package  {module.path}\nplot     {plot}")
