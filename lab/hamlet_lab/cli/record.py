"""`hamletc record`: a run or an episode, to be replayed elsewhere, or later; a data set, for others to learn from."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import rich_click as click

from hamletc.cli.policy import player_of, policy_option
from hamletc.errors import CompileError
from hamletc.kinds import EPISODE, RECORDED, expect

if TYPE_CHECKING:
    from hamlet_lab.diff.open import Spec

MOST_WORLD = 2**31 - 1
DATASETS, MINARI = "hamletc.datasets", "minari"
"""The entry points of what writes data sets, and the name of one, which is also that of the package it needs."""


@click.command()
@click.argument("universe")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path),
    help="The file, NAME.npz or NAME.episode; of data sets the folder of all of them, by default Minari's.",
)  # fmt: skip
@click.option("--worlds", type=click.IntRange(min=1), default=67, show_default=True, help="How many worlds of a run.")
@click.option("--world", type=click.IntRange(0, MOST_WORLD), help="Record an episode of the world with this number.")
@click.option(
    "--agents", type=click.IntRange(min=1), default=None, help="In each world; by default 1, or as roles say."
)
@click.option("--ticks", type=click.IntRange(1, 2**20), default=None,
              help="For how long; by default 100, or to the end of the episode.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@policy_option("Who acts in episodes")
@click.option("--minari", "dataset", metavar="NAME-vN", help="Write first episodes as a data set of Minari.")
@click.option("--role", help="Whose episodes a data set has, in a universe with roles.")
def record(
    universe: str,
    output: Path | None,
    worlds: int,
    world: int | None,
    agents: int | None,
    ticks: int | None,
    seed: int,
    policy: str,
    dataset: str | None,
    role: str | None,
) -> None:
    """Write a run of UNIVERSE into a file, for `hamletc replay`.

    NAME.npz gets every value of many worlds after every tick, for `hamletc diff` too. With `--world`, NAME.episode gets
    the first episode of one world: its seed and its actions in a few kilobytes, and a check of every tick. With
    `--minari` the first episodes of many worlds are a data set, which Minari loads by its name.

    UNIVERSE is a file, a pack or a generated package, with @BACKEND behind it, as `hamletc diff` takes it.
    """
    from hamlet_lab.diff.open import spec

    named = spec(universe)
    if named.path is None:
        raise click.BadParameter(f"{universe} names no universe.", param_hint="UNIVERSE")
    if dataset is not None:
        if world is not None:
            raise click.BadParameter("A data set has many worlds: leave it out.", param_hint="--world")
        click.echo(_dataset(named, dataset, output, worlds, agents, ticks, seed, policy, role))
        return
    if role is not None:
        raise click.BadParameter("A role is for data sets: give --minari.", param_hint="--role")
    if output is None:
        raise click.MissingParameter(param_hint="--output", param_type="option")
    suffix = RECORDED if world is None else EPISODE
    if output.suffix != suffix:
        hint = " Give --world to record an episode." if output.suffix == EPISODE else ""
        raise click.BadParameter(f"{output} does not end in {suffix}.{hint}", param_hint="--output")
    expect(named.path, "text", "sources", "package", "nothing")
    if world is None:
        if policy != "random":
            raise click.BadParameter(
                "A run of many worlds has players of its own: give --world.", param_hint="--policy"
            )
        said = _run(named, output, worlds, agents, ticks or 100, seed)
    else:
        said = _episode(named, output, world, agents, ticks, seed, policy)
    click.echo(f"{output}: {said}")


def _run(named: Spec, output: Path, worlds: int, agents: int | None, ticks: int, seed: int) -> str:
    """Record every value of a run."""
    from rich.console import Console

    from hamlet.env.make import checked_shape
    from hamlet_lab.diff.open import open_side
    from hamlet_lab.verify import recording

    assert named.path is not None
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder, Console(stderr=True).status("recording"):
        side = open_side(named.path, named.backend, Path(folder) / "package")
        shape = checked_shape(side.universe, worlds, agents, 0)
        recorded = recording.record(side.label, side.universe, side.candidate, shape, seed, ticks)
        recording.write_recording(recorded, output)
    return f"{ticks} ticks of {shape.lanes} agents of {side.label}"


def _episode(
    named: Spec, output: Path, world: int, agents: int | None, ticks: int | None, seed: int, policy: str
) -> str:
    """Record the first episode of a world."""
    import hamlet
    from hamlet.backend.registry import backend_names
    from hamlet_lab.diff.open import opened, prepare

    assert named.path is not None
    backend = named.backend or "interpreter"
    if backend not in backend_names():
        raise CompileError(f"an episode is recorded by {', '.join(backend_names())}, not by {backend}")
    player = player_of(policy)
    prepare([backend])
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder:
        universe = opened(named.path, Path(folder) / "package")
        env = hamlet.make(
            universe.package(backend),
            worlds=1,
            first_world=world,
            agents=agents,
            seed=seed,
            backend=backend,
            quiet=True,
        )
        episode = env.record(0, ticks, player.of(env))
        episode.save(output)
    ends = ", ".join(dict.fromkeys(end for end in episode.ended if end)) or "nothing yet"
    return f"{episode.ticks} ticks of world {world} of {universe.name}@{backend}, ended by {ends}"


def _dataset(
    named: Spec,
    dataset: str,
    output: Path | None,
    worlds: int,
    agents: int | None,
    ticks: int | None,
    seed: int,
    policy: str,
    role: str | None,
) -> str:
    """Write the first episodes of worlds, and say what they are."""
    from hamlet.backend.registry import backend_names
    from hamlet.plugins import load
    from hamlet.plugins import named as plugins

    assert named.path is not None
    expect(named.path, "text", "sources", "package", "nothing")
    if named.backend is not None and named.backend not in backend_names():
        raise CompileError(f"episodes are recorded by {', '.join(backend_names())}, not by {named.backend}")
    if find_spec(MINARI) is None or MINARI not in plugins(DATASETS):
        raise CompileError("--minari needs Minari: pip install 'hamletc[minari]'")
    player, sets = player_of(policy), cast("Any", load(DATASETS, MINARI))
    written = sets.write(
        named.path, dataset, player.of, player.named, worlds, agents, ticks, seed, role, output, named.backend or "auto"
    )
    cut = f", {written.cut:,} of which go on after {written.ticks:,} ticks" if written.cut else ""
    return f"{dataset}: {written.episodes:,} episodes, {written.steps:,} steps{cut}, in {written.path}"
