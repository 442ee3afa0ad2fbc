"""What `hamletc train` ends with: a plot, a film, and a few lines."""

from __future__ import annotations

import rich_click as click

from hamlet.package.module import Module
from hamlet_train.evaluate import chooser, environment
from hamlet_train.pictures import write_curve, write_film
from hamlet_train.policy import FILENAME, read_policy
from hamlet_train.run import Manifest, Run


def show(run: Run, module: Module, manifest: Manifest, digest: str, threads: int) -> None:
    """Write curve.png and episode.gif into the run's folder, and say what is where.

    Raises:
        TrainError, CompileError: a file cannot be written.
    """
    lines = run.lines()
    title = f"{manifest.universe}: PPO, {manifest.worlds:,} worlds, seed {manifest.seed}"
    write_curve(title, lines, run.folder / "curve.png")
    # A world that nobody trained in.
    env = environment(module, 1, manifest.agents, manifest.seed, manifest.worlds)
    ticks = write_film(env, chooser(env, read_policy(run.folder, module), threads), run.folder / "episode.gif")
    ended = [line for line in lines if line.episodes]
    if ended:
        click.echo(f"episodes  length {ended[-1].length:.1f}, return {ended[-1].returned:.4g} in the last update")
    click.echo(f"weights   sha256 {digest}\npolicy    {run.folder / FILENAME}")
    click.echo(f"curve     {run.folder / 'curve.png'}\nepisode   {run.folder / 'episode.gif'} ({ticks} ticks)")
