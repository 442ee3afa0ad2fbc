"""`hamletc reproduce`: a training once more, and whether it gives the same weights."""

from __future__ import annotations

from pathlib import Path

import rich_click as click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--threads", type=click.IntRange(1, 1024), help="By default the CPUs. No result depends on it.")
def reproduce(folder: Path, threads: int | None) -> None:
    """Train again what the run in FOLDER trained, and compare the weights after every update."""
    from hamlet.terminal import visible
    from hamlet_train.cli.options import threads_of
    from hamlet_train.cli.watch import shown
    from hamlet_train.reproduce import repeat
    from hamlet_train.run import Run
    from hamletc.cli.show import literal

    run = Run(folder)
    manifest = run.read()
    with shown(literal(f"training {manifest.universe} again"), manifest.updates) as watch:
        repeated = repeat(run, manifest, threads_of(threads), watch)
    if repeated.differs is None:
        click.echo(
            f"{repeated.updates} of {repeated.updates} updates are equal\nweights   sha256 {visible(repeated.weights)}"
        )
        return
    recorded, here = repeated.differs
    for line in repeated.versions:
        click.echo(visible(line))
    click.echo(
        f"update {here.update} is the first that differs: its weights have the sha256 {here.weights}, "
        f"and those of {folder} {visible(recorded.weights)}"
    )
    raise SystemExit(1)
