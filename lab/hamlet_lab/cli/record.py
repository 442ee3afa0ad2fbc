"""`hamletc record`: a run or an episode, to be replayed elsewhere, or later."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamletc.cli.policy import player_of, policy_option
from hamletc.errors import CompileError
from hamletc.kinds import EPISODE, RECORDED, expect

if TYPE_CHECKING:
    from hamlet_lab.diff.open import Spec

MOST_WORLD = 2**31 - 1


@click.command()
@click.argument("universe")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The file, NAME.npz or NAME.episode."
)
@click.option("--worlds", type=click.IntRange(min=1), default=67, show_default=True, help="How many worlds of a run.")
@click.option("--world", type=click.IntRange(0, MOST_WORLD), help="Record an episode of the world with this number.")
@click.option(
    "--agents", type=click.IntRange(min=1), default=None, help="In each world; by default 1, or as roles say."
)
@click.option("--ticks", type=click.IntRange(1, 2**20), default=None,
              help="For how long; by default 100, or to the end of the episode.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
@policy_option("Who acts in an episode")
def record(
    universe: str,
    output: Path,
    worlds: int,
    world: int | None,
    agents: int | None,
    ticks: int | None,
    seed: int,
    policy: str,
) -> None:
    """Write a run of UNIVERSE into a file, for `hamletc replay`.

    NAME.npz gets every value of many worlds after every tick, for `hamletc diff` too. With `--world`, NAME.episode gets
    the first episode of one world: its seed and its actions in a few kilobytes, and a check of every tick.

    UNIVERSE is a file, a pack or a generated package, with @BACKEND behind it, as `hamletc diff` takes it.
    """
    from hamlet_lab.diff.open import spec

    suffix = RECORDED if world is None else EPISODE
    if output.suffix != suffix:
        hint = " Give --world to record an episode." if output.suffix == EPISODE else ""
        raise click.BadParameter(f"{output} does not end in {suffix}.{hint}", param_hint="--output")
    named = spec(universe)
    if named.path is None:
        raise click.BadParameter(f"{universe} names no universe.", param_hint="UNIVERSE")
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
