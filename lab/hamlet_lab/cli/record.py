"""`hamletc record`: a run, to be replayed elsewhere, or later."""

from __future__ import annotations

import tempfile
from pathlib import Path

import rich_click as click


@click.command()
@click.argument("universe")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The file, NAME.npz.")
@click.option("--worlds", type=click.IntRange(min=1), default=67, show_default=True, help="How many worlds.")
@click.option(
    "--agents", type=click.IntRange(min=1), default=None, help="In each world; by default 1, or as roles say."
)
@click.option("--ticks", type=click.IntRange(1, 2**20), default=100, show_default=True, help="For how long.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Of all randomness.")
def record(universe: str, output: Path, worlds: int, agents: int | None, ticks: int, seed: int) -> None:
    """Write every value of a run of UNIVERSE after every tick into a file, for `hamletc replay` and `hamletc diff`.

    UNIVERSE is a file, a pack or a generated package, with @BACKEND behind it, as `hamletc diff` takes it.
    """
    from rich.console import Console

    from hamlet.env.make import checked_shape
    from hamlet_lab.diff.open import open_side, spec
    from hamlet_lab.verify import recording
    from hamletc.kinds import RECORDED, expect

    if output.suffix != RECORDED:
        raise click.BadParameter(f"{output} does not end in {RECORDED}.", param_hint="--output")
    given = spec(universe)
    if given.path is None:
        raise click.BadParameter(f"{universe} names no universe.", param_hint="UNIVERSE")
    expect(given.path, "text", "sources", "package", "nothing")
    with tempfile.TemporaryDirectory(prefix="hamletc-") as folder, Console(stderr=True).status("recording"):
        side = open_side(given.path, given.backend, Path(folder) / "package")
        shape = checked_shape(side.universe, worlds, agents, 0)
        recorded = recording.record(side.label, side.universe, side.candidate, shape, seed, ticks)
        recording.write_recording(recorded, output)
    click.echo(f"{output}: {ticks} ticks of {shape.lanes} agents of {side.label}")
