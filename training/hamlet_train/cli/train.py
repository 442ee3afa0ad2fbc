"""`hamletc train`: a policy for a universe, by PPO."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path

import rich_click as click

from hamlet_train.cli.defaults import TICKS, WORLDS
from hamlet_train.devices import DEVICES, Device
from hamlet_train.settings import names


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--ticks", type=click.IntRange(min=1), help=f"Of all agents together; by default {TICKS:,}.")
@click.option("--worlds", type=click.IntRange(1, 2**24), help=f"How many worlds; by default {WORLDS:,}.")
@click.option("--agents", type=click.IntRange(min=1), help="In each world; by default 1, or as roles say.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Of all randomness; by default 0.")
@click.option("--name", help="The run's folder is runs/NAME; by default the name of the universe.")
@click.option("--threads", type=click.IntRange(1, 1024), help="By default the CPUs. No result depends on it.")
@click.option("--set", "settings", multiple=True, metavar="NAME=NUMBER",
              help=f"A setting of PPO, repeatable: {', '.join(names())}.")  # fmt: skip
@click.option("--gradient-norm", type=click.IntRange(1, 2**31 - 1), metavar="N",
              help="Note the norm of the gradient in every N-th update.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(1, 1000), default=1, show_default=True,
              help="How many seeds, from --seed on: a training for each, and a report of all.")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on from the latest checkpoint of the run.")
@click.option("--shared", is_flag=True, help="One policy for all roles rather than one for each.")
@click.option("--opponent", "opponents", multiple=True, metavar="[ROLE=]RUN",
              help="The policy of a run plays ROLE as it is, and the other roles learn. Repeatable.")  # fmt: skip
@click.option("--against", metavar="past:N", help="In half of the worlds the other roles are N past selves.")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE",
              help="A param of worlds: a number, or uniform(0.1,0.3) and the like. Repeatable.")  # fmt: skip
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True, max=1e6),
              help="In place of --ticks: as many as this machine does in so long.")  # fmt: skip
@click.option("--until", metavar="[ROLE.]length=N",
              help="End as soon as an evaluation has this mean length, or return=N.")  # fmt: skip
@click.option("--patience", type=click.IntRange(1, 2**16), metavar="N",
              help="End after N evaluations without progress.")  # fmt: skip
@click.option("--memory", metavar="gru:N", help="Agents remember N numbers, which gated recurrent units learn to keep.")
@click.option("--critic", type=click.Choice(["own", "world"]),
              help="The critic sees what its agent does, by default, or what all of the world do.")  # fmt: skip
@click.option("--team", is_flag=True, help="Agents who share a policy are paid the mean of theirs in a world.")
@click.option("--device", type=click.Choice(DEVICES), default="cpu", show_default=True,
              help="Where it trains. No result depends on it.")  # fmt: skip
@click.option("--tensorboard", is_flag=True, help="Write the curve for TensorBoard too.")
@click.option("--sink", "sinks", multiple=True, metavar="SINK",
              help="Where numbers go too: wandb:PROJECT, mlflow:EXPERIMENT, MODULE:FUNCTION. Repeatable.")  # fmt: skip
def train(
    universe: Path,
    ticks: int | None,
    worlds: int | None,
    agents: int | None,
    seed: int | None,
    name: str | None,
    threads: int | None,
    settings: tuple[str, ...],
    gradient_norm: int | None,
    seeds: int,
    resume: bool,
    shared: bool,
    opponents: tuple[str, ...],
    against: str | None,
    params: tuple[str, ...],
    minutes: float | None,
    until: str | None,
    patience: int | None,
    memory: str | None,
    critic: str | None,
    team: bool,
    device: Device,
    tensorboard: bool,
    sinks: tuple[str, ...],
) -> None:
    """Train a policy on UNIVERSE (a file, or a generated package) by PPO with action masks and controls.

    The weights are the same to the bit for any number of threads, of processes of torchrun, and after --resume.
    """
    from hamlet.waiting import told
    from hamlet_train.cli.begin import Arguments, name_of, opened
    from hamlet_train.cli.boards import on_board, sinks_of
    from hamlet_train.cli.ending import show
    from hamlet_train.cli.options import threads_of
    from hamlet_train.cli.report import write_report
    from hamlet_train.cli.seeds import train_others
    from hamlet_train.cli.watch import shown
    from hamlet_train.ranks import joined, left
    from hamlet_train.training import Watch, train

    ranks = joined()
    named = name_of(universe) if name is None else name
    try:
        beside, budget = (shared, opponents, against, params), (minutes, until, patience, threads)
        basics = (ticks, worlds, agents, seed, settings, gradient_norm)
        arguments = Arguments(*basics, *beside, *budget, memory=memory, critic=critic, team=team, device=device)
        run, module, manifest = opened(universe, named, arguments, resume, ranks)
        if ranks.first and module.universe.roles:
            roles = " and ".join(role.name for role in module.universe.roles)
            whose = "all of them learn one policy" if manifest.shared else "each learns a policy of its own"
            if manifest.opponents:
                whose = f"{' and '.join(manifest.opponents)} as in another run, and each other role learns"
            click.echo(f"{module.name} has the roles {roles}: {whose}", err=True)
        boards = [on_board(run.folder / "tensorboard")] if tensorboard and ranks.first else []
        title = f"training {manifest.universe}"
        with ExitStack() as stack:
            boards += stack.enter_context(sinks_of(sinks if ranks.first else ()))
            screen = shown(title, manifest.updates, boards) if ranks.first else nullcontext(Watch())
            watch = stack.enter_context(screen)
            stack.enter_context(told(manifest.universe, quiet=not ranks.first))
            digest = train(run, module, manifest, ranks, threads_of(threads), watch, device)
        if ranks.first:
            show(run, module, manifest, digest, threads_of(threads))
        if seeds > 1:
            train_others(universe, run, manifest, arguments, seeds, ranks, threads_of(threads))
            if ranks.first:
                write_report(run, threads_of(threads))
    except KeyboardInterrupt:
        if ranks.first:
            click.echo(stopped(universe, named, tensorboard, seeds), err=True)
        sys.exit(130)
    finally:
        left()


def stopped(universe: Path, name: str, tensorboard: bool, seeds: int = 1) -> str:
    """The line after Ctrl-C: how to go on."""
    from hamlet_train.checkpoint import latest
    from hamlet_train.cli.options import folder_of
    from hamlet_train.run import Run

    run = Run(folder_of(name))
    if not run.begun:
        return "stopped before the training began"
    checkpoint = latest(run.checkpoints)
    where = "its beginning" if checkpoint is None else str(checkpoint)
    options = [*["--tensorboard"] * tensorboard, *(["--seeds", str(seeds)] if seeds > 1 else [])]
    command = ["hamletc", "train", str(universe), "--name", name, "--resume", *options]
    return f"stopped; this goes on from {where}:\n{shlex.join(command)}"
