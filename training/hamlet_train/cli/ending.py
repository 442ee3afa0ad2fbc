"""The end of `hamletc train`: a plot, a film, and a few lines."""

from __future__ import annotations

import shlex

import rich_click as click

from hamlet.package.module import Module
from hamlet_train.advice import advice
from hamlet_train.evaluate import chooser, environment
from hamlet_train.evaluation import Fared, of_chance, trained
from hamlet_train.pictures import write_curve, write_film
from hamlet_train.policy import Policy, filename, read_all
from hamlet_train.run import Manifest, Run
from hamlet_train.variety import params_of


def show(run: Run, module: Module, manifest: Manifest, digest: str, threads: int) -> None:
    """Write curve.png and episode.gif into the run's folder, and say what is where.

    Raises:
        TrainError, CompileError: a file cannot be written.
    """
    title = f"{manifest.universe}: PPO, {manifest.worlds:,} worlds, seed {manifest.seed}"
    evaluations = run.evaluations()
    write_curve(title, evaluations, run.folder / "curve.png")
    # A world that nobody trained in.
    params = params_of(manifest.params, module.universe)
    env = environment(module, 1, manifest.agents, manifest.seed, manifest.worlds, params)
    policies = {role: each for role, each in read_all(run.folder, module).items() if isinstance(each, Policy)}
    ticks = write_film(env, chooser(env, policies, threads), run.folder / "episode.gif")
    chance = of_chance(evaluations)
    for now, by_chance in zip(trained(evaluations)[-1].fared, chance.fared if chance else (), strict=True):
        click.echo(said(now, by_chance))
    randoms = {} if chance is None else {each.name: each for each in chance.kinds}
    for kind in trained(evaluations)[-1].kinds:
        for now, by_chance in zip(kind.fared, randoms.get(kind.name, kind).fared, strict=True):
            click.echo(said(now, by_chance, f"{kind.name}: "))
    for line in advice(run.lines(), evaluations):
        click.echo(f"warning: {line}", err=True)
    if run.read().ended:
        click.echo(f"ended after update {run.read().ended} of {manifest.updates}")
    click.echo(f"weights   sha256 {digest}")
    for role in policies:
        click.echo(f"policy    {run.folder / filename(role)}")
    click.echo(f"curve     {run.folder / 'curve.png'}\nepisode   {run.folder / 'episode.gif'} ({ticks} ticks)")
    click.echo(f"a page of it: {shlex.join(['hamletc', 'report', str(run.folder)])}")


def said(now: Fared, by_chance: Fared, where: str = "") -> str:
    """The last evaluation of a role in a line, in all worlds or in those of a kind."""
    figures = (
        f"{name} {getattr(now, each).mean:.4g} (random {getattr(by_chance, each).mean:.4g})"
        for name, each in (("return", "returned"), ("length", "length"))
    )
    role = f"{now.role}: " if now.role else ""
    going = f", of which {now.unfinished} had not ended" if now.unfinished else ""
    return f"evaluated {where}{role}{', '.join(figures)}, mean of {now.episodes} episodes{going}"
